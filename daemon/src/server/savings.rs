//! What answers save: per root, the tokens of answers beside those of the files that they show something of.
//!
//! Counted on a thread of its own, once nobody has asked anything for a moment: no call waits for it, nor shares a
//! processor with it. What cannot be counted in time is not counted, and of one answer only a few files are: the figures
//! err on the side of less. They are kept in memory, written now and then and when the daemon leaves, and go nowhere
//! else.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claudevil_protocol::answer::render::fit;
use claudevil_protocol::answer::{Answer, Format};
use claudevil_protocol::json;
use claudevil_protocol::text::tokens;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::index_status::{RootStatus, Savings as Shown};
use serde_json::Value;

use super::Server;
use crate::clock;
use crate::store::roots::{RootStore, SavingsRecord};

/// The tools that answer out of the contents of files, which somebody would have to read otherwise.
const COUNTED: [&str; 16] = [
    "analyze_complexity",
    "call_path",
    "deep_dive",
    "explore",
    "find_callees",
    "find_callers",
    "find_implementations",
    "find_references",
    "find_similar",
    "find_symbol",
    "get_call_graph",
    "get_dependencies",
    "impact_analysis",
    "map_code",
    "read_file",
    "search",
];
/// Nobody reads more files than these for one question.
const MOST_FILES: usize = 10;
/// More items than any budget holds are not looked at.
const MOST_ITEMS: usize = 5_000;
/// Agents are shown no more of a file at once.
const MOST_OF_A_FILE: u64 = 25_000;
/// Bytes of source for one token, in thousandths: the mean of our estimate over code in twelve languages.
const BYTES_PER_TOKEN_THOUSANDTHS: u64 = 3_300;
/// Answers that wait to be counted, each of them whole.
const MOST_WAITING: usize = 32;
/// An agent's next question comes within this, if it comes at once.
const QUIET: Duration = Duration::from_millis(100);
/// How often what has changed is worth a write.
const GRAIN: Duration = Duration::from_secs(60);
/// How long a status waits for the answers before it.
const PATIENCE: Duration = Duration::from_millis(500);

pub struct Savings {
    jobs: SyncSender<Job>,
    counted: Arc<Counted>,
    kept: Mutex<Instant>,
}

struct Counted {
    totals: Mutex<Totals>,
    /// Since the totals were last written.
    changed: AtomicBool,
}

type Totals = BTreeMap<u64, SavingsRecord>;

type Count = Box<dyn FnOnce() -> Totals + Send>;

enum Job {
    Count(Count),
    /// Says that all before it are done.
    Reached(SyncSender<()>),
}

impl Savings {
    pub fn new(kept: Totals) -> Result<Self, String> {
        let (jobs, waiting) = mpsc::sync_channel(MOST_WAITING);
        let counted = Arc::new(Counted {
            totals: Mutex::new(kept),
            changed: AtomicBool::new(false),
        });
        let counting = Arc::clone(&counted);
        let thread = std::thread::Builder::new().name("savings".to_owned());
        thread
            .spawn(move || work(&waiting, &counting))
            .map_err(|error| error.to_string())?;
        Ok(Self {
            jobs,
            counted,
            kept: Mutex::new(Instant::now()),
        })
    }

    /// Whether there is something to keep, and nothing was for a while.
    pub fn is_due(&self) -> bool {
        self.counted.changed.load(Ordering::Relaxed) && lock(&self.kept).elapsed() >= GRAIN
    }

    /// Writes what has been counted, of the roots that are still known.
    pub fn keep(&self, store: &RootStore) {
        self.settle();
        *lock(&self.kept) = Instant::now();
        if !self.counted.changed.swap(false, Ordering::Relaxed) {
            return;
        }
        let known = store.all();
        let mut totals = lock(&self.counted.totals);
        totals.retain(|id, _| known.iter().any(|root| root.id == *id));
        let snapshot = totals.clone();
        drop(totals);
        if let Err(error) = store.store_savings(&snapshot) {
            tracing::warn!(error = %error.message, "what was saved cannot be kept");
            self.counted.changed.store(true, Ordering::Relaxed);
        }
    }

    /// Puts into each root's status what answers about it have saved.
    pub fn tell(&self, store: &RootStore, roots: &mut [RootStatus]) {
        self.settle();
        let totals = lock(&self.counted.totals);
        for root in roots {
            let known = store
                .by_name(&root.name)
                .and_then(|known| totals.get(&known.id));
            root.savings = known.map(|record| Shown {
                calls: record.calls,
                tokens: record.tokens,
                whole_tokens: record.whole_tokens,
                since: record.since,
            });
        }
    }

    /// Waits until the answers so far are counted.
    fn settle(&self) {
        let (reached, told) = mpsc::sync_channel(1);
        if self.jobs.try_send(Job::Reached(reached)).is_ok() {
            let _ = told.recv_timeout(PATIENCE);
        }
    }
}

/// What matters of a question.
#[derive(Clone, Copy)]
pub struct Asked {
    tool: &'static str,
    format: Format,
    max_tokens: u32,
}

impl Asked {
    pub fn of<P: Tool>(params: &P) -> Self {
        let shared = params.common();
        Self {
            tool: P::NAME,
            format: shared.format,
            max_tokens: shared.max_tokens,
        }
    }
}

