//! Finds the code locations in stack traces and in the output of compilers and test runners.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::section::ReportLine;

/// A stack frame or another code location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The path as in the trace, with `/` between its parts.
    pub path: String,
    pub line: u32,
    /// The function, with its containers if the trace names them.
    pub function: Option<String>,
    /// The number of frames of its trace that are further in; 0 for the innermost.
    pub depth: usize,
}

impl Frame {
    /// Returns the name of the function without its containers; none for `<module>` and `<anonymous>`.
    pub fn name(&self) -> Option<&str> {
        let last = self
            .function
            .as_deref()?
            .rsplit(['.', ':', '>', '#'])
            .next();
        last.filter(|name| !name.is_empty())
    }
}

/// The frames of a report, and the numbers of their lines.
pub struct ReportFrames {
    pub frames: Vec<Frame>,
    pub lines: BTreeSet<usize>,
}

/// The order in which a trace lists its frames.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    InnermostFirst,
    InnermostLast,
}

struct FrameSyntax {
    order: Order,
    pattern: Regex,
    /// The most lines from one frame of a trace to the next.
    widest_gap: usize,
}

/// The code of a frame, carets, messages.
const FEW_LINES: usize = 3;
/// pytest prints the function of each frame down to its line.
const WHOLE_FUNCTION: usize = 120;

