//! The text of `reindex`.

use crate::answer::freshness;
use crate::text::one_line;
use crate::text::quantity::{count, duration, grouped};
use crate::tools::reindex::{IndexJob, JobState};

pub fn write(job: &IndexJob) -> String {
    let mut lines = vec![head(job)];
    lines.extend(
        job.settings
            .iter()
            .map(|change| format!("{}: {} -> {}", change.key, change.from, change.to)),
    );
    if job.state.is_over() {
        lines.push(counts(job));
    } else if let Some(progress) = &job.progress {
        lines.push(freshness::progress(progress));
    }
    for problem in &job.problems {
        lines.push(format!(
            "  {}: {}",
            one_line(&problem.path),
            problem.reason.as_str()
        ));
    }
    let unnamed = job.total_problems.saturating_sub(job.problems.len() as u64);
    if unnamed > 0 {
        lines.push(format!(
            "{} more: index_status {{\"root\":\"{}\"}}",
            count(unnamed, "problem"),
            job.root_name
        ));
    }
    if !job.state.is_over() {
        lines.push(format!(
            "it goes on by itself; look with index_status {{\"root\":\"{}\"}}",
            job.root_name
        ));
    }
    lines.join("\n")
}

fn head(job: &IndexJob) -> String {
    let what = match &job.path {
        Some(path) => format!("{} in {}", one_line(path), job.root_name),
        None => job.root_name.clone(),
    };
    let head = format!("reindex of {what}: {}", job.state.as_str());
    match (job.state, &job.failure) {
        (JobState::Failed, Some(why)) => format!("{head}: {}", one_line(why)),
        (JobState::Done, _) => match job.took_millis {
            Some(millis) => format!("{head} in {}", took(millis)),
            None => head,
        },
        _ => format!("{head} (job {})", job.job),
    }
}

/// What became of the files.
pub fn counts(job: &IndexJob) -> String {
    let [changed, unchanged, removed, skipped] =
        [job.changed, job.unchanged, job.removed, job.skipped].map(grouped);
    format!("{changed} changed, {unchanged} unchanged, {removed} removed, {skipped} skipped")
}

/// Short jobs are measured in milliseconds.
pub fn took(millis: u64) -> String {
    if millis < 1000 {
        return format!("{millis} ms");
    }
    duration(i64::try_from(millis).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::{IndexPhase, IndexProgress};
    use crate::answer::index_summary::{SkipReason, SkippedFile};
    use crate::answer::render::render;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;
    use crate::tools::reindex::SettingChange;

    fn job(state: JobState) -> IndexJob {
        IndexJob {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            path: None,
            job: 7,
            state,
            progress: None,
            files_done: 120,
            files_total: Some(6611),
            started: Some(0),
            took_millis: None,
            changed: 12,
            removed: 1,
            unchanged: 6598,
            skipped: 40,
            settings: vec![],
            problems: vec![],
            total_problems: 0,
            failure: None,
            truncated: false,
        }
    }

    #[test]
    fn a_job_says_how_far_it_is_and_what_it_did() {
        let mut running = job(JobState::Running);
        let (phase, rate, eta_seconds) = (IndexPhase::Extracting, 8.25, Some(800));
        running.progress = Some(IndexProgress {
            phase,
            done: 120,
            total: 6611,
            rate,
            eta_seconds,
        });
        let (key, from, to) = ("chunk_size".to_owned(), "800".to_owned(), "400".to_owned());
        running.settings.push(SettingChange { key, from, to });
        insta::assert_snapshot!(running.text().to_string(), @r#"
        reindex of engine: running (job 7)
        chunk_size: 800 -> 400
        extracting 120 of 6,611 files, 8.2 a second, about 13 min left
        it goes on by itself; look with index_status {"root":"engine"}
        "#);
        let mut done = IndexJob {
            took_millis: Some(4200),
            path: Some("src".to_owned()),
            ..job(JobState::Done)
        };
        done.problems.push(SkippedFile {
            path: "src/deep.c".to_owned(),
            reason: SkipReason::ParserCrashed,
        });
        done.total_problems = 3;
        insta::assert_snapshot!(done.text().to_string(), @r#"
        reindex of src in engine: done in 4 s
        12 changed, 6,598 unchanged, 1 removed, 40 skipped
          src/deep.c: parser crashed
        2 problems more: index_status {"root":"engine"}
        "#);
        let failed = IndexJob {
            failure: Some("the disk is full".to_owned()),
            ..job(JobState::Failed)
        };
        assert!(
            failed
                .text()
                .to_string()
                .starts_with("reindex of engine: failed: the disk is full\n")
        );
    }

    #[test]
    fn many_problems_are_cut_and_counted() {
        let mut done = IndexJob {
            took_millis: Some(42),
            total_problems: 400,
            ..job(JobState::Done)
        };
        let problem = |number| SkippedFile {
            path: format!("src/{number}.c"),
            reason: SkipReason::ParserTooSlow,
        };
        done.problems = (0..400).map(problem).collect();
        let text = render(&done, Format::Text, 500);
        assert!(tokens::estimate(&text) <= 500 && text.contains("done in 42 ms"));
        let shown = text
            .lines()
            .filter(|line| line.ends_with("parser too slow"))
            .count();
        assert!(
            text.contains(&format!("\n{} problems more: ", 400 - shown)),
            "{text}"
        );
    }
}
