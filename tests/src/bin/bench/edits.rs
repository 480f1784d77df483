//! Random edits of the symbols of a folder, each compared byte by byte with the file before it.
//!
//! A copy of the folder is edited. After each edit the file is restored. An edit may be refused; otherwise every byte outside
//! of its place must stay as it was: a new body keeps the text before and after it, a new neighbour is one new piece of text
//! that separates no symbol from its comments, and a removal is one piece that contains no other symbol. A symbol that is
//! replaced by its own lines leaves the file as it was. If a program of the language can check syntax, a file that it accepted
//! before must be accepted afterwards; `--keep FOLDER` keeps both versions for programs that are not known here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use claudevil_protocol::tools::edit_symbol::{EditAction, EditSymbol};
use claudevil_protocol::tools::list_files::ListFiles;
use claudevil_protocol::tools::map_code::{MapCode, MapFile, MapSymbol};
use claudevil_tests::chance::Chance;
use claudevil_tests::home::Home;
use claudevil_tests::relevance::asking::{Ranking, Root};

use crate::search::say;

/// Programs that check the syntax of a file, by its extension.
const CHECKERS: &[(&str, &str, &[&str])] = &[
    (
        "py",
        "python3",
        &["-c", "import ast,sys;ast.parse(open(sys.argv[1]).read())"],
    ),
    ("js", "node", &["--check"]),
    ("go", "gofmt", &["-e", "-l"]),
    ("rb", "ruby", &["-c"]),
    ("php", "php", &["-l"]),
    ("sh", "bash", &["-n"]),
];

pub struct Options {
    pub folder: PathBuf,
    pub edits: usize,
    pub seed: u64,
    /// The folder in which each changed file is kept as it was before and after the edit, for other programs to compare.
    pub keep: Option<PathBuf>,
}

pub fn options(arguments: &[String]) -> Option<Options> {
    let mut options = Options {
        folder: PathBuf::new(),
        edits: 1000,
        seed: 1,
        keep: None,
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--edits" => options.edits = arguments.next()?.parse().ok()?,
            "--keep" => options.keep = Some(PathBuf::from(arguments.next()?)),
            "--seed" => options.seed = arguments.next()?.parse().ok()?,
            folder => options.folder = fs::canonicalize(folder).ok()?,
        }
    }
    options.folder.is_dir().then_some(options)
}

/// The kinds of edits that are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Trial {
    ReplaceByItself,
    BodyByItself,
    BodyByAnother,
    InsertBefore,
    InsertAfter,
    Delete,
}

const TRIALS: [Trial; 6] = [
    Trial::ReplaceByItself,
    Trial::BodyByItself,
    Trial::BodyByAnother,
    Trial::InsertBefore,
    Trial::InsertAfter,
    Trial::Delete,
];

#[derive(Default)]
struct Tally {
    made: u64,
    /// The time of all calls, refused ones too.
    took: Duration,
    refused: BTreeMap<String, u64>,
    failed: Vec<String>,
}

