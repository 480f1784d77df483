//! Types of names by type narrowing, by patterns and by comments.

use super::meant;

/// Checks the owners of the called methods. Comments at the ends of lines name the expected owners in order, with `?` for a
/// method that is resolved by name only.
pub(super) fn owners(language: &str, comment: &str, text: &str) {
    let expected: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_once(comment))
        .flat_map(|(_, all)| all.split_whitespace())
        .collect();
    let bare: Vec<String> = text
        .lines()
        .map(|line| {
            line.split_once(comment)
                .map_or(line, |(code, _)| code)
                .to_owned()
        })
        .collect();
    let found = meant(language, &[("a", &bare.join("\n"))]);
    let owner = |name: &str| match name {
        name if name.starts_with('?') => "?".to_owned(),
        "foreign" | "unknown" | "local" => name.to_owned(),
        name => {
            let of = |one: &str| {
                one.rsplit_once(['.', ':'])
                    .map_or(one, |(of, _)| of.trim_end_matches(':'))
                    .to_owned()
            };
            name.split('|').map(of).collect::<Vec<_>>().join("|")
        }
    };
    let found: Vec<String> = found.iter().map(|name| owner(name)).collect();
    assert_eq!(found, expected, "{language}");
}

#[test]
fn conditions_say_what_a_name_is_as_far_as_they_hold() {
    owners(
        "python",
        "# ",
        "
class One:
    def run(self): ...

class Two:
    def run(self): ...

LIMIT = One()

def f(x, y: One, z, many):
    if isinstance(x, Two):
        x.«run»()  # Two
        made = One()
    elif isinstance(x, One):
        x.«run»()  # One
    x.«run»()  # ?
    made.«run»()  # One
    if isinstance(y, Two) and y.«run»():  # Two
        y.«run»()  # Two
        y = One()
        y.«run»()  # One
    else:
        y.«run»()  # One
    if z and isinstance(z, Two):
        z.«run»()  # Two
    if isinstance(z, (One, Two)):
        z.«run»()  # ?
    if isinstance(LIMIT, Two):
        LIMIT.«run»()  # One
        print(«LIMIT»)  # LIMIT
    for one in many:
        if not isinstance(one, Two):
            one.«run»()  # ?
            continue
        one.«run»()  # Two

def g(x, y):
    if not isinstance(x, Two):
        raise TypeError(x.«run»())  # ?
    x.«run»()  # Two
    assert isinstance(y, One)
    y.«run»()  # One
",
    );
    owners(
        "typescript",
        "// ",
        "
class One { run() {} }
class Two { run() {} }
function f(x: any, y: One | Two, z: any) {
  if (x instanceof Two) { x.«run»(); } // Two
  x.«run»(); // ?
  if (y instanceof Two && y.«run»()) { // Two
    y.«run»(); // Two
  } else {
    y.«run»(); // One|Two
  }
  if (!(z instanceof One)) {
    return z.«run»(); // ?
  }
  z.«run»(); // One
}
",
    );
    owners(
        "php",
        "// ",
        "<?php
class One { public function run() {} }
class Two { public function run() {} }
function f($x, One $y, $z) {
  if ($x instanceof Two) { $x->«run»(); } // Two
  $x->«run»(); // ?
  if ($y instanceof Two && $y->«run»()) { // Two
    $y->«run»(); // Two
  }
  $y->«run»(); // One
  if (!$z instanceof One) {
    throw new Exception($z->«run»()); // ?
  }
  $z->«run»(); // One
}
",
    );
}