/// Has an answer counted.
pub fn count<A: Answer + Send + 'static>(server: &Arc<Server>, asked: Asked, answer: &A) {
    if !COUNTED.contains(&asked.tool) {
        return;
    }
    let (answering, mut answer) = (Arc::clone(server), answer.clone());
    let job = Job::Count(Box::new(move || {
        if answer.items() > MOST_ITEMS {
            answer.keep(MOST_ITEMS);
        }
        let shown = fit(&answer, asked.format, asked.max_tokens);
        let cost = match asked.format {
            Format::Text => tokens::estimate(&shown.text().to_string()),
            Format::Json => tokens::estimate(&json::write(shown.as_ref())),
        };
        sums(&answering, &json::value(shown.as_ref()), cost as u64)
    }));
    // Where too many wait already, this one is not counted.
    drop(server.savings.jobs.try_send(job));
}

fn work(waiting: &Receiver<Job>, counted: &Counted) {
    claudevil_child::lower_priority();
    let mut put_off: Vec<Count> = vec![];
    loop {
        let patience = if put_off.is_empty() {
            Duration::MAX
        } else {
            QUIET
        };
        match waiting.recv_timeout(patience) {
            Ok(Job::Count(count)) => {
                put_off.push(count);
                if put_off.len() == MOST_WAITING {
                    counted.add(&mut put_off);
                }
            }
            Ok(Job::Reached(reached)) => {
                counted.add(&mut put_off);
                // Who asked may have gone on.
                let _ = reached.send(());
            }
            Err(RecvTimeoutError::Timeout) => counted.add(&mut put_off),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

impl Counted {
    fn add(&self, put_off: &mut Vec<Count>) {
        for count in put_off.drain(..) {
            // An answer that cannot be written is its own call's misfortune.
            let sums = catch_unwind(AssertUnwindSafe(count)).unwrap_or_default();
            let mut totals = lock(&self.totals);
            for (root, one) in sums {
                let total = totals.entry(root).or_insert(SavingsRecord {
                    since: clock::now(),
                    ..Default::default()
                });
                total.calls = total.calls.saturating_add(one.calls);
                total.tokens = total.tokens.saturating_add(one.tokens);
                total.whole_tokens = total.whole_tokens.saturating_add(one.whole_tokens);
                self.changed.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// One answer's share of each root that it is about.
fn sums(server: &Server, answer: &Value, cost: u64) -> Totals {
    let store = server.roots.store();
    let own = answer["root"]
        .as_str()
        .and_then(|path| store.by_path(path.as_ref()));
    let mut shown = vec![];
    files(answer, &mut shown);
    let mut sums = Totals::new();
    for (name, path) in &shown {
        let root = name
            .and_then(|name| store.by_name(name))
            .map(|root| root.id)
            .or(own.as_ref().map(|root| root.id));
        let Some(root) = root else { continue };
        let index = server.indexes.loaded(root);
        let size = index
            .and_then(|index| index.snapshot().file(path).map(|file| file.record.size))
            .unwrap_or_default();
        let sum = sums.entry(root).or_default();
        sum.calls = 1;
        sum.tokens += cost / shown.len() as u64;
        sum.whole_tokens += whole(size);
    }
    // Nothing found is an answer too.
    if let (true, Some(own)) = (sums.is_empty(), own) {
        sums.insert(
            own.id,
            SavingsRecord {
                calls: 1,
                tokens: cost,
                ..SavingsRecord::default()
            },
        );
    }
    sums
}

/// What a file of this size costs.
fn whole(bytes: u64) -> u64 {
    (bytes.saturating_mul(1000) / BYTES_PER_TOKEN_THOUSANDTHS).min(MOST_OF_A_FILE)
}

/// The first files that an answer shows something of, with the names of their roots where an answer is about several.
fn files<'a>(answer: &'a Value, found: &mut Vec<(Option<&'a str>, &'a str)>) {
    if found.len() >= MOST_FILES {
        return;
    }
    match answer {
        Value::Object(fields) => {
            if let Some(path) = fields.get("path").and_then(Value::as_str) {
                let root = fields
                    .get("root")
                    .and_then(Value::as_str)
                    .filter(|root| !root.starts_with('/'));
                if !found.contains(&(root, path)) {
                    found.push((root, path));
                }
            }
            fields.values().for_each(|field| files(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| files(item, found)),
        _ => {}
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::tools::TOOLS;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_counted_is_a_tool() {
        for name in COUNTED {
            assert!(TOOLS.iter().any(|tool| tool.name == name), "{name}");
        }
    }

    #[test]
    fn files_are_counted_once_and_not_endlessly() {
        let answer = json!({
            "root": "/home/ada/engine",
            "results": [
                { "path": "a.rs", "line": 1 },
                { "path": "a.rs", "line": 9, "callers": [{ "path": "b.rs" }] },
                { "path": "a.rs", "root": "atlas" },
            ],
        });
        let mut found = vec![];
        files(&answer, &mut found);
        assert_eq!(
            found,
            [(None, "a.rs"), (None, "b.rs"), (Some("atlas"), "a.rs")]
        );
        let many: Vec<_> = (0..50)
            .map(|number| json!({ "path": format!("{number}.rs") }))
            .collect();
        let (many, mut found) = (json!(many), vec![]);
        files(&many, &mut found);
        assert_eq!(found.len(), MOST_FILES);
    }

    #[test]
    fn a_large_file_counts_as_much_as_is_read_of_it() {
        assert_eq!(whole(3300), 1000);
        assert_eq!(whole(u64::MAX), MOST_OF_A_FILE);
    }
}
