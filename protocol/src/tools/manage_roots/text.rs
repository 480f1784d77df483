//! The text of `manage_roots`.

use crate::text::one_line;
use crate::text::quantity::{bytes, count};
use crate::tools::manage_roots::{RootEntry, RootList, RootOutcome};

pub fn write(list: &RootList) -> String {
    let mut text = head(list);
    if list.outcome == RootOutcome::Listed {
        for root in &list.roots {
            text.push('\n');
            text.push_str(&line(root));
        }
        let left_out = list.total - list.roots.len() as u64;
        if left_out > 0 {
            text.push_str(&format!(
                "\n{left_out} more: manage_roots {{\"action\":\"list\",\"max_tokens\":10000}}"
            ));
        }
    }
    text
}

fn head(list: &RootList) -> String {
    let subject = list.subject.as_ref().map(line).unwrap_or_default();
    match list.outcome {
        RootOutcome::Listed if list.total == 0 => {
            "no roots yet: a project is added when it is first asked about, or with manage_roots \
             {\"action\":\"add\",\"path\":\"/absolute/path\"}"
                .to_owned()
        }
        RootOutcome::Listed => count(list.total, "root"),
        RootOutcome::Added => format!("added {subject}"),
        RootOutcome::Updated => format!("updated {subject}"),
        RootOutcome::Unchanged => format!("already known: {subject}"),
        RootOutcome::Removed => {
            format!(
                "removed {subject}; freed {}; its files are untouched",
                bytes(list.freed_bytes.unwrap_or(0))
            )
        }
    }
}

fn line(root: &RootEntry) -> String {
    let mut line = format!("{}  {}", root.name, one_line(&root.path));
    for (label, globs) in [("include", &root.include), ("exclude", &root.exclude)] {
        if !globs.is_empty() {
            line = format!("{line}  {label} {}", one_line(&globs.join(" ")));
        }
    }
    for (label, value) in [("chunk_size", root.chunk_size), ("overlap", root.overlap)] {
        if let Some(value) = value {
            line = format!("{line}  {label} {value}");
        }
    }
    if let Some(why) = &root.unavailable {
        line = format!("{line}  unavailable: {why}");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Answer;
    use crate::tools::manage_roots::RootAction;

    fn root(name: &str) -> RootEntry {
        RootEntry {
            name: name.to_owned(),
            path: format!("/home/ada/{name}"),
            include: vec![],
            exclude: vec!["*.gen.go".to_owned()],
            chunk_size: None,
            overlap: None,
            added: 0,
            unavailable: None,
        }
    }

    fn list(outcome: RootOutcome, roots: Vec<RootEntry>) -> RootList {
        let (subject, total) = (roots.first().cloned(), roots.len() as u64);
        let action = RootAction::List;
        RootList {
            action,
            subject,
            outcome,
            freed_bytes: Some(4123),
            total,
            roots,
            truncated: false,
        }
    }

    #[test]
    fn roots_read_one_a_line() {
        insta::assert_snapshot!(list(RootOutcome::Listed, vec![root("engine"), root("notes")]).text().to_string(), @r"
        2 roots
        engine  /home/ada/engine  exclude *.gen.go
        notes  /home/ada/notes  exclude *.gen.go
        ");
    }

    #[test]
    fn a_removal_says_what_it_freed() {
        insta::assert_snapshot!(
            list(RootOutcome::Removed, vec![root("engine")]).text().to_string(),
            @"removed engine  /home/ada/engine  exclude *.gen.go; freed 4.1 KB; its files are untouched"
        );
    }
}
