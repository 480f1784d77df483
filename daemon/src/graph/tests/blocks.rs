//! Names whose scope ends before the function that binds them.

use super::meant;

/// Checks the types of names. In each text a name has the type `One`, and `Two` in the blocks inside. Uses in the blocks come
/// before those after them.
fn ends(language: &str, text: &str, expected: &[&str]) {
    let found = meant(language, &[("a", text)]);
    let owners: Vec<&str> = found
        .iter()
        .map(|name| name.rsplit_once(['.', ':']).map_or("?", |(of, _)| of))
        .collect();
    let owners: Vec<&str> = owners
        .iter()
        .map(|owner| owner.trim_end_matches(':'))
        .collect();
    assert_eq!(owners, expected, "{language}: {found:?}");
}

#[test]
fn go_blocks_and_closures_end_names() {
    let text = r#"
package a
type One struct{}
func (o *One) Run() {}
func (o *One) Get(path string, handle func(w int, r *Two)) {}
type Two struct{}
func (t *Two) Run() {}
func made() *Two { return nil }
func closures() {
	r := &One{}
	r.Get("/", func(w int, r *Two) { r.«Run»() })
	r.«Run»()
}
func loops(all []*Two) {
	r := &One{}
	for _, r := range all {
		r.«Run»()
	}
	r.«Run»()
	if r := made(); r != nil {
		r.«Run»()
	} else {
		r.«Run»()
	}
	r.«Run»()
	{
		r := &Two{}
		r.«Run»()
	}
	switch {
	case true:
		r := &Two{}
		r.«Run»()
	default:
		r.«Run»()
	}
	r.«Run»()
}
"#;
    let (one, two) = ("One", "Two");
    ends(
        "go",
        text,
        &[two, one, two, one, two, two, one, two, two, one, one],
    );
}

#[test]
fn script_blocks_and_closures_end_names_but_those_of_var() {
    let text = "
class One { run() {} }
class Two { run() {} }
function blocks(all: Two[]) {
  const x = new One();
  if (all) {
    const x = new Two();
    x.«run»();
  }
  x.«run»();
  for (const x of all) { x.«run»(); }
  x.«run»();
  take((x: Two) => x.«run»());
  x.«run»();
  take(function (x: Two) { x.«run»(); });
  x.«run»();
  try { x.«run»(); } catch (x) { }
  x.«run»();
}
function hoisted() {
  var x = new One();
  if (x) {
    var x = new Two();
    take(() => { var x = new One(); x.«run»(); });
    x.«run»();
  }
  x.«run»();
}
take(() => { const y = new Two(); y.«run»(); });
take(() => { const y = new One(); y.«run»(); });
";
    let (one, two) = ("One", "Two");
    let expected = [
        two, one, two, one, two, one, two, one, one, one, one, two, two, two, one,
    ];
    ends("typescript", text, &expected);
    let plain = "
class One { run() {} }
class Two { run() {} }
function blocks() {
  const x = new One();
  { const x = new Two(); x.«run»(); }
  x.«run»();
  var y = new One();
  { var y = new Two(); }
  y.«run»();
}
";
    ends("javascript", plain, &[two, one, two]);
}

#[test]
fn rust_blocks_closures_and_arms_end_names() {
    let text = "
struct One;
impl One { fn run(&self) {} }
struct Two;
impl Two { fn run(&self) {} }
fn made() -> Option<Two> { None }
fn blocks(x: One) {
    { let x = Two; x.«run»(); }
    x.«run»();
    take(|x: Two| x.«run»());
    x.«run»();
    if let Some(x) = made() { x.«run»(); } else { x.«run»(); }
    x.«run»();
    match made() {
        Some(x) => x.«run»(),
        None => x.«run»(),
    }
    x.«run»();
    let x = Two;
    x.«run»();
}
";
    let (one, two) = ("One", "Two");
    ends(
        "rust",
        text,
        &[two, one, two, one, two, one, one, two, one, one, two],
    );
}

