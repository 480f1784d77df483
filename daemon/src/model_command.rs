//! `claudevild model`: the parts of `claudevil model` that need an engine or a network, in a process of the user's own.
//!
//! Answers are JSON on standard output, and progress on standard error. The daemon need not run.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use claudevil_child::transformer::NAMES;
use claudevil_protocol::embedding_models::{
    BenchRow, ModelBench, ModelChecked, ModelEntry, ModelFailed, ModelKind, ModelList,
    RuntimeInstalled, RuntimeStatus,
};
use claudevil_protocol::own_directory::OwnDirectory;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::quantity::bytes;
use serde::Serialize;

use crate::config::{self, Config, Sources};
use crate::embed::runtime::install::{self, PYPI};
use crate::embed::{self, Choice, EmbedError, Embedder};
use crate::index::measure;

#[derive(clap::Subcommand)]
pub enum Command {
    /// List the models and which are installed.
    List,
    /// Open the configured model, downloading it if needed.
    Check {
        /// Settings that count before those of the file and the environment.
        #[arg(long = "setting", value_name = "KEY=VALUE")]
        settings: Vec<String>,
    },
    /// Get ONNX Runtime from PyPI, or out of a wheel.
    InstallRuntime {
        /// A wheel of onnxruntime that is on this machine.
        #[arg(long)]
        from: Option<PathBuf>,
        #[arg(long, conflicts_with = "from")]
        version: Option<String>,
        #[arg(long, hide = true, default_value = PYPI)]
        index: String,
    },
    /// Print the vectors of texts, given as a JSON list on standard input, in hexadecimal.
    Embed,
    /// Measure how many chunks of a folder each model embeds in a second, on one thread.
    Bench {
        folder: PathBuf,
        /// Values of `embedder`; the built-in model is always measured.
        models: Vec<String>,
        #[arg(long, default_value_t = 20)]
        seconds: u64,
    },
}

/// Runs a command and writes its answer. Returns whether it succeeded.
pub fn run(command: Command) -> anyhow::Result<bool> {
    let paths = Paths::discover()?;
    let mut is_setting = false;
    let done = match command {
        Command::List => load(&paths, &[]).and_then(|config| show(&list(&config))),
        Command::Check { settings } => match load(&paths, &settings) {
            Ok(config) => check(&paths, &config).and_then(|checked| show(&checked)),
            Err(error) => {
                is_setting = true;
                Err(error)
            }
        },
        Command::InstallRuntime {
            from,
            version,
            index,
        } => install_runtime(&paths, from.as_deref(), version.as_deref(), &index)
            .and_then(|done| show(&done)),
        Command::Embed => load(&paths, &[]).and_then(|config| show(&embed_texts(&config)?)),
        Command::Bench {
            folder,
            models,
            seconds,
        } => bench(&paths, &folder, &models, Duration::from_secs(seconds))
            .and_then(|done| show(&done)),
    };
    if let Err(error) = &done {
        show(&ModelFailed {
            error: error.clone(),
            is_setting,
        })
        .map_err(anyhow::Error::msg)?;
    }
    Ok(done.is_ok())
}

fn load(paths: &Paths, settings: &[String]) -> Result<Config, String> {
    let settings = settings.iter().map(|setting| {
        let (key, value) = setting
            .split_once('=')
            .ok_or_else(|| format!("{setting} has no `=`"))?;
        Ok((key.to_owned(), value.to_owned()))
    });
    let settings = settings.collect::<Result<_, String>>()?;
    let sources = Sources {
        variables: config::variables(),
        command_line: settings,
    };
    Config::load(&paths.config_file(), paths.data(), &sources).map_err(|error| error.to_string())
}

fn show(answer: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string(answer).map_err(|error| error.to_string())?;
    writeln!(std::io::stdout(), "{text}").map_err(|error| error.to_string())
}