pub async fn run(options: &Options) -> ExitCode {
    let home = Home::new().with("CLAUDEVIL_EMBEDDER", "none");
    let copy = home.scratch().join("edited");
    copy_tree(&options.folder, &copy);
    fs::create_dir_all(copy.join(".git")).expect("made");
    fs::write(copy.join(".git/HEAD"), "ref: refs/heads/main\n").expect("written");
    say("indexing");
    let started = home.claudevil(&["daemon", "start"]).await;
    assert!(started.status.success(), "{started:?}");
    let client = home.client();
    let root = Root::new(&client, &copy);
    root.add().await;
    root.ready(Ranking::Lexical).await;
    let files = outlines(&root).await;
    let mut by_language: BTreeMap<String, Vec<&MapFile>> = BTreeMap::new();
    for file in &files {
        let language = file.language.clone().unwrap_or_default();
        by_language.entry(language).or_default().push(file);
    }
    let languages: Vec<&String> = by_language.keys().collect();
    say(&format!(
        "{} files in {} languages",
        files.len(),
        languages.len()
    ));
    let mut chance = Chance::new(options.seed);
    let mut tallies: BTreeMap<(String, Trial), Tally> = BTreeMap::new();
    for round in 0..options.edits {
        let language = languages[round % languages.len()];
        let file = *chance.one_of(&by_language[language]);
        let symbol = chance.one_of(&file.symbols);
        let trial = TRIALS[chance.below(TRIALS.len())];
        let tally = tallies.entry((language.clone(), trial)).or_default();
        let before = fs::read_to_string(copy.join(&file.path)).expect("a text");
        let Some((action, text)) = edit(trial, file, symbol, &before, &mut chance) else {
            continue;
        };
        let asked = EditSymbol {
            path: Some(file.path.clone()),
            line: Some(symbol.start_line),
            symbol: Some(symbol.name.clone()),
            action: Some(action),
            text: text.clone(),
            dry_run: Some(false),
            allow_possible_uses: Some(true),
            ..EditSymbol::default()
        };
        // The file was restored: what it takes to index that is no part of the edit.
        root.ask(outline_of(file.path.clone()))
            .await
            .expect("an outline");
        let started = Instant::now();
        let answer = root.ask(asked).await;
        tally.took += started.elapsed();
        let after = fs::read_to_string(copy.join(&file.path)).expect("a text");
        if let Err(error) = answer {
            let reason = reason_of(&error.message.to_string(), &file.path);
            if !reason.contains("uses") {
                let place = format!("{}:{} {}", file.path, symbol.start_line, symbol.name);
                say(&format!(
                    "refused {language} {trial:?} {place}: {}",
                    error.message
                ));
            }
            *tally.refused.entry(reason).or_default() += 1;
            assert_eq!(
                after, before,
                "{} was changed by a call that failed",
                file.path
            );
            continue;
        }
        tally.made += 1;
        if let Some(folder) = &options.keep {
            keep(
                folder,
                &format!("{round}-{trial:?}-{}", file.path),
                (&before, &after),
            );
        }
        let wrong = judge(trial, file, symbol, &before, &after)
            .or_else(|| check_syntax(&home, trial, &file.path, (&before, &after)));
        if let Some(wrong) = wrong {
            let name = &symbol.name;
            let place = format!("{}:{} {name}: {wrong}", file.path, symbol.start_line);
            tally.failed.push(place);
        }
        fs::write(copy.join(&file.path), &before).expect("restored");
    }
    report(&tallies)
}

