//! Compiled languages. All functions of one copy are broken at once, each behind a switch, so that a project is built only
//! once: a function fails if the variable `BROKEN` has its name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use claudevil_tests::accuracy::truth::Truth;
use claudevil_tests::binaries::workspace;
use libtest_mimic::Trial;

use super::super::toolchains::files;
use super::super::{home, project};
use super::{FEWEST, are_named};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    let name = |language: &str| format!("impact_names_the_tests_that_break_in_{language}");
    vec![
        proof(
            &name("rust"),
            Needs::Program("cargo", "needs cargo"),
            || broken(&RUST),
        ),
        proof(&name("go"), Needs::Program("go", "needs go"), || {
            broken(&GO)
        }),
        proof(
            &name("c"),
            Needs::Program("cc", "needs a C compiler"),
            || broken(&C),
        ),
        proof(
            &name("cpp"),
            Needs::Program("c++", "needs a C++ compiler"),
            || broken(&CPP),
        ),
        proof(
            &name("java"),
            Needs::Program("javac", "needs javac"),
            || broken(&JAVA),
        ),
    ]
}

/// Takes a copy, the names of its tests, the folder of the build, and functions to switch off. Returns the tests that fail for
/// each.
type Run = fn(&Path, &[String], &Path, &[String]) -> Vec<BTreeSet<String>>;

struct Language {
    name: &'static str,
    /// Returns whether a line begins a function whose body comes next.
    begins: fn(&str) -> bool,
    /// The statement that makes a function of this name fail when it is switched off.
    switch: fn(&str) -> String,
    /// The first lines of files with such statements.
    head: &'static str,
    /// Builds the tests of a copy, which have these names, into a folder.
    build: fn(&Path, &[String], &Path),
    /// Runs them with each of these functions switched off in turn, and says which fail.
    run: Run,
}

async fn broken(language: &'static Language) {
    let home = home();
    let (root, truth) = project(&home, language.name);
    let copy = home.scratch().join("broken");
    Truth::take(
        &workspace().join("tests/accuracy").join(language.name),
        &copy,
    );
    let ids = put_switches(language, &truth, &copy);
    assert!(
        ids.len() >= FEWEST,
        "only {} functions could be broken",
        ids.len()
    );
    let tests = tests(&truth);
    let built = home.scratch().join("built");
    fs::create_dir_all(&built).expect("made");
    (language.build)(&copy, &tests, &built);
    let sound = (language.run)(&copy, &tests, &built, &["nothing".to_owned()]);
    assert!(
        sound.iter().all(BTreeSet::is_empty),
        "nothing fails before: {sound:?}"
    );
    let failing = (language.run)(&copy, &tests, &built, &ids);
    are_named(
        &home,
        &root,
        &truth,
        language.name,
        ids.into_iter().zip(failing).collect(),
    )
    .await;
}

/// Adds the switches. Returns the functions that got one.
fn put_switches(language: &Language, truth: &Truth, copy: &Path) -> Vec<String> {
    let mut ids = vec![];
    for (id, (path, line)) in &truth.definitions {
        let text = fs::read_to_string(copy.join(path)).expect("a text");
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = usize::try_from(*line).expect("small") - 1;
        let begins = (language.begins)(lines[at].split("//").next().unwrap_or_default());
        // A constructor that calls another one must do so first.
        let hands_on = lines
            .get(at + 1)
            .is_some_and(|next| ["super(", "this("].iter().any(|word| next.contains(word)));
        if path.to_lowercase().contains("test") || !begins || hands_on {
            continue;
        }
        // In the same line, so that other lines keep their numbers.
        lines[at] = format!("{} {}", lines[at], (language.switch)(id));
        fs::write(copy.join(path), lines.join("\n") + "\n").expect("written");
        ids.push(id.clone());
    }
    let changed: BTreeSet<&str> = ids
        .iter()
        .map(|id| truth.definitions[id].0.as_str())
        .collect();
    for path in changed {
        let text = fs::read_to_string(copy.join(path)).expect("a text");
        fs::write(copy.join(path), format!("{}{text}", language.head)).expect("written");
    }
    ids
}

