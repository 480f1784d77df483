//! Separates the prose of a report from its code, and drops parts that do not describe the fault: comments of templates,
//! checklists, versions.

use std::sync::LazyLock;

use regex::Regex;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Prose,
    Code,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportLine<'a> {
    pub text: &'a str,
    pub kind: LineKind,
}

pub struct Sections<'a>(Vec<ReportLine<'a>>);

impl<'a> Sections<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut lines = vec![];
        let mut fence: Option<&str> = None;
        let mut is_comment = false;
        let mut is_boilerplate = false;
        for line in text.lines() {
            let trimmed = line.trim();
            if let Some(open) = fence {
                if trimmed.starts_with(open) {
                    fence = None;
                } else if !is_boilerplate {
                    lines.push(ReportLine {
                        text: line,
                        kind: LineKind::Code,
                    });
                }
                continue;
            }
            if is_comment || trimmed.starts_with("<!--") {
                is_comment = !trimmed.contains("-->");
                continue;
            }
            if let Some(open) = ["```", "~~~"]
                .into_iter()
                .find(|open| trimmed.starts_with(open))
            {
                let is_closed = trimmed.len() > open.len() && trimmed[open.len()..].contains(open);
                fence = (!is_closed).then_some(open);
                continue;
            }
            if let Some(heading) = heading(trimmed) {
                // The first line is the title, even if it looks like a heading.
                let is_title = lines.is_empty();
                is_boilerplate = !is_title && ENVIRONMENT.is_match(heading);
                if is_boilerplate || !is_title && TEMPLATE.is_match(heading) {
                    continue;
                }
            }
            if is_boilerplate || trimmed.is_empty() || CHECKBOX.is_match(trimmed) {
                continue;
            }
            let is_code = line.starts_with("    ") && !is_list_item(trimmed)
                || line.starts_with('\t')
                || trimmed.starts_with(">>> ")
                || trimmed.starts_with("... ")
                || trimmed.starts_with("$ ");
            lines.push(ReportLine {
                text: line,
                kind: if is_code {
                    LineKind::Code
                } else {
                    LineKind::Prose
                },
            });
        }
        Self(lines)
    }

    pub fn lines(&self) -> &[ReportLine<'a>] {
        &self.0
    }
}

/// Returns the text of a heading: `### Steps to reproduce`, `**Versions**`, `Environment:`.
fn heading(line: &str) -> Option<&str> {
    if let Some(heading) = line.strip_prefix('#') {
        return Some(heading.trim_start_matches('#').trim());
    }
    let bold = line
        .strip_prefix("**")
        .and_then(|line| line.trim_end_matches(':').strip_suffix("**"));
    let colon = || {
        line.strip_suffix(':')
            .filter(|line| line.split_whitespace().count() <= 4)
    };
    bold.or_else(colon)
}

fn is_list_item(line: &str) -> bool {
    line.starts_with("- ")
        || line.starts_with("* ")
        || line
            .split_once(['.', ')'])
            .is_some_and(|(number, _)| number.parse::<u32>().is_ok())
}

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

/// Headings of sections about the reporter's machine: `### Environment`, `**System info**`.
static ENVIRONMENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(environment|versions?|system (info|details|information)|dependenc|installed packages|checklist|before (submitting|opening)|code of conduct|are you willing|additional info)",
    )
});

/// Headings of templates: `Expected behavior`, `Steps to reproduce`.
static TEMPLATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(describe the (bug|issue|problem)|description|(steps|how|code)[ /\w]* to reproduce[\w ]*|reproduc\w+|to reproduce|expected[\w ]*|actual[\w ]*|observed[\w ]*|current behaviou?r|screenshots?|additional context|what happened\??|what[\w' ]+expect[\w ]*\??|bug( report)?|summary|search before asking|issue|problem|configuration|logs?)[:?]?$",
    )
});

static CHECKBOX: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[-*] \[[ xX]\]"));