/// Returns the message of a refusal without names, numbers and code, so that refusals with the same reason have the same
/// message.
fn reason_of(message: &str, path: &str) -> String {
    let message = message.replace(&format!("{path}: "), "");
    let outside = message
        .split('`')
        .step_by(2)
        .collect::<Vec<_>>()
        .join("`…`");
    let words = outside.split(' ').map(|word| match word {
        "use;" => "uses;",
        number if number.starts_with(|sign: char| sign.is_ascii_digit()) => "N",
        word => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

#[expect(clippy::print_stdout, reason = "a report is printed")]
fn report(tallies: &BTreeMap<(String, Trial), Tally>) -> ExitCode {
    let mut lines =
        String::from("| language | edit | made | refused | failed |\n|---|---|---|---|---|\n");
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut made, mut refused, mut failed) = (0, 0, 0);
    let mut took = Duration::ZERO;
    for ((language, trial), tally) in tallies {
        let number: u64 = tally.refused.values().sum();
        lines += &format!(
            "| {language} | {trial:?} | {} | {number} | {} |\n",
            tally.made,
            tally.failed.len()
        );
        made += tally.made;
        took += tally.took;
        refused += number;
        failed += tally.failed.len();
        for (reason, count) in &tally.refused {
            *reasons.entry(reason).or_default() += count;
        }
    }
    let mean = took / u32::try_from(made + refused).unwrap_or(u32::MAX).max(1);
    lines += &format!("| all | | {made} | {refused} | {failed} |\n\n{mean:.1?} for each call\n");
    for (reason, count) in reasons {
        lines += &format!("{count} refused: {reason}\n");
    }
    for ((language, trial), tally) in tallies {
        for failed in &tally.failed {
            lines += &format!("FAILED {language} {trial:?} {failed}\n");
        }
    }
    println!("{lines}");
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

async fn outlines(root: &Root<'_>) -> Vec<MapFile> {
    let listed = ListFiles {
        limit: Some(500),
        max_tokens: Some(10_000),
        ..ListFiles::default()
    };
    let mut paths = vec![];
    let mut cursor = None;
    loop {
        let page = root
            .ask(ListFiles {
                cursor: cursor.clone(),
                ..listed.clone()
            })
            .await
            .expect("files");
        paths.extend(page.files.into_iter().map(|file| file.path));
        cursor = page.cursor;
        if cursor.is_none() {
            break;
        }
    }
    let mut files = vec![];
    for path in paths {
        let Ok(map) = root.ask(outline_of(path)).await else {
            continue;
        };
        files.extend(
            map.files
                .into_iter()
                .filter(|file| !file.symbols.is_empty()),
        );
    }
    files
}

fn outline_of(path: String) -> MapCode {
    MapCode {
        path: Some(path),
        max_tokens: Some(10_000),
        ..MapCode::default()
    }
}

/// Returns the lines of a symbol without the end of the last one.
fn text_of(symbol: &MapSymbol, text: &str) -> String {
    let first = symbol.start_line as usize - 1;
    let lines: Vec<&str> = text.split('\n').collect();
    let last = (symbol.end_line as usize).min(lines.len());
    lines[first.min(last)..last].join("\n")
}

/// Returns the part of a symbol between its braces, braces included, or what is below its first line. None where lines do not
/// tell what the body is.
fn body_of(file: &MapFile, symbol: &MapSymbol, text: &str) -> Option<String> {
    let whole = text_of(symbol, text);
    // Braces are dictionaries in Python, decorators stand above the head, and a body may stand beside it: `def f(): ...`.
    if file.language.as_deref() == Some("python") {
        let lines = whole.split_inclusive('\n');
        let is_head = |line: &str| {
            line.trim_start()
                .split("async ")
                .any(|line| line.starts_with("def "))
        };
        let head = lines.clone().position(is_head)?;
        let length = lines.clone().skip(head).position(|line| {
            let code = line.split_once(" #").map_or(line, |(code, _)| code);
            code.trim_end().ends_with(':')
        })?;
        return Some(lines.skip(head + length + 1).collect());
    }
    // Lines above the head, but not an attribute beside it: `@objc func f() {`.
    let is_attribute = |line: &&str| {
        line.trim_start().starts_with(['@', '[', '#'])
            && !line.trim_end().ends_with(['{', '=', ':', '(', ','])
    };
    let attributes = whole.split_inclusive('\n').take_while(is_attribute);
    let whole = whole[attributes.map(str::len).sum()..].to_owned();
    let Some(close) = whole.rfind('}') else {
        let (head, body) = whole.split_once('\n').filter(|_| !whole.contains('{'))?;
        // The word `end` is no part of a body, and lines that are indented no deeper than the head are further clauses.
        let body = match body.trim_end().rsplit_once('\n') {
            Some((inner, last)) if last.trim() == "end" => inner,
            _ => body,
        };
        let depth = |line: &str| line.len() - line.trim_start().len();
        let is_below = |line: &str| line.trim().is_empty() || depth(line) > depth(head);
        if !body.lines().all(is_below) {
            return None;
        }
        // A head may go on below: `let f` above `x =`.
        let goes_on = head.starts_with("let ") && !head.trim_end().ends_with('=');
        // A body may begin beside the head: `f a = if a then b else`.
        let value = head
            .split_once(" = ")
            .filter(|_| !head.trim_start().starts_with("def "));
        let begins_there = value.is_some_and(|(_, value)| !value.trim().is_empty());
        return (!goes_on && !begins_there).then(|| body.to_owned());
    };
    let opening = |line: &str| line.trim_end().ends_with('{');
    let line = whole.split_inclusive('\n').position(opening)?;
    let head: usize = whole.split_inclusive('\n').take(line).map(str::len).sum();
    let end = head + whole[head..].lines().next()?.trim_end().len();
    let open = end - 1;
    // Braces of something else: `= completion(() {` … `});`, `options = {` in Python.
    let before = whole[..open].trim_end();
    let is_body = before.ends_with([')', '>', ']']) || before.ends_with(char::is_alphanumeric);
    // An initialiser may end with a brace of its own: `A() : b_{`.
    let is_initialised =
        before.contains("):") || before.contains(") :") || before.contains("\n    :");
    let is_argument = whole[..open].matches('(').count() != whole[..open].matches(')').count();
    let is_closed = whole[close + 1..]
        .trim()
        .trim_end_matches([';', ','])
        .is_empty();
    (open < close
        && is_closed
        && is_body
        && !is_argument
        && !is_initialised
        && !whole[..open].contains('='))
    .then(|| whole[open..=close].to_owned())
}

/// Returns whether a symbol has whole lines to itself, as far as the other symbols tell.
fn has_own_lines(file: &MapFile, symbol: &MapSymbol) -> bool {
    file.symbols.iter().all(|other| {
        other == symbol
            || other.start_line != symbol.start_line && other.end_line != symbol.end_line
            || other.start_line > symbol.start_line && other.end_line < symbol.end_line
    })
}

fn edit(
    trial: Trial,
    file: &MapFile,
    symbol: &MapSymbol,
    text: &str,
    chance: &mut Chance,
) -> Option<(EditAction, Option<String>)> {
    let own = Some(text_of(symbol, text))
        .filter(|text| !text.trim().is_empty() && has_own_lines(file, symbol));
    Some(match trial {
        Trial::ReplaceByItself => (EditAction::Replace, Some(own?)),
        Trial::BodyByItself => (
            EditAction::ReplaceBody,
            Some(body_of(file, symbol, text).filter(|_| symbol.kind.is_callable())?),
        ),
        Trial::BodyByAnother => {
            let others: Vec<&MapSymbol> = file
                .symbols
                .iter()
                .filter(|symbol| symbol.kind.is_callable())
                .collect();
            if others.is_empty() || !symbol.kind.is_callable() {
                return None;
            }
            let other = *chance.one_of(&others);
            (EditAction::ReplaceBody, Some(body_of(file, other, text)?))
        }
        Trial::InsertBefore => (EditAction::InsertBefore, Some(own?)),
        Trial::InsertAfter => (EditAction::InsertAfter, Some(own?)),
        Trial::Delete => (EditAction::Delete, None),
    })
}

/// Says what is wrong with a file after an edit of one of its symbols.
fn judge(
    trial: Trial,
    file: &MapFile,
    symbol: &MapSymbol,
    before: &str,
    after: &str,
) -> Option<String> {
    if before.contains("\r\n")
        && !before.replace("\r\n", "").contains('\n')
        && after.replace("\r\n", "").contains('\n')
    {
        return Some("line ends are mixed".to_owned());
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (
        before.split_inclusive('\n').collect(),
        after.split_inclusive('\n').collect(),
    );
    let (first, last) = (symbol.start_line as usize - 1, symbol.end_line as usize);
    let shorter = old.len().min(new.len());
    let head = old
        .iter()
        .zip(&new)
        .take_while(|(one, other)| one == other)
        .count();
    let tail = old.iter().rev().zip(new.iter().rev());
    let tail = tail
        .take_while(|(one, other)| one == other)
        .count()
        .min(shorter - head);
    // Comments and attributes right above.
    let is_annotation = |line: &str| {
        let signs = ["//", "#", "@", "*", "/*", "--", "[", "\"\"\""];
        // Lines of a preprocessor that belong to what is above them, and the interpreter of the file.
        let others = [
            "#!",
            "#if",
            "#endif",
            "#else",
            "#elif",
            "#include",
            "#define",
            "#undef",
            "#endregion",
        ];
        let line = line.trim_start();
        let is_one_of = |signs: &[&str]| signs.iter().any(|sign| line.starts_with(sign));
        // `@test "…" {` is a line of code.
        let opens_block = line.trim_end().ends_with('{');
        is_one_of(&signs) && !is_one_of(&others) && !opens_block
    };
    let above = old[..first].iter().rev();
    let annotated = first - above.take_while(|line| is_annotation(line)).count();
    let keeps = |from: usize, to: usize| after.contains(old[from..to].concat().trim_end());
    match trial {
        Trial::ReplaceByItself | Trial::BodyByItself => {
            (before != after).then(|| format!("not as it was, from line {} on", head + 1))
        }
        Trial::BodyByAnother => {
            let behind = &old[last.min(old.len())..];
            let is_outside = !new.starts_with(&old[..first]) || !new.ends_with(behind);
            // In other languages such lines are strings of the body that is removed.
            let is_python = file.language.as_deref() == Some("python");
            let docstring = old[first..last.min(old.len())].iter().take(12);
            let mut docstring =
                docstring.filter(|line| is_python && line.trim_start().starts_with("\"\"\""));
            let is_lost = docstring
                .next()
                .is_some_and(|line| !after.contains(*line) && !after.contains("\"\"\""));
            if is_outside {
                return Some("bytes outside it changed".to_owned());
            }
            is_lost.then(|| "its documentation is lost".to_owned())
        }
        Trial::InsertBefore | Trial::InsertAfter => {
            if head + tail < old.len() {
                return Some("bytes beside the new text changed".to_owned());
            }
            let is_kept = keeps(annotated, first + 1);
            (!is_kept).then(|| "it is parted from what is above it".to_owned())
        }
        Trial::Delete => {
            let (old_bytes, new_bytes) = (before.as_bytes(), after.as_bytes());
            let pairs = old_bytes.iter().zip(new_bytes);
            let kept_above = pairs.take_while(|(one, other)| one == other).count();
            let pairs = old_bytes.iter().rev().zip(new_bytes.iter().rev());
            let kept_below = pairs.take_while(|(one, other)| one == other).count();
            if kept_above + kept_below < new_bytes.len() {
                return Some("bytes beside it changed".to_owned());
            }
            // The last line that stays may lose its end.
            let is_last = before[kept_above..].starts_with(['\r', '\n']);
            let kept_lines = before[..kept_above].matches('\n').count() + usize::from(is_last);
            let gone = kept_lines + 1..=old.len() - tail;
            let is_beside = |other: &&MapSymbol| {
                let is_inside =
                    symbol.start_line <= other.start_line && other.end_line <= symbol.end_line;
                let is_around =
                    other.start_line <= symbol.start_line && symbol.end_line <= other.end_line;
                !is_inside && !is_around
            };
            let mut others = file.symbols.iter().filter(is_beside);
            let removed = others.find(|other| {
                gone.contains(&(other.start_line as usize))
                    && gone.contains(&(other.end_line as usize))
            });
            removed.map(|other| format!("{} is gone too", other.name))
        }
    }
}

fn check_syntax(
    home: &Home,
    trial: Trial,
    path: &str,
    (before, after): (&str, &str),
) -> Option<String> {
    let ending = Path::new(path).extension()?.to_str()?;
    // A neighbour is a copy, and this program refuses a second declaration of a name.
    if ending == "js" && matches!(trial, Trial::InsertBefore | Trial::InsertAfter) {
        return None;
    }
    let (_, program, arguments) = CHECKERS.iter().find(|(known, ..)| *known == ending)?;
    let is_sound = |text: &str| {
        let file = home.scratch().join(format!("checked.{ending}"));
        fs::write(&file, text).expect("written");
        let run = Command::new(program)
            .args(*arguments)
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        run.ok().map(|status| status.success())
    };
    (is_sound(before) == Some(true) && is_sound(after) == Some(false))
        .then(|| format!("{program} no longer accepts the file"))
}

/// Writes a file before and after an edit, under the same name in two folders.
fn keep(folder: &Path, name: &str, (before, after): (&str, &str)) {
    let name = name.replace('/', "-");
    for (version, text) in [("before", before), ("after", after)] {
        let folder = folder.join(version);
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join(&name), text).expect("written");
    }
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let path = entry.path();
        let target = to.join(entry.file_name());
        if path.is_dir() {
            copy_tree(&path, &target);
        } else if path.is_file() {
            fs::copy(&path, &target).expect("copied");
        }
    }
}