fn list(config: &Config) -> ModelList {
    let setting = config
        .settings
        .iter()
        .find(|setting| setting.key == "embedder");
    let (chosen, source) = setting
        .map(|one| (one.value.clone(), one.source.clone()))
        .unwrap_or_default();
    let settings = &config.embedder;
    let mut models = vec![entry(
        "static",
        ModelKind::BuiltIn,
        "built in: instant, made for code, needs nothing",
    )];
    models[0].installed = true;
    models[0].dimensions = embed::built_in(settings)
        .ok()
        .flatten()
        .map(|model| model.dimensions() as u64);
    let (named, missing) = match named(settings) {
        Ok(named) => (named, None),
        Err(why) => {
            let names = NAMES.iter();
            let by_name = |name: &&str| entry(name, ModelKind::Named, "needs claudevil-vectors");
            (names.map(by_name).collect(), Some(why))
        }
    };
    models.extend(named);
    match &settings.choice {
        Choice::Directory(folder) => {
            let mut one = entry(
                &folder.display().to_string(),
                ModelKind::Directory,
                "a folder of yours",
            );
            one.installed = folder.is_dir();
            models.push(one);
        }
        Choice::Remote => {
            let description = format!(
                "{} at {}: text is sent there",
                settings.remote.model,
                settings.remote.destination()
            );
            models.push(entry("remote", ModelKind::Remote, &description));
        }
        Choice::Static | Choice::None | Choice::Named(_) => {}
    }
    for one in &mut models {
        one.chosen = one.name.eq_ignore_ascii_case(chosen.trim());
    }
    let runtime = match missing.map_or_else(|| settings.runtime.find(), Err) {
        Ok(library) => RuntimeStatus {
            path: Some(library.path.display().to_string()),
            source: Some(library.source.to_owned()),
            problem: None,
        },
        Err(error) => RuntimeStatus {
            path: None,
            source: None,
            problem: Some(error.message),
        },
    };
    ModelList {
        chosen,
        source,
        models,
        runtime,
    }
}

/// Returns the models that can be chosen by name, from `claudevil-vectors`.
fn named(settings: &embed::Settings) -> Result<Vec<ModelEntry>, EmbedError> {
    let mut command = settings
        .program
        .command("models")
        .map_err(|missing| embed::onnx::missing_program(&missing))?;
    let told = command.arg(&settings.models).stdin(Stdio::null()).output();
    let told = told.map_err(|error| error.to_string()).and_then(|told| {
        serde_json::from_slice(&told.stdout).map_err(|error| format!("{}: {error}", told.status))
    });
    told.map_err(|error| {
        EmbedError::unavailable(format!(
            "claudevil-vectors did not list its models: {error}"
        ))
    })
}

fn entry(name: &str, kind: ModelKind, description: &str) -> ModelEntry {
    let (name, description) = (name.to_owned(), description.to_owned());
    ModelEntry {
        name,
        kind,
        dimensions: None,
        description,
        repository: None,
        installed: false,
        chosen: false,
    }
}

/// Embeds texts, to check that their vectors are always the same.
fn embed_texts(config: &Config) -> Result<serde_json::Value, String> {
    let texts: Vec<String> =
        serde_json::from_reader(std::io::stdin().lock()).map_err(|error| error.to_string())?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let model = match embed::chosen(&config.embedder) {
        Some(better) => better.open(),
        None => embed::built_in(&config.embedder)
            .and_then(|first| first.ok_or_else(|| EmbedError::refused("there is none"))),
    };
    let vectors = model
        .and_then(|model| model.documents(&texts))
        .map_err(|error| error.message)?;
    let hexadecimal = |vector: &Vec<f32>| -> String {
        vector
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .map(|byte| format!("{byte:02x}"))
            .collect()
    };
    Ok(serde_json::json!({ "vectors": vectors.iter().map(hexadecimal).collect::<Vec<_>>() }))
}

fn check(paths: &Paths, config: &Config) -> Result<ModelChecked, String> {
    // A download goes into the data directory.
    if matches!(config.embedder.choice, Choice::Named(_)) {
        OwnDirectory::Data
            .claim(paths)
            .map_err(|error| error.to_string())?;
    }
    let settings = embed::Settings {
        shows_progress: true,
        ..config.embedder.clone()
    };
    let checked = |name: &str, model: &dyn Embedder, destination: Option<String>| ModelChecked {
        name: name.to_owned(),
        id: model.model().as_str().to_owned(),
        dimensions: model.dimensions() as u64,
        destination,
    };
    if let Some(better) = embed::chosen(&settings) {
        let model = better.open().map_err(|error| error.message)?;
        return Ok(checked(
            &better.name,
            model.as_ref(),
            better.destination.clone(),
        ));
    }
    let model = embed::built_in(&settings).map_err(|error| error.message)?;
    model
        .map(|model| checked("static", model.as_ref(), None))
        .ok_or_else(|| "no vectors are computed".to_owned())
}

