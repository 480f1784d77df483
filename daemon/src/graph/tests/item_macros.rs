//! Types that macros declare: `pin_project! { struct Store {} }`.

use super::meant;

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
