//! Names of files and folders by the conventions of languages, build tools and test frameworks, in lower case.

/// Names of files that say nothing about their contents: `parser/mod.rs`.
pub const NAMELESS: [&str; 6] = ["index", "mod", "init", "__init__", "main", "lib"];

/// Folders of tests: `src/__tests__/engine.ts`.
pub const TEST_FOLDERS: [&str; 22] = [
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "testing",
    "testdata",
    "fixture",
    "fixtures",
    "mocks",
    "__mocks__",
    "e2e",
    "regress",
    "regression",
    "regressions",
    "fuzz",
    "fuzzing",
    "fuzzers",
    "testsuite",
    "testsuites",
    "selftest",
    "selftests",
];

/// A folder that holds doubles for tests, unless mocking is what the project is about: `mock/mock_store.go`, but not
/// `mock/Settings.java`.
pub const MOCK: &str = "mock";

/// Folders, one in the other, of code that is shipped and never a test: `src/main/java/org/shop/testing/Clock.java`.
pub const SHIPPED_FOLDERS: [&str; 2] = ["src", "main"];

/// Last words of the names of tests: `engine_test.go`, `integration-tests/`.
pub const TEST_ENDINGS: [&str; 4] = ["test", "tests", "spec", "specs"];

/// Folders of examples and benchmarks: `examples/serve.rs`.
pub const EXAMPLE_FOLDERS: [&str; 13] = [
    "example",
    "examples",
    "_examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "doc",
    "docs",
    "benchmark",
    "benchmarks",
    "bench",
    "benches",
];

/// Last words of the names of examples and benchmarks: `engine_bench.go`.
pub const EXAMPLE_ENDINGS: [&str; 6] = [
    "bench",
    "benchmark",
    "benchmarks",
    "example",
    "examples",
    "samples",
];

/// Folders of code that is kept for older versions: `compat/engine.js`.
pub const LEGACY_FOLDERS: [&str; 4] = ["compat", "legacy", "deprecated", "old"];

/// Folders of built and third-party files: `vendor/engine.js`.
pub const COPY_FOLDERS: [&str; 6] = [
    "dist",
    "vendor",
    "third_party",
    "third-party",
    "node_modules",
    "bower_components",
];

/// Folders of build outputs at the top of a project; deeper down they may be sources of a build tool.
pub const OUTPUT_FOLDERS: [&str; 2] = ["build", "out"];

/// The first word of the name of a test: `test_engine.py`.
pub const TEST_PREFIX: &str = "test";
