//! The tests that reach a symbol.
//!
//! Uses are followed from the symbol towards the tests as long as they are certain: an ambiguous name could lead anywhere.
//! Macros and the `main` of C programs are not followed either: half a project may use one macro, and only the system calls
//! `main`. Uses that are not followed are counted.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;

use super::follow_budget::FollowBudget;
use super::references::Reference;
use super::test_blocks::{TestBlock, TestBlocks};
use super::{Memo, Resolution, SymbolId, Tests};
use crate::extract::facts::Role;
use crate::index::path_words::PathConvention;
use crate::lang::families::TestMacro;
use crate::lang::{ModuleSystem, conventions};
use crate::source::cancel::CancelToken;

/// A test and how it reaches a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachingTest {
    pub file: u32,
    pub body: TestBody,
    /// 1 for a test that uses the symbol directly. None if only the test's name suggests that it tests the symbol.
    pub steps: Option<u32>,
    /// The symbol that the test uses and that leads to the target; none if the test uses the target directly.
    pub via: Option<SymbolId>,
    pub resolution: Resolution,
}

/// The code of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestBody {
    Symbol(SymbolId),
    /// A call with a title: `test("adds", () => {…})`.
    Block(TestBlock),
    /// Code at the top level of a test file: the first line that reaches the symbol.
    TopLevel(u32),
}

#[derive(Debug, Default)]
pub struct ReachingTests {
    /// The nearest first.
    pub tests: Vec<ReachingTest>,
    /// Set if not all uses were followed, because the budget was spent.
    pub is_cut: bool,
    /// The number of uses that were not followed, because they are uncertain or their user is a macro or has several
    /// definitions.
    pub not_followed: usize,
}

/// A user of a symbol: another symbol, a titled test block, or the top level of a test file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum User {
    Symbol(SymbolId),
    /// The file and the line of its call.
    Block(u32, u32),
    /// The top level of a test file.
    File(u32),
}

/// A user with its most certain use.
struct Edge {
    user: User,
    body: TestBody,
    resolution: Resolution,
    confidence: Confidence,
}

/// The degree to which a use is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Confidence {
    /// The use may refer to one of several symbols with the name, so it is not evidence.
    Guess,
    /// The use is worth listing, but not worth following.
    Likely,
    /// The use refers to the symbol, or to what the symbol overrides.
    Certain,
}

/// The subtypes of a constructor's owner.
#[derive(Default)]
struct DerivedConstructors {
    /// The constructors of the subtypes that have one, which run the given one: `super(…)`.
    own: Vec<SymbolId>,
    /// The subtypes without a constructor, which the given one constructs.
    inherited: Vec<SymbolId>,
}

#[derive(Default)]
pub(super) struct TestMemo {
    blocks: Memo<u32, Rc<TestBlocks>>,
}

impl Tests<'_, '_> {
    pub fn is_test_file(self, file: u32) -> bool {
        self.file(file)
            .path_words()
            .conventions
            .contains(PathConvention::Test)
    }

    /// Returns the macro that makes a symbol's body a test. No code can use such a test by its name.
    pub(super) fn test_macro(self, at: SymbolId) -> Option<TestMacro> {
        let family = self.rules(at.file)?.family;
        family.test_macro(&self.symbol(at).signature)
    }

    /// Returns whether a symbol is a test, or is in a test file or a test module.
    pub fn is_test(self, at: SymbolId) -> bool {
        self.is_test_file(at.file)
            || self.test_macro(at).is_some()
            || self.enclosing(at.file, Some(at.symbol)).any(|around| {
                let name = &*self.symbol(around).name;
                conventions::is_test_module(name) && around != at
                    || conventions::is_test_function(name)
            })
    }

