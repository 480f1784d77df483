//! Savings per root: the tokens of answers, compared with those of the whole files that they show parts of.
//!
//! A thread counts them once no call has come for a moment, so that no call waits for it or shares a processor with it. Answers
//! that cannot be counted in time are left out, and only a few files of each answer count, so the figures are low estimates.
//! They are kept in memory, stored now and then and when the daemon exits, and sent nowhere.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use claudevil_protocol::answer::render::{fit, write};
use claudevil_protocol::answer::{Answer, Format};
use claudevil_protocol::json;
use claudevil_protocol::text::tokens;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::index_status::{AnswerCost, RootStatus, Savings as Shown};
use serde_json::Value;

use super::Server;
use crate::clock;
use crate::store::cost_histogram::CostHistogram;
use crate::store::roots::{RootStore, SavingsRecord};
use crate::threads::lock;

/// The most files of one answer that count.
const MAX_FILES: usize = 10;
/// The most items of an answer that are counted: more than any budget holds.
const MAX_ITEMS: usize = 5_000;
/// The most tokens that a file counts for: agents are not shown more of it at once.
const MAX_OF_A_FILE: u64 = 25_000;
/// Bytes of source per token, in thousandths: the mean of our estimate over code in twelve languages.
const BYTES_PER_TOKEN_THOUSANDTHS: u64 = 3_300;
/// The most answers that wait to be counted.
const MAX_WAITING: usize = 32;
/// The time without calls after which answers are counted.
const QUIET: Duration = Duration::from_millis(100);
/// The shortest interval between two writes.
const STORE_INTERVAL: Duration = Duration::from_secs(60);
/// The longest wait of a status for the counts of earlier answers.
const PATIENCE: Duration = Duration::from_millis(500);

pub struct Savings {
    jobs: SyncSender<Job>,
    counted: Arc<SavingsTotals>,
    stored: Mutex<Instant>,
}

struct SavingsTotals {
    totals: Mutex<Totals>,
    /// True if the totals changed since they were last stored.
    changed: AtomicBool,
}

type Totals = BTreeMap<u64, SavingsRecord>;

type Count = Box<dyn FnOnce() -> Totals + Send>;

enum Job {
    Count(Count),
    /// Signals that all earlier jobs are done.
    Flush(SyncSender<()>),
}

impl Savings {
    pub fn new(kept: Totals) -> Result<Self, String> {
        let (jobs, waiting) = mpsc::sync_channel(MAX_WAITING);
        let counted = Arc::new(SavingsTotals {
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
            stored: Mutex::new(Instant::now()),
        })
    }

    /// Returns whether the totals should be stored.
    pub fn is_due(&self) -> bool {
        self.counted.changed.load(Ordering::Relaxed)
            && lock(&self.stored).elapsed() >= STORE_INTERVAL
    }

    /// Stores the totals of the roots that still exist.
    pub fn store(&self, store: &RootStore) {
        self.flush();
        *lock(&self.stored) = Instant::now();
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

    /// Adds the savings of each root to its status.
    pub fn add_to_status(&self, store: &RootStore, roots: &mut [RootStatus]) {
        self.flush();
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
            root.answer_costs = known.map(answer_costs).unwrap_or_default();
        }
    }

    /// Waits until the answers so far are counted.
    fn flush(&self) {
        let (done, finished) = mpsc::sync_channel(1);
        if self.jobs.try_send(Job::Flush(done)).is_ok() {
            let _ = finished.recv_timeout(PATIENCE);
        }
    }
}

/// The parts of a call that its savings depend on.
#[derive(Clone, Copy)]
pub struct CountedCall {
    tool: &'static str,
    format: Format,
    max_tokens: u32,
}

impl CountedCall {
    pub fn new<P: Tool>(params: &P) -> Self {
        let shared = params.common();
        Self {
            tool: P::NAME,
            format: shared.format,
            max_tokens: shared.max_tokens,
        }
    }
}

/// Queues an answer to be counted.
pub fn count<A: Answer + Send + 'static>(server: &Arc<Server>, call: CountedCall, answer: &A) {
    let (answering, mut answer) = (Arc::clone(server), answer.clone());
    let job = Job::Count(Box::new(move || {
        if answer.items() > MAX_ITEMS {
            answer.keep(MAX_ITEMS);
        }
        let shown = fit(&answer, call.format, call.max_tokens);
        let cost = tokens::estimate(&write(shown.as_ref(), call.format));
        sums(
            &answering,
            &json::value(shown.as_ref()),
            call.tool,
            cost as u64,
        )
    }));
    // If too many wait already, this one is not counted.
    drop(server.savings.jobs.try_send(job));
}

fn work(waiting: &Receiver<Job>, counted: &SavingsTotals) {
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
                if put_off.len() == MAX_WAITING {
                    counted.add(&mut put_off);
                }
            }
            Ok(Job::Flush(done)) => {
                counted.add(&mut put_off);
                // The caller may not wait any more.
                let _ = done.send(());
            }
            Err(RecvTimeoutError::Timeout) => counted.add(&mut put_off),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

impl SavingsTotals {
    fn add(&self, put_off: &mut Vec<Count>) {
        for count in put_off.drain(..) {
            // A panic while an answer is rendered loses the count of that answer only.
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
                for (tool, costs) in &one.costs {
                    total.costs.entry(tool.clone()).or_default().add(costs);
                }
                self.changed.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Returns the costs of the answers about a root by tool, the most frequent first.
fn answer_costs(record: &SavingsRecord) -> Vec<AnswerCost> {
    let costs = record.costs.iter().map(|(tool, costs)| AnswerCost {
        tool: tool.clone(),
        calls: costs.answers(),
        p50: costs.percentile(50),
        p95: costs.percentile(95),
    });
    let mut costs: Vec<_> = costs.collect();
    costs.sort_by_key(|cost| std::cmp::Reverse(cost.calls));
    costs
}

/// Returns the savings of one answer for each root.
fn sums(server: &Server, answer: &Value, tool: &str, cost: u64) -> Totals {
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
        sum.whole_tokens += file_tokens(size);
    }
    // An answer without results costs tokens too.
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
    for sum in sums.values_mut() {
        sum.costs = BTreeMap::from([(tool.to_owned(), CostHistogram::from_cost(cost))]);
    }
    sums
}

/// Returns the tokens of a file of this size.
fn file_tokens(bytes: u64) -> u64 {
    (bytes.saturating_mul(1000) / BYTES_PER_TOKEN_THOUSANDTHS).min(MAX_OF_A_FILE)
}

/// Collects the first files of an answer, with the names of their roots if it is about several.
fn files<'a>(answer: &'a Value, found: &mut Vec<(Option<&'a str>, &'a str)>) {
    if found.len() >= MAX_FILES {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
        assert_eq!(found.len(), MAX_FILES);
    }

    #[test]
    fn a_large_file_counts_up_to_a_limit() {
        assert_eq!(file_tokens(3300), 1000);
        assert_eq!(file_tokens(u64::MAX), MAX_OF_A_FILE);
    }
}
