//! The process of a transformer: loads one model, and embeds texts until the pipe ends.
//!
//! ONNX Runtime is found by `ORT_DYLIB_PATH`, which the daemon sets after it has checked the file. The crate panics if the
//! library cannot be loaded all the same, most often because of its version: the panic is caught here and sent as an error.

mod files;
pub mod named;

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use claudevil_child::transformer::{
    EmbedError, LoadRequest, ModelInfo, Prefixes, Reply, Request, Source,
};
use claudevil_child::{frame, lower_priority};
use fastembed::{InitOptionsUserDefined, TextEmbedding};

use self::named::with_causes;

/// The most tokens of a text: as many as most models are trained for.
const MAX_TOKENS: usize = 512;
/// The version of how texts are converted to vectors, besides the model itself. Raised by every change that changes vectors.
const ENCODER: u32 = 1;
/// A text that is embedded once to learn the dimensions.
const PROBE: &str = "fn main() {}";

struct Transformer {
    model: TextEmbedding,
    prefixes: Prefixes,
    info: ModelInfo,
}

pub fn serve() -> io::Result<()> {
    lower_priority();
    let (mut input, mut output) = frame::open_child_pipes()?;
    let request: LoadRequest = frame::receive(&mut input)?;
    let panicked = keep_panics();
    let guarded = |work: &mut dyn FnMut() -> Result<Reply, EmbedError>| {
        let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
            let said = panicked
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            Err(EmbedError::unavailable(
                said.unwrap_or_else(|| "ONNX Runtime crashed".to_owned()),
            ))
        });
        done.unwrap_or_else(Reply::Failed)
    };
    let mut loaded = None;
    let reply = guarded(&mut || {
        let transformer = load(&request)?;
        let info = transformer.info.clone();
        loaded = Some(transformer);
        Ok(Reply::Loaded(info))
    });
    frame::send(&mut output, &reply)?;
    let Some(mut loaded) = loaded else {
        return Ok(());
    };
    loop {
        let request = match frame::receive(&mut input) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return output.flush(),
            request => request?,
        };
        let reply = guarded(&mut || loaded.answer(&request));
        frame::send(&mut output, &reply)?;
    }
}

/// Keeps the message of a panic, which is sent to the daemon instead of standard error.
fn keep_panics() -> Arc<Mutex<Option<String>>> {
    let kept: Arc<Mutex<Option<String>>> = Arc::default();
    let keep = Arc::clone(&kept);
    std::panic::set_hook(Box::new(move |panic| {
        let said = panic
            .payload_as_str()
            .unwrap_or("ONNX Runtime crashed")
            .to_owned();
        *keep.lock().unwrap_or_else(PoisonError::into_inner) = Some(said);
    }));
    kept
}

fn load(request: &LoadRequest) -> Result<Transformer, EmbedError> {
    let (name, files, own) = match &request.source {
        Source::Directory(folder) => {
            let name = folder
                .file_name()
                .map_or_else(|| "model".into(), |name| name.to_string_lossy());
            (
                name.into_owned(),
                files::ModelFiles::read(folder, None)?,
                Prefixes::default(),
            )
        }
        Source::Named(name) => {
            let named = named::by_name(name);
            let named = named
                .ok_or_else(|| EmbedError::unavailable(format!("no model is called {name}")))?;
            if named.folder(&request.models).is_none() {
                named.download(&request.models, request.threads, request.shows_progress)?;
            }
            (
                named.name.clone(),
                named.read(&request.models)?,
                named.prefixes(),
            )
        }
    };
    let set = request.prefixes.clone();
    let or = |set: String, own: String| if set.is_empty() { own } else { set };
    let prefixes = Prefixes {
        query: or(set.query, own.query),
        document: or(set.document, own.document),
    };
    let said = format!(
        "{}\n{MAX_TOKENS}\n{}\n{}\n{:?}",
        files.hash, prefixes.query, prefixes.document, files.model.pooling
    );
    let sum = &blake3::hash(said.as_bytes()).to_hex()[..12];
    let options = InitOptionsUserDefined::new()
        .with_max_length(MAX_TOKENS)
        .with_intra_threads(request.threads)
        // Idle threads wait instead of spinning.
        .with_session_config("session.intra_op.allow_spinning", "0");
    let mut model =
        TextEmbedding::try_new_from_user_defined(files.model, options).map_err(|error| {
            EmbedError::unavailable(format!("{name} cannot be loaded: {}", with_causes(&error)))
        })?;
    let dimensions = embed_one(&mut model, PROBE)?.len();
    let info = ModelInfo {
        id: format!("onnx:{name}@{ENCODER}-{sum}"),
        dimensions,
    };
    Ok(Transformer {
        model,
        prefixes,
        info,
    })
}

impl Transformer {
    fn answer(&mut self, request: &Request) -> Result<Reply, EmbedError> {
        let (prefix, texts) = match request {
            Request::Documents(texts) => (&self.prefixes.document, texts.as_slice()),
            Request::Query(text) => (&self.prefixes.query, std::slice::from_ref(text)),
        };
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            let vector = embed_one(&mut self.model, &format!("{prefix}{text}"))?;
            if vector.len() != self.info.dimensions || vector.iter().any(|value| !value.is_finite())
            {
                return Err(EmbedError::unusable("the model returned an invalid vector"));
            }
            vectors.push(vector);
        }
        Ok(Reply::Vectors(vectors))
    }
}

/// Embeds one text by itself: padding in a batch would change its vector.
fn embed_one(model: &mut TextEmbedding, text: &str) -> Result<Vec<f32>, EmbedError> {
    let mut made = model
        .embed([text], Some(1))
        .map_err(|error| EmbedError::unusable(with_causes(&error)))?;
    made.pop()
        .filter(|vector| !vector.is_empty())
        .ok_or_else(|| EmbedError::unusable("the model gave no vector"))
}
