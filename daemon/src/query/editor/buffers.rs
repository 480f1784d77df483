//! The texts that one editor session has open. They are in memory only, and no other session sees them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use claudevil_protocol::editor::{BufferAction, BufferChange, BufferState};
use claudevil_protocol::{ErrorCode, ToolError};

use crate::query::Context;
use crate::query::shared::loaded_root::LoadedRoot;
use crate::query::shared::overlay::{BufferText, Overlay};

/// The most bytes of all texts of a session.
const MAX_BYTES: u64 = 64 << 20;

pub struct Buffers {
    /// The most bytes of one text.
    largest: u64,
    state: Mutex<SessionTexts>,
}

#[derive(Default)]
struct SessionTexts {
    revision: u64,
    /// By absolute path.
    texts: BTreeMap<String, Arc<BufferText>>,
    /// The path of a text that is still being received, and its parts so far.
    incoming: Option<(String, String)>,
    /// The latest overlay of each root, by the id of the root.
    overlays: HashMap<u64, Arc<Overlay>>,
}

impl Buffers {
    pub fn new(largest: u64) -> Self {
        Self {
            largest,
            state: Mutex::default(),
        }
    }

    pub fn apply(&self, change: BufferChange) -> Result<BufferState, ToolError> {
        let mut state = self.lock();
        if matches!(change.action, BufferAction::Reset) {
            *state = SessionTexts::default();
        } else if state.revision != change.base {
            return Err(stale());
        }
        let accepted = match change.action {
            BufferAction::Reset => BufferState::Accepted,
            BufferAction::Close { path } => {
                state.texts.remove(&path);
                BufferState::Accepted
            }
            BufferAction::Text {
                path,
                start,
                part,
                total,
            } => {
                if total > self.largest || state.bytes_besides(&path) + total > MAX_BYTES {
                    state.texts.remove(&path);
                    state.incoming = None;
                    BufferState::TooLarge
                } else {
                    let Some(text) = state.join(&path, start, &part, total)? else {
                        return Ok(BufferState::Accepted);
                    };
                    state.texts.insert(path, Arc::new(BufferText::new(text)));
                    BufferState::Accepted
                }
            }
        };
        state.revision = change.revision;
        Ok(accepted)
    }

    /// Returns the snapshot of a root with the texts of this session, as of a revision.
    pub fn overlay(
        &self,
        context: &Context,
        indexed: &LoadedRoot,
        revision: u64,
    ) -> Result<Arc<Overlay>, ToolError> {
        let (texts, known) = {
            let state = self.lock();
            if state.revision != revision {
                return Err(stale());
            }
            (
                state.texts.clone(),
                state.overlays.get(&indexed.root.id).cloned(),
            )
        };
        let is_current = |overlay: &Arc<Overlay>| {
            overlay.revision == revision && Arc::ptr_eq(&overlay.base, &indexed.snapshot)
        };
        if let Some(known) = known.filter(is_current) {
            return Ok(known);
        }
        // The overlay is built without holding the lock, because that extracts facts.
        let texts = texts.iter().map(|(path, text)| (path.as_str(), &**text));
        let overlay = Arc::new(Overlay::new(context, indexed, revision, texts));
        let mut state = self.lock();
        if state.revision == revision {
            let kept = Arc::clone(&overlay);
            state.overlays.insert(indexed.root.id, kept);
        }
        Ok(overlay)
    }

    fn lock(&self) -> MutexGuard<'_, SessionTexts> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionTexts {
    fn bytes_besides(&self, path: &str) -> u64 {
        let others = self.texts.iter().filter(|(other, _)| *other != path);
        others.map(|(_, text)| text.bytes() as u64).sum()
    }

    /// Adds a part to the text that is being received. Returns the text once it is whole.
    fn join(
        &mut self,
        path: &str,
        start: u64,
        part: &str,
        total: u64,
    ) -> Result<Option<String>, ToolError> {
        let mut text = match self.incoming.take() {
            _ if start == 0 => String::new(),
            Some((own, text)) if own == path && text.len() as u64 == start => text,
            _ => return Err(stale()),
        };
        text.push_str(part);
        if text.len() as u64 >= total {
            return Ok(Some(text));
        }
        self.incoming = Some((path.to_owned(), text));
        Ok(None)
    }
}

fn stale() -> ToolError {
    ToolError::new(
        ErrorCode::Stale,
        "the daemon does not have the open texts of this session",
    )
    .with_hint("send them again")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(base: u64, start: u64, part: &str, total: u64) -> BufferChange {
        BufferChange {
            base,
            revision: base + 1,
            action: BufferAction::Text {
                path: "/p/a.rs".to_owned(),
                start,
                part: part.to_owned(),
                total,
            },
        }
    }

    #[test]
    fn a_text_counts_once_its_last_part_is_there() {
        let buffers = Buffers::new(100);
        assert_eq!(
            buffers.apply(text(0, 0, "fn a", 8)),
            Ok(BufferState::Accepted)
        );
        assert!(buffers.lock().texts.is_empty());
        assert_eq!(
            buffers.apply(text(0, 4, "() {", 8)),
            Ok(BufferState::Accepted)
        );
        assert_eq!(buffers.lock().texts["/p/a.rs"].bytes(), 8);
        assert_eq!(buffers.lock().revision, 1);
        let twice = buffers.apply(text(0, 0, "fn b() {}", 9));
        assert_eq!(twice.map_err(|error| error.code), Err(ErrorCode::Stale));
        let gap = buffers.apply(text(1, 3, "x", 9));
        assert_eq!(gap.map_err(|error| error.code), Err(ErrorCode::Stale));
    }

    #[test]
    fn a_text_that_is_too_large_leaves_the_file_to_the_disk() {
        let buffers = Buffers::new(10);
        assert_eq!(
            buffers.apply(text(0, 0, "fn", 2)),
            Ok(BufferState::Accepted)
        );
        assert_eq!(
            buffers.apply(text(1, 0, "fn long", 11)),
            Ok(BufferState::TooLarge)
        );
        assert!(buffers.lock().texts.is_empty());
        assert_eq!(buffers.lock().revision, 2);
        let reset = BufferChange {
            base: 0,
            revision: 9,
            action: BufferAction::Reset,
        };
        assert_eq!(buffers.apply(reset), Ok(BufferState::Accepted));
        assert_eq!(buffers.lock().revision, 9);
    }
}
