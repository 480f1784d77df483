//! Types of closure parameters, and of names that a type test narrows.

use super::types::owners;
use super::{Files, Graph};

#[test]
fn closures_and_type_tests_say_what_a_name_is() {
    owners(
        "kotlin",
        "// ",
        "
class One { fun run() {} }
class Two { fun run() {} }
class Use {
    fun all(given: List<Two>, maybe: One?, any: Any) {
        given.forEach { it.«run»() } // Two
        given.map { two -> two.«run»() } // Two
        given.filter { it != null }.first().«run»() // Two
        maybe?.let { it.«run»() } // One
        maybe?.also { one -> one.«run»() } // One
        if (any is One) any.«run»() // One
        if (any is Two && given.isEmpty()) { any.«run»() } // Two
        when (any) {
            is Two -> any.«run»() // Two
            is One -> { any.«run»() } // One
        }
        val either = maybe ?: One()
        either.«run»() // One
    }
}
",
    );
    owners(
        "dart",
        "// ",
        "
class One { void run() {} }
class Two { void run() {} }
class Use {
  void all(Iterable<Two> given, Object any, One? maybe) {
    for (var two in given) { two.«run»(); } // Two
    given.forEach((two) => two.«run»()); // Two
    given.first.«run»(); // Two
    if (any is Two) any.«run»(); // Two
    final either = maybe ?? One();
    either.«run»(); // One
  }
}
",
    );
    owners(
        "swift",
        "// ",
        "
class One { func run() {} }
class Two { func run() {} }
class Use {
    var maybe: One?
    func all(given: [Two], any: Any) {
        given.forEach { two in two.«run»() } // Two
        if let maybe { maybe.«run»() } // One
        switch any {
        case let two as Two: two.«run»() // Two
        default: break
        }
        guard let one = maybe else { return }
        one.«run»() // One
    }
}
",
    );
    owners(
        "scala",
        "// ",
        "
class One { def run(): Unit = () }
class Two { def run(): Unit = () }
class Use {
  def all(given1: Seq[Two], maybe: Option[One]): Unit = {
    given1.foreach(two => two.«run»()) // Two
    maybe.map(one => one.«run»()) // One
    given1.foreach(_.«run»()) // ?
  }
}
",
    );
    owners(
        "php",
        "// ",
        "<?php
class One { public function run() {} }
class Two { public function run() {} }
class Shop {
    private ?One $maybe = null;
    public function all(Two $two): void {
        $either = $this->maybe ?? new One();
        $either->«run»(); // One
        $copy = clone $two;
        $copy->«run»(); // Two
    }
}
",
    );
}

#[test]
fn a_parameter_behind_the_end_of_positional_ones_has_its_argument() {
    owners(
        "python",
        "# ",
        "
class One:
    def run(self): ...
class Two:
    def run(self): ...
def call(count, /, one):
    one.«run»() # One
call(1, One())
",
    );
}

#[test]
fn a_function_that_is_named_but_not_called_is_passed_on() {
    let text = "
export class Timer {
  start() { setTimeout(this.tick, 10); this.tock(); }
  tick() {}
  tock() {}
}
";
    let files = Files::new("typescript", &[("timer.ts", text)]);
    let graph = Graph::new(&files.snapshot, &files);
    let method = |name| graph.named(name).next().expect("a method");
    let passed = graph.calls().passed_functions(method("start"));
    let passed: Vec<_> = passed.iter().filter_map(|call| call.symbol).collect();
    assert_eq!(passed, [method("tick")]);
}
