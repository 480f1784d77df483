//! Quality of the way from a bug report to the code that its fix changed, over public reports and repositories.
//!
//! The committed file has only names: repositories, revisions, files and functions. The texts of the reports and the trees
//! are read from checkouts. BM25 over whole files answers the same texts, as the baseline.

mod bm25;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use claudevil_protocol::answer::Format as AnswerFormat;
use claudevil_protocol::answer::hits::SearchHit;
use claudevil_protocol::answer::render::render;
use claudevil_protocol::text::tokens::{self, DEFAULT_TOKENS};
use claudevil_protocol::tools::search::Search;
use claudevil_tests::home::Home;
use claudevil_tests::relevance::asking::{Ranking, Root};
use serde::Deserialize;
use serde_json::json;

use self::bm25::FileIndex;

/// Enough for several trees at a time.
const MEMORY_MB: &str = "4096";
/// Ranks up to which files and functions count.
const FILE_RANKS: [usize; 4] = [1, 3, 5, 10];
const FUNCTION_RANKS: [usize; 2] = [5, 10];

pub struct Options {
    reports: PathBuf,
    trees: PathBuf,
    texts: PathBuf,
    home: Option<PathBuf>,
    run: Option<PathBuf>,
    split: Option<String>,
    part: Part,
    limit: u32,
}

/// The part of a report that is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Title,
    /// This number of characters from its beginning.
    Beginning(usize),
}

#[derive(Deserialize)]
struct Report {
    id: String,
    repo: String,
    revision: String,
    language: String,
    split: String,
    /// The files that the fix changed, without tests.
    files: Vec<String>,
    /// The functions that the fix changed, as `path:name`.
    functions: Vec<String>,
}

/// The ranks of the first right file and function, from 1.
#[derive(Default)]
struct Ranks {
    file: Option<usize>,
    function: Option<usize>,
}

struct Answer<'a> {
    report: &'a Report,
    ours: Ranks,
    baseline: Ranks,
    tokens: usize,
    elapsed_ms: f64,
}

pub fn options(arguments: &[String]) -> Option<Options> {
    let mut options = Options {
        reports: PathBuf::new(),
        trees: PathBuf::new(),
        texts: PathBuf::new(),
        home: None,
        run: None,
        split: None,
        part: Part::Whole,
        limit: Search::DEFAULT_LIMIT,
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--reports" => options.reports = arguments.next()?.into(),
            "--trees" => options.trees = fs::canonicalize(arguments.next()?).ok()?,
            "--texts" => options.texts = arguments.next()?.into(),
            "--home" => options.home = Some(arguments.next()?.into()),
            "--run" => options.run = Some(arguments.next()?.into()),
            "--split" => options.split = Some(arguments.next()?.clone()),
            "--title" => options.part = Part::Title,
            "--characters" => options.part = Part::Beginning(arguments.next()?.parse().ok()?),
            "--limit" => options.limit = arguments.next()?.parse().ok()?,
            _ => return None,
        }
    }
    (options.reports.is_file() && options.trees.is_dir() && options.texts.is_dir())
        .then_some(options)
}

pub async fn run(options: &Options) -> ExitCode {
    let reports = match read(options) {
        Ok(reports) => reports,
        Err(error) => {
            say(&error);
            return ExitCode::FAILURE;
        }
    };
    let home = options
        .home
        .as_deref()
        .map_or_else(Home::new, Home::kept)
        .with("CLAUDEVIL_MEMORY_MB", MEMORY_MB);
    let started = home.claudevil(&["daemon", "start"]).await;
    assert!(started.status.success(), "{started:?}");
    let client = home.client();
    let mut answers = vec![];
    let mut lines = String::new();
    for reports in reports.chunk_by(|one, other| one.tree() == other.tree()) {
        let tree = options.trees.join(reports[0].tree());
        if !tree.is_dir() {
            say(&format!("{} is not there", tree.display()));
            continue;
        }
        let root = Root::new(&client, &tree);
        root.add().await;
        let status = root.ready(Ranking::Whole).await;
        let files = status.index.as_ref().map_or(0, |index| index.files);
        say(&format!("{}: {files} files", reports[0].tree()));
        let baseline = FileIndex::new(&tree);
        for report in reports {
            let Ok(text) = fs::read_to_string(options.texts.join(report.text_path())) else {
                say(&format!("{} has no text", report.id));
                continue;
            };
            let text = options.part.cut(&text);
            let search = Search {
                query: text.clone(),
                limit: Some(options.limit),
                detailed: options.run.is_some().then_some(true),
                ..Search::default()
            };
            let found = root
                .ask(search)
                .await
                .unwrap_or_else(|error| panic!("{}: {error:?}", report.id));
            let ours = report.ranks(&found.results);
            if options.run.is_some() {
                lines += &format!("{}\n", run_line(report, &found.results));
            }
            answers.push(Answer {
                report,
                ours,
                baseline: Ranks {
                    file: report.file_rank(&baseline.rank(&text)),
                    function: None,
                },
                tokens: tokens::estimate(&render(&found, AnswerFormat::Text, DEFAULT_TOKENS)),
                elapsed_ms: found.elapsed_ms,
            });
        }
    }
    home.claudevil(&["daemon", "stop"]).await;
    if let Some(file) = &options.run
        && let Err(error) = fs::write(file, lines)
    {
        say(&format!("{}: {error}", file.display()));
        return ExitCode::FAILURE;
    }
    show(&answers);
    ExitCode::SUCCESS
}

