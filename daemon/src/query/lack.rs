//! Facts that were needed for an answer and could not be had: the answer says so, and nothing is changed by it.

use std::cell::RefCell;
use std::collections::HashSet;

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::{ErrorCode, ToolError};

use crate::store::error::StoreError;
use crate::store::ledger::record::FactsKey;

/// Of one call.
#[derive(Default)]
pub struct Lack {
    failed: RefCell<HashSet<FactsKey>>,
}

impl Lack {
    /// What cannot be had is missing from now on.
    pub fn noted<T>(
        &self,
        root: &str,
        key: FactsKey,
        had: Result<Option<T>, StoreError>,
    ) -> Option<T> {
        had.unwrap_or_else(|error| {
            if self.failed.borrow_mut().insert(key) {
                tracing::warn!(%error, root, "the uses of names in a file cannot be read");
            }
            None
        })
    }

    /// Says so in an answer, once all of it has been looked for.
    pub fn add_to(&self, freshness: &mut Freshness) {
        if let Some(lack) = self.said() {
            freshness.add_note(
                Line::from(format!("{lack}, so uses there are missing: "))
                    .call(NextCall::new("reindex").with("force", true))
                    .text(" makes them again"),
            );
        }
    }

    /// Fails where something is missing: what is about to be done needs all of it.
    pub fn refuse(&self) -> Result<(), ToolError> {
        self.said().map_or(Ok(()), |lack| {
            Err(ToolError::new(
                ErrorCode::Internal,
                format!("{lack}: uses there would be missed"),
            )
            .with_hint(
                Line::from(NextCall::new("reindex").with("force", true))
                    .text(" makes them again; then rename"),
            ))
        })
    }

    fn said(&self) -> Option<String> {
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
    fn what_is_missing_is_said_and_refused() {
        let key = |number| FactsKey([number; 16]);
        let lack = Lack::default();
        assert_eq!(lack.noted("p", key(1), Ok(Some(7))), Some(7));
        let mut freshness = Freshness::default();
        lack.add_to(&mut freshness);
        assert_eq!(freshness.note, None);
        assert!(lack.refuse().is_ok());

        let damaged = || Err::<Option<u8>, _>(StoreError::Damaged("torn".to_owned()));
        assert_eq!(lack.noted("p", key(2), damaged()), None);
        assert_eq!(lack.noted("p", key(2), damaged()), None);
        assert!(
            lack.refuse()
                .expect_err("missing")
                .message
                .to_string()
                .starts_with("the facts of a file cannot be read")
        );
        assert_eq!(lack.noted("p", key(3), damaged()), None);
        freshness.add_note("first");
        lack.add_to(&mut freshness);
        let note = freshness.note.expect("said");
        assert!(
            note.to_string()
                .starts_with("first; the facts of 2 files cannot be read, so"),
            "{note}"
        );
    }
}
