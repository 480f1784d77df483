//! Re-exports, and mapped import paths.

use super::{Files, Graph, SymbolId, meant};

#[test]
fn imported_names_are_reexported() {
    let implementation = "
export function one() {}
export class Two { run() {} }
export interface Three { size: number }
export default function four() {}
";
    let index = "
import four, { one, Two as Second } from './impl';
import type { Three } from './impl';
import * as whole from './impl';
function local() {}
export { one, Second as Other, four, whole, local as outside };
export type { Three };
export default Second;
";
    let used = "
import Chosen, { «one», «Other», «four», «outside», whole, type «Three» } from './index';
«one»();
new «Other»().«run»();
«four»();
«outside»();
whole.«one»();
const x: «Three» = { «size»: 1 };
new «Chosen»().«run»();
";
    let expected = [
        "impl.ts:one",
        "impl.ts:Two",
        "impl.ts:four",
        "index.ts:local",
        "impl.ts:Three",
        "impl.ts:one",
        "impl.ts:Two",
        "impl.ts:Two.run",
        "impl.ts:four",
        "index.ts:local",
        "impl.ts:one",
        "impl.ts:Three",
        "impl.ts:Three.size",
        "impl.ts:Two",
        "impl.ts:Two.run",
    ];
    assert_eq!(
        meant(
            "typescript",
            &[
                ("impl.ts", implementation),
                ("index.ts", index),
                ("used.ts", used)
            ]
        ),
        expected
    );
}

#[test]
fn names_taken_out_of_an_exported_value_are_symbols() {
    let auth = "
import { configure } from 'library';
export const { useUser, login: signIn, size: width = 1, ...others } = configure();
export const [useStore, Provider] = configure();
export function here() { return «useUser»() && «useStore» && «width» && «others»; }
";
    let used = "
import { useUser, signIn as enter, Provider } from './auth';
«useUser»();
«enter»();
new «Provider»();
";
    let expected = [
        "useUser",
        "useStore",
        "width",
        "others",
        "auth.ts:useUser",
        "auth.ts:signIn",
        "auth.ts:Provider",
    ];
    let files = [("auth.ts", auth), ("used.ts", used)];
    assert_eq!(meant("typescript", &files), expected);
}

#[test]
fn a_symbol_is_found_by_the_name_of_its_export() {
    let files = Files::new(
        "typescript",
        &[
            (
                "a.ts",
                "function build() {}\nexport { build as buildStore };\n",
            ),
            ("b.ts", "export { buildStore as create } from './a';\n"),
        ],
    );
    let graph = Graph::new(&files.snapshot, &files);
    let build = SymbolId { file: 0, symbol: 0 };
    assert_eq!(graph.modules().exported_as("buildStore"), [build]);
    assert_eq!(graph.modules().exported_as("create"), [build]);
    assert_eq!(graph.modules().exported_as("other"), []);
}

#[test]
fn names_of_a_module_that_is_imported_by_a_call_are_found() {
    let slice = "export function one() {}\nexport function two() {}\n";
    let used = "
async function run() {
  const { one, two: second } = await import('./slice');
  «one»();
  «second»();
  import('./slice').then((module) => module.«one»());
  import('./slice').then(({ «one»: first }) => first());
  lazy(() => import('./slice').then((found) => ({ default: found.«two» })));
}
";
    let expected = [
        "slice:one",
        "slice:two",
        "slice:one",
        "slice:one",
        "slice:two",
    ];
    for (language, extension) in [("typescript", "ts"), ("javascript", "js")] {
        let (slice_path, used_path) = (format!("slice.{extension}"), format!("used.{extension}"));
        let files = [(&*slice_path, slice), (&*used_path, used)];
        let expected = expected.map(|name| name.replace(':', &format!(".{extension}:")));
        assert_eq!(meant(language, &files), expected, "{language}");
    }
}

#[test]
fn imported_names_without_an_export_are_not_reexported() {
    let files = [
        ("impl.ts", "export function one() {}\n"),
        ("index.ts", "import { one } from './impl';\none();\n"),
        ("used.ts", "import { one } from './index';\n«one»();\n"),
    ];
    assert_ne!(meant("typescript", &files), ["impl.ts:one"]);
}

#[test]
fn a_package_passes_on_what_it_imports() {
    let files = [
        (
            "shop/__init__.py",
            "from .impl import one\nfrom .other import *\n__all__ = ['one', 'two']\n",
        ),
        ("shop/impl.py", "def one(): ...\n"),
        ("shop/other.py", "def two(): ...\n"),
        ("used.py", "from shop import one, two\n«one»()\n«two»()\n"),
    ];
    assert_eq!(
        meant("python", &files),
        ["shop/impl.py:one", "shop/other.py:two"]
    );
}