#[test]
fn kinds_that_are_asked_for_hold_where_they_were() {
    owners(
        "ruby",
        "# ",
        "
class One
  def run; end
end
class Two
  def run; end
end
class User
  def f(x, y)
    if x.is_a?(Two)
      x.«run» # Two
    end
    x.«run» # ?
    case y
    when One
      y.«run» # One
    when Two, String
      y.«run» # ?
    end
  end
end
",
    );
    owners(
        "go",
        "// ",
        "
package a
type One struct{}
func (o *One) Run() {}
type Two struct{}
func (t *Two) Run() {}
func f(x any) {
	switch v := x.(type) {
	case *One:
		v.«Run»() // One
	case Two:
		v.«Run»() // Two
	case int, string:
		v.«Run»() // ?
	}
}
",
    );
}

#[test]
fn names_in_patterns_have_the_declared_types_of_their_positions() {
    owners(
        "rust",
        "// ",
        "
pub struct One;
impl One { pub fn run(&self) {} }
pub struct Two;
impl Two { pub fn run(&self) {} }
pub struct Pair(pub One, Two);
pub enum Shape { A(One), B(u8, Two), C { one: One, two: Two } }
impl Shape {
    fn run(&self) {}
    fn opened(&self) -> Result<One, Two> { loop {} }
}
type Result2<T> = std::result::Result<T, Two>;
fn opened() -> Result<One, Two> { loop {} }
fn aliased() -> Result2<One> { loop {} }
fn numbered() -> Result<u32, Two> { loop {} }
fn f(shape: Shape, all: Vec<Two>, by: HashMap<One, Two>, maybe: Option<Two>, pair: Pair) {
    if let Some(x) = maybe { x.«run»(); } // Two
    if let Ok(x) = opened() { x.«run»(); } // One
    if let Err(x) = opened() { x.«run»(); } // Two
    if let Err(x) = shape.opened() { x.«run»(); } // Two
    if let Err(x) = numbered() { x.«run»(); } // Two
    if let Ok(x) = numbered() { x.«run»(); } // foreign
    match opened() {
        Ok(x) => x.«run»(), // One
        Err(x) => x.«run»(), // Two
    }
    match aliased() {
        Ok(x) => x.«run»(), // One
        Err(x) => x.«run»(), // Two
    }
    opened().unwrap().«run»(); // One
    if let Shape::B(_, x) = shape { x.«run»(); } // Two
    match shape {
        Shape::A(x) => x.«run»(), // One
        Shape::B(n, x) => x.«run»(), // Two
        Shape::C { one, two: t } => { one.«run»(); t.«run»(); } // One Two
    }
    let Pair(first, second) = pair;
    first.«run»(); // One
    second.«run»(); // Two
    for x in all { x.«run»(); } // Two
    for x in all.iter() { x.«run»(); } // Two
    for (i, x) in all.iter().enumerate() { x.«run»(); } // Two
    for x in by.values() { x.«run»(); } // Two
    for x in by.keys() { x.«run»(); } // One
    for (k, v) in &by { k.«run»(); } // ?
    let Some(x) = maybe else { return };
    x.«run»(); // Two
    let Err(x) = opened() else { return };
    x.«run»(); // Two
    while let Some(x) = all.iter().next() { x.«run»(); } // Two
}
",
    );
}

#[test]
fn blocks_and_loops_have_what_they_are_opened_with() {
    owners(
        "python",
        "# ",
        "
class One:
    def run(self): ...

class Two:
    def run(self): ...
    def __enter__(self): return self

class Opened:
    def run(self): ...
    def __enter__(self) -> One: ...

class Subtype(Two):
    def below(self): ...

def made() -> Two: ...

def f(all: list[Two], many: Iterable[Two], by: dict[str, Two], keyed: dict[One, Two], opened: Opened):
    with made() as w, Opened() as o:
        w.«run»()  # Two
        o.«run»()  # One
    with opened as o:
        o.«run»()  # One
    with Subtype() as b:
        b.«below»()  # Subtype
    for a in all:
        a.«run»()  # Two
    for a in many:
        a.«run»()  # Two
    for a in by.values():
        a.«run»()  # Two
    for a in keyed.values():
        a.«run»()  # Two
    for a in keyed:
        a.«run»()  # One
    keyed[1].«run»()  # Two
    for a in sorted(all):
        a.«run»()  # Two
    for i, a in enumerate(all):
        a.«run»()  # Two
    for k, a in keyed.items():
        a.«run»()  # ?
    b = [a.«run»() for a in reversed(all)]  # Two
",
    );
    owners(
        "ruby",
        "# ",
        "
class One
  def run; end
end
class Two
  def run; end
end
class User
  def f(all)
    y = nil
    all.each do
      y = Two.new
      z = One.new
      z.«run» # One
      all.each { z.«run» } # One
    end
    y.«run» # Two
    begin
      v = Two.new
    rescue
    end
    v.«run» # Two
    u ||= One.new
    u.«run» # One
    t = all ? One.new : Two.new
    t.«run» # One|Two
  end
end
",
    );
}