    /// Returns the tests that reach any of these symbols: all that use one directly, and those within `farthest` steps, as far
    /// as the budget allows.
    pub fn reaching(
        self,
        targets: &[SymbolId],
        farthest: u32,
        budget: &FollowBudget,
        cancel: &CancelToken,
    ) -> Result<ReachingTests, ToolError> {
        let mut tests: Vec<ReachingTest> = vec![];
        let mut listed: HashMap<User, usize> = HashMap::new();
        let mut seen: HashSet<SymbolId> = targets.iter().copied().collect();
        let mut layer = vec![(targets.to_vec(), Resolution::Resolved)];
        let (mut is_cut, mut not_followed) = (false, 0);
        for steps in 1..=farthest {
            let mut next = vec![];
            for (reached, so_far) in layer {
                if steps > 1 && !budget.take_users(&self, reached[0]) {
                    is_cut = true;
                    continue;
                }
                let via = (steps > 1).then_some(reached[0]);
                for Edge {
                    user,
                    body,
                    resolution,
                    confidence,
                } in self.usage_edges(&reached, cancel)?
                {
                    let resolution = so_far.max(resolution);
                    let is_test = self.is_test_body(&body, via);
                    let is_listed = confidence == Confidence::Certain
                        || steps == 1 && confidence == Confidence::Likely;
                    if is_test && is_listed {
                        let test = ReachingTest {
                            file: user.file(),
                            body,
                            steps: Some(steps),
                            via,
                            resolution,
                        };
                        match listed.get(&user).copied() {
                            Some(known) if tests[known].resolution <= resolution => {}
                            Some(known) => tests[known] = test,
                            None => {
                                listed.insert(user.clone(), tests.len());
                                tests.push(test);
                            }
                        }
                    }
                    let User::Symbol(at) = user else {
                        not_followed += usize::from(!is_listed);
                        continue;
                    };
                    // A test helper is followed like the tests that call it.
                    let is_trusted = confidence == Confidence::Certain || is_test && is_listed;
                    if is_trusted && self.is_followed(at) {
                        if seen.insert(at) {
                            next.push((vec![at], resolution));
                        }
                    } else {
                        not_followed += usize::from(!seen.contains(&at) && !self.is_main(at));
                    }
                }
            }
            layer = next;
        }
        // A function through which tests reach the symbol is their helper, and not a test itself.
        let helpers: HashSet<SymbolId> = tests.iter().filter_map(|test| test.via).collect();
        tests.retain(
            |test| !matches!(test.body, TestBody::Symbol(at) if helpers.contains(&at) && !self.is_named_test(at)),
        );
        Ok(ReachingTests {
            tests,
            is_cut,
            not_followed,
        })
    }

    /// Returns whether a user counts as a test. A `main` that only runs the tests of its file does not.
    fn is_test_body(self, body: &TestBody, via: Option<SymbolId>) -> bool {
        let TestBody::Symbol(at) = *body else {
            return true;
        };
        let runs_tests =
            &*self.symbol(at).name == conventions::MAIN && via.is_some_and(|via| self.is_test(via));
        self.symbol(at).kind.is_callable() && self.is_test(at) && !runs_tests
    }

    /// Returns whether the users of a symbol are followed.
    fn is_followed(self, at: SymbolId) -> bool {
        let is_shared_macro = self.symbol(at).kind == SymbolKind::Macro && !self.is_test(at);
        !is_shared_macro && !self.is_main(at) && !self.has_several_bodies(at)
    }

    /// Returns whether several files define a function. Each program of a project may have its own, such as `usage`, and a
    /// declaration does not show which of them is linked.
    fn has_several_bodies(self, at: SymbolId) -> bool {
        let has_body = |one: &SymbolId| {
            let symbol = self.symbol(*one);
            let declares = self
                .file(one.file)
                .path_words()
                .conventions
                .contains(PathConvention::Declaration);
            !declares && (symbol.calls > 0 || symbol.start_line < symbol.end_line)
        };
        let is_other = |one: &SymbolId| one.file != at.file && has_body(one);
        self.symbol(at).kind.is_callable()
            && has_body(&at)
            && self.entities().declarations(at).iter().any(is_other)
    }

