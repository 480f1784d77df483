//! `claudevil doctor`: checks everything that can keep claudevil from working, and says what to do.
//!
//! It starts nothing, and leaves everything as it is.

mod checks;
mod installation;
mod serving;

use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use serde::Serialize;

use super::terminal::{BAD, FAINT, GOOD, Terminal, WARN, paint};
use super::{Failure, exit};

pub const EXAMPLES: &str = "\
Examples:
  claudevil doctor         what is wrong, and how to fix it
  claudevil doctor --json  the same for scripts

It starts nothing and changes nothing. Something to fix is exit code 1.";

#[derive(Clone, Debug, Serialize)]
struct Finding {
    check: &'static str,
    verdict: Verdict,
    detail: String,
    /// The remedy, as advice or as a command.
    remedy: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Good,
    Warning,
    Problem,
}

impl Finding {
    fn good(check: &'static str, detail: impl Into<String>) -> Self {
        Self {
            check,
            verdict: Verdict::Good,
            detail: detail.into(),
            remedy: None,
        }
    }

    fn warning(check: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            check,
            verdict: Verdict::Warning,
            detail: detail.into(),
            remedy: Some(remedy.into()),
        }
    }

    fn problem(check: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            check,
            verdict: Verdict::Problem,
            detail: detail.into(),
            remedy: Some(remedy.into()),
        }
    }
}

pub async fn run(paths: Paths, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    let findings = checks::all(&paths).await;
    let problems = findings
        .iter()
        .filter(|finding| finding.verdict == Verdict::Problem)
        .count();
    if terminal.json {
        terminal.json(&serde_json::json!({ "problems": problems, "findings": findings }))?;
    } else {
        for finding in &findings {
            show(finding, terminal)?;
        }
        let warnings = findings
            .iter()
            .filter(|finding| finding.verdict == Verdict::Warning)
            .count();
        terminal.line(match (problems, warnings) {
            (0, 0) => paint(GOOD, "all is well"),
            (0, _) => paint(WARN, format_args!("{warnings} to look at, nothing broken")),
            _ => paint(
                BAD,
                format_args!("{problems} to fix, {warnings} to look at"),
            ),
        })?;
    }
    Ok(exit::failed_if(problems > 0))
}

fn show(finding: &Finding, terminal: &mut Terminal) -> Result<(), Failure> {
    let mark = match finding.verdict {
        Verdict::Good => paint(GOOD, "ok     "),
        Verdict::Warning => paint(WARN, "warning"),
        Verdict::Problem => paint(BAD, "problem"),
    };
    terminal.paragraph(
        24,
        format_args!("{mark}  {:<13}  {}", finding.check, finding.detail),
    )?;
    if let Some(remedy) = &finding.remedy {
        terminal.paragraph(
            11,
            format_args!("         {}", paint(FAINT, format_args!("→ {remedy}"))),
        )?;
    }
    Ok(())
}
