//! Members that are declared for types outside the root.

use super::meant;

const EXTENSIONS: &str = "package shop.a

private fun String.shortened(): String = substring(1)
fun String.doubled(): String = this + this
fun Int.twice(): Int = this * 2
val String.initial: Char get() = this[0]
fun java.io.File.opened(): Box = Box()
class Box { fun close() {} }

fun use(text: String, file: java.io.File) {
  text.«shortened»()
  \"abc\".«shortened»()
  3.«twice»()
  text.«initial»
  file.«opened»().«close»()
  text.«substring»(1)
}

class Holder(val text: String) {
  fun String.inside(): String = this
  fun run() = text.«inside»()
  fun more() = text.«shortened»()
}
";

#[test]
fn an_extension_of_an_external_type_is_in_scope_in_its_package() {
    let texts = [
        ("a/Extensions.kt", EXTENSIONS),
        (
            "a/Use.kt",
            "package shop.a

fun String.trimmed(): String = «doubled»()
fun use(text: String) { text.«doubled»(); text.«initial»; text.«inside»() }
class Other(val holder: Holder) { fun use(text: String) = holder.run { text.«length» } }
",
        ),
        (
            "b/Use.kt",
            "package shop.b

import shop.a.«doubled»
import shop.a.initial

fun use(text: String) { text.«doubled»(); text.«initial»; text.«twice»() }
",
        ),
        (
            "c/Use.kt",
            "package shop.c

import shop.a.*

fun use(text: String) { text.«doubled»() }
",
        ),
    ];
    assert_eq!(
        meant("kotlin", &texts),
        [
            "String.shortened",
            "String.shortened",
            "Int.twice",
            "String.initial",
            "File.opened",
            "Box.close",
            "foreign",
            "Holder.String.inside",
            "String.shortened",
            "a/Extensions.kt:String.doubled",
            "a/Extensions.kt:String.doubled",
            "a/Extensions.kt:String.initial",
            "?a/Extensions.kt:Holder.String.inside",
            "foreign",
            "a/Extensions.kt:String.doubled",
            "a/Extensions.kt:String.doubled",
            "a/Extensions.kt:String.initial",
            "foreign",
            "a/Extensions.kt:String.doubled",
        ]
    );
}

#[test]
fn the_type_of_the_receiver_chooses_between_extensions() {
    let text = "
import java.io.File
import java.net.Socket
fun File.source(): Int = 1
fun Socket.source(): Int = 2
fun use(file: File, socket: Socket) { file.«source»(); socket.«source»() }
";
    assert_eq!(
        meant("kotlin", &[("a.kt", text)]),
        ["File.source", "Socket.source"]
    );
}

#[test]
fn a_member_that_several_extensions_have_leads_on_if_all_have_the_same_type() {
    let text = "struct Headers { func add() {} }
struct Parts { func add() {} }
extension URLRequest { var headers: Headers { Headers() }; var parts: Headers { Headers() } }
extension URLResponse { var headers: Headers { Headers() }; var parts: Parts { Parts() } }
func use(request: URLRequest) { request.headers.«add»(); request.parts.«add»() }
";
    assert_eq!(
        meant("swift", &[("a.swift", text)]),
        ["Headers.add", "?Headers.add|Parts.add"]
    );
}

#[test]
fn an_extension_of_an_external_type_is_found_in_other_languages() {
    let swift = [
        (
            "a.swift",
            "extension String { func shortened() -> String { return self }\n  var initial: Int { return 1 } }\n",
        ),
        (
            "b.swift",
            "func use(text: String) { text.«shortened»(); _ = text.«initial»; \"a\".«shortened»(); text.«count»() }\n",
        ),
    ];
    assert_eq!(
        meant("swift", &swift),
        [
            "a.swift:String.shortened",
            "a.swift:String.initial",
            "a.swift:String.shortened",
            "foreign"
        ]
    );
    let rust = [
        ("Cargo.toml", "[package]\nname = \"shop\"\n"),
        (
            "src/lib.rs",
            "pub mod text;\nuse text::Shorten;\npub fn run(text: &str, all: Vec<u8>) { text.«shortened»(); text.«len»(); all.«shortened»(); String::«from»(text); }\n",
        ),
        (
            "src/text.rs",
            "pub struct Store;\npub trait Shorten { fn shortened(&self) -> u8; }\nimpl Shorten for str { fn shortened(&self) -> u8 { 1 } }\n\
             impl From<Store> for String { fn from(_: Store) -> String { String::new() } }\n",
        ),
    ];
    assert_eq!(
        meant("rust", &rust),
        [
            "src/text.rs:str::shortened",
            "unknown",
            "foreign",
            "foreign"
        ]
    );
}

#[test]
fn an_implicit_class_adds_members_to_what_it_wraps() {
    let texts = [
        (
            "Ops.scala",
            "package acme.ops
object Ops {
  implicit class IntOps(val i: Int) extends AnyVal { def doubled: Int = i * 2 }
  class Plain(val i: Int) { def halved: Int = i / 2 }
}
",
        ),
        (
            "Use.scala",
            "package acme.app
import acme.ops.Ops._
object Use { def a = 3.«doubled»; def b = 3.«halved» }
",
        ),
        (
            "Without.scala",
            "package acme.app
object Without { def a = 3.«doubled» }
",
        ),
    ];
    assert_eq!(
        meant("scala", &texts),
        ["Ops.scala:Ops.IntOps.doubled", "foreign", "foreign"]
    );
}
