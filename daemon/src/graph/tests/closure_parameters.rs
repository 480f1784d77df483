//! The parameters of closures that are arguments of a call.

use super::types::owners;

#[test]
fn a_function_says_what_it_passes_to_a_closure() {
    owners(
        "typescript",
        "// ",
        "
class One { open() {} }
class Two { open() {} }
type Handler<T> = (one: One, next: T) => void;
type Either = Handler<string> | ((one: One) => void);
class Box<T> {
  each(run: (item: T) => void) {}
  map(run: (item: One) => void) {}
  constructor(run: (two: Two) => void) {}
}
function take(path: string, run: (one: One, two?: Two) => void) {}
const handle = (run: Handler<string>) => run;
function either(run: Either) {}
function many(run: Handler<string>[]) {}
function all(boxes: Box<Two>[], ones: One[], box: Box<Two>, any: any) {
  take('(', (a, b) => { a.«open»(); b.«open»(); }); // One Two
  take('a', a => a.«open»()); // One
  take('a', async function (a) { a.«open»(); }); // One
  handle(async (a) => a.«open»()); // One
  either(a => a.«open»()); // One
  many(a => a.«open»()); // ?
  box.each(a => a.«open»()); // Two
  box.map(a => a.«open»()); // One
  ones.map(a => a.«open»()); // One
  ones
    .filter(a => a.«open»()) // One
    .map((a) => a.«open»()); // One
  new Box(a => a.«open»()); // Two
  any.map(a => a.«open»()); // ?
  any.take(a => a.«open»()); // ?
}
",
    );
    owners(
        "csharp",
        "// ",
        "
class One { public void Open() {} }
class Two { public void Open() {} }
class Box {
  public void Each(Action<One> run) {}
  public void Configure(Action<Action<One>> run) {}
  public void Where(Expression<Func<Two, bool>> run) {}
  public void Run(string path, Func<One, Two, int> run) {}
  void All(List<One> ones, Dictionary<string, Two> twos) {
    Each(a => a.«Open»()); // One
    Configure(a => a.«Open»()); // ?
    Configure(a => a(b => b.«Open»())); // ?
    this.Where(a => a.«Open»()); // Two
    Run(\"a\", (a, b) => { a.«Open»(); b.«Open»(); }); // One Two
    ones.Select(a => a.«Open»()); // One
    ones.Where(a => true).Any(a => a.«Open»()); // One
    var x = from a in ones where a.«Open»() select a; // One
    if (twos.TryGetValue(\"a\", out var two)) two.«Open»(); // Two
  }
}
",
    );
}

#[test]
fn types_that_refer_to_each_other_are_examined_once() {
    owners(
        "typescript",
        "// ",
        "
class One { open() {} }
class Two { open() {} }
type A = B[] | (B | null)[] | C[] | D[] | (D | null)[];
type B = C[] | (A | null)[] | (C | A)[] | D[];
type C = A[] | (B | null)[] | B[] | (D | A)[];
type D = (A | B)[] | (B | C)[] | C[] | (A | C)[];
type Runs = Turns | (Turns | null) | Ends;
type Turns = Ends | (Runs | null) | (Ends | Runs) | Calls;
type Calls = (one: One) => void;
type Ends = Runs | (Turns | null) | (Turns | Runs);
type Port = Starboard | Starboard[] | One;
type Starboard = Port | Port[] | Two;
function take(run: A) { run.«open»(); } // ?
function run(run: Ends) {}
function all(left: Port, right: Starboard) {
  take(a => a.«open»()); // ?
  run(a => a.«open»()); // One
  left.«open»(); // Two|One
  right.«open»(); // Two|One
}
",
    );
}

#[test]
fn a_closure_may_have_a_receiver_or_a_parameter_without_declaring_it() {
    owners(
        "kotlin",
        "// ",
        "
class One {
  fun go() {}
  fun close() {}
}
class Two {
  fun go() {}
  fun close() {}
}
class Three(val one: One, val two: Two) {
  fun go() {}
  fun all(two: Two?) {
    one.apply { «go»() } // One
    with(one) {
      two?.run { «go»() } // Two
      «close»() // One
    }
    two?.run { this.«go»() } // Two
    one.let { «go»() } // Three
    «go»() // Three
    (any as? Two)?.«go»() // Two
  }
}
",
    );
    owners(
        "swift",
        "// ",
        "
class One { func open() {} }
class Two { func open() {} }
class Three {
  func all(ones: [One], two: Two?, any: Any) {
    ones.map { $0.«open»() } // One
    ones.filter({ $0.«open»() }) // One
    ones.map { one in run { $0.«open»() } } // ?
    if let two { two.«open»() } // Two
  }
}
",
    );
}
