//! Functions whose results a framework passes to parameters with their names.

use super::{Files, meant};
use crate::graph::{Graph, SymbolId};
use crate::source::cancel::CancelToken;

const CONFTEST: &str = "
import pytest
from shop import Store, Log

@pytest.fixture
def store():
    return Store()

@pytest.fixture()
def log():
    log = Log()
    yield log

@pytest.fixture
def both(«store», «log»):
    return «store»

def plain():
    return Store()
";

const SHOP: &str = "
class Store:
    def open(self): ...

class Log:
    def open(self): ...

class Other:
    def open(self): ...
";

#[test]
fn a_parameter_of_a_test_is_the_fixture_with_its_name() {
    let tests = "
import pytest
from shop import Other

def test_open(«store», «log», both, plain, size=1):
    «store».«open»()
    «log».«open»()
    both.«open»()
    «plain»

def helper(«store»):
    «store».«open»()

class TestStore:
    @pytest.fixture
    def store(self):
        return Other()

    def test_open(self, «store»):
        «store».«open»()

class TestLog:
    def test_open(self, «store»):
        «store».«open»()
";
    let outside = "def test_open(«store»):\n    «store»\n";
    let found = meant(
        "python",
        &[
            ("other/test_c.py", outside),
            ("shop.py", SHOP),
            ("tests/conftest.py", CONFTEST),
            ("tests/unit/test_a.py", tests),
        ],
    );
    let (store, log) = ("tests/conftest.py:store", "tests/conftest.py:log");
    let (opens_store, opens_log) = ("shop.py:Store.open", "shop.py:Log.open");
    let (own, opens_own) = ("TestStore.store", "shop.py:Other.open");
    let by_name = "?shop.py:Store.open|shop.py:Log.open|shop.py:Other.open";
    let expected = [
        // In a file that is not below the folder of the fixtures.
        "local",
        "local", // The fixtures of a fixture.
        "store",
        "log",
        "store", // `test_open`.
        store,
        log,
        store,
        opens_store,
        log,
        opens_log,
        opens_store,
        "local",
        // A function that is no test.
        "local",
        "local",
        by_name, // A fixture of the same class.
        own,
        own,
        opens_own, // Another class does not see it.
        store,
        store,
        opens_store,
    ];
    assert_eq!(found, expected);
}

#[test]
fn values_in_decorators_hide_fixtures_and_name_them() {
    let tests = "
import pytest

@pytest.fixture(name=\"both\")
def make_both():
    return 1

@pytest.mark.parametrize(\"size, store\", [(1, 2)])
def test_values(«store», «log», «both», make_both):
    «make_both»

@pytest.mark.parametrize(\"store\", [1], indirect=True)
@pytest.mark.parametrize(\"mode\", [\"log\"])
def test_indirect(«store», «log»):
    pass

@pytest.mark.parametrize(\"log\", [1])
class TestLog:
    def test_values(self, «store», «log»):
        pass
";
    let files = [
        ("conftest.py", CONFTEST),
        ("shop.py", SHOP),
        ("test_a.py", tests),
    ];
    let found = meant("python", &files);
    let (store, log) = ("conftest.py:store", "conftest.py:log");
    let expected = [
        "local",
        log,
        "make_both",
        "local",
        store,
        log,
        store,
        "local",
    ];
    assert_eq!(found[3..], expected);
}

#[test]
fn tests_are_the_callers_of_their_fixtures() {
    let tests = "def test_open(store):\n    store.open()\n\ndef test_log(log):\n    pass\n";
    let conftest = CONFTEST.replace(['«', '»'], "");
    let files = Files::new(
        "python",
        &[
            ("conftest.py", &conftest),
            ("shop.py", SHOP),
            ("test_a.py", tests),
        ],
    );
    let graph = Graph::new(&files.snapshot, &files);
    let named = |file: u32, name: &str| {
        let mut symbols = (0..).zip(&graph.file(file).outline.symbols);
        let (symbol, _) = symbols
            .find(|(_, one)| *one.name == *name)
            .expect("defined");
        SymbolId { file, symbol }
    };
    let name = |at: SymbolId| graph.symbol(at).name.to_string();
    let callers = graph
        .calls()
        .callers(&[named(0, "store")], &CancelToken::default())
        .expect("not cancelled");
    let callers: Vec<String> = callers
        .iter()
        .filter_map(|one| one.symbol.map(name))
        .collect();
    assert_eq!(callers, ["both", "test_open"]);
    let called = graph.calls().callees(named(2, "test_open")).calls;
    let called: Vec<String> = called
        .iter()
        .filter_map(|one| one.symbol.map(name))
        .collect();
    assert_eq!(called, ["store", "open"]);
}