fn read(options: &Options) -> Result<Vec<Report>, String> {
    let text = fs::read_to_string(&options.reports)
        .map_err(|error| format!("{}: {error}", options.reports.display()))?;
    let mut reports = vec![];
    for line in text.lines() {
        let report: Report = serde_json::from_str(line).map_err(|error| error.to_string())?;
        if options
            .split
            .as_ref()
            .is_none_or(|split| report.split == *split)
        {
            reports.push(report);
        }
    }
    Ok(reports)
}

impl Part {
    fn cut(self, text: &str) -> String {
        match self {
            Self::Whole => text.chars().take(Search::LONGEST_QUERY).collect(),
            Self::Title => text.lines().next().unwrap_or_default().to_owned(),
            Self::Beginning(characters) => text.chars().take(characters).collect(),
        }
    }
}

impl Report {
    /// Returns the folder of the tree: `owner+name@` and twelve digits of the revision.
    fn tree(&self) -> String {
        let repo = self.repo.replace('/', "+");
        format!("{repo}@{}", &self.revision[..12])
    }

    fn text_path(&self) -> String {
        format!("tasks/{}/problem_statement.md", self.id)
    }

    fn ranks(&self, hits: &[SearchHit]) -> Ranks {
        let mut paths: Vec<&str> = vec![];
        for hit in hits {
            if !paths.contains(&hit.path.as_str()) {
                paths.push(&hit.path);
            }
        }
        let is_changed = |hit: &SearchHit| {
            let name = hit.symbol.as_deref().map(last_name);
            name.is_some_and(|name| self.functions.contains(&format!("{}:{name}", hit.path)))
        };
        Ranks {
            file: self.file_rank(&paths),
            function: hits.iter().position(is_changed).map(|at| at + 1),
        }
    }

    fn file_rank(&self, paths: &[&str]) -> Option<usize> {
        let is_changed = |path: &&str| self.files.iter().any(|file| file == path);
        paths.iter().position(is_changed).map(|at| at + 1)
    }
}

/// Returns the last part of a qualified name: `next` of `Parser::next`.
fn last_name(qualified: &str) -> &str {
    qualified
        .rsplit(['.', ':', '#', '/', '\\'])
        .next()
        .unwrap_or(qualified)
}

/// Returns a line with each hit's evidence, from which weights are learnt.
fn run_line(report: &Report, hits: &[SearchHit]) -> serde_json::Value {
    let hits = hits.iter().map(|hit| {
        json!({
            "path": hit.path,
            "symbol": hit.symbol,
            "start": hit.start_line,
            "end": hit.end_line,
            "score": hit.score,
            "reasons": hit.why.as_ref().map(|why| why.reasons.clone()),
        })
    });
    json!({
        "id": report.id,
        "repo": report.repo,
        "split": report.split,
        "files": report.files,
        "functions": report.functions,
        "hits": hits.collect::<Vec<_>>(),
    })
}

#[expect(clippy::print_stdout, reason = "a benchmark's figures are its output")]
fn show(answers: &[Answer<'_>]) {
    println!(
        "| reports | n | files @1 | @3 | @5 | @10 | functions @5 | @10 | BM25 files @1 | @5 | tokens | ms p50 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut groups: BTreeMap<String, Vec<&Answer<'_>>> = BTreeMap::new();
    for answer in answers {
        let split = &answer.report.split;
        for group in [
            split.clone(),
            format!("{split}, {}", answer.report.language),
            format!("{split}, {}", answer.report.repo),
        ] {
            groups.entry(group).or_default().push(answer);
        }
    }
    for (name, answers) in groups {
        let share = |found: usize, all: usize| format!("{:.1}", percent(found, all));
        let within = |rank: Option<usize>, most: usize| rank.is_some_and(|rank| rank <= most);
        let files = FILE_RANKS.map(|most| {
            let found = answers.iter().filter(|one| within(one.ours.file, most));
            share(found.count(), answers.len())
        });
        let with_functions: Vec<_> = answers
            .iter()
            .filter(|one| !one.report.functions.is_empty())
            .collect();
        let functions = FUNCTION_RANKS.map(|most| {
            let found = with_functions
                .iter()
                .filter(|one| within(one.ours.function, most));
            share(found.count(), with_functions.len())
        });
        let baseline = [1, 5].map(|most| {
            let found = answers.iter().filter(|one| within(one.baseline.file, most));
            share(found.count(), answers.len())
        });
        let tokens = answers.iter().map(|one| one.tokens).sum::<usize>() / answers.len();
        let mut times: Vec<f64> = answers.iter().map(|one| one.elapsed_ms).collect();
        times.sort_by(f64::total_cmp);
        println!(
            "| {name} | {} | {} | {} | {} | {tokens} | {:.1} |",
            answers.len(),
            files.join(" | "),
            functions.join(" | "),
            baseline.join(" | "),
            times[times.len() / 2],
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts")]
fn percent(found: usize, all: usize) -> f64 {
    100.0 * found as f64 / all.max(1) as f64
}

#[expect(
    clippy::print_stderr,
    reason = "a run takes minutes: whoever waits is told how far it is"
)]
fn say(what: &str) {
    eprintln!("{what}");
}
