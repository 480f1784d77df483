//! The results of functions with long signatures, and of functions with several results; the bounds of type parameters.

use super::meant;

/// Parameters that are longer than a stored signature.
fn parameters(one: &str) -> String {
    let all: Vec<String> = (0..30)
        .map(|at| one.replace("NAME", &format!("value_{at}")))
        .collect();
    all.join(", ")
}

#[test]
fn a_long_signature_gives_the_type_of_its_result() {
    for (language, path, one, text, method) in [
        (
            "go",
            "a.go",
            "NAME map[string]int",
            "package a\n\ntype Store struct{}\n\nfunc (s *Store) Close() {}\n\ntype Sto struct{}\n\nfunc (s *Sto) Close() {}\n\n\
             func Open(ALL) *Store {\n\treturn nil\n}\n\nfunc run() {\n\tstore := Open()\n\tstore.«Close»()\n}\n",
            "Store.Close",
        ),
        (
            "rust",
            "a.rs",
            "NAME: Vec<u8>",
            "pub struct Store;\nimpl Store { pub fn close(&self) {} }\npub struct Sto;\nimpl Sto { pub fn close(&self) {} }\n\
             pub fn open(ALL) -> Store { Store }\nfn run() { let store = open(); store.«close»(); }\n",
            "Store::close",
        ),
        (
            "typescript",
            "a.ts",
            "NAME: { size: number }",
            "class Store { close() {} }\nclass Sto { close() {} }\n\
             function open(ALL): Store { return make(); }\nfunction run() { const store = open(); store.«close»(); }\n",
            "Store.close",
        ),
    ] {
        // The cut may be among the parameters, or within the result.
        let all = parameters(one);
        for length in [all.len(), 230, 220, 210, 200, 190] {
            let most = all[..length.min(all.len())]
                .rfind(", ")
                .unwrap_or(all.len());
            let text = text.replace(
                "ALL",
                if length == all.len() {
                    &all
                } else {
                    &all[..most]
                },
            );
            assert_eq!(
                meant(language, &[(path, &text)]),
                [method],
                "{language} {length}"
            );
        }
    }
}

#[test]
fn each_of_several_results_has_a_type() {
    let text = "package a

type Store struct{}

func (s *Store) Close() {}

type Log struct{}

func (l *Log) Close() {}

func pair() (*Log, *Store)  { return nil, nil }
func three() (int, *Store, error) { return 0, nil, nil }

func run() {
	log, store := pair()
	log.«Close»()
	store.«Close»()
	_, other, err := three()
	other.«Close»()
	_ = err
}
";
    assert_eq!(
        meant("go", &[("a.go", text)]),
        ["Log.Close", "Store.Close", "Store.Close"]
    );
}

#[test]
fn a_type_parameter_of_a_class_has_the_members_of_its_bound() {
    let text = "
protocol Sink { func send() }
protocol Source { func send() }
class Channel<S: Sink, T> {
    let sink: S
    func run() { sink.«send»(); self.sink.«send»() }
}
";
    assert_eq!(
        meant("swift", &[("a.swift", text)]),
        ["Sink.send", "Sink.send"]
    );
}
