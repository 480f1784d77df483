//! A rename of a small project, and its outcome.

/// Paths and texts.
pub type Files = &'static [(&'static str, &'static str)];

pub struct Case {
    pub what: &'static str,
    pub files: Files,
    pub symbol: &'static str,
    pub new_name: &'static str,
    pub expected: RenameOutcome,
}

pub enum RenameOutcome {
    /// It changes these files to these texts; the others stay.
    Done(Files),
    /// It is refused without decisions about these places.
    Stopped(&'static [&'static str]),
    /// Either, depending on how well a language is understood.
    DoneOrStopped(Files, &'static [&'static str]),
    /// It is always refused.
    Refused(&'static str),
}