/// Returns the names of the tests: what the `main` of a test file runs, or what is named like a test.
fn tests(truth: &Truth) -> Vec<String> {
    let is_main = |caller: &String| caller.rsplit('.').next() == Some("main");
    let is_test = |id: &&String| {
        let name = truth.name(id);
        // A class of tests is instantiated, and is no test itself.
        if truth
            .definitions
            .keys()
            .any(|other| other.starts_with(&format!("{id}.")))
        {
            return false;
        }
        let runs = truth
            .callers
            .get(*id)
            .is_some_and(|callers| callers.iter().any(is_main));
        runs || name.starts_with("test_") || name.starts_with("Test")
    };
    let of_tests = truth
        .definitions
        .iter()
        .filter(|(_, (path, _))| path.to_lowercase().contains("test"));
    of_tests
        .map(|(id, _)| id)
        .filter(is_test)
        .map(|id| truth.name(id).to_owned())
        .collect()
}

fn done(program: &mut Command) -> Output {
    let output = program
        .output()
        .unwrap_or_else(|error| panic!("{program:?}: {error}"));
    assert!(output.status.success(), "{program:?}: {output:?}");
    output
}

/// Runs each test by itself, with each switch. Returns the tests that fail.
fn one_by_one(
    tests: &[String],
    built: &Path,
    ids: &[String],
    told: fn(&str) -> String,
) -> Vec<BTreeSet<String>> {
    let fails = |id: &str, test: &str| {
        let mut command = Command::new(built.join("tests"));
        let run = command
            .arg(told(test))
            .env("BROKEN", id)
            .current_dir(built)
            .output()
            .expect("it runs");
        !run.status.success()
    };
    ids.iter()
        .map(|id| {
            tests
                .iter()
                .filter(|test| fails(id, test))
                .cloned()
                .collect()
        })
        .collect()
}

const RUST: Language = Language {
    name: "rust",
    begins: |line| line.contains("fn ") && line.trim_end().ends_with('{'),
    switch: |id| {
        format!("if std::env::var(\"BROKEN\").as_deref() == Ok(\"{id}\") {{ panic!(\"broken\") }}")
    },
    head: "",
    build: |copy, _, built| drop(done(cargo(copy, built).arg("--no-run"))),
    run: |copy, _, built, ids| {
        let fails = |id: &String| {
            let output = cargo(copy, built)
                .env("BROKEN", id)
                .output()
                .expect("it runs");
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let failed = said
                .lines()
                .filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
            failed
                .map(|name| name.rsplit("::").next().unwrap_or(name).to_owned())
                .collect()
        };
        ids.iter().map(fails).collect()
    },
};

fn cargo(copy: &Path, built: &Path) -> Command {
    let mut command = Command::new("cargo");
    command
        .args([
            "test",
            "--offline",
            "--no-fail-fast",
            "--tests",
            "--target-dir",
        ])
        .arg(built)
        .current_dir(copy);
    command
}

const GO: Language = Language {
    name: "go",
    begins: |line| line.starts_with("func ") && line.trim_end().ends_with('{'),
    switch: |id| format!("if brokenSwitch == \"{id}\" {{ panic(\"broken\") }}"),
    head: "",
    build: |copy, _, built| {
        for folder in packages(copy) {
            let name = fs::read_dir(&folder).expect("a folder").find_map(|entry| {
                let text = fs::read_to_string(entry.expect("an entry").path()).ok()?;
                text.lines()
                    .find_map(|line| line.strip_prefix("package "))
                    .map(str::to_owned)
            });
            let name = name.expect("a package");
            let switch = format!(
                "package {name}\n\nimport \"os\"\n\nvar brokenSwitch = os.Getenv(\"BROKEN\")\n"
            );
            fs::write(folder.join("broken_switch.go"), switch).expect("written");
        }
        let mut build = Command::new("go");
        build
            .args(["test", "-c", "-o"])
            .arg(built.join("tests"))
            .arg("./stock")
            .current_dir(copy);
        done(
            build
                .env("GOFLAGS", "-mod=mod")
                .env("GOPROXY", "off")
                .env("GOTOOLCHAIN", "local"),
        );
    },
    run: |_, tests, built, ids| one_by_one(tests, built, ids, |test| format!("-test.run=^{test}$")),
};

fn packages(copy: &Path) -> BTreeSet<PathBuf> {
    files(copy, ".go")
        .into_iter()
        .filter_map(|path| path.parent().map(Path::to_owned))
        .collect()
}

