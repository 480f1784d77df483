//! Cases of renames beside other names that are written alike: local variables, arguments, tags, text.

use super::rename_case::Case;
use super::rename_case::RenameOutcome::Done;

pub const NAMESAKES: &[Case] = &[
    Case {
        what: "keeps_what_shadows_the_symbol_on_one_line",
        files: &[(
            "a.go",
            "package a\n\nfunc size(n int) int { return n }\n\nfunc h() int {\n\tif size := size(2); size > 1 {\n\t\treturn size\n\t}\n\treturn size(3)\n}\n",
        )],
        symbol: "size",
        new_name: "length",
        expected: Done(&[(
            "a.go",
            "package a\n\nfunc length(n int) int { return n }\n\nfunc h() int {\n\tif size := length(2); size > 1 {\n\t\treturn size\n\t}\n\treturn length(3)\n}\n",
        )]),
    },
    Case {
        what: "keeps_arguments_that_are_named_like_a_function",
        files: &[(
            "a.swift",
            "func size(_ n: Int) -> Int { n }\nfunc k(size: Int) {}\nfunc j() {\n  k(size: size(3))\n  let t = (size: 1, b: size(2))\n}\n",
        )],
        symbol: "size",
        new_name: "length",
        expected: Done(&[(
            "a.swift",
            "func length(_ n: Int) -> Int { n }\nfunc k(size: Int) {}\nfunc j() {\n  k(size: length(3))\n  let t = (size: 1, b: length(2))\n}\n",
        )]),
    },
    Case {
        what: "changes_a_tag_beside_variables_of_its_name",
        files: &[
            (
                "a.c",
                "#include \"a.h\"\nint walk(struct node *n) { return n->val; }\nint size(void) { return sizeof(struct node); }\n",
            ),
            (
                "a.h",
                "struct node { int val; };\nint walk(struct node *n);\n",
            ),
            (
                "b.c",
                "#include \"a.h\"\nint b(struct node *node) { return node->val; }\n",
            ),
        ],
        symbol: "node",
        new_name: "item",
        expected: Done(&[
            (
                "a.c",
                "#include \"a.h\"\nint walk(struct item *n) { return n->val; }\nint size(void) { return sizeof(struct item); }\n",
            ),
            (
                "a.h",
                "struct item { int val; };\nint walk(struct item *n);\n",
            ),
            (
                "b.c",
                "#include \"a.h\"\nint b(struct item *node) { return node->val; }\n",
            ),
        ]),
    },
    Case {
        what: "reaches_members_of_classes_and_objects_under_an_alias",
        files: &[
            (
                "a.ts",
                "export interface I { run(): void }\nexport class A implements I { run() {} static run() {} }\nexport const o: I = { run() {} };\n",
            ),
            (
                "b.ts",
                "import { A as AA } from \"./a\";\nexport class Q extends AA { run() { super.run(); } }\n",
            ),
        ],
        symbol: "I.run",
        new_name: "go",
        expected: Done(&[
            (
                "a.ts",
                "export interface I { go(): void }\nexport class A implements I { go() {} static run() {} }\nexport const o: I = { go() {} };\n",
            ),
            (
                "b.ts",
                "import { A as AA } from \"./a\";\nexport class Q extends AA { go() { super.go(); } }\n",
            ),
        ]),
    },
    Case {
        what: "takes_the_text_of_elements_for_text",
        files: &[(
            "a.tsx",
            "export function helper() {}\nexport const D = () => <p title=\"helper\">call helper now {helper()}</p>;\n",
        )],
        symbol: "helper",
        new_name: "assist",
        expected: Done(&[(
            "a.tsx",
            "export function assist() {}\nexport const D = () => <p title=\"helper\">call helper now {assist()}</p>;\n",
        )]),
    },
    Case {
        what: "changes_attributes_without_their_suffix",
        files: &[(
            "a.cs",
            "class MyAttribute : System.Attribute {}\n[My] class D {}\n[My()] class E {}\n[MyAttribute] class F {}\n",
        )],
        symbol: "MyAttribute",
        new_name: "YourAttribute",
        expected: Done(&[(
            "a.cs",
            "class YourAttribute : System.Attribute {}\n[Your] class D {}\n[Your()] class E {}\n[YourAttribute] class F {}\n",
        )]),
    },
];
