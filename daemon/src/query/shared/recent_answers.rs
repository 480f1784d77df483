//! A cache of whole answers: the same question asked again is answered at once until something changes.
//!
//! An answer is valid for the snapshot and the history from which it was made, which are compared by identity and not kept in
//! memory. A root is opened before its cached answer is looked up, so a change made before the call is seen first.

use std::any::Any;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use claudevil_protocol::answer::Answer;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::{ToolError, wire};
use lru::LruCache;

use super::graph_root::GraphRoot;
use crate::history::History;
use crate::index::snapshot::Snapshot;
use crate::query::Context;

/// The most bytes of answers that are kept.
const MAX_BYTES: usize = 4 << 20;
/// Answers that take less time are not kept.
const WORTH_KEEPING: Duration = Duration::from_millis(20);

static RECENT: LazyLock<Mutex<RecentAnswers>> = LazyLock::new(Mutex::default);

struct RecentAnswers {
    answers: LruCache<Question, RecentAnswer>,
    bytes: usize,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Question {
    tool: &'static str,
    root: u64,
    root_name: String,
    folder: Option<String>,
    only_root: Option<String>,
    params: String,
}

/// The state from which an answer was made.
struct Sources {
    snapshot: Weak<Snapshot>,
    history: Option<Weak<History>>,
}

struct RecentAnswer {
    sources: Sources,
    answer: Box<dyn Any + Send>,
    bytes: usize,
}

impl Default for RecentAnswers {
    fn default() -> Self {
        Self {
            answers: LruCache::unbounded(),
            bytes: 0,
        }
    }
}

impl RecentAnswers {
    fn get<T: Clone + 'static>(&mut self, question: &Question, sources: &Sources) -> Option<T> {
        let known = self.answers.get(question)?;
        let answer = known.answer.downcast_ref::<T>();
        answer.filter(|_| known.sources.are_same(sources)).cloned()
    }

    fn put(&mut self, question: Question, made: RecentAnswer) {
        self.bytes += made.bytes;
        let before = self.answers.put(question, made);
        self.bytes -= before.map_or(0, |before| before.bytes);
        while self.bytes > MAX_BYTES
            && let Some((_, oldest)) = self.answers.pop_lru()
        {
            self.bytes -= oldest.bytes;
        }
    }
}

impl Sources {
    fn new(root: &GraphRoot<'_>, context: &Context<'_>) -> Self {
        let histories = &context.indexes.shared().histories;
        let history = histories.read_so_far(root.indexed.root.id, context.cancel);
        Self {
            snapshot: Arc::downgrade(&root.indexed.snapshot),
            history: history.as_ref().map(Arc::downgrade),
        }
    }

    fn are_same(&self, other: &Self) -> bool {
        let has_same_history = match (&self.history, &other.history) {
            (Some(one), Some(other)) => one.ptr_eq(other),
            (None, None) => true,
            _ => false,
        };
        self.snapshot.ptr_eq(&other.snapshot) && has_same_history
    }
}

/// Returns the cached answer to a question about a root, or else makes it and keeps it if it is whole and `is_kept` allows it.
pub fn get_or_make<P, T>(
    root: &GraphRoot<'_>,
    context: &Context<'_>,
    params: &P,
    is_kept: impl Fn(&T) -> bool,
    make: impl FnOnce() -> Result<T, ToolError>,
) -> Result<T, ToolError>
where
    P: Tool<Answer = T>,
    T: Answer + Send + 'static,
{
    let Ok(written) = serde_json::to_string(params) else {
        return make();
    };
    if !root.is_as_indexed() {
        return make();
    }
    let indexed = &root.indexed;
    let question = Question {
        tool: P::NAME,
        root: indexed.root.id,
        root_name: indexed.root.name.clone(),
        folder: indexed.folder.clone(),
        only_root: context.call.only_root.clone(),
        params: written,
    };
    let sources = Sources::new(root, context);
    if let Some(known) = recent().get(&question, &sources) {
        return Ok(known);
    }
    let began = Instant::now();
    let answer = make()?;
    let is_whole = answer
        .freshness()
        .is_none_or(|freshness| freshness.partial.is_none() && freshness.stale_total == 0);
    // Errors of reading are known only now.
    if is_whole && root.is_as_indexed() && is_kept(&answer) && began.elapsed() >= WORTH_KEEPING {
        let kept = RecentAnswer {
            sources,
            bytes: wire::encoded_size(&answer),
            answer: Box::new(answer.clone()),
        };
        recent().put(question, kept);
    }
    Ok(answer)
}

/// Forgets all answers.
pub fn release() {
    *recent() = RecentAnswers::default();
}

fn recent() -> MutexGuard<'static, RecentAnswers> {
    RECENT.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(params: &str) -> Question {
        Question {
            tool: "explore",
            root: 1,
            root_name: "shop".to_owned(),
            folder: None,
            only_root: None,
            params: params.to_owned(),
        }
    }

    #[test]
    fn an_answer_is_valid_for_its_snapshot_and_history_alone() {
        let snapshots = [Arc::new(Snapshot::default()), Arc::new(Snapshot::default())];
        let sources = |snapshot: usize, history: Option<Weak<History>>| Sources {
            snapshot: Arc::downgrade(&snapshots[snapshot]),
            history,
        };
        let mut recent = RecentAnswers::default();
        let made = RecentAnswer {
            sources: sources(0, None),
            answer: Box::new("known".to_owned()),
            bytes: 5,
        };
        recent.put(question("a"), made);
        for (params, asked, expected) in [
            ("a", sources(0, None), Some("known".to_owned())),
            ("b", sources(0, None), None),
            ("a", sources(1, None), None),
            ("a", sources(0, Some(Weak::new())), None),
        ] {
            assert_eq!(recent.get::<String>(&question(params), &asked), expected);
        }
        assert_eq!(recent.get::<u64>(&question("a"), &sources(0, None)), None);
    }

    #[test]
    fn the_oldest_answers_make_room_for_new_ones() {
        let snapshot = Arc::new(Snapshot::default());
        let sources = || Sources {
            snapshot: Arc::downgrade(&snapshot),
            history: None,
        };
        let mut recent = RecentAnswers::default();
        for params in ["a", "b", "c"] {
            let made = RecentAnswer {
                sources: sources(),
                answer: Box::new(()),
                bytes: MAX_BYTES / 2,
            };
            recent.put(question(params), made);
        }
        let kept = ["a", "b", "c"].map(|params| recent.get::<()>(&question(params), &sources()));
        assert_eq!(kept, [None, Some(()), Some(())]);
        assert_eq!(recent.bytes, MAX_BYTES);
    }
}