    /// Returns whether a function is the entry point of a program in a language with includes. In other languages, `main` is a
    /// function like others, which tests import and call.
    fn is_main(self, at: SymbolId) -> bool {
        let symbol = self.symbol(at);
        &*symbol.name == conventions::MAIN
            && symbol.kind.is_callable()
            && self
                .rules(at.file)
                .is_some_and(|rules| rules.modules == ModuleSystem::Include)
    }

    fn is_named_test(self, at: SymbolId) -> bool {
        conventions::is_named_test(&self.symbol(at).name) || self.test_macro(at).is_some()
    }

    /// Returns the users of any of these symbols.
    fn usage_edges(
        self,
        targets: &[SymbolId],
        cancel: &CancelToken,
    ) -> Result<Vec<Edge>, ToolError> {
        let mut edges: Vec<Edge> = vec![];
        let mut places: HashMap<User, usize> = HashMap::new();
        let derived = self.derived_constructors(targets[0]);
        for at in derived.own {
            let (user, body) = (User::Symbol(at), TestBody::Symbol(at));
            places.insert(user.clone(), edges.len());
            edges.push(Edge {
                user,
                body,
                resolution: Resolution::Resolved,
                confidence: Confidence::Certain,
            });
        }
        let inherited = derived
            .inherited
            .iter()
            .map(|at| self.references().to(*at, cancel))
            .collect::<Result<Vec<_>, _>>()?;
        let made = inherited
            .iter()
            .flat_map(|all| all.iter())
            .filter(|one| one.row.role == Role::Call);
        for reference in self
            .references()
            .to_any(targets, cancel)?
            .iter()
            .chain(made)
        {
            if matches!(reference.row.role, Role::Import | Role::Mention) {
                continue;
            }
            let Some((user, body)) = self.user_of(reference) else {
                continue;
            };
            let (resolution, confidence) = (reference.resolution, Confidence::in_use(reference));
            if let Some(place) = places.get(&user) {
                let edge = &mut edges[*place];
                edge.resolution = edge.resolution.min(resolution);
                edge.confidence = edge.confidence.max(confidence);
            } else {
                places.insert(user.clone(), edges.len());
                edges.push(Edge {
                    user,
                    body,
                    resolution,
                    confidence,
                });
            }
        }
        Ok(edges)
    }

    /// Returns the subtypes whose construction runs a constructor.
    fn derived_constructors(self, at: SymbolId) -> DerivedConstructors {
        let mut derived = DerivedConstructors::default();
        let owner = (self.symbol(at).kind == SymbolKind::Constructor)
            .then(|| self.members().owner(at))
            .flatten();
        let below = owner.map(|owner| self.members().all_subtypes(owner));
        for below in below.iter().flat_map(|below| below.iter()) {
            match self.members().constructor(below.at) {
                Some(constructor) if constructor == at => derived.inherited.push(below.at),
                Some(constructor) if self.members().constructor(below.supertype) == Some(at) => {
                    derived.own.push(constructor);
                }
                _ => {}
            }
        }
        derived
    }

    /// Returns the user of a reference: the function around it, or else the block around it in a test file, or else any symbol
    /// around it.
    fn user_of(self, reference: &Reference) -> Option<(User, TestBody)> {
        let file = reference.file;
        let of_symbol = |at: SymbolId| (User::Symbol(at), TestBody::Symbol(at));
        if let Some(at) = self.calls().enclosing_function(file, reference.row.symbol) {
            return Some(of_symbol(at));
        }
        let is_test_file = self.is_test_file(file);
        let line = reference.row.line;
        let blocks = is_test_file.then(|| self.blocks(file));
        if let Some(block) = blocks.as_ref().and_then(|blocks| blocks.around(line)) {
            return Some((
                User::Block(file, block.line),
                TestBody::Block(block.clone()),
            ));
        }
        let around = reference
            .row
            .symbol
            .map(|symbol| of_symbol(SymbolId { file, symbol }));
        around.or_else(|| is_test_file.then_some((User::File(file), TestBody::TopLevel(line))))
    }

