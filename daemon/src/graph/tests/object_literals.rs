//! The members that a literal sets, and the keys of literals of maps.

use super::meant;

#[test]
fn an_initializer_sets_members_of_the_new_object() {
    let text = "
class Other { public string Name; public int Size; }
class Disk { public string Name { get; set; } public Disk Next { get; set; } }
record Row(string Name);
class Store {
  public string Name { get; set; }
  Disk first = new() { «Name» = \"a\" };
  Disk Second { get; } = new() { «Name» = \"a\" };
  Disk Third() => new() { «Name» = \"a\" };
  Disk Open(Row row, object any) {
    var disk = new Disk { «Name» = «Name», Next = new Disk { «Name» = \"b\" } };
    Disk next = new() { «Name» = «Name» };
    Take(new() { «Size» = 1 });
    var copy = row with { «Name» = «Name» };
    if (any is Disk { «Name»: \"a\" } found) {}
    if (disk is { «Name»: \"a\" }) {}
    this.«Name» = «Name»;
    return new() { «Name» = «Name» };
  }
}
";
    let (disk, own) = ("Disk.Name", "Store.Name");
    let expected = [
        disk,
        disk,
        disk,
        disk,
        own,
        disk,
        disk,
        own,
        "?Other.Size",
        "Row.Name",
        own,
        disk,
        disk,
        own,
        own,
        disk,
        own,
    ];
    assert_eq!(meant("csharp", &[("a.cs", text)]), expected);
}

#[test]
fn a_key_of_a_literal_may_be_a_constant() {
    let text = "package a

import \"model\"

const label = \"a\"
const Label = \"b\"

type Labels map[string]string
type Store struct{ label string }

func run() {
	_ = model.LabelSet{«label»: \"a\", «Label»: \"b\", «Other»: \"c\"}
	_ = Labels{«label»: \"a\"}
	_ = Store{«label»: \"a\"}
}
";
    assert_eq!(
        meant("go", &[("a.go", text)]),
        ["label", "Label", "foreign", "label", "Store.label"]
    );
}
