//! Calls of values: through variables, parameters, results, containers, fields and decorators.

use super::*;
use crate::extract::facts::Role;
use crate::source::cancel::CancelToken;

/// Returns the calls between the functions of some files, as `caller -> callee`, by asking for the callers of each.
fn edges(language: &str, texts: &[(&str, &str)]) -> Vec<String> {
    let files = Files::new(language, texts);
    let graph = Graph::new(&files.snapshot, &files);
    let qualified = |at: SymbolId| graph.file(at.file).qualified(graph.symbol(at));
    let mut found = vec![];
    for (file, indexed) in (0..).zip(&files.snapshot.files) {
        for (symbol, one) in (0..).zip(&indexed.outline.symbols) {
            let at = SymbolId { file, symbol };
            if !one.kind.is_callable() && !graph.calls().is_accessor(at) {
                continue;
            }
            let callers = graph.calls().callers(&[at], &CancelToken::default());
            for call in callers.expect("not cancelled") {
                let caller = call.symbol.map_or("-".to_owned(), qualified);
                found.push(format!("{caller} -> {}", qualified(at)));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_cancelled_question_searches_no_references_for_values() {
    let files = Files::new(
        "python",
        &[(
            "a.py",
            "def first(): pass\ndef run(a):\n    a()\nrun(first)\n",
        )],
    );
    let sites = |graph: &Graph<'_>| {
        let name = |one: &Symbol| &*one.name == "first";
        let symbols = &files.snapshot.files[0].outline.symbols;
        let symbol = symbols.iter().position(name).expect("a function");
        let symbol = u32::try_from(symbol).expect("few");
        graph
            .flows()
            .value_call_sites(SymbolId { file: 0, symbol })
            .len()
    };
    let token = CancelToken::default();
    let graph = || Graph::new(&files.snapshot, &files).cancelled_by(&token);
    assert_eq!(sites(&graph()), 1);
    drop(token.on_drop());
    assert_eq!(sites(&graph()), 0);
}

#[test]
fn a_text_that_is_newer_than_the_facts_is_not_read_by_their_positions() {
    let text = "def first(): pass\ndef second(): pass\ndef run():\n    a = first\n    a()\n";
    let mut files = Files::new("python", &[("a.py", text)]);
    let callees = |files: &Files| {
        let graph = Graph::new(&files.snapshot, files);
        let run = graph.named("run").next().expect("defined");
        let calls = graph.calls().callees(run).calls;
        let names = calls.iter().filter_map(|call| call.symbol);
        let names = names.map(|at| graph.symbol(at).name.to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(callees(&files), ["first"]);
    files.texts[0] = text.replace("a = first", "a = second").into();
    assert!(!callees(&files).contains(&"second".to_owned()));

    let text =
        "class A { void put(int a) {} void put(int a, int b) {}\n    void run() { put(1); } }\n";
    let mut files = Files::new("java", &[("A.java", text)]);
    let targets = |files: &Files| {
        let graph = Graph::new(&files.snapshot, files);
        let uses = graph.uses(0);
        let call = uses.named("put").find(|row| row.role == Role::Call);
        match graph.resolver().resolve(0, &uses, call.expect("a call")) {
            Outcome::Targets(targets) => targets.symbols.len(),
            outcome => panic!("{outcome:?}"),
        }
    };
    assert_eq!(targets(&files), 1);
    files.texts[0] = text.replace("put(1)", "put(1, 2)").into();
    assert_eq!(targets(&files), 2);
}

fn python(text: &str) -> Vec<String> {
    let functions = "def first(): pass\ndef second(): pass\ndef third(): pass\n";
    edges("python", &[("a.py", &format!("{functions}{text}"))])
}

#[test]
fn a_variable_is_called_as_what_it_was_assigned_last() {
    assert_eq!(python("a = first\na()\n"), ["- -> first"]);
    assert_eq!(python("a = b = first\nb()\n"), ["- -> first"]);
    assert_eq!(python("a = first\na = second\na()\n"), ["- -> second"]);
    assert_eq!(
        python("def run(x):\n    a = first\n    if x:\n        a = second\n    a()\n"),
        ["run -> first", "run -> second"]
    );
    assert_eq!(
        python("a, (b, *c) = first, (second, third)\nb()\nc[0]()\n"),
        ["- -> second", "- -> third"]
    );
}

#[test]
fn a_parameter_is_called_as_the_arguments_of_all_calls() {
    assert_eq!(
        python("def run(a, b=third):\n    a()\n    b()\nrun(first)\nrun(a=second)\n"),
        ["- -> run", "run -> first", "run -> second", "run -> third"]
    );
    let texts = [
        ("a.py", "from b import run\ndef first(): pass\nrun(first)\n"),
        ("b.py", "def run(a):\n    a()\n"),
    ];
    assert_eq!(edges("python", &texts), ["- -> run", "run -> first"]);
}

#[test]
fn a_result_is_called_as_what_the_function_returns() {
    assert_eq!(
        python("def make():\n    return first\nmake()()\nx = make()\nx()\n"),
        ["- -> first", "- -> make"]
    );
    assert_eq!(
        python("def same(a):\n    return a\nsame(second)()\n"),
        ["- -> same", "- -> second"]
    );
    assert_eq!(
        python("def each():\n    yield first\nfor a in each():\n    a()\n"),
        ["- -> each", "- -> first"]
    );
}

#[test]
fn an_item_is_called_as_what_was_put_there() {
    assert_eq!(
        python("d = {'a': first, 'b': second}\nd[\"b\"]()\n"),
        ["- -> second"]
    );
    assert_eq!(
        python("d = {'a': first}\nd['a'] = second\nd['a']()\n"),
        ["- -> second"]
    );
    assert_eq!(
        python("d = {}\nd.update({'a': first})\nd['a']()\n"),
        ["- -> first"]
    );
    assert_eq!(
        python("l = [first, second, third]\nl[1:3][0]()\n"),
        ["- -> second"]
    );
    assert_eq!(python("d = {'a': first}\nd.get('a')()\n"), ["- -> first"]);
    assert_eq!(
        python("d = {}\nfor k in ('a', 'b'):\n    d[k] = first\nd['b']()\n"),
        ["- -> first"]
    );
    assert_eq!(
        python("d = {'a': first}\nd[input()] = second\nd['a']()\n"),
        ["- -> first", "- -> second"]
    );
}

#[test]
fn a_field_is_called_as_what_methods_assign_to_it() {
    let text = "class Base:\n    def run(self):\n        self.act()\n\
                class Derived(Base):\n    def __init__(self):\n        self.act = first\nDerived().run()\n";
    assert_eq!(
        python(text),
        [
            "- -> Base.run",
            "- -> Derived.__init__",
            "Base.run -> first"
        ]
    );
}

#[test]
fn a_receiver_without_a_type_is_what_flows_into_it() {
    let text = "class Tool:\n    def act(self): pass\nclass Other:\n    def act(self): pass\n\
                class Bench:\n    def __init__(self, c):\n        self.c = c\n    def run(self):\n        self.c.act()\n\
                Bench(Tool()).run()\n";
    assert_eq!(
        python(text),
        [
            "- -> Bench.__init__",
            "- -> Bench.run",
            "Bench.run -> Tool.act"
        ]
    );
}

#[test]
fn a_decorator_is_given_the_function_below_it() {
    let text = "def outer(a):\n    def inner():\n        a()\n    return inner\n\
                @outer\ndef act(): pass\ndef run():\n    act()\n";
    assert_eq!(
        python(text),
        [
            "- -> outer",
            "outer.inner -> act",
            "run -> act",
            "run -> outer.inner"
        ]
    );
}

#[test]
fn an_iteration_runs_the_methods_of_its_object() {
    let text = "class Rack:\n    def __iter__(self): return self\n    def __next__(self):\n        return first\n\
                for a in Rack():\n    a()\n";
    assert_eq!(
        python(text),
        ["- -> Rack.__iter__", "- -> Rack.__next__", "- -> first"]
    );
}

#[test]
fn a_line_with_a_call_by_name_and_one_by_value_is_given_once() {
    let text = "def first(): pass\ndef run():\n    a = first\n    a(); first()\n    first()\n";
    let files = Files::new("python", &[("a.py", text)]);
    let graph = Graph::new(&files.snapshot, &files);
    let first = graph.named("first").next().expect("defined");
    let calls = graph.calls().callers(&[first], &CancelToken::default());
    assert_eq!(calls.expect("not cancelled")[0].lines, [4, 5]);
}

#[test]
fn functions_are_values_in_other_languages_too() {
    let text = "function first() {}\nfunction second() {}\nfunction run(a) {\n  a();\n}\nconst all = [first, second];\n\
                function go() {\n  const third = second;\n  third();\n  all[0]();\n  run(second);\n}\n";
    assert_eq!(
        edges("javascript", &[("a.js", text)]),
        ["go -> first", "go -> run", "go -> second", "run -> second"]
    );
}

#[test]
fn a_function_does_not_return_what_closures_among_its_arguments_do() {
    let text = "function first() {}\nfunction second() {}\nfunction make(all) {\n  all.forEach(function (one) {\n    return first;\n  });\n  \
                return second;\n}\nfunction run() {\n  const act = make([]);\n  act();\n}\n";
    assert_eq!(
        edges("javascript", &[("a.js", text)]),
        ["run -> make", "run -> second"]
    );
    let bracketed = text.replace("return second", "return(second)");
    assert_eq!(
        edges("javascript", &[("a.js", &bracketed)]),
        ["run -> make", "run -> second"]
    );
}

#[test]
fn a_call_of_the_supertype_reaches_nothing_that_overrides_it() {
    let text = "class A:\n    def act(self): pass\nclass B(A):\n    def act(self):\n        super().act()\n";
    assert_eq!(python(text), ["B.act -> A.act"]);
}

#[test]
fn a_class_body_sees_the_names_of_its_class() {
    let text = "class Move:
    def right(): pass
    r = right
    def run(self):
        right()
def use():
    Move.r()
";
    assert_eq!(edges("python", &[("a.py", text)]), ["use -> Move.right"]);
}

#[test]
fn a_method_by_the_name_of_its_class_is_not_dispatched() {
    let text = "class Base:
    def open(self): pass
class One(Base):
    def open(self):
        Base.open(self)
class Two(Base):
    def open(self):
        super().open()
def run(base: Base):
    base.open()
";
    let all = [
        "One.open -> Base.open",
        "Two.open -> Base.open",
        "run -> Base.open",
        "run -> One.open",
        "run -> Two.open",
    ];
    assert_eq!(edges("python", &[("a.py", text)]), all);
}

#[test]
fn reading_or_writing_a_property_runs_its_code() {
    let text = "class Store:
    @property
    def size(self): return 1
    @size.setter
    def size(self, value): pass
    count = 1
    def run(self):
        return self.size + self.count
def use(store: Store):
    store.size = 2
";
    let all = ["Store.run -> Store.size", "use -> Store.size"];
    let mut found = edges("python", &[("a.py", text)]);
    found.dedup();
    assert_eq!(found, all);
}
