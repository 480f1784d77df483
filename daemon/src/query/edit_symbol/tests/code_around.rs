//! The code around an edit stays as it is: its tokens, its comments, the top and the end of the file.

use super::*;

#[test]
fn no_text_makes_a_comment_or_a_statement_of_the_code_behind_it() {
    let different = "refused: would affect code outside the edit";
    check(&[
        (
            "javascript",
            "function a() {}\nconst x = 1;\n/* note */\nfunction b() {}\n",
            ("a", Replace, "function a() {} /*"),
            different,
        ),
        (
            "javascript",
            "const f = () => 1, g = 2;\n",
            ("f", ReplaceBody, "2 // two"),
            different,
        ),
        (
            "javascript",
            "const f = () => 1, g = 2;\n",
            ("f", ReplaceBody, "2 /* two */"),
            "const f = () => 2 /* two */, g = 2;\n",
        ),
        (
            "javascript",
            "const o = {\n  a: () => 1, b: 2,\n};\n",
            ("a", ReplaceBody, "2 // two"),
            different,
        ),
        (
            "javascript",
            "const f = () => 1;\n(x)()\n",
            ("f", ReplaceBody, "2 // two"),
            different,
        ),
        (
            "javascript",
            "const a = 1;\n(x)()\n",
            ("a", InsertAfter, "const b = 2"),
            different,
        ),
        (
            "python",
            "def a():\n    return 1\n\n\nx = 1\n\"\"\"note\"\"\"\n",
            ("a", Replace, "def a():\n    return \"\"\""),
            "refused: ",
        ),
        (
            "c",
            "int a(void) { return 1; }\nint x = 1; /* x */\nint y;\n",
            ("a", InsertAfter, "int b; /* b"),
            different,
        ),
        (
            "go",
            "package a\n\nfunc F() {}\n\nvar x = 1\n\n/* y */\nvar y = 2\n",
            ("F", ReplaceBody, "g() }\n/*"),
            "refused: ",
        ),
        // Comments may become a part of others.
        (
            "rust",
            "fn a() {}\n\n/* note */\n\nfn b() {}\n",
            ("a", InsertAfter, "// About b.\nfn c() {}"),
            "fn a() {}\n\n// About b.\nfn c() {}\n\n/* note */\n\nfn b() {}\n",
        ),
    ]);
}

#[test]
fn no_text_takes_the_code_behind_it_into_a_statement_or_below_an_attribute() {
    let different = "refused: would affect code outside the edit";
    let script = "function a() {}\n\nrun();\nif (b) stop();\n";
    check(&[
        (
            "javascript",
            script,
            ("a", Replace, "function a() {}\nif (false)"),
            different,
        ),
        (
            "javascript",
            script,
            ("a", InsertAfter, "while (busy())"),
            different,
        ),
        (
            "javascript",
            "function a() {}\n\nif (b) stop();\n",
            ("a", InsertAfter, "if (false)"),
            different,
        ),
        // An error elsewhere makes no difference.
        (
            "javascript",
            "function a() {}\n\nrun();\n\nfunction c() { let = @; }\n",
            ("a", InsertAfter, "if (false)"),
            different,
        ),
        (
            "javascript",
            "class A {\n  m() { const f = () => 1;\n    run(); }\n}\n",
            ("f", InsertAfter, "if (false)"),
            different,
        ),
        (
            "bash",
            "a() { :; }\nrm x\n",
            ("a", Replace, "a() { :; }\nfalse &&"),
            different,
        ),
        (
            "ruby",
            "def a\nend\n\nrun\n",
            ("a", InsertAfter, "def b\nend if"),
            different,
        ),
        (
            "python",
            "def a():\n    pass\n\n\ndef b():\n    pass\n",
            ("a", Replace, "def a():\n    pass\n\n\n@skip"),
            different,
        ),
        (
            "python",
            "def a():\n    pass\n",
            ("a", InsertBefore, "@skip"),
            "@skip\ndef a():\n    pass\n",
        ),
        (
            "rust",
            "fn a() {}\n\n/// Runs.\nfn b() {}\n",
            ("b", InsertBefore, "#[test]"),
            "fn a() {}\n\n#[test]\n/// Runs.\nfn b() {}\n",
        ),
        (
            "java",
            "class A {\n    @B\n    int a() { return 1; }\n}\n",
            ("a", Replace, "int a = 1;"),
            "class A {\n    @B\n    int a = 1;\n}\n",
        ),
    ]);
}

