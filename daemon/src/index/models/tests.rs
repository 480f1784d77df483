//! A better model that opens, does not open, and stops answering.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use super::*;
use crate::embed::ModelId;
use crate::embed::hashing::HashingEmbedder;
use crate::index::snapshot::Snapshot;

const BOUND: Duration = Duration::from_secs(60);

/// A model that can be told not to answer, and keeps what it was asked.
struct Moody {
    inner: HashingEmbedder,
    silent: Arc<AtomicBool>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Embedder for Moody {
    fn model(&self) -> &ModelId {
        self.inner.model()
    }

    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    fn batch_size(&self) -> usize {
        4
    }

    fn documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.inner.documents(texts)
    }

    fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        lock(&self.asked).push(text.to_owned());
        if self.silent.load(Ordering::Relaxed) {
            return Err(EmbedError::unavailable("nobody answers"));
        }
        self.inner.query(text)
    }
}

fn models(better: Option<Better>) -> (tempfile::TempDir, Arc<Models>) {
    let scratch = tempfile::tempdir().expect("a directory");
    let (ledger, _) = Ledger::open(scratch.path()).expect("a ledger");
    let first: Arc<dyn Embedder> = Arc::new(HashingEmbedder::new(32));
    let store = StoreSettings {
        data: scratch.path().to_owned(),
        program: VectorsProgram::default(),
    };
    let models = Models::new(store, Arc::new(ledger), Some(first), better);
    (scratch, Arc::new(models))
}

fn opened(models: &Arc<Models>) {
    let (sender, receiver) = mpsc::channel();
    models.open(move || sender.send(()).expect("somebody waits"));
    receiver.recv_timeout(BOUND).expect("opened");
}

#[test]
fn a_model_that_opens_is_used_and_told_of() {
    let (silent, asked) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(Mutex::new(vec![])),
    );
    let (told, kept) = (Arc::clone(&silent), Arc::clone(&asked));
    let open = move || {
        let (silent, asked) = (Arc::clone(&told), Arc::clone(&kept));
        Ok(Arc::new(Moody {
            inner: HashingEmbedder::new(48),
            silent,
            asked,
        }) as Arc<dyn Embedder>)
    };
    let (_scratch, models) = models(Some(Better::new("moody".to_owned(), None, open)));
    assert!(models.of(Stage::Better).is_none() && models.of(Stage::First).is_some());
    assert!(
        lock(&models.kept).is_empty(),
        "nothing is forgotten before it is known which model it is"
    );
    opened(&models);
    assert_eq!(
        models.better().expect("chosen").open,
        Some(("hashing-48@1".to_owned(), 48))
    );
    assert_eq!(*lock(&models.kept), ["hashing-32@1", "hashing-48@1"]);
    // What is a secret in a file is one in a question.
    let secret = format!("why is ghp_{} refused", "a1B2c3D4e5F6".repeat(3));
    assert!(models.question(&secret).is_some());
    let seen = lock(&asked).pop().expect("asked");
    assert!(
        seen.starts_with("why is *") && !seen.contains("ghp_a1B2"),
        "{seen}"
    );
    // One that does not answer is left alone for a while, and the other goes on.
    silent.store(true, Ordering::Relaxed);
    assert!(models.question("one").is_some() && models.question("two").is_some());
    assert_eq!(lock(&asked).drain(..).collect::<Vec<_>>(), ["one"]);
    assert_eq!(
        models.better().expect("chosen").trouble.as_deref(),
        Some("nobody answers")
    );
    models.lock().alone = Some(Instant::now());
    silent.store(false, Ordering::Relaxed);
    let meaning = models.question("three").expect("a meaning");
    assert!(
        meaning
            .beside(&Snapshot::default())
            .of_all()
            .best(3, |_| true)
            .is_empty()
    );
    assert_eq!(
        (lock(&asked).len(), models.better().expect("chosen").trouble),
        (1, None)
    );
}

#[test]
fn a_model_that_does_not_open_is_named_and_costs_nothing() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tries);
    let (sender, receiver) = mpsc::channel();
    let open = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        sender.send(()).expect("somebody waits");
        Err(EmbedError::unavailable("the runtime is missing"))
    };
    let (_scratch, models) = models(Some(Better::new(
        "absent".to_owned(),
        Some("afar".to_owned()),
        open,
    )));
    models.open(|| panic!("it does not open"));
    models.open(|| panic!("one opens it at a time"));
    receiver.recv_timeout(BOUND).expect("tried");
    let until = Instant::now() + BOUND;
    while models.better().expect("chosen").trouble.is_none() && Instant::now() < until {
        std::thread::yield_now();
    }
    let better = models.better().expect("chosen");
    assert_eq!(
        (better.trouble.as_deref(), better.open),
        (Some("the runtime is missing"), None)
    );
    assert_eq!(better.destination.as_deref(), Some("afar"));
    assert!(models.question("anything").is_some(), "the first answers");
    models.close(Instant::now() + BOUND);
    let until = Instant::now() + BOUND;
    while models.lock().opens && Instant::now() < until {
        std::thread::yield_now();
    }
    assert!(
        !models.lock().opens && tries.load(Ordering::Relaxed) > 0,
        "it waits to try again, and ends at once"
    );
}

#[test]
fn without_a_better_model_only_the_first_is_kept() {
    let (_scratch, models) = models(None);
    assert!(models.better().is_none());
    assert_eq!(*lock(&models.kept), ["hashing-32@1"]);
    models.open(|| panic!("there is nothing to open"));
}