#[test]
fn something_of_several_types_is_any_of_them() {
    owners(
        "typescript",
        "// ",
        "
interface One { run(): void; one(): void }
interface Two { run(): void; two(): void }
type Both = One & Two;
type Any = One | Two;
type Keys = keyof Two;
type Mapped = { [K in keyof Two]: One };
type Own = { own: One };
function f(a: One & Two, b: Both, c: One | null, d: Any, e: Keys, g: keyof Two, h: Mapped, i: Partial<Two>, j: Own) {
  a.«run»(); a.«one»(); a.«two»(); // One|Two One Two
  b.«run»(); b.«one»(); b.«two»(); // One|Two One Two
  c.«run»(); // One
  d.«run»(); d.«two»(); // One|Two Two
  e.«run»(); g.«run»(); h.«run»(); // ? ? ?
  i.«run»(); // Two
  j.own.«run»(); j.«own»; // One Own
  const { own } = j;
  own.«run»(); // One
}
function g(map: Map<One, Two>, picked: boolean, one: One, two: Two) {
  map.get(one).«run»(); // Two
  for (const value of map.values()) { value.«run»(); } // Two
}
",
    );
    owners(
        "python",
        "# ",
        "
class One:
    def run(self): ...
    def one(self): ...

class Two:
    def run(self): ...

class First:
    def made(self) -> Two: ...

class Second:
    def made(self) -> Two: ...
    def keys(self): ...

def f(x: One | Two, y: Union[One, Two], z: Optional[Two], w: 'One | None', v: First | Second, u: dict[Any, Any]):
    v.made().«run»()  # Two
    made = v.made()
    made.«run»()  # Two
    u.«keys»()  # ?
    x.«run»()  # One|Two
    x.«one»()  # One
    y.«run»()  # One|Two
    z.«run»()  # Two
    w.«run»()  # One
",
    );
}

#[test]
fn comments_say_what_the_code_does_not() {
    owners(
        "php",
        "// ",
        "<?php
class One {
    public function run() {}
}
class Two {
    public function run() {}
    /** @return One[] */
    public function ones() {}
}
class User {
    /** @var Two[] */
    private $list;
    /** @var array<int, Two> */
    private $map;
    /**
     * What it does.
     *
     * @param Two $x the one
     * @param One[] $many
     * @param One|null $n
     * @param One|Two $either
     * @param Two $typed
     */
    public function f($x, array $many, $n, $other, $either, One $typed) {
        $x->«run»(); // Two
        foreach ($many as $m) { $m->«run»(); } // One
        foreach ($this->list as $l) { $l->«run»(); } // Two
        foreach ($this->map as $k => $l2) { $l2->«run»(); } // Two
        foreach ($x->ones() as $o) { $o->«run»(); } // One
        $x->ones()[0]->«run»(); // One
        $n->«run»(); // One
        $other->«run»(); // ?
        $either->«run»(); // One|Two
        $typed->«run»(); // One
        /** @var Two $v */
        $v = make($n);
        $v->«run»(); // Two
        $w = make($n);
        $w->«run»(); // ?
    }
}
/** @param One $x */
function g($x) { $x->«run»(); } // One
",
    );
    owners(
        "javascript",
        "// ",
        "
class One { run() {} }
class Two { run() {} }
/**
 * @param {Two} x what is run
 * @param {Object} options
 * @returns {One}
 */
function f(x, options, other) {
  x.«run»(); // Two
  other.«run»(); // ?
  /** @type {One} */
  const made = global.make();
  made.«run»(); // One
}
f().«run»(); // One
",
    );
}

