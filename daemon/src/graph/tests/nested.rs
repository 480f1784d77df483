//! Members of nested types: in bodies of inner objects, and in imports.

use super::meant;

#[test]
fn a_member_of_an_outer_class_is_in_scope_in_an_inner_object() {
    let pipe = "package shop

class Pipe {
  internal val buffer = Box()
  val lock = Any()
  fun flush() {}

  val source = object : Source {
    override fun read() {
      lock.withLock {
        while («buffer».size == 0) { «flush»() }
        «buffer».«fill»()
      }
    }
  }
}
class Box { fun fill() {} }
";
    let source = "package shop

interface Source { fun read() }
fun Source.buffer(): Int = 1
fun Source.flush(): Int = 1
fun Source.all() = «buffer»()
val buffer = 1
class Reader : Source { override fun read() = print(«buffer») }
";
    assert_eq!(
        meant("kotlin", &[("Pipe.kt", pipe), ("Source.kt", source)]),
        [
            "Pipe.buffer",
            "Pipe.flush",
            "Pipe.buffer",
            "Box.fill",
            "Source.buffer",
            "buffer",
        ]
    );
}

#[test]
fn a_member_at_any_depth_can_be_imported() {
    let system = "package shop.files

class FileSystem {
  enum class Operation { READ, WRITE }
  sealed class Element { class Directory { class Entry } }
  companion object { fun start() {} }
  object Registry { fun entries() {}; fun String.opened() {} }
}
";
    let used = "package shop

import shop.files.FileSystem.Element.«Directory»
import shop.files.FileSystem.Element.Directory.Entry
import shop.files.FileSystem.Operation.READ
import shop.files.FileSystem.Companion.start
import shop.files.FileSystem.Registry.entries
import shop.files.FileSystem.Registry.opened
import shop.files.FileSystem
import shop.files.FileSystem.Operation
import java.util.Map.Entry.Other

fun use(text: String): «Directory» {
  val entry: «Entry» = «Entry»()
  «READ»
  «Operation».«WRITE»
  «start»()
  FileSystem.Companion.«start»()
  «entries»()
  text.«opened»()
  «Other»()
}
";
    let expected = [
        "a.kt:FileSystem.Element.Directory",
        "a.kt:FileSystem.Element.Directory",
        "a.kt:FileSystem.Element.Directory.Entry",
        "a.kt:FileSystem.Element.Directory.Entry",
        "a.kt:FileSystem.Operation.READ",
        "a.kt:FileSystem.Operation",
        "a.kt:FileSystem.Operation.WRITE",
        "a.kt:FileSystem.start",
        "a.kt:FileSystem.start",
        "a.kt:FileSystem.Registry.entries",
        "a.kt:FileSystem.Registry.String.opened",
        "foreign",
    ];
    assert_eq!(
        meant("kotlin", &[("a.kt", system), ("b.kt", used)]),
        expected
    );
}

#[test]
fn a_type_in_another_one_is_named_by_its_path_or_by_the_types_in_it() {
    let text = "
struct Outer {
  enum Kind { case open, closed }
  struct Row { var kind: «Kind» }
}
struct Other {
  enum Kind { case open }
  struct Late {}
}
extension Outer {
  struct Late { var kind: «Kind» }
}
extension Outer {
  struct Last { var late: «Late»; var kind: «Kind»? }
}
struct Elsewhere {
  var kind: Outer.«Kind» = .«open»
  var late: Outer.«Late»
  func run(other: Other.«Kind») -> Outer.Kind {
    switch kind { case .«open»: break; case .«closed»: break }
    switch other { case .«open»: break }
    if other == .«open» { kind = .«open» }
    return .«closed»
  }
}
";
    let (kind, late) = ("Outer.Kind", "Outer.Late");
    let (open, closed, other) = ("Outer.Kind.open", "Outer.Kind.closed", "Other.Kind.open");
    let expected = [
        kind,
        kind,
        late,
        kind,
        kind,
        open,
        late,
        "Other.Kind",
        open,
        closed,
        other,
        other,
        open,
        closed,
    ];
    assert_eq!(meant("swift", &[("a.swift", text)]), expected);
}
