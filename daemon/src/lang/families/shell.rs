//! Shells: variables that the shell itself reads, and calls of functions whose names are computed.

use super::{FamilyRules, Feature};

pub struct Shell;

/// Variables that a shell, or the system below it, reads.
const SHELL_VARIABLES: [&str; 44] = [
    "BASH_ENV",
    "CDPATH",
    "COLUMNS",
    "COMPREPLY",
    "EDITOR",
    "ENV",
    "FCEDIT",
    "FIGNORE",
    "FPATH",
    "GLOBIGNORE",
    "HISTCONTROL",
    "HISTFILE",
    "HISTFILESIZE",
    "HISTIGNORE",
    "HISTSIZE",
    "HOME",
    "IFS",
    "INPUTRC",
    "KEYTIMEOUT",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LINES",
    "MAILCHECK",
    "OPTERR",
    "OPTIND",
    "PATH",
    "POSIXLY_CORRECT",
    "PROMPT",
    "PROMPT_COMMAND",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "SAVEHIST",
    "SHELL",
    "TERM",
    "TIMEFORMAT",
    "TMOUT",
    "TMPDIR",
    "TZ",
];

/// Words before a command that are not the command.
const BEFORE_COMMANDS: [&str; 10] = [
    "!", "{", "(", "do", "elif", "else", "if", "then", "until", "while",
];

impl FamilyRules for Shell {
    fn features(&self) -> &'static [Feature] {
        &[Feature::ComputedCommands]
    }

    fn calls_by_name(&self, name: &str) -> bool {
        SHELL_VARIABLES.contains(&name)
    }

    fn may_call(&self, line: &str, function: &str) -> bool {
        let commands = line.split([';', '&', '|']).map(command_word);
        let mut computed = commands.filter_map(fixed_ends);
        computed.any(|(start, end)| {
            let middle = function.strip_prefix(start);
            middle.is_some_and(|rest| rest.len() > end.len() && rest.ends_with(end))
        })
    }
}

/// Returns the first word of a command, without its quotes.
fn command_word(command: &str) -> &str {
    let mut all = command.split_whitespace();
    let word = all.find(|word| !BEFORE_COMMANDS.contains(word));
    word.unwrap_or_default().trim_matches('"')
}

/// Returns the fixed texts before and after the values in the name of a command: nothing and `_pass` of `${step}_pass`. A path is
/// that of a program, and `$(…)` is another command.
fn fixed_ends(word: &str) -> Option<(&str, &str)> {
    let is_name = |text: &str| {
        let mut signs = text.chars();
        signs.all(|sign| sign.is_alphanumeric() || "_-.:".contains(sign))
    };
    let (start, _) = word.split_once('$')?;
    let (_, last) = word.rsplit_once('$')?;
    let end = match last.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?.1,
        None => {
            last.trim_start_matches(|sign: char| sign.is_alphanumeric() || "_@*".contains(sign))
        }
    };
    (is_name(start) && is_name(end) && !last.starts_with('(')).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_computed_name_may_be_that_of_a_function() {
        for (line, expected) in [
            ("  \"${step}_pass\" \"$@\"", true),
            ("run_$step", false),
            ("test -n \"$step\" && first_$kind now", true),
            ("if $command; then", true),
            ("\"$@\"", true),
            ("step=$first", false),
            ("echo \"${step}_pass\"", false),
            ("$dir/first_pass", false),
            ("$(first_pass)", false),
            ("first_pass_$step", false),
        ] {
            assert_eq!(Shell.may_call(line, "first_pass"), expected, "{line}");
        }
    }
}