/// In each text, the value that runs has the type `Two` inside a block, and `One` after it.
const OTHERS: &[(&str, &str)] = &[
    (
        "cpp",
        "struct One { void run(); };\nstruct Two { void run(); };
void f(Two other, Two all[]) {
  One x;
  { Two x; x.«run»(); }
  x.«run»();
  auto g = [](Two x) { x.«run»(); };
  x.«run»();
  for (Two x : all) { x.«run»(); }
  x.«run»();
}",
    ),
    (
        "java",
        "class One { void run() {} }\nclass Two { void run() {} }
class A { void f(Two[] all) {
  { Two x = new Two(); x.«run»(); }
  One x = new One(); x.«run»();
  take((Two y) -> y.«run»());
  One y = new One(); y.«run»();
  for (Two z : all) { z.«run»(); }
  One z = new One(); z.«run»();
} }",
    ),
    (
        "csharp",
        "class One { public void run() {} }\nclass Two { public void run() {} }
class A { One x; void f(Two[] all) {
  { Two x = new Two(); x.«run»(); }
  x.«run»();
  Take((Two x) => x.«run»());
  x.«run»();
  foreach (Two x in all) { x.«run»(); }
  x.«run»();
} }",
    ),
    (
        "kotlin",
        "class One { fun run() {} }\nclass Two { fun run() {} }
fun f(all: List<Two>) {
  val x = One()
  if (all.isEmpty()) { val x = Two(); x.«run»() }
  x.«run»()
  take { x: Two -> x.«run»() }
  x.«run»()
  for (x: Two in all) { x.«run»() }
  x.«run»()
}",
    ),
    (
        "php",
        "<?php\nclass One { function run() {} }\nclass Two { function run() {} }
function f() {
  $x = new One();
  take(function (Two $x) { $x->«run»(); });
  $x->«run»();
  take(fn (Two $x) => $x->«run»());
  $x->«run»();
  $y = new Two();
  if ($x) { $y->«run»(); $y = new One(); }
  $y->«run»();
}",
    ),
    (
        "ruby",
        "class One\n  def run; end\nend\nclass Two\n  def run; end\nend
def f(all)
  x = One.new
  y = Two.new
  all.each { |y| y = Two.new; y.«run» }
  x.«run»
  all.each do |x|
    y.«run»
    y = One.new
  end
  y.«run»
  take(->(x) { y })
  z = Two.new
  z.«run»
  x.«run»
end",
    ),
    (
        "lua",
        "local One = {}\nOne.__index = One\nfunction One.new() return setmetatable({}, One) end\nfunction One:run() end
local Two = {}\nTwo.__index = Two\nfunction Two.new() return setmetatable({}, Two) end\nfunction Two:run() end
local function f()
  local x = One.new()
  do local x = Two.new(); x:«run»() end
  x:«run»()
  take(function(y) local x = Two.new(); x:«run»() end)
  x:«run»()
  if x then local x = Two.new(); x:«run»() end
  x:«run»()
end",
    ),
    (
        "swift",
        "class One { func run() {} }\nclass Two { func run() {} }
func f(all: [Two], other: Two?) {
  let x = One()
  if let x = other { x.«run»() }
  x.«run»()
  take { (x: Two) in x.«run»() }
  x.«run»()
  do { let x = Two(); x.«run»() }
  x.«run»()
}",
    ),
    (
        "scala",
        "class One { def run() = 1 }\nclass Two { def run() = 1 }
object A { def f(any: Any) = {
  val x = new One
  take { val x = new Two; x.«run»() }
  x.«run»()
  take((x: Two) => x.«run»())
  x.«run»()
  any match { case x: Two => x.«run»() }
  x.«run»()
} }",
    ),
    (
        "dart",
        "class One { void run() {} }\nclass Two { void run() {} }
void f() {
  One x = One();
  { Two x = Two(); x.«run»(); }
  x.«run»();
  take((Two x) { x.«run»(); });
  x.«run»();
  if (true) { Two x = Two(); x.«run»(); }
  x.«run»();
}",
    ),
];

#[test]
fn blocks_and_closures_of_other_languages_end_names() {
    let (one, two) = ("One", "Two");
    for (language, text) in OTHERS {
        ends(language, text, &[two, one, two, one, two, one]);
    }
}

#[test]
fn names_of_a_comprehension_are_its_own() {
    let text = "
class One:
    def run(self): ...

class Two:
    def run(self): ...

def made() -> list[Two]: ...

def f():
    x = One()
    a = [x.«run»() for x in made()]
    x.«run»()
    b = {
        x.«run»()
        for x in made()
    }
    x.«run»()
    take(lambda x: 1)
    x.«run»()
    if x:
        x = Two()
    x.«run»()
";
    let (one, two) = ("One", "Two");
    ends("python", text, &[two, one, two, one, one, two]);
}