#[test]
fn a_list_of_exports_passes_on_what_is_imported() {
    let files = [
        (
            "Impl.hs",
            "module Impl where\n\none :: Int -> Int\none x = x\n\nother :: Int -> Int\nother x = x\n",
        ),
        (
            "More.hs",
            "module More where\n\ntwo :: Int -> Int\ntwo x = x\n\nhidden :: Int -> Int\nhidden x = x\n",
        ),
        (
            "Shop.hs",
            "module Shop (one, two) where\n\nimport Impl (one, other)\nimport More\n",
        ),
        (
            "Used.hs",
            "module Used where\n\nimport Shop\n\nrun :: Int\nrun = «one» 1 + «two» 2 + «hidden» 3\n",
        ),
    ];
    let found = meant("haskell", &files);
    assert_eq!(found[..2], ["Impl.hs:one", "More.hs:two"]);
    assert_ne!(found[2], "More.hs:hidden");
}

#[test]
fn a_source_comes_before_what_is_published_of_it() {
    let stub = "export * from './dist/text'\n";
    let source = "export function trim() {}\n";
    let used = "import { trim } from '@shop/tools/text';\n«trim»();\n";
    let package = r#"{"name": "@shop/tools"}"#;
    let files = [
        ("app/main.ts", used),
        ("tools/package.json", package),
        ("tools/src/text.ts", source),
        ("tools/text.d.ts", stub),
    ];
    assert_eq!(meant("typescript", &files), ["tools/src/text.ts:trim"]);
    let base = r#"{"compilerOptions": {"paths": {"@shop/tools/*": ["./tools/code/*"]}}}"#;
    let files = [
        ("app/main.ts", used),
        (
            "app/tsconfig.json",
            r#"{"extends": "../tsconfig.base.json"}"#,
        ),
        ("tools/code/text.ts", source),
        ("tools/package.json", package),
        ("tools/text.d.ts", stub),
        ("tsconfig.base.json", base),
    ];
    assert_eq!(meant("typescript", &files), ["tools/code/text.ts:trim"]);
}

#[test]
fn a_folder_is_called_as_its_files_say() {
    let used = "
package main
import (
	\"example.com/shop/lib\"
	\"example.com/shop/go-tools\"
	\"example.com/shop/api.v3\"
)
func main() {
	shop.«Open»().«Close»()
	toolbox.«Open»()
	api.«Open»()
	lib.«Open»()
}
";
    let open = |package: &str| {
        format!("package {package}\ntype Store struct{{}}\nfunc Open() *Store {{ return nil }}\n")
    };
    let (api, tools) = (open("api"), open("toolbox"));
    // The name of the package is not a default export: a function with that name is not special.
    let own = format!(
        "{}func (s *Store) Close() {{}}\nfunc shop() {{}}\n",
        open("shop")
    );
    let files = [
        ("api.v3/api.go", &*api),
        ("go-tools/a.go", &*tools),
        ("go.mod", "module example.com/shop\n"),
        ("lib/a_test.go", "package shop_test\n"),
        ("lib/b_test.go", "package shop_test\n"),
        ("lib/gen.go", "package main\n"),
        ("lib/store.go", &*own),
        ("main.go", used),
    ];
    let expected = [
        "lib/store.go:Open",
        "lib/store.go:Store.Close",
        "go-tools/a.go:Open",
        "api.v3/api.go:Open",
        "foreign",
    ];
    assert_eq!(meant("go", &files), expected);
}

#[test]
fn a_module_in_the_root_folder_is_found() {
    let found = meant(
        "ocaml",
        &[
            ("store.ml", "let openit () = 1\n"),
            ("test/run.ml", "let () = Store.«openit» ()\n"),
        ],
    );
    assert_eq!(found, ["store.ml:openit"]);
}

#[test]
fn the_functions_of_an_exported_object_are_found() {
    let api = "
export default { open() {}, close: () => 1 };
";
    let used = "
import api from './api.js';
api.«open»();
api.«close»();
api.«missing»();
";
    let expected = ["api.js:default.open", "api.js:default.close", "unknown"];
    assert_eq!(
        meant("javascript", &[("api.js", api), ("used.js", used)]),
        expected
    );
}

#[test]
fn a_function_is_called_with_another_receiver() {
    let text = "
function transform(data) { return data; }
const store = { open() {} };
function run(config) {
  «transform».call(config, 1);
  «transform».apply(config, [1]);
  store.«open».call(config);
}
";
    assert_eq!(
        meant("javascript", &[("a.js", text)]),
        ["transform", "transform", "store.open"]
    );
    let files = Files::new("javascript", &[("a.js", &text.replace(['«', '»'], ""))]);
    let graph = Graph::new(&files.snapshot, &files);
    let uses = graph.uses(0);
    let calls = |name| {
        let is_call = |row: &&crate::graph::Use| row.role == crate::extract::facts::Role::Call;
        uses.named(name).filter(is_call).count()
    };
    assert_eq!((calls("transform"), calls("open")), (2, 1));
}
