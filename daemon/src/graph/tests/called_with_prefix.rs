//! Calls that a grammar takes for something else.

use super::Files;
use crate::graph::{Graph, SymbolId};
use crate::source::cancel::CancelToken;

#[test]
fn a_prefix_or_type_arguments_do_not_hide_a_call() {
    for (language, text) in [
        (
            "kotlin",
            "fun open(x: Int) = true\nfun a(b: Boolean) { if (b && !open(1)) return }\nfun b() = !open(1)\nfun c() = listOf(1).none { !open(it) }\n",
        ),
        (
            "swift",
            "func open(_ x: Int) -> Bool { true }\nfunc a() { guard open(1), !open(2) else { return } }\nfunc b() -> Bool { !open(1) }\nfunc c() { if !open(1) {} }\n",
        ),
        (
            "typescript",
            "async function open<T>(x: T): Promise<T> { return x }\nasync function a() { const x = await open<string>('a') }\nasync function b() { return (await open<number>(1)).toFixed() }\nfunction c() { open!(1) }\n",
        ),
        (
            "typescript",
            "class Store { async open<T>(x: T): Promise<T> { return x } }\nasync function a(s: Store) { await s.open<string>('a') }\nasync function b(s: Store) { if (!(await s.open<boolean>(true))) return }\nfunction c(s: Store) { s.open!(1) }\n",
        ),
    ] {
        let files = Files::new(language, &[("a", text)]);
        let graph = Graph::new(&files.snapshot, &files);
        let mut symbols = (0..).zip(&graph.file(0).outline.symbols);
        let (symbol, _) = symbols
            .find(|(_, one)| &*one.name == "open")
            .expect("defined");
        let callers = graph
            .calls()
            .callers(&[SymbolId { file: 0, symbol }], &CancelToken::default())
            .expect("not cancelled");
        let callers: Vec<&str> = callers
            .iter()
            .filter_map(|one| Some(&*graph.symbol(one.symbol?).name))
            .collect();
        assert_eq!(callers, ["a", "b", "c"], "{language}");
    }
}
