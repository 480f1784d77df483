//! Types that macros declare: `pin_project! { struct Store {} }`.

use super::meant;
use crate::extract::facts::Role;
use crate::extract::{ChunkSizes, extract};
use crate::lang;

const MANIFEST: &str = "[package]\nname = \"shop\"\n";

#[test]
fn a_type_in_the_arguments_of_an_item_macro_is_a_type() {
    let texts = [
        ("Cargo.toml", MANIFEST),
        (
            "src/future.rs",
            "pin_project! {
    /// A response.
    #[derive(Debug)]
    pub struct Response<F> { #[pin] state: F }
}
struct Inner;
impl Inner { fn polled(&self) {} }
bitflags::bitflags! { pub struct Flags: u32 { const A = 1; } }
impl<F> Response<F> {
    pub(crate) fn called() -> Self { Self { state: 1 } }
    pub fn retried(self) -> Self { self.state.«polled»(); self }
}
impl Flags { pub fn has(&self) -> bool { true } }
",
        ),
        (
            "src/lib.rs",
            "mod future;
use self::future::{Flags, «Response»};
pub fn run(flags: Flags) -> «Response»<u8> {
    flags.«has»();
    let made = Response::«called»();
    made.«retried»();
    self::future::«Response»::«called»()
}
",
        ),
    ];
    let of = |name: &str| format!("src/future.rs:{name}");
    assert_eq!(
        meant("rust", &texts),
        [
            "?Inner::polled".to_owned(),
            of("Response"),
            of("Response"),
            of("Flags::has"),
            of("Response::called"),
            of("Response::retried"),
            of("Response"),
            of("Response::called"),
        ]
    );
}

#[test]
fn a_method_of_a_type_that_only_a_macro_names_is_found_by_its_impl() {
    let texts = [
        ("Cargo.toml", MANIFEST),
        (
            "src/id.rs",
            "make!(Id);\nimpl Id { pub fn new() -> Self { todo!() } pub fn next(self) -> Self { self } }\n",
        ),
        (
            "src/lib.rs",
            "mod id;
use self::id::«Id»;
use other::Thing;
pub fn run(id: Id) -> Id {
    id.«next»();
    Id::«new»();
    id::Id::«new»();
    Thing::«new»();
    Vec::«new»();
    Id::«new»().«next»()
}
",
        ),
    ];
    let of = |name: &str| format!("src/id.rs:{name}");
    assert_eq!(
        meant("rust", &texts),
        [
            "unknown".to_owned(),
            of("Id::next"),
            of("Id::new"),
            of("Id::new"),
            "foreign".to_owned(),
            "foreign".to_owned(),
            of("Id::new"),
            format!("?{}", of("Id::next")),
        ]
    );
}

#[test]
fn the_items_in_a_macro_are_items() {
    let text = "
trait Dispatch { fn poll(&self); }
cfg_server! {
    use std::fmt;

    pub struct Server<S> { service: S }

    impl<S> Server<S> {
        /// Opens it.
        pub fn new(service: S) -> Self { Self { service } }
    }

    impl<S> Dispatch for Server<S> { fn poll(&self) {} }

    inner::cfg_more! {
        pub fn serve() { let server = Server::«new»(1); server.«poll»(); }
    }
}
vec_of! { impl 1, 2 }
fn run() { «serve»(); }
";
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", text)];
    assert_eq!(
        meant("rust", &files),
        ["Server::new", "Server::poll", "serve"]
    );
    let bare = text.replace(['«', '»'], "");
    let facts = extract(lang::by_name("rust"), &bare, ChunkSizes::default());
    let symbol = |name: &str| {
        let mut symbols = facts.outline.symbols.iter();
        symbols.find(|one| *one.name == *name).expect("found")
    };
    assert_eq!(&*symbol("new").doc, "Opens it.");
    assert_eq!(&*symbol("new").signature, "pub fn new(service: S) -> Self");
    for name in ["cfg_server", "cfg_more"] {
        let mut calls = facts.occurrences.iter();
        assert!(
            calls.any(|one| one.name == name && one.role == Role::Call),
            "{name}"
        );
    }
}