const C: Language = Language {
    name: "c",
    begins: is_c_function,
    switch: |id| {
        format!("if (getenv(\"BROKEN\") && strcmp(getenv(\"BROKEN\"), \"{id}\") == 0) abort();")
    },
    head: "#include <stdlib.h>\n#include <string.h>\n",
    build: |copy, tests, built| build_c(("cc", "-std=c11"), ".c", copy, tests, built),
    run: |_, tests, built, ids| one_by_one(tests, built, ids, str::to_owned),
};

const CPP: Language = Language {
    name: "cpp",
    build: |copy, tests, built| build_c(("c++", "-std=c++20"), ".cpp", copy, tests, built),
    ..C
};

fn is_c_function(line: &str) -> bool {
    line.contains('(')
        && line.trim_end().ends_with('{')
        && !line.contains("constexpr")
        && !line.contains("#define")
}

/// Builds the tests with a `main` that runs the named test.
fn build_c(
    (compiler, standard): (&str, &str),
    ending: &str,
    copy: &Path,
    tests: &[String],
    built: &Path,
) {
    let of_tests = files(&copy.join("tests"), ending);
    let mut text = String::from("#define main all_tests\n");
    for file in &of_tests {
        text.push_str(&format!("#include \"{}\"\n", file.display()));
    }
    text.push_str("#undef main\n#include <string.h>\nint main(int count, char **names) {\n");
    for test in tests {
        text.push_str(&format!(
            "  if (count == 2 && strcmp(names[1], \"{test}\") == 0) {{ {test}(); return 0; }}\n"
        ));
    }
    text.push_str("  return 2;\n}\n");
    let main = built.join(format!("tests_by_name{ending}"));
    fs::write(&main, text).expect("written");
    let sources = files(&copy.join("src"), ending)
        .into_iter()
        .filter(|path| !path.ends_with(format!("main{ending}")));
    let mut command = Command::new(compiler);
    done(
        command
            .args([standard, "-w", "-Iinclude", "-o"])
            .arg(built.join("tests"))
            .arg(main)
            .args(sources)
            .current_dir(copy),
    );
}

const JAVA: Language = Language {
    name: "java",
    begins: |line| {
        let is_type = ["class ", "record ", "enum ", "interface ", "new "]
            .iter()
            .any(|word| line.contains(word));
        line.contains('(') && line.trim_end().ends_with('{') && !is_type
    },
    switch: |id| {
        format!(
            "if (\"{id}\".equals(System.getProperty(\"broken\"))) throw new IllegalStateException(\"broken\");"
        )
    },
    head: "",
    build: |copy, _, built| {
        let runner = built.join("TestsByName.java");
        fs::write(&runner, JAVA_RUNNER).expect("written");
        let mut command = Command::new("javac");
        done(
            command
                .args(["-proc:none", "-nowarn", "-d"])
                .arg(built)
                .args(files(copy, ".java"))
                .arg(runner),
        );
    },
    run: |_, tests, built, ids| {
        let mut command = Command::new("java");
        command
            .args(["-ea", "-cp"])
            .arg(built)
            .arg("TestsByName")
            .arg(built);
        let output = done(command.args(["bank.LedgerTest", &tests.join(","), &ids.join(",")]));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let failed = |id: &String| {
            let lines = said.lines().filter_map(|line| line.split_once(' '));
            lines
                .filter(|(switched, _)| switched == id)
                .map(|(_, test)| test.to_owned())
                .collect()
        };
        ids.iter().map(failed).collect()
    },
};

/// Prints which methods of a class fail with which switch. All classes are reloaded each time: their counters start at zero,
/// and a failure while a class is loaded fails all its tests.
const JAVA_RUNNER: &str = "
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.*;
public class TestsByName {
    public static void main(String[] given) throws Exception {
        URL[] built = { new File(given[0]).toURI().toURL() };
        for (String id : given[3].split(\",\")) {
            System.setProperty(\"broken\", id);
            for (String name : given[2].split(\",\")) {
                var loader = new URLClassLoader(built, ClassLoader.getPlatformClassLoader());
                try {
                    var type = Class.forName(given[1], true, loader);
                    var made = type.getDeclaredConstructor();
                    made.setAccessible(true);
                    var test = type.getDeclaredMethod(name);
                    test.setAccessible(true);
                    test.invoke(made.newInstance());
                } catch (InvocationTargetException failed) {
                    boolean isLoading = failed.getCause() instanceof LinkageError;
                    System.out.println(id + \" \" + (isLoading ? \"(loading)\" : name));
                } catch (LinkageError failed) {
                    System.out.println(id + \" (loading)\");
                }
            }
        }
    }
}
";