#[test]
fn no_text_goes_on_in_the_statement_behind_it() {
    let different = "refused: would affect code outside the edit";
    let methods = "class A {\n    void f() {}\n\n    void g() {}\n}\n";
    check(&[
        (
            "javascript",
            "function a() {}\nb();\n",
            ("a", Replace, "function a() {}\nif (false)"),
            different,
        ),
        (
            "javascript",
            "const a = f(b)\nx()\n",
            ("a", InsertAfter, ".c()"),
            different,
        ),
        (
            "javascript",
            "if (q) function f() {}\nb();\n",
            ("f", Delete, ""),
            different,
        ),
        (
            "rust",
            "fn a() {}\n\nfn b() {}\n",
            ("a", InsertAfter, "pub"),
            different,
        ),
        ("java", methods, ("f", InsertAfter, "static"), different),
        (
            "java",
            methods,
            ("f", InsertAfter, "@Deprecated"),
            different,
        ),
        (
            "python",
            "def a():\n    pass\n\n\nb()\n",
            ("a", Replace, "def a():\n    return 1\nif False:"),
            "refused: does not parse",
        ),
        (
            "python",
            "class A: x = 1\n\n\nb()\n",
            ("x", Delete, ""),
            "refused: does not parse",
        ),
    ]);
}

#[test]
fn a_text_may_annotate_the_symbol_below_it_and_change_the_kind_of_one() {
    let class = "class A:\n    def two(self):\n        pass\n";
    check(&[
        (
            "python",
            class,
            ("two", InsertBefore, "@property"),
            "class A:\n    @property\n    def two(self):\n        pass\n",
        ),
        (
            "python",
            class,
            ("two", InsertBefore, "def one(self):\n    pass"),
            "class A:\n    def one(self):\n        pass\n\n    def two(self):\n        pass\n",
        ),
        (
            "rust",
            "fn a() {}\n\nfn b() {}\n",
            ("b", InsertBefore, "#[test]"),
            "fn a() {}\n\n#[test]\nfn b() {}\n",
        ),
        (
            "java",
            "@Entity\nclass A {}\n",
            ("A", Replace, "interface A {}"),
            "@Entity\ninterface A {}\n",
        ),
        (
            "java",
            "class A {\n    @Override\n    void f() {}\n}\n",
            ("f", Replace, "public void f() { g(); }"),
            "class A {\n    @Override\n    public void f() { g(); }\n}\n",
        ),
    ]);
}

#[test]
fn a_comment_behind_a_symbol_without_a_semicolon_stays() {
    check(&[
        (
            "javascript",
            "function f() { a(); } // f\nb();\n",
            ("f", Replace, "function f() { c(); }"),
            "function f() { c(); } // f\nb();\n",
        ),
        (
            "javascript",
            "const f = () => {\n    a();\n} // f\nb()\n",
            ("f", ReplaceBody, "c();"),
            "const f = () => {\n    c();\n} // f\nb()\n",
        ),
        (
            "javascript",
            "const a = 1 // one\nb()\n",
            ("a", Replace, "const a = 2"),
            "const a = 2 // one\nb()\n",
        ),
        (
            "python",
            "def f():\n    return 1  # one\n\n\nb()\n",
            ("f", Replace, "def f():\n    return 2"),
            "def f():\n    return 2\n\n\nb()\n",
        ),
    ]);
}

#[test]
fn an_edit_brings_no_syntax_error_that_the_file_did_not_have() {
    let text = "fn a() {\n    let x = @;\n}\n\nfn b() {\n    c();\n}\n";
    check(&[
        (
            "rust",
            text,
            ("a", ReplaceBody, "d(;"),
            "refused: does not parse",
        ),
        (
            "rust",
            text,
            ("a", ReplaceBody, "let x = @;\nd();"),
            "fn a() {\n    let x = @;\n    d();\n}\n\nfn b() {\n    c();\n}\n",
        ),
        (
            "rust",
            text,
            ("b", ReplaceBody, "d();"),
            "fn a() {\n    let x = @;\n}\n\nfn b() {\n    d();\n}\n",
        ),
        (
            "rust",
            text,
            ("a", ReplaceBody, "d();"),
            "fn a() {\n    d();\n}\n\nfn b() {\n    c();\n}\n",
        ),
    ]);
}

