//! Parses reports as people paste them.

use super::message::{error_in_line, share_in};
use super::*;

fn parse(text: &str) -> Report {
    Report::parse(text).expect("a report")
}

fn frames(text: &str) -> Vec<(String, u32, Option<String>)> {
    let frames = parse(text).frames.into_iter();
    frames
        .map(|frame| (frame.path, frame.line, frame.function))
        .collect()
}

#[test]
fn a_question_is_no_report() {
    for question in [
        "how are tokens counted",
        "SqlMapper",
        "OOM command not allowed when used memory > 'maxmemory'",
    ] {
        assert_eq!(Report::parse(question), None, "{question}");
    }
    assert!(Report::parse("It fails\nwith an error").is_some());
    assert!(Report::parse(&"word ".repeat(100)).is_some());
}

#[test]
fn frames_of_every_language_are_places_innermost_first() {
    for (trace, innermost) in [
        (
            "Fails\nTraceback (most recent call last):\n  File \"/lib/app/main.py\", line 3, in main\n    run()\n  \
             File \"/lib/app/db.py\", line 12, in connect\n    raise ValueError",
            ("/lib/app/db.py", 12, Some("connect")),
        ),
        (
            "Fails\ntests/test_a.py:3: in test_a\n    run()\napp/db.py:12: in connect\n    x\napp/db.py:14: ValueError",
            ("app/db.py", 14, None),
        ),
        (
            "Fails\njava.lang.IllegalStateException: no\n    at org.app.Engine.run(Engine.java:12)\n    at org.app.Main.main(Main.java:3)",
            ("org/app/Engine.java", 12, Some("org.app.Engine.run")),
        ),
        (
            "Fails\nTypeError: x is undefined\n    at Engine.run (/app/src/engine.js:12:5)\n    at /app/src/main.js:3:1",
            ("/app/src/engine.js", 12, Some("Engine.run")),
        ),
        (
            "Fails\nlib/app/engine.rb:12:in `block in run': no (ArgumentError)\n\tfrom lib/app/main.rb:3:in `main'",
            ("lib/app/engine.rb", 12, Some("run")),
        ),
        (
            "Fails\n#0 /app/src/Engine.php(12): App\\Engine->run()\n#1 {main}",
            ("/app/src/Engine.php", 12, Some("App\\Engine->run")),
        ),
        (
            "Fails\npanic: no\n\ngoroutine 1 [running]:\napp/engine.(*Engine).Run(0xc000)\n\t/app/engine/run.go:12 +0x1d",
            ("/app/engine/run.go", 12, Some("Run")),
        ),
        (
            "Fails\nthread 'main' panicked at src/engine.rs:12:5:\nno",
            ("src/engine.rs", 12, None),
        ),
        (
            "Fails\nstack backtrace:\n   2: app::Engine::run\n             at ./src/engine.rs:12:5",
            ("./src/engine.rs", 12, Some("app::Engine::run")),
        ),
        (
            "Fails\n   at App.Engine.Run(String name) in /src/Engine.cs:line 12",
            ("/src/Engine.cs", 12, Some("App.Engine.Run")),
        ),
        (
            "Fails\n#1  0x0000555 in run (name=0x0) at src/engine.c:12",
            ("src/engine.c", 12, Some("run")),
        ),
        (
            "Fails\nsrc/engine.ts(12,17): error TS2345: no such unit here",
            ("src/engine.ts", 12, None),
        ),
        (
            "Fails\n  1>C:\\app\\src\\Engine.cs(12,5): error CS0103: no such unit [C:\\app\\App.csproj]",
            ("C:/app/src/Engine.cs", 12, None),
        ),
        (
            "Fails\nEngineTest#test_run [/app/test/engine_test.rb:12]:\nExpected: 3",
            ("/app/test/engine_test.rb", 12, Some("EngineTest#test_run")),
        ),
        (
            "Fails\ne: file:///app/src/Engine.kt:12:5 Unresolved reference 'unit'.",
            ("/app/src/Engine.kt", 12, None),
        ),
        (
            "Fails\nsrc/engine.c:12:3: error: no such unit here",
            ("src/engine.c", 12, None),
        ),
    ] {
        let found = frames(trace);
        let first = found
            .first()
            .map(|(path, line, function)| (path.as_str(), *line, function.as_deref()));
        assert_eq!(first, Some(innermost), "{trace}");
    }
}

