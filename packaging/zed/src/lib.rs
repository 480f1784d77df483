//! The extension by which Zed starts `claudevil-lsp`, which has to be installed: nothing is downloaded.

use zed_extension_api::settings::{CommandSettings, LspSettings};
use zed_extension_api::{self as zed, Command, EnvVars, LanguageServerId, Worktree};

const PROGRAM: &str = "claudevil-lsp";

struct Claudevil;

impl zed::Extension for Claudevil {
    fn new() -> Self {
        Self
    }

    fn language_server_command(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> zed::Result<Command> {
        let settings = LspSettings::for_worktree(server.as_ref(), worktree)?.binary;
        server_command(settings, || worktree.which(PROGRAM), worktree.shell_env())
    }
}

zed::register_extension!(Claudevil);

/// Makes the command of `lsp.claudevil.binary` in Zed's settings, or of the program that is found on `PATH`.
fn server_command(
    settings: Option<CommandSettings>,
    find: impl FnOnce() -> Option<String>,
    mut env: EnvVars,
) -> zed::Result<Command> {
    let (path, arguments, variables) = match settings {
        Some(settings) => (settings.path, settings.arguments, settings.env),
        None => (None, None, None),
    };
    let command = path.or_else(find).ok_or_else(|| {
        format!(
            "{PROGRAM} is not on the PATH of this project: install claudevil, or name the program in Zed's settings, as \
             `claudevil setup --lsp zed` does: \"lsp\": {{\"claudevil\": {{\"binary\": {{\"path\": \"…/{PROGRAM}\"}}}}}}"
        )
    })?;
    env.extend(variables.unwrap_or_default());
    Ok(Command {
        command,
        args: arguments.unwrap_or_default(),
        env,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> Option<String> {
        Some("/usr/bin/claudevil-lsp".to_owned())
    }

    #[test]
    fn the_program_of_the_settings_comes_before_the_one_on_path() {
        let env = vec![("HOME".to_owned(), "/home/ada".to_owned())];
        let command = server_command(None, found, env.clone()).expect("a command");
        assert_eq!(command.command, "/usr/bin/claudevil-lsp");
        assert!(command.args.is_empty());
        assert_eq!(command.env, env);
        let settings = CommandSettings {
            path: Some("/opt/claudevil-lsp".to_owned()),
            arguments: Some(vec!["--home".to_owned()]),
            env: Some([("CLAUDEVIL_HOME".to_owned(), "/data".to_owned())].into()),
        };
        let command = server_command(Some(settings), found, env).expect("a command");
        assert_eq!(command.command, "/opt/claudevil-lsp");
        assert_eq!(command.args, ["--home"]);
        assert_eq!(command.env.len(), 2);
    }

    #[test]
    fn a_missing_program_is_told_with_what_to_do() {
        let error = server_command(None, || None, vec![]).expect_err("no program");
        assert!(
            error.contains("claudevil-lsp is not on the PATH"),
            "{error}"
        );
        assert!(error.contains("claudevil setup --lsp zed"), "{error}");
    }
}
