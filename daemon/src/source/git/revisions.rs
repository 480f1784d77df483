//! Resolves the two revisions that a caller wants to compare.

use gix::ObjectId;

use super::{GitError, Repository, unreadable};

pub struct Revisions {
    /// `None` if nothing is committed yet.
    pub old: Option<ObjectId>,
    /// `None` for the working tree.
    pub new: Option<ObjectId>,
}

const LONGEST: usize = 1000;

impl Repository {
    pub(super) fn revisions(&self, spec: Option<&str>) -> Result<Revisions, GitError> {
        let Some(spec) = spec.map(str::trim) else {
            // A branch without commits is compared with nothing.
            let old = self
                .head()?
                .commit
                .map(|_| self.commit("HEAD"))
                .transpose()?;
            return Ok(Revisions { old, new: None });
        };
        if let Some((one, other)) = spec.split_once("...") {
            let (one, other) = (or_head(one), or_head(other));
            let (old, new) = (self.commit(one)?, self.commit(other)?);
            let base = self
                .inner
                .merge_base(old, new)
                .map_err(|error| unreadable(&error))?;
            let base = base.ok_or_else(|| GitError::Unrelated(one.to_owned(), other.to_owned()))?;
            return Ok(Revisions {
                old: Some(base.detach()),
                new: Some(new),
            });
        }
        if let Some((old, new)) = spec.split_once("..") {
            return Ok(Revisions {
                old: Some(self.commit(or_head(old))?),
                new: Some(self.commit(or_head(new))?),
            });
        }
        Ok(Revisions {
            old: Some(self.commit(spec)?),
            new: None,
        })
    }

    fn commit(&self, spec: &str) -> Result<ObjectId, GitError> {
        let unknown = |why: &dyn std::fmt::Display| {
            let spec = spec.chars().take(LONGEST).collect();
            GitError::UnknownRevision {
                spec,
                why: why.to_string(),
            }
        };
        if spec.is_empty() || spec.len() > LONGEST {
            return Err(unknown(&"empty or too long"));
        }
        // A search in messages may go through the whole history, and could not be cancelled.
        if spec.starts_with(':') || spec.contains("^{/") {
            return Err(unknown(&"commits are not searched by their messages"));
        }
        if spec.starts_with('^') {
            return Err(unknown(&"not one commit"));
        }
        // The parser's own message is about its internals.
        let found = self
            .inner
            .rev_parse_single(spec)
            .map_err(|_| unknown(&self.why_unknown(spec)))?;
        let object = found.object().map_err(|error| unreadable(&error))?;
        Ok(object.peel_to_commit().map_err(|error| unknown(&error))?.id)
    }

    fn why_unknown(&self, spec: &str) -> String {
        match split_steps(spec) {
            Some((from, steps)) if self.inner.rev_parse_single(from).is_ok() => {
                format!("`{from}` is there, and its history has no `{steps}`")
            }
            _ => "no branch, tag or commit of that name".to_owned(),
        }
    }

    pub(super) fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, GitError> {
        let commit = self
            .inner
            .find_commit(commit)
            .map_err(|error| unreadable(&error))?;
        Ok(commit
            .tree_id()
            .map_err(|error| unreadable(&error))?
            .detach())
    }
}

/// Splits a revision into a name and the steps from there: `HEAD` and `~3`.
fn split_steps(spec: &str) -> Option<(&str, &str)> {
    let at = spec.find(['~', '^']).filter(|at| *at > 0)?;
    Some(spec.split_at(at))
}

fn or_head(spec: &str) -> &str {
    if spec.is_empty() { "HEAD" } else { spec }
}
