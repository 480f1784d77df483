//! `claudevil model use`: tries a model, writes it into the configuration, and restarts the daemon.

use std::path::Path;

use claudevil_protocol::embedding_models::ModelChecked;
use claudevil_protocol::error::at;
use claudevil_protocol::own_directory::OwnDirectory;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::{ErrorCode, ToolError, environment};
use toml_edit::{DocumentMut, value};

use super::{check, run_daemon_command};
use crate::cli::Failure;
use crate::cli::daemon::{self, Force};
use crate::cli::setup::file::{self, Readers};
use crate::cli::terminal::{FAINT, STRONG, Terminal, WARN, paint};

#[derive(clap::Args)]
pub struct Arguments {
    /// A name of `model list`, a folder with model.onnx and tokenizer.json, `static`, `none`, or `remote`
    model: String,
    /// With `remote`: the server's address, e.g. `http://127.0.0.1:11434/v1`
    #[arg(long)]
    url: Option<String>,
    /// With `remote`: the model, as the server calls it
    #[arg(long = "model", value_name = "NAME")]
    remote_model: Option<String>,
    /// With `remote`: the variable that has the key [default: `CLAUDEVIL_EMBEDDER_KEY`]
    #[arg(long, value_name = "VARIABLE")]
    key_variable: Option<String>,
    /// Write the configuration without trying the model
    #[arg(long)]
    untried: bool,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let is_remote = arguments.model == "remote";
    let of_remote = [
        &arguments.url,
        &arguments.remote_model,
        &arguments.key_variable,
    ];
    if !is_remote && of_remote.iter().any(|option| option.is_some()) {
        let message = "--url, --model and --key-variable go with `remote`";
        return Err(ToolError::invalid_argument(message).into());
    }
    let mut settings = vec![("embedder", absolute(arguments.model))];
    let keys = ["embedder_url", "embedder_model", "embedder_key_variable"];
    let given = keys.into_iter().zip([
        arguments.url,
        arguments.remote_model,
        arguments.key_variable,
    ]);
    settings.extend(given.filter_map(|(key, value)| Some((key, value?))));
    let needs_vectors = !["static", "none"].contains(&settings[0].1.as_str());
    if needs_vectors {
        super::need_vectors(&paths, terminal)?;
    }
    let mut checked = None;
    if !arguments.untried && settings[0].1 != "none" {
        checked = Some(run_daemon_command::<ModelChecked>(&check(&settings)).await?);
    }
    write(&paths, &settings)?;
    let was_running = daemon::is_running(&paths)?;
    if was_running {
        daemon::stop_running(&paths, Force::Ask).await?;
    }
    if terminal.json {
        let settings: serde_json::Map<_, _> = settings
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.as_str().into()))
            .collect();
        terminal.json(&serde_json::json!({ "settings": settings, "model": checked, "restarted": was_running }))?;
        return Ok(());
    }
    let name = paint(STRONG, &settings[0].1);
    let file = paths.config_file();
    terminal.line(format_args!("{name} is set in {}", file.display()))?;
    if let Some(checked) = &checked {
        terminal.line(paint(
            FAINT,
            format_args!("{}, {} dimensions", checked.id, checked.dimensions),
        ))?;
        if let Some(destination) = &checked.destination {
            let words = format!(
                "the text of your code, secrets blanked, and your questions will be sent to {destination}"
            );
            terminal.line(paint(WARN, words))?;
        }
    }
    if was_running {
        terminal
            .line("the daemon was stopped; the next question starts it, and the vectors are computed in the background")?;
    }
    // The other keys are read from the file alone.
    if let Some(value) =
        environment::variable("CLAUDEVIL_EMBEDDER").filter(|value| value != "remote")
    {
        let value = value.to_string_lossy();
        let words = format!(
            "CLAUDEVIL_EMBEDDER={value} is set in your environment, and overrides the file"
        );
        terminal.note(paint(WARN, words));
    }
    Ok(())
}

/// Makes a folder absolute, by the working directory; names stay as they are.
pub fn absolute(model: String) -> String {
    let is_folder = model.contains('/') || Path::new(&model).is_dir();
    if !is_folder {
        return model;
    }
    std::path::absolute(&model).map_or(model, |path| path.display().to_string())
}

/// Returns whether the file has a key.
pub fn is_set(paths: &Paths, key: &str) -> bool {
    let text = file::read(&paths.config_file()).ok().flatten();
    text.and_then(|text| text.parse::<DocumentMut>().ok())
        .is_some_and(|document| document.contains_key(key))
}

/// Sets keys in the file, and leaves every other byte as it is.
fn write(paths: &Paths, settings: &[(&str, String)]) -> Result<(), Failure> {
    let file = &paths.config_file();
    let place = file::behind_links(file).map_err(|error| at(file, &error))?;
    let before = file::read(&place).map_err(|error| at(&place, &error))?;
    let unreadable =
        |why: String| ToolError::new(ErrorCode::Internal, format!("{}: {why}", file.display()));
    let mut document: DocumentMut = before
        .as_deref()
        .unwrap_or_default()
        .parse()
        .map_err(|error: toml_edit::TomlError| unreadable(error.to_string()))?;
    for (key, new) in settings {
        let old = document.get_mut(key).and_then(|item| item.as_value_mut());
        match old {
            // Keep the comment after the value.
            Some(old) => {
                let decor = old.decor().clone();
                *old = toml_edit::Value::from(new.as_str());
                *old.decor_mut() = decor;
            }
            None => drop(document.insert(key, value(new.as_str()))),
        }
    }
    // A folder whose file or link exists already was chosen by the person, and is not claimed.
    if before.is_none() && place == *file {
        OwnDirectory::Config.claim(paths)?;
    }
    let replaced = file::replace(
        &place,
        before.as_deref(),
        &document.to_string(),
        Readers::Owner,
    );
    Ok(replaced.map_err(|error| at(&place, &error))?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_setting_is_written_beside_what_is_there() {
        let scratch = tempfile::tempdir().expect("a directory");
        let paths = Paths::gathered(scratch.path(), scratch.path());
        let file = paths.config_file();
        let set = |settings: &[(&str, &str)]| {
            let settings: Vec<(&str, String)> = settings
                .iter()
                .map(|(key, value)| (*key, (*value).to_owned()))
                .collect();
            assert!(write(&paths, &settings).is_ok());
            fs::read_to_string(&file).expect("written")
        };
        assert_eq!(
            set(&[("embedder", "bge-small-en-v1.5")]),
            "embedder = \"bge-small-en-v1.5\"\n"
        );
        fs::write(
            &file,
            "# mine\nlog_days = 3\nembedder = \"static\" # the best\n",
        )
        .expect("written");
        let text = set(&[
            ("embedder", "remote"),
            ("embedder_url", "http://127.0.0.1:1/v1"),
        ]);
        let expected = "# mine\nlog_days = 3\nembedder = \"remote\" # the best\nembedder_url = \"http://127.0.0.1:1/v1\"\n";
        assert_eq!(text, expected);
        fs::write(&file, "embedder = \n").expect("written");
        assert!(
            write(&paths, &[("embedder", "static".to_owned())]).is_err(),
            "what cannot be read is left alone"
        );
        assert_eq!(fs::read_to_string(&file).expect("there"), "embedder = \n");
    }

    #[test]
    fn only_folders_are_made_absolute() {
        assert_eq!(absolute("static".to_owned()), "static");
        assert_eq!(absolute("/models/mine".to_owned()), "/models/mine");
        assert!(Path::new(&absolute("./mine".to_owned())).is_absolute());
    }
}