    /// Returns the symbols that use any of these symbols, each with its most certain resolution: functions, or else any
    /// enclosing symbols.
    pub fn users(
        self,
        targets: &[SymbolId],
        cancel: &CancelToken,
    ) -> Result<Vec<(SymbolId, Resolution)>, ToolError> {
        let mut users: Vec<(SymbolId, Resolution)> = vec![];
        let mut places: HashMap<SymbolId, usize> = HashMap::new();
        for reference in self.references().to_any(targets, cancel)?.iter() {
            if matches!(reference.row.role, Role::Import | Role::Mention) {
                continue;
            }
            let around = reference.row.symbol.map(|symbol| SymbolId {
                file: reference.file,
                symbol,
            });
            let Some(user) = self
                .calls()
                .enclosing_function(reference.file, reference.row.symbol)
                .or(around)
            else {
                continue;
            };
            if let Some(place) = places.get(&user) {
                let (_, resolution) = &mut users[*place];
                *resolution = (*resolution).min(reference.resolution);
            } else {
                places.insert(user, users.len());
                users.push((user, reference.resolution));
            }
        }
        Ok(users)
    }

    /// Returns the tests that are named after a symbol: their names contain its name.
    pub fn named_after(
        self,
        target: SymbolId,
        cancel: &CancelToken,
    ) -> Result<Vec<ReachingTest>, ToolError> {
        let symbol = self.symbol(target);
        let name = symbol.name.to_lowercase().replace('_', "");
        if name.len() < 4 || !symbol.kind.is_callable() && !symbol.kind.is_type() {
            return Ok(vec![]);
        }
        let mut tests = vec![];
        for file in 0..u32::try_from(self.snapshot.files.len()).unwrap_or(u32::MAX) {
            if !self.is_test_file(file) || !self.same_language_family(file, target.file) {
                continue;
            }
            cancel.check()?;
            for (symbol, one) in (0..).zip(&self.file(file).outline.symbols) {
                let at = SymbolId { file, symbol };
                if at != target
                    && one.kind.is_callable()
                    && one.name.len() >= name.len()
                    && one.name.to_lowercase().replace('_', "").contains(&name)
                {
                    let (body, resolution) = (TestBody::Symbol(at), Resolution::NameOnly);
                    tests.push(ReachingTest {
                        file,
                        body,
                        steps: None,
                        via: None,
                        resolution,
                    });
                }
            }
        }
        Ok(tests)
    }

    /// Returns the test blocks of a file, as found in its text.
    fn blocks(self, file: u32) -> Rc<TestBlocks> {
        self.test_memo.blocks.get(file, || {
            let text = self.source.read(&self.file(file).path);
            text.map(|text| Rc::new(TestBlocks::parse(&text)))
                .unwrap_or_default()
        })
    }
}

impl User {
    fn file(&self) -> u32 {
        match self {
            Self::Symbol(at) => at.file,
            Self::Block(file, _) | Self::File(file) => *file,
        }
    }
}

impl ReachingTest {
    /// Returns the symbol of the test, if it has one.
    pub fn symbol(&self) -> Option<SymbolId> {
        if let TestBody::Symbol(at) = self.body {
            Some(at)
        } else {
            None
        }
    }
}

