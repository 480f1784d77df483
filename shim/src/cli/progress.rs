//! Progress of a job, for a person who waits: a bar that is redrawn on a terminal, a line now and then elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use claudevil_protocol::answer::freshness::rate;
use claudevil_protocol::call::Progress;
use claudevil_protocol::text::quantity::{duration, grouped};

const WIDTH: usize = 24;
/// Interval between lines where nothing can be redrawn.
const LINE_PAUSE: Duration = Duration::from_secs(5);
/// Minimum time over which a rate is meaningful.
const FIRST_RATE: Duration = Duration::from_secs(1);

pub struct Bar {
    is_terminal: bool,
    started: Instant,
    /// The number of items that were done when watching began.
    first_done: Option<u64>,
    last_line: Option<Instant>,
    is_drawn: bool,
}

impl Bar {
    pub fn new() -> Self {
        Self {
            is_terminal: io::stderr().is_terminal(),
            started: Instant::now(),
            first_done: None,
            last_line: None,
            is_drawn: false,
        }
    }

    pub fn report(&mut self, progress: &Progress) {
        let first = *self.first_done.get_or_insert(progress.done);
        let text = describe(
            progress,
            progress.done.saturating_sub(first),
            self.started.elapsed(),
        );
        if self.is_terminal {
            self.is_drawn = true;
            // A closed standard error is ignored. Without a total there is no bar.
            let bar = progress
                .total
                .map_or_else(String::new, |_| format!("{} ", bar(progress)));
            let _ = write!(io::stderr(), "\r\x1b[K{bar}{text}");
        } else if self
            .last_line
            .is_none_or(|last| last.elapsed() >= LINE_PAUSE)
        {
            self.last_line = Some(Instant::now());
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    /// Clears the line for the next output.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn bar(progress: &Progress) -> String {
    let total = progress.total.unwrap_or(0).max(1);
    let filled = usize::try_from(progress.done.min(total) * WIDTH as u64 / total).unwrap_or(WIDTH);
    format!("[{}{}]", "#".repeat(filled), ".".repeat(WIDTH - filled))
}

/// Returns e.g. `1,234 of 6,611 files  210 a second  25 s left`.
fn describe(progress: &Progress, done_since: u64, elapsed: Duration) -> String {
    let mut text = match progress.total {
        Some(total) => format!(
            "{} of {} {}",
            grouped(progress.done),
            grouped(total),
            progress.message
        ),
        None => format!("{} {}", grouped(progress.done), progress.message),
    };
    if elapsed < FIRST_RATE || done_since == 0 {
        return text;
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate for the eye")]
    let per_second = done_since as f64 / elapsed.as_secs_f64();
    text = format!("{text}  {} a second", rate(per_second));
    if let Some(left) = progress
        .total
        .and_then(|total| total.checked_sub(progress.done))
    {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "a guess for the eye"
        )]
        let millis = (left as f64 / per_second * 1000.0) as i64;
        text = format!("{text}  {} left", duration(millis));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_and_the_rest_is_guessed_from_what_was_seen() {
        let at = |done, total| Progress {
            sequence: 1,
            done,
            total,
            message: "files".to_owned(),
        };
        assert_eq!(bar(&at(0, None)), format!("[{}]", ".".repeat(24)));
        assert_eq!(
            bar(&at(50, Some(100))),
            format!("[{}{}]", "#".repeat(12), ".".repeat(12))
        );
        assert_eq!(bar(&at(900, Some(100))), format!("[{}]", "#".repeat(24)));
        let seconds = Duration::from_secs(10);
        assert_eq!(
            describe(&at(1500, Some(6500)), 1000, seconds),
            "1,500 of 6,500 files  100 a second  50 s left"
        );
        assert_eq!(
            describe(&at(1500, None), 1000, seconds),
            "1,500 files  100 a second"
        );
        assert_eq!(
            describe(&at(1500, Some(6500)), 0, seconds),
            "1,500 of 6,500 files"
        );
    }
}
