//! Classes without a name, and methods of traits under another name.

use super::types::owners;
use super::{Files, Graph, meant};

#[test]
fn an_anonymous_class_is_a_subtype_of_what_it_extends() {
    let php = "<?php
namespace Shop;
abstract class Base { abstract function size(); }
interface Named { function name(); }
function first($a) { return new class($a) extends Base { function size() { return 1; } }; }
function second() { return new class implements Named { function name() { return 1; } }; }
";
    let java = "abstract class Base { abstract int size(); }
interface Named { String name(); }
class Use {
    void all() {
        run(new Base() { int size() { return 1; } }, new Named() { public String name() { return null; } });
        run(new Base() { int size() { return 2; } });
    }
}
";
    for (language, text, expected) in [("php", php, [1, 1]), ("java", java, [2, 1])] {
        let files = Files::new(language, &[("a", text)]);
        let graph = Graph::new(&files.snapshot, &files);
        let subtypes = |name: &str| {
            let at = graph.named(name).next().expect("defined");
            let found = graph.members().subtypes(at);
            assert!(found.iter().all(|(at, _)| graph.symbol(*at).is_anonymous()));
            found.len()
        };
        assert_eq!(
            [subtypes("Base"), subtypes("Named")],
            expected,
            "{language}"
        );
    }
}

#[test]
fn the_arguments_of_an_anonymous_class_are_outside_of_it() {
    owners(
        "php",
        "// ",
        "<?php
class Base { function size() {} }
class Shop {
    function size() {}
    function run() {
        $this->«size»(); // Shop
        new class($this->«size»()) extends Base { // Shop
            function all() {
                $this->«size»(); // Base
            }
        };
    }
}
",
    );
}

#[test]
fn a_method_of_a_trait_may_have_another_name() {
    let text = "<?php
trait Logs { function log() {} }
trait Mails { function log() {} }
class One { use Logs { «log» as protected note; } function run() { $this->«note»(); } }
class Two { use Logs, Mails { Mails::«log» as mail; } function run() { $this->«mail»(); } }
";
    let expected = ["Logs::log", "One::note", "Mails::log", "Two::mail"];
    assert_eq!(meant("php", &[("a.php", text)]), expected);
}