#[test]
fn a_module_is_named_as_its_import_says() {
    let store = "
module Data.Store where
find :: Int -> Int
find x = x
keep :: Int -> Int
keep x = x
data Item = Item { size :: Int }
";
    let other = "
module Data.Other (find, keep) where
find :: Int -> Int
find x = x
keep :: Int -> Int
keep x = x
";
    let third = "
module Data.Third where
third :: Int -> Int
third x = x
fourth :: Int -> Int
fourth x = x
";
    let used = "
module Main where
import Data.Store as P (find, Item(..))
import qualified Data.Other as O
import qualified Data.Other
import qualified Data.Store as S (keep)
import Data.Third as T
import Data.Third as H hiding (fourth)
main = print (P.«find» 1 + «find» 2 + O.«find» 3 + Data.Other.«find» 4 + S.«keep» 1 + O.«keep» 5)
shown :: P.«Item» -> Int
shown x = P.«size» x
p = map P.«find» [1]
q = P.«Item» 1
r = O.«find» . S.«keep» $ 1
s = T.«third» 1 + «third» 2 + H.«third» 3 + «keep» 1
";
    let files = [
        ("a.hs", store),
        ("b.hs", other),
        ("c.hs", third),
        ("d.hs", used),
    ];
    assert_eq!(
        meant("haskell", &files),
        [
            "a.hs:find",
            "a.hs:find",
            "b.hs:find",
            "b.hs:find",
            "a.hs:keep",
            "b.hs:keep",
            "a.hs:Item",
            "a.hs:Item.Item.size",
            "a.hs:find",
            "a.hs:Item.Item",
            "b.hs:find",
            "a.hs:keep",
            "c.hs:third",
            "c.hs:third",
            "c.hs:third",
            "unknown",
        ]
    );
}

#[test]
fn allocated_values_have_the_type_that_is_named() {
    owners(
        "go",
        "// ",
        "
package shop

type One struct{}
func (o *One) Next() *One { return o }
func (o *One) run() {}

type Two struct{}
func (t *Two) run() {}

func f() {
	new(One).«run»() // One
	new(One).Next().«run»() // One
	new(Two).«run»() // Two
	made := make([]*Two, 3)
	made[0].«run»() // Two
}
",
    );
}

#[test]
fn a_variable_has_the_type_of_its_first_value() {
    owners(
        "go",
        "// ",
        r"
package a

type Mux struct{}
func (m *Mux) Run() {}
type Job struct{}
func (j *Job) Run() {}
func NewMux() *Mux { return &Mux{} }

func all(x any, jobs []Job) {
	var made = NewMux()
	made.«Run»() // Mux
	var given = &Job{}
	given.«Run»() // Job
	var empty = new(Mux)
	empty.«Run»() // Mux
	var cast = x.(*Job)
	cast.«Run»() // Job
	var first = jobs[0]
	first.«Run»() // Job
	var said Mux = *made
	said.«Run»() // Mux
}
",
    );
}

#[test]
fn keys_of_literals_without_a_type_are_fields_of_the_elements() {
    owners(
        "go",
        "// ",
        "
package shop

type matcher interface{}
type One struct{ matcher int }
type Two struct{ matcher int }

func f(key string) {
	_ = []One{{«matcher»: 1}} // One
	_ = []*Two{{«matcher»: 1}} // Two
	_ = map[string]Two{key: {«matcher»: 1}} // Two
	_ = []struct{ matcher int }{{«matcher»: 1}} // foreign
	_ = struct{ matcher int }{«matcher»: 1} // foreign
	_ = []map[string]int{{«key»: 1}} // local
}
",
    );
}