#[test]
fn a_failed_test_of_pytest_is_one_trace_with_the_source_of_its_functions() {
    let body = "    first = 1\n    second = 2\n    third = 3\n    fourth = 4\n".repeat(4);
    let one = format!(
        "____ test_one ____\n\n    def test_one():\n{body}>       run()\n\ntests/test_a.py:12: \n_ _ _ _ _ _\n\n    def run():\n{body}\
         >       raise ValueError\nE       ValueError: no such unit here\n\napp/db.py:40: ValueError\n"
    );
    let two = one.replace("test_a", "test_b").replace("app/db", "app/web");
    let report = parse(&format!("Our tests fail.\n\n{one}{two}"));
    let found: Vec<_> = report
        .frames
        .iter()
        .map(|frame| (frame.path.as_str(), frame.depth))
        .collect();
    let expected = [
        ("app/db.py", 0),
        ("tests/test_a.py", 1),
        ("app/web.py", 0),
        ("tests/test_b.py", 1),
    ];
    assert_eq!(found, expected);
}

#[test]
fn prose_code_and_templates_are_told_apart() {
    let report = parse(
        "Parser.next skips a token\n\n<!-- Thank you for\nreporting -->\n### Describe the bug\nIt skips the last \
         token, see `lex_all()` in src/lexer.rs:40.\n\n- [x] I searched\n\n```python\nfrom app.lexer import Lexer\n```\n\n\
         ### Versions\npython 3.12\nnumpy 1.26\n",
    );
    assert_eq!(report.title, "Parser.next skips a token");
    assert_eq!(
        report.prose,
        "It skips the last token, see `lex_all()` in src/lexer.rs:40.\n"
    );
    assert_eq!(report.code, "from app.lexer import Lexer\n");
    let mention = |parts: &[&str]| {
        let found = report.mentions.iter().find(|one| one.parts == parts);
        found.map(|one| one.place)
    };
    assert_eq!(mention(&["Parser", "next"]), Some(MentionPlace::Title));
    assert_eq!(mention(&["lex_all"]), Some(MentionPlace::Prose));
    assert_eq!(mention(&["app", "lexer"]), Some(MentionPlace::Code));
    assert_eq!(mention(&["token"]), None);
    let path = PathMention {
        path: "src/lexer.rs".to_owned(),
        line: Some(40),
    };
    assert_eq!(report.paths, [path]);
}

#[test]
fn error_messages_are_read_from_the_lines_that_report_them() {
    for (line, message) in [
        ("ValueError: no such unit", Some("no such unit")),
        (
            "E   app.errors.UnitError: no such unit",
            Some("no such unit"),
        ),
        (
            "error[E0382]: borrow of moved value",
            Some("borrow of moved value"),
        ),
        ("panic: no such unit", Some("no such unit")),
        ("Uncaught TypeError: x is undefined", Some("x is undefined")),
        ("an error occurs when I run it", None),
        ("ValueError: no", None),
    ] {
        assert_eq!(error_in_line(line).as_deref(), message, "{line}");
    }
    let thrown = parse(
        "java.lang.IllegalStateException: no such unit\n    at org.app.Engine.run(Engine.java:12)",
    );
    assert_eq!(thrown.title, "no such unit");
    let report = parse("Fails\nIt says \"the unit must not be empty\" and stops.");
    assert_eq!(report.messages, ["the unit must not be empty"]);
}

#[test]
fn a_message_is_found_around_the_holes_of_its_source() {
    let words = |text: &str| -> Vec<String> {
        let all = crate::store::text::words(text);
        all.map(|(_, word)| word.to_lowercase()).collect()
    };
    let share =
        |message: &str, source: &str| share_in(&words(message), source).map(|found| found.0);
    let source =
        "raise ValueError(f\"Cannot cast {type(self).__name__} to dtype {dtype} without a unit\")";
    let whole = share("Cannot cast to dtype", "\"Cannot cast to dtype\"");
    assert_eq!(whole, Some(1.0));
    let found = share("to dtype float64 without a unit", source).expect("found");
    assert!(found > 0.5, "{found}");
    assert_eq!(share("nothing of the kind is here", source), None);
}

#[test]
fn a_report_says_what_was_recognised() {
    let report = parse(
        "Parser.next fails\n  File \"app/db.py\", line 12, in connect\nValueError: no such unit",
    );
    assert_eq!(
        report.summary(),
        "interpreted as a report: 1 stack frame, 1 error message, 2 names, and prose"
    );
}

#[test]
fn a_trace_alone_is_named_by_its_message_or_innermost_function() {
    let gdb = "#0  0x0000555 in copy_line (wme=0x0) at copy.c:2\n#1  0x0000556 in run (wme=0x0) at run.c:6\n";
    let report = parse(gdb);
    assert!(report.is_trace);
    assert_eq!(report.title, "copy_line");
    let told = format!("It fails\n\nOften.\n\nNot always.\n\nBut today.\n\nAnd before.\n\n{gdb}");
    assert!(!parse(&told).is_trace);
}