fn install_runtime(
    paths: &Paths,
    from: Option<&Path>,
    version: Option<&str>,
    index: &str,
) -> Result<RuntimeInstalled, String> {
    OwnDirectory::Data
        .claim(paths)
        .map_err(|error| error.to_string())?;
    let folder = embed::runtime::LibraryPaths::folder(paths.data());
    let mut last = None;
    let mut progress = |done: u64, total: u64| {
        let percent = (done * 100).checked_div(total).unwrap_or_default();
        if last != Some(percent / 5) {
            last = Some(percent / 5);
            let _ = writeln!(std::io::stderr(), "{percent}% of {}", bytes(total));
        }
    };
    let done = match from {
        Some(wheel) => install::from_file(wheel, &folder),
        None => install::from_pypi(index.trim_end_matches('/'), version, &folder, &mut progress),
    }?;
    Ok(RuntimeInstalled {
        path: done.path.display().to_string(),
        version: done.version,
    })
}

fn bench(
    paths: &Paths,
    folder: &Path,
    models: &[String],
    time: Duration,
) -> Result<ModelBench, String> {
    let config = load(paths, &[])?;
    let folder = folder
        .canonicalize()
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    let chunks = measure::chunks(&folder, &config.index)?;
    if chunks.is_empty() {
        return Err(format!("{} has no texts to embed", folder.display()));
    }
    let total: usize = chunks.iter().map(String::len).sum();
    let built_in = embed::built_in(&embed::Settings {
        choice: Choice::Static,
        ..config.embedder.clone()
    });
    let built_in = built_in
        .map_err(|error| error.message)?
        .ok_or("there is no built-in model")?;
    let mut rows = vec![measured(
        "static",
        built_in.as_ref(),
        &chunks,
        time,
        Duration::ZERO,
    )?];
    OwnDirectory::Data
        .claim(paths)
        .map_err(|error| error.to_string())?;
    for name in models.iter().filter(|name| *name != "static") {
        let choice =
            Choice::parse(name).ok_or_else(|| format!("{name} is none of {}", Choice::EXPECTED))?;
        let settings = embed::Settings {
            choice,
            threads: 1,
            shows_progress: true,
            ..config.embedder.clone()
        };
        let better = embed::chosen(&settings).ok_or_else(|| format!("{name} makes no vectors"))?;
        let began = Instant::now();
        let model = better.open().map_err(|error| error.message)?;
        rows.push(measured(
            name,
            model.as_ref(),
            &chunks,
            time,
            began.elapsed(),
        )?);
    }
    let fastest = rows[0].chunks_per_second;
    for row in &mut rows {
        row.slower = fastest / row.chunks_per_second.max(f64::MIN_POSITIVE);
    }
    let folder = folder.display().to_string();
    Ok(ModelBench {
        folder,
        chunks: chunks.len() as u64,
        bytes_per_chunk: (total / chunks.len()) as u64,
        rows,
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts of chunks")]
fn measured(
    name: &str,
    model: &dyn Embedder,
    chunks: &[String],
    time: Duration,
    opened: Duration,
) -> Result<BenchRow, String> {
    // The initialisation at the first use does not count.
    model.query("first").map_err(|error| error.message)?;
    let texts: Vec<&str> = chunks.iter().map(String::as_str).collect();
    let (mut done, began) = (0, Instant::now());
    // Repeated until there is enough to measure.
    'all: while began.elapsed() < time.min(Duration::from_secs(2)) || done == 0 {
        // Spread over the folder: a slow model embeds only some chunks, which should be representative.
        let step = texts
            .len()
            .div_ceil(model.batch_size().max(1))
            .div_ceil(7)
            .max(1);
        let batches: Vec<&[&str]> = texts.chunks(model.batch_size().max(1)).collect();
        for first in 0..step {
            for some in batches.iter().skip(first).step_by(step) {
                std::hint::black_box(model.documents(some).map_err(|error| error.message)?);
                done += some.len();
                if began.elapsed() > time {
                    break 'all;
                }
            }
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    Ok(BenchRow {
        name: name.to_owned(),
        id: model.model().as_str().to_owned(),
        dimensions: model.dimensions() as u64,
        chunks: done as u64,
        seconds,
        chunks_per_second: done as f64 / seconds,
        open_seconds: opened.as_secs_f64(),
        memory_bytes: model.memory(),
        slower: 1.0,
    })
}
