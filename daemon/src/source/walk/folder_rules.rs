//! The ignore rules that apply in a folder: those of its own ignore files, then of the folders above it.
//!
//! `.claudevilignore` files have precedence over `.ignore` files, and these over git's own rules; among files of one kind
//! the innermost folder decides, then `.git/info/exclude`, then the person's global ignore file. What git tracks is
//! excepted from git's own rules, and from no others.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use claudevil_protocol::answer::freshness::MOST_UNUSED_RULES;

use super::OWN_IGNORE_FILE;
use super::rule_file::{Decision, PatternCount, RuleFile, Unused};

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

/// What a file or folder is to a walk. The stricter verdict is the greater one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Taken,
    /// Git's rules name it, and git may track it nevertheless.
    OnlyIfTracked,
    LeftOut,
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
    /// At the root, or in a folder below it whose path has so many bytes.
    Inside(usize),
    /// Above the root, which has this path relative to it, with `/` at its end.
    Above(String),
}

impl Default for Location {
    fn default() -> Self {
        Self::Inside(0)
    }
}

/// Ignore files that are not used: the path of each, and why in brackets. Of very many only the first by path, so that a
/// walk on several threads always names the same.
#[derive(Debug, Default)]
pub struct UnusedFiles(Mutex<BTreeSet<String>>);

impl UnusedFiles {
    pub fn add(&self, path: &str, why: &Unused) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(format!("{path} ({why})"));
        if files.len() > MOST_UNUSED_RULES {
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
    /// Adds the ignore files of a folder. `read` returns the path of one and what it has.
    pub fn enter(
        self: &Arc<Self>,
        location: Location,
        unused: &UnusedFiles,
        mut read: impl FnMut(RuleKind) -> (String, Result<Option<Vec<u8>>, Unused>),
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

    /// The verdict about a file or folder in this folder, by its path relative to the root.
    pub fn verdict(&self, path: &str, is_folder: bool) -> Verdict {
        let decide = |kind| self.decide(kind, path, is_folder);
        match decide(RuleKind::Own).or_else(|| decide(RuleKind::Ignore)) {
            Some(Decision::Ignore) => Verdict::LeftOut,
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