#[test]
fn a_file_without_a_last_line_end_does_not_get_one() {
    check(&[
        (
            "rust",
            "fn a() {}\n\nfn b() {}",
            ("b", Delete, ""),
            "fn a() {}",
        ),
        (
            "rust",
            "fn a() {}\r\nfn b() {}",
            ("b", Delete, ""),
            "fn a() {}",
        ),
        (
            "rust",
            "fn a() {}\n\nfn b() {}",
            ("a", Delete, ""),
            "fn b() {}",
        ),
        ("rust", "fn b() {}", ("b", Delete, ""), ""),
    ]);
}

#[test]
fn comments_about_the_file_are_not_about_its_first_symbol() {
    let go =
        "// Copyright 2020 A. All rights reserved.\n// See LICENSE.\npackage a\n\nfunc F() {}\n";
    let license = "// Copyright (c) 2020 A.\n//\n// Licensed under B.\nclass A {}\n\nclass B {}\n";
    check(&[
        (
            "ruby",
            "# frozen_string_literal: true\n# A counts.\nclass A\nend\n\nclass B\nend\n",
            ("A", Delete, ""),
            "# frozen_string_literal: true\n\nclass B\nend\n",
        ),
        (
            "ruby",
            "# frozen_string_literal: true\nclass A\nend\n",
            ("A", InsertBefore, "class C\nend"),
            "# frozen_string_literal: true\nclass C\nend\n\nclass A\nend\n",
        ),
        (
            "python",
            "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\ndef a():\n    pass\n\n\ndef b():\n    pass\n",
            ("a", Delete, ""),
            "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n\n\ndef b():\n    pass\n",
        ),
        (
            "typescript",
            "// @ts-nocheck\n/// <reference types=\"a\" />\nclass A {}\n",
            ("A", Replace, "// New.\nclass A { b = 1; }"),
            "// @ts-nocheck\n/// <reference types=\"a\" />\n// New.\nclass A { b = 1; }\n",
        ),
        (
            "typescript",
            "// eslint-disable-next-line\nclass A {}\n\nclass B {}\n",
            ("A", Delete, ""),
            "class B {}\n",
        ),
        (
            "java",
            license,
            ("A", Delete, ""),
            "// Copyright (c) 2020 A.\n//\n// Licensed under B.\n\nclass B {}\n",
        ),
        (
            "javascript",
            "/* Copyright A. */\n/** A counts. */\nclass A {}\n\nclass B {}\n",
            ("A", Delete, ""),
            "/* Copyright A. */\n\nclass B {}\n",
        ),
        (
            "php",
            "<?php\n// SPDX-License-Identifier: MIT\nfunction a() {}\n\nfunction b() {}\n",
            ("a", Delete, ""),
            "<?php\n// SPDX-License-Identifier: MIT\n\nfunction b() {}\n",
        ),
        (
            "go",
            go,
            ("F", Delete, ""),
            "// Copyright 2020 A. All rights reserved.\n// See LICENSE.\npackage a\n",
        ),
        // A comment below code is about what is below it.
        (
            "java",
            "class A {}\n\n// Copyright checks.\nclass B {}\n",
            ("B", Delete, ""),
            "class A {}\n",
        ),
    ]);
}

#[test]
fn one_of_several_symbols_with_the_same_name_and_bytes_is_found_by_its_place() {
    let language = lang::by_name("javascript").expect("a language");
    let text = "a = a = 1;\n";
    let spans = spans(language, text);
    let sizes = crate::extract::ChunkSizes::default();
    let symbols = crate::extract::extract(Some(language), text, sizes)
        .outline
        .symbols;
    for at in 0..symbols.len() {
        assert_eq!(same_span(&symbols, at, &spans.symbols), Some(at));
    }
    assert_eq!(same_span(&symbols, symbols.len(), &spans.symbols), None);
}