#[test]
fn types_in_quotes_are_used() {
    let found = meant(
        "python",
        &[(
            "a",
            "
import typing as t
from typing import Optional, TypeAlias, TypeVar, cast

class Shop:
    class Order: ...

T = TypeVar('T', bound='«Shop»')
Shops: TypeAlias = 'list[«Shop»]'

def find(a: 'Optional[«Shop»]', b: 'list[Shop.«Order»]', c: \"«Shop» | None\") -> '«Shop»':
    return cast('dict[str, «Shop»]', a)

def sell(a: t.Union[str, '«Shop»'], b: t.Iterable[t.Union[str, '«Shop»']], c: t.Callable[['«Shop»'], None]) -> t.Type['«Shop»'] | None: ...

if T:
    low = 1
else:
    low = 2
print(«low»)
",
        )],
    );
    let shop = "Shop";
    assert_eq!(
        found,
        [
            shop,
            shop,
            shop,
            "Shop.Order",
            shop,
            shop,
            shop,
            shop,
            shop,
            shop,
            shop,
            "low"
        ]
    );
}

#[test]
fn private_members_are_reached_by_their_sign() {
    owners(
        "typescript",
        "// ",
        "
class One { run() {} next(): One { return this; } }
class Two { run() {} }

class Shop {
  #one: One;
  #two = new Two();
  #late?: Two;
  constructor(one: One) {
    this.#one = one;
    this.#one.«run»(); // One
  }
  sell(other: Shop) {
    this.#one.«run»(); // One
    this.#one.next().«run»(); // One
    this.#two.«run»(); // Two
    this.#late?.«run»(); // Two
    const one = this.#one;
    one.«run»(); // One
    other.#two.«run»(); // Two
    this.#make().«run»(); // One
  }
  #make(): One { return this.#one; }
}
",
    );
}

#[test]
fn inherited_members_win_over_declarations_in_interfaces() {
    owners(
        "php",
        "// ",
        "<?php
interface Runs { public function run(); }
trait RunsOnce { public function run() {} }
class Base { use RunsOnce; }
class One extends Base implements Runs {}
class Two implements Runs { use RunsOnce; }
function f(One $one, Two $two, Runs $any) {
    $one->«run»(); // RunsOnce
    $two->«run»(); // RunsOnce
    $any->«run»(); // Runs
}
",
    );
}

#[test]
fn a_namespace_is_named_by_the_rest_of_its_path() {
    let found = meant(
        "php",
        &[
            (
                "a.php",
                "<?php\nnamespace Shop\\Stock;\nclass Item { public function weigh() {} }\n",
            ),
            (
                "b.php",
                "<?php\nnamespace Shop;\nclass Shop {\n  public function sell() {\n    $item = new Stock\\«Item»();\n    $item->«weigh»();\n  }\n}\n",
            ),
        ],
    );
    assert_eq!(found, ["a.php:Item", "a.php:Item::weigh"]);
}

#[test]
fn types_behind_the_tags_of_comments_are_used() {
    let stock = "<?php\nnamespace Shop\\Stock;\nclass Item {}\nclass Fault {}\n";
    let shop = "<?php
namespace Shop;
use Shop\\Stock\\Item;
class Shop {
    /**
     * Sells an Item.
     *
     * @param array<string, «Item»> $items
     * @phpstan-param list<Stock\\«Item»>|(callable(«Item»): «Item») $items
     * @throws \\Shop\\Stock\\«Fault» if there is none
     * @return «Item»|null an Item
     */
    public function sell(array $items) {}
}
";
    let item = "a.php:Item";
    assert_eq!(
        meant("php", &[("a.php", stock), ("b.php", shop)]),
        [item, item, item, item, "a.php:Fault", item]
    );
}