impl Confidence {
    fn in_use(reference: &Reference) -> Self {
        let is_only_one = reference.candidates == 1;
        match reference.resolution {
            Resolution::Resolved => Self::Certain,
            Resolution::Ambiguous if reference.by_name => Self::Guess,
            Resolution::Ambiguous if reference.by_dispatch => Self::Certain,
            Resolution::Likely | Resolution::Ambiguous => Self::Likely,
            Resolution::NameOnly if is_only_one => Self::Likely,
            Resolution::NameOnly => Self::Guess,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::graph::tests::Files;

    /// Returns the names of the tests that reach the symbol with this name, each with the symbol through which it does.
    fn reaching(files: &Files, name: &str, budget: usize) -> (Vec<String>, bool) {
        let graph = Graph::new(&files.snapshot, files);
        let target = graph.named(name).next().expect("defined");
        let found = graph
            .tests()
            .reaching(
                &[target],
                4,
                &FollowBudget::new(budget),
                &CancelToken::default(),
            )
            .expect("not cancelled");
        let shown = found.tests.iter().map(|test| {
            let name = match &test.body {
                TestBody::Symbol(at) => graph.symbol(*at).name.to_string(),
                TestBody::Block(block) => block.title.clone(),
                TestBody::TopLevel(line) => format!("line {line}"),
            };
            let via = test
                .via
                .map(|via| format!(" via {}", graph.symbol(via).name));
            name + &via.unwrap_or_default()
        });
        (shown.collect(), found.is_cut)
    }

    fn reaching_at_all(files: &Files, name: &str) -> Vec<String> {
        reaching(files, name, usize::MAX).0
    }

    #[test]
    fn near_tests_are_always_found_and_far_ones_within_the_budget() {
        let files = Files::new(
            "python",
            &[
                ("lib.py", "def base(): pass\n\ndef middle(): base()\n"),
                (
                    "test_lib.py",
                    "from lib import base, middle\n\ndef test_near(): base()\n\ndef test_far(): middle()\n",
                ),
            ],
        );
        let (near, far) = ("test_near".to_owned(), "test_far via middle".to_owned());
        assert_eq!(
            reaching(&files, "base", usize::MAX),
            (vec![near.clone(), far], false)
        );
        assert_eq!(reaching(&files, "base", 0), (vec![near], true));
    }

    #[test]
    fn macros_and_main_lead_to_no_tests() {
        let files = Files::new(
            "c",
            &[
                (
                    "dict.c",
                    "#include \"dict.h\"\nint grow(int size) { return size; }\nvoid report(void) { grow(1); }\n",
                ),
                (
                    "dict.h",
                    "int grow(int size);\nvoid report(void);\n#define check(e) ((e) ? 0 : report())\n",
                ),
                (
                    "server.c",
                    "#include \"dict.h\"\nint main(void) { return grow(2); }\n",
                ),
                (
                    "tests/dict.c",
                    "#include \"../dict.h\"\nvoid test_grow(void) { check(grow(1)); }\n",
                ),
                (
                    "tests/list.c",
                    "#include \"../dict.h\"\nvoid test_list(void) { check(1); }\n",
                ),
                ("tests/run.c", "void start(void) { main(); }\n"),
            ],
        );
        assert_eq!(reaching_at_all(&files, "grow"), ["test_grow"]);
        assert_eq!(reaching_at_all(&files, "report"), Vec::<String>::new());
    }

    #[test]
    fn names_that_collide_lead_to_no_tests() {
        let files = Files::new(
            "python",
            &[
                (
                    "a.py",
                    "class A:\n    def close(self): sync()\n\nclass B:\n    def close(self): pass\n\ndef sync(): pass\n",
                ),
                (
                    "tests/test_a.py",
                    "from a import A\n\ndef test_a():\n    A().close()\n",
                ),
                (
                    "tests/test_b.py",
                    "def test_any(thing):\n    thing.close()\n",
                ),
            ],
        );
        assert_eq!(reaching_at_all(&files, "sync"), ["test_a via close"]);
    }

    #[test]
    fn helpers_are_said_and_not_counted() {
        let files = Files::new(
            "python",
            &[
                ("lib.py", "def base(): pass\n"),
                (
                    "tests/test_lib.py",
                    "from lib import base\n\ndef prepared():\n    return base()\n\ndef test_one():\n    prepared()\n",
                ),
            ],
        );
        assert_eq!(reaching_at_all(&files, "base"), ["test_one via prepared"]);
    }

    #[test]
    fn a_block_with_a_title_is_one_test_however_many_lines_use_the_symbol() {
        let test = "import { add } from \"../add\";\n\ntest(\"adds\", () => {\n  add(1);\n  add(2);\n});\n\nadd(3);\nadd(4);\n";
        let files = Files::new(
            "typescript",
            &[
                ("add.ts", "export function add(n: number) {}\n"),
                ("tests/add.test.ts", test),
            ],
        );
        assert_eq!(reaching_at_all(&files, "add"), ["adds", "line 8"]);
    }
}
