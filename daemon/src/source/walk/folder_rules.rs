//! The ignore rules that apply in a folder: those of its own ignore files, then of the folders above it.
//!
//! `.claudevilignore` files have precedence over `.ignore` files, and these over git's own rules; among files of one kind
//! the innermost folder decides, then `.git/info/exclude`, then the person's global ignore file. What git tracks is
//! excepted from git's own rules, and from no others.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use claudevil_protocol::answer::freshness::MAX_UNUSED_RULES;

use super::OWN_IGNORE_FILE;
use super::rule_file::{Decision, PatternCount, RuleFile, UnusedReason};

/// The kinds of ignore files, those of highest precedence first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    Own,
    Ignore,
    Git,
}

impl RuleKind {
    pub const ALL: [Self; 3] = [Self::Own, Self::Ignore, Self::Git];

    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Own => OWN_IGNORE_FILE,
            Self::Ignore => ".ignore",
            Self::Git => ".gitignore",
        }
    }
}

/// The decision of a walk about a file or folder. The stricter one is the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Taken,
    /// Git's rules ignore it, and git may track it nevertheless.
    OnlyIfTracked,
    Excluded,
}

/// The rules of one folder that has ignore files; folders without any share those of the folder above.
#[derive(Debug, Default)]
pub struct FolderRules {
    above: Option<Arc<FolderRules>>,
    location: Location,
    files: [Option<RuleFile>; RuleKind::ALL.len()],
    count: PatternCount,
}

#[derive(Debug)]
pub enum Location {
    /// The root or a folder beneath it, by the length of its path in bytes.
    Inside(usize),
    /// A folder above the root, by the path from there to the root, with `/` at its end.
    Above(String),
}

impl Default for Location {
    fn default() -> Self {
        Self::Inside(0)
    }
}

/// Ignore files that are not used, with the reason in brackets. Only the first by path are kept, so that a walk on several
/// threads always gives the same result.
#[derive(Debug, Default)]
pub struct UnusedFiles(Mutex<BTreeSet<String>>);

impl UnusedFiles {
    pub fn add(&self, path: &str, why: &UnusedReason) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(format!("{path} ({why})"));
        if files.len() > MAX_UNUSED_RULES {
            files.pop_last();
        }
    }

    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
            .into_iter()
            .collect()
    }
}

impl FolderRules {
    /// Adds the ignore files of a folder. `read` returns the path and the content of one.
    pub fn enter(
        self: &Arc<Self>,
        location: Location,
        unused: &UnusedFiles,
        mut read: impl FnMut(RuleKind) -> (String, Result<Option<Vec<u8>>, UnusedReason>),
    ) -> Arc<Self> {
        let mut rules = Self {
            above: Some(Arc::clone(self)),
            location,
            count: self.count,
            files: [const { None }; 3],
        };
        for kind in RuleKind::ALL {
            let (path, bytes) = read(kind);
            let parsed = bytes.and_then(|bytes| {
                bytes
                    .map(|bytes| RuleFile::parse(&bytes, &mut rules.count))
                    .transpose()
            });
            match parsed {
                Ok(file) => rules.files[kind as usize] = file,
                Err(why) => unused.add(&path, &why),
            }
        }
        if rules.files.iter().all(Option::is_none) {
            return Arc::clone(self);
        }
        Arc::new(rules)
    }

    /// Returns the verdict about a file or folder in this folder, by its path relative to the root.
    pub fn verdict(&self, path: &str, is_folder: bool) -> Verdict {
        let decide = |kind| self.decide(kind, path, is_folder);
        match decide(RuleKind::Own).or_else(|| decide(RuleKind::Ignore)) {
            Some(Decision::Ignore) => Verdict::Excluded,
            None if decide(RuleKind::Git) == Some(Decision::Ignore) => Verdict::OnlyIfTracked,
            Some(Decision::Keep) | None => Verdict::Taken,
        }
    }

    fn decide(&self, kind: RuleKind, path: &str, is_folder: bool) -> Option<Decision> {
        let mut next = Some(self);
        while let Some(rules) = next {
            next = rules.above.as_deref();
            let Some(file) = &rules.files[kind as usize] else {
                continue;
            };
            let decision = match &rules.location {
                Location::Inside(0) => file.decide(path.as_bytes(), is_folder),
                Location::Inside(folder) => file.decide(&path.as_bytes()[folder + 1..], is_folder),
                Location::Above(way) => file.decide(format!("{way}{path}").as_bytes(), is_folder),
            };
            if decision.is_some() {
                return decision;
            }
        }
        None
    }
}
