//! Facts that could not be read while a call was answered: the answer notes them, and a change is refused.

use std::cell::RefCell;
use std::collections::HashSet;

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::{ErrorCode, ToolError};

use crate::store::error::StoreError;
use crate::store::ledger::record::FactsKey;

/// The facts that one call could not read.
#[derive(Default)]
pub struct ReadErrors {
    failed: RefCell<HashSet<FactsKey>>,
}

impl ReadErrors {
    /// Returns the facts of a file; records an error and returns none.
    pub fn record<T>(
        &self,
        root: &str,
        key: FactsKey,
        facts: Result<Option<T>, StoreError>,
    ) -> Option<T> {
        facts.unwrap_or_else(|error| {
            if self.failed.borrow_mut().insert(key) {
                tracing::warn!(%error, root, "the uses of names in a file cannot be read");
            }
            None
        })
    }

    pub fn is_empty(&self) -> bool {
        self.failed.borrow().is_empty()
    }

    /// Notes the errors in an answer that has read all it needs.
    pub fn add_to(&self, freshness: &mut Freshness) {
        if let Some(summary) = self.summary() {
            freshness.add_note(
                Line::from(format!("{summary}, so uses there are missing: "))
                    .call(NextCall::new("reindex").with("force", true))
                    .text(" rebuilds them"),
            );
        }
    }

    /// Fails if there was an error: a change of all uses needs every one.
    pub fn check(&self) -> Result<(), ToolError> {
        self.summary().map_or(Ok(()), |summary| {
            Err(ToolError::new(
                ErrorCode::Internal,
                format!("{summary}: uses there would be missed"),
            )
            .with_hint(
                Line::from(NextCall::new("reindex").with("force", true))
                    .text(" rebuilds them; then repeat the call"),
            ))
        })
    }

    fn summary(&self) -> Option<String> {
        match self.failed.borrow().len() {
            0 => None,
            1 => Some("the facts of a file cannot be read".to_owned()),
            many => Some(format!("the facts of {many} files cannot be read")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_facts_are_noted_and_refused() {
        let key = |number| FactsKey([number; 16]);
        let errors = ReadErrors::default();
        assert_eq!(errors.record("p", key(1), Ok(Some(7))), Some(7));
        let mut freshness = Freshness::default();
        errors.add_to(&mut freshness);
        assert_eq!(freshness.note, None);
        assert!(errors.check().is_ok());

        let damaged = || Err::<Option<u8>, _>(StoreError::Damaged("torn".to_owned()));
        assert_eq!(errors.record("p", key(2), damaged()), None);
        assert_eq!(errors.record("p", key(2), damaged()), None);
        assert!(
            errors
                .check()
                .expect_err("missing")
                .message
                .to_string()
                .starts_with("the facts of a file cannot be read")
        );
        assert_eq!(errors.record("p", key(3), damaged()), None);
        freshness.add_note("first");
        errors.add_to(&mut freshness);
        let note = freshness.note.expect("said");
        assert!(
            note.to_string()
                .starts_with("first; the facts of 2 files cannot be read, so"),
            "{note}"
        );
    }
}
