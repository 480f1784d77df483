//! Reports the progress of an index, in answers and to waiting callers.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::freshness::{IndexPhase, IndexProgress};

use crate::index::progress::{Phase, Progress};
use crate::query::Context;

/// Reports the progress of an index that a call waits for, and ends the wait when the call is cancelled.
pub fn report_to_caller(context: &Context) -> impl Fn(Progress) -> Result<(), ToolError> {
    |progress| {
        (context.progress)(
            progress.reached(),
            (progress.total > 0).then_some(progress.total),
            "files indexed",
        );
        context.cancel.check()
    }
}

pub fn to_answer(progress: &Progress) -> IndexProgress {
    IndexProgress {
        phase: match progress.phase {
            Phase::Loading | Phase::Walking => IndexPhase::Scanning,
            Phase::Indexing if progress.is_read() => IndexPhase::Committing,
            Phase::Indexing | Phase::Ready => IndexPhase::Extracting,
            Phase::Embedding => IndexPhase::Embedding,
        },
        done: progress.done,
        total: progress.total,
        rate: progress.rate().unwrap_or_default(),
        eta_seconds: progress.seconds_left(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_read_and_not_stored_are_being_committed() {
        let phase = |phase, done, ready| {
            to_answer(&Progress {
                done,
                ready,
                ..Progress::begin(phase, 500)
            })
            .phase
        };
        assert_eq!(phase(Phase::Walking, 500, 0), IndexPhase::Scanning);
        assert_eq!(phase(Phase::Indexing, 0, 499), IndexPhase::Extracting);
        assert_eq!(phase(Phase::Indexing, 128, 500), IndexPhase::Committing);
        assert_eq!(phase(Phase::Embedding, 0, 500), IndexPhase::Embedding);
    }
}
