//! A chosen model that opens, does not open, and stops answering.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use super::*;
use crate::embed::ModelId;
use crate::embed::hashing::HashingEmbedder;
use crate::index::snapshot::Snapshot;

const BOUND: Duration = Duration::from_secs(60);

/// A model that records its queries and fails on demand.
struct FlakyModel {
    inner: HashingEmbedder,
    silent: Arc<AtomicBool>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Embedder for FlakyModel {
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

fn models(chosen: Option<ChosenModel>) -> (tempfile::TempDir, Arc<Models>) {
    let scratch = tempfile::tempdir().expect("a directory");
    let (ledger, _) = Ledger::open(scratch.path()).expect("a ledger");
    let built_in: Arc<dyn Embedder> = Arc::new(HashingEmbedder::new(32));
    let models = Models::new(
        scratch.path().to_owned(),
        VectorsProgram::default(),
        Arc::new(ledger),
        Some(built_in),
        chosen,
        None,
    );
    (scratch, Arc::new(models))
}

fn opened(models: &Arc<Models>) {
    let (sender, receiver) = mpsc::channel();
    models.open(move || sender.send(()).expect("somebody waits"));
    receiver.recv_timeout(BOUND).expect("opened");
}

#[test]
fn a_model_that_opens_is_used_and_shown_in_the_status() {
    let (silent, asked) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(Mutex::new(vec![])),
    );
    let (told, kept) = (Arc::clone(&silent), Arc::clone(&asked));
    let open = move || {
        let (silent, asked) = (Arc::clone(&told), Arc::clone(&kept));
        Ok(Arc::new(FlakyModel {
            inner: HashingEmbedder::new(48),
            silent,
            asked,
        }) as Arc<dyn Embedder>)
    };
    let (_scratch, models) = models(Some(ChosenModel::new("flaky".to_owned(), None, open)));
    assert!(models.get(ModelTier::Chosen).is_none() && models.get(ModelTier::BuiltIn).is_some());
    assert!(
        lock(&models.retained).is_empty(),
        "nothing is forgotten before it is known which model it is"
    );
    opened(&models);
    assert_eq!(
        models.chosen_status().expect("chosen").open,
        Some(("hashing-48@1".to_owned(), 48))
    );
    assert_eq!(*lock(&models.retained), ["hashing-32@1", "hashing-48@1"]);
    // Secrets in queries are blanked.
    let secret = format!("why is ghp_{} refused", "a1B2c3D4e5F6".repeat(3));
    assert!(models.embed_query(&secret).is_some());
    let seen = lock(&asked).pop().expect("asked");
    assert!(
        seen.starts_with("why is *") && !seen.contains("ghp_a1B2"),
        "{seen}"
    );
    // A model that does not answer is skipped for a while; the built-in one answers.
    silent.store(true, Ordering::Relaxed);
    assert!(models.embed_query("one").is_some() && models.embed_query("two").is_some());
    assert_eq!(lock(&asked).drain(..).collect::<Vec<_>>(), ["one"]);
    assert_eq!(
        models.chosen_status().expect("chosen").trouble.as_deref(),
        Some("nobody answers")
    );
    models.lock().paused_until = Some(Instant::now());
    silent.store(false, Ordering::Relaxed);
    let query = models.embed_query("three").expect("embedded");
    assert!(
        query
            .compare_with(&Snapshot::default())
            .nearest(3, |_| true)
            .is_empty()
    );
    assert_eq!(
        (
            lock(&asked).len(),
            models.chosen_status().expect("chosen").trouble
        ),
        (1, None)
    );
}

#[test]
fn a_model_that_does_not_open_is_shown_in_the_status_and_blocks_nothing() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tries);
    let (sender, receiver) = mpsc::channel();
    let open = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        sender.send(()).expect("somebody waits");
        Err(EmbedError::unavailable("the runtime is missing"))
    };
    let (_scratch, models) = models(Some(ChosenModel::new(
        "absent".to_owned(),
        Some("afar".to_owned()),
        open,
    )));
    models.open(|| panic!("it does not open"));
    models.open(|| panic!("one opens it at a time"));
    receiver.recv_timeout(BOUND).expect("tried");
    let until = Instant::now() + BOUND;
    while models.chosen_status().expect("chosen").trouble.is_none() && Instant::now() < until {
        std::thread::yield_now();
    }
    let chosen = models.chosen_status().expect("chosen");
    assert_eq!(
        (chosen.trouble.as_deref(), chosen.open),
        (Some("the runtime is missing"), None)
    );
    assert_eq!(chosen.destination.as_deref(), Some("afar"));
    assert!(
        models.embed_query("anything").is_some(),
        "the built-in model answers"
    );
    models.close(Instant::now() + BOUND);
    let until = Instant::now() + BOUND;
    while models.lock().is_opening && Instant::now() < until {
        std::thread::yield_now();
    }
    assert!(
        !models.lock().is_opening && tries.load(Ordering::Relaxed) > 0,
        "it waits to try again, and ends at once"
    );
}

#[test]
fn without_a_chosen_model_only_the_vectors_of_the_built_in_one_are_retained() {
    let (_scratch, models) = models(None);
    assert!(models.chosen_status().is_none());
    assert_eq!(*lock(&models.retained), ["hashing-32@1"]);
    models.open(|| panic!("there is nothing to open"));
}
