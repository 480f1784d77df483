//! Commands of `claudevil` that messages name: agents run them in a shell, and people type them.

use std::fmt;

use super::Line;

macro_rules! commands {
    ($($name:ident = $words:literal;)*) => {
        /// A command that a message names, by its words after `claudevil`. A test of the command line parses them all.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum CliCommand {
            $($name,)*
        }

        impl CliCommand {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            pub fn words(self) -> &'static str {
                match self {
                    $(Self::$name => $words,)*
                }
            }
        }
    };
}

commands! {
    DaemonLogs = "daemon logs";
    DaemonRestart = "daemon restart";
    DaemonRestartForce = "daemon restart --force";
    DaemonStart = "daemon start";
    Doctor = "doctor";
    ModelList = "model list";
    ModelUse = "model use NAME";
    ModelUseStatic = "model use static";
    NotesList = "notes list";
    NotesSearch = "notes search WORDS";
    RootsList = "roots list";
    ServiceInstall = "service install";
    Status = "status";
    VectorsPush = "vectors push";
}

/// The command inside a sentence: `` `claudevil doctor` ``.
impl fmt::Display for CliCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`claudevil {}`", self.words())
    }
}

/// The command alone, without backticks.
impl From<CliCommand> for Line {
    fn from(command: CliCommand) -> Self {
        Self::from(format!("claudevil {}", command.words()))
    }
}