pub fn find(lines: &[ReportLine<'_>]) -> ReportFrames {
    let mut traced = ReportFrames {
        frames: vec![],
        lines: BTreeSet::new(),
    };
    let mut trace: Vec<(usize, Frame)> = vec![];
    let mut order = Order::InnermostFirst;
    for (number, line) in lines.iter().enumerate() {
        if TEST_HEADER.is_match(line.text) {
            traced.add_trace(&mut trace, order);
        }
        let Some((frame, syntax)) =
            frame(line.text, number.checked_sub(1).map(|at| lines[at].text))
        else {
            continue;
        };
        traced.lines.insert(number);
        let continues = trace
            .last()
            .is_some_and(|(last, _)| number - last <= syntax.widest_gap && order == syntax.order);
        if !continues {
            traced.add_trace(&mut trace, order);
        }
        order = syntax.order;
        trace.push((number, frame));
    }
    traced.add_trace(&mut trace, order);
    traced
}

impl ReportFrames {
    fn add_trace(&mut self, trace: &mut Vec<(usize, Frame)>, order: Order) {
        let mut frames: Vec<Frame> = trace.drain(..).map(|(_, frame)| frame).collect();
        if order == Order::InnermostLast {
            frames.reverse();
        }
        for (depth, frame) in frames.iter_mut().enumerate() {
            frame.depth = depth;
        }
        self.frames.append(&mut frames);
    }
}

fn frame(line: &str, before: Option<&str>) -> Option<(Frame, &'static FrameSyntax)> {
    let (syntax, found) = SYNTAXES
        .iter()
        .find_map(|syntax| Some((syntax, syntax.pattern.captures(line)?)))?;
    let text = |group| {
        found
            .name(group)
            .map(|found| found.as_str())
            .filter(|text| !text.is_empty())
    };
    let mut path = text("path")?.replace('\\', "/");
    let mut function = text("function").map(str::to_owned);
    let above = if text("go").is_some() {
        Some(&GO_FUNCTION)
    } else {
        (path.rsplit('.').next() == Some("rs")).then_some(&RUST_FUNCTION)
    };
    if let (None, Some(pattern), Some(before)) = (&function, above, before) {
        function = pattern
            .captures(before)
            .map(|found| found["function"].to_owned());
    }
    // A JVM frame has the package in its function: `at org.app.Engine.run(Engine.java:12)`.
    if let Some(called) = &function
        && !path.contains('/')
        && text("jvm").is_some()
    {
        let mut parts: Vec<&str> = called.split('.').collect();
        parts.truncate(parts.len().saturating_sub(2));
        path = format!("{}/{path}", parts.join("/"));
    }
    let path = path.trim_start_matches("file://");
    Some((
        Frame {
            path: path.to_owned(),
            line: text("line")?.parse().ok()?,
            function,
            depth: 0,
        },
        syntax,
    ))
}

static SYNTAXES: LazyLock<Vec<FrameSyntax>> = LazyLock::new(|| {
    use Order::{InnermostFirst, InnermostLast};
    let all = [
        // `  File "app/db.py", line 12, in connect`
        (
            InnermostLast,
            r#"^.*?File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>[\w<>.]+))?"#,
        ),
        // `app/db.py:12: in connect`, `app/db.py:12: ValueError`, `app/db.py:12:`
        (
            InnermostLast,
            r"^(?P<path>[\w./\\-]+\.(?P<pytest>py)):(?P<line>\d+):(?: in (?P<function>[\w<>]+)| \w*(?:Error|Exception|Failed)|\s*$)",
        ),
        // IPython's `~/app/db.py in connect(self)` is not read: its line number is on another line: `---> 12     raise`.
        // `    at org.app.Engine.run(Engine.java:12)`
        (
            InnermostFirst,
            r"^\s*at (?P<function>[\w$.<>/@]+)\((?P<path>(?P<jvm>[\w$]+\.(?:java|kt|scala|groovy|clj))):(?P<line>\d+)\)",
        ),
        // `   at App.Engine.Run(String name) in /src/Engine.cs:line 12`
        (
            InnermostFirst,
            r"^\s*at (?P<function>[\w.+<>`]+)[\[(].* in (?P<path>.+?):line (?P<line>\d+)",
        ),
        // `    at Engine.run (/app/src/engine.js:12:5)`, `    at /app/src/engine.js:12:5`
        (
            InnermostFirst,
            r"^\s*at (?:async )?(?:new )?(?:(?P<function>[^\s(]+)(?: \[as \w+\])? )?\(?(?P<path>[^\s()]+?):(?P<line>\d+):\d+\)?\s*$",
        ),
        // `lib/app/engine.rb:12:in 'run'`
        (
            InnermostFirst,
            r"^\s*(?:\d+: )?(?:from )?(?P<path>[^\s:]+\.rb):(?P<line>\d+):in [`'](?:block (?:\(\d+ levels\) )?in )?(?P<function>[^']+)'",
        ),
        // `#0 /app/src/Engine.php(12): App\Engine->run()`
        (
            InnermostFirst,
            r"^\s*#\d+ (?P<path>[^\s(]+)\((?P<line>\d+)\): (?P<function>[\w\\:>{}-]+)\(",
        ),
        // `Fatal error: Uncaught TypeError: … in /app/src/Engine.php:12`, `… in /app/src/Engine.php on line 12`
        (
            InnermostFirst,
            r"\bin (?P<path>/?[\w./\\-]+\.php)(?::| on line )(?P<line>\d+)",
        ),
        // `#1  0x00005555 in run (name=0x0) at src/engine.c:12`
        (
            InnermostFirst,
            r"^\s*#\d+\s+(?:0x[0-9a-f]+ in )?(?P<function>[\w:~<>]+) ?\(.*\) at (?P<path>[^\s:]+):(?P<line>\d+)",
        ),
        // `	/app/engine/run.go:12 +0x1d`
        (
            InnermostFirst,
            r"^\s*(?P<path>(?P<go>[^\s:]+\.go)):(?P<line>\d+)(?: \+0x[0-9a-f]+)?\s*$",
        ),
        // `             at src/engine.rs:12:5`, `  --> src/engine.rs:12:5`, `panicked at src/engine.rs:12:5`
        (
            InnermostFirst,
            r"(?:^\s*(?:at|-->)|panicked at(?: '.*',)?) (?P<path>[^\s:]+\.rs):(?P<line>\d+)",
        ),
        // `src/engine.ts(12,5): error TS2345: …`, `C:\src\Engine.cs(12,5): warning CS0103: …`
        (
            InnermostFirst,
            r"^\s*(?:\d+>)?(?P<path>(?:[A-Za-z]:)?[^:()]*[^:()\s]\.[a-z]{1,5})\((?P<line>\d+)(?:,\d+)*\) ?: (?:fatal )?(?:error|warning)\b",
        ),
        // `EngineTest#test_run [/app/test/engine_test.rb:12]:`
        (
            InnermostFirst,
            r"^\s*(?:(?P<function>[\w:#?!]+) )?\[(?P<path>[^\s\[\]:]+\.rb):(?P<line>\d+)\]:",
        ),
        // `e: file:///app/src/Engine.kt:12:5 …`, `e: /app/src/Engine.kt: (12, 5): …`
        (
            InnermostFirst,
            r"^\s*[ew]: (?P<path>(?:file://)?[^\s:]+\.kts?):(?: \()?(?P<line>\d+)",
        ),
        // `src/engine.c:12:3: error: …`, `engine_test.go:12: …`
        (
            InnermostFirst,
            r"^\s*(?P<path>[\w./\\@+-]+\.[a-z]{1,5}):(?P<line>\d+)(?::\d+)?(?::|\s|$)",
        ),
    ];
    all.into_iter()
        .map(|(order, pattern)| FrameSyntax {
            order,
            pattern: Regex::new(pattern).expect("a valid pattern"),
            widest_gap: if pattern.contains("(?P<pytest>") {
                WHOLE_FUNCTION
            } else {
                FEW_LINES
            },
        })
        .collect()
});

/// The line above the output of a failed test: `____ test_run ____`.
static TEST_HEADER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^_{3,} .+ _{3,}\s*$").expect("a valid pattern"));

/// The line before the location of a Go frame: `app/engine.(*Engine).Run(0xc000, 0x1)`.
static GO_FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:.*/)?[\w-]+\.(?:\(\*?\w+\)\.)?(?P<function>\w+)(?:\.func\d+)?\(")
        .expect("a valid pattern")
});

/// The line before the location of a Rust frame: `   2: app::engine::Engine::run`, `   2: 0x5555 - app::run::h0123456789abcdef`.
static RUST_FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*\d+:\s+(?:0x[0-9a-f]+ - )?(?P<function>\S.*?)(?:::h[0-9a-f]{16})?\s*$")
        .expect("a valid pattern")
});
