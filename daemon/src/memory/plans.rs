//! Plans: files that are changed by sessions and by people, of which at most one is active.
//!
//! Which one that is stands in the files themselves. Where several say so, by hand or after a merge, it is the one that
//! was activated last, so that there is never more than one whatever the files say.

use claudevil_protocol::answer::note::{SkippedNote, title_of};
use claudevil_protocol::text::moment;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::tools::plan::{PlanEntry, PlanOutcome, PlanStatus};
use claudevil_protocol::{ErrorCode, ToolError};

use super::markdown::{self, Document, Set};
use super::{Memory, Text, folder_path, redact, shelf, slug, trouble};
use crate::change::{ChangeError, Changes, Edit, Expected, FileChange};
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::source::git_dir::Head;
use crate::source::own_folder::{OwnFolder, PutOutcome};
use crate::source::walk::notes::{EARLIER, FOLDERS, PLANS};

/// How often a change is tried again because somebody was faster.
const ATTEMPTS: usize = 8;
/// So many texts that were replaced are kept of a plan.
const MOST_EARLIER: usize = 20;
const CANDIDATES: usize = 10;

/// The plans of a root, and what is needed to change them.
pub struct Desk<'a> {
    pub memory: &'a Memory,
    pub changes: &'a Changes,
    pub root: &'a RootDir,
    pub root_id: u64,
    pub cancel: &'a CancelToken,
    pub head: Option<Head>,
    pub now: i64,
}

/// A plan as it is on the disk.
#[derive(Clone, Debug)]
pub struct Found {
    pub entry: PlanEntry,
    /// Without secrets.
    pub text: String,
    name: String,
    whole: String,
    bytes: Vec<u8>,
    activated: i64,
    says_active: bool,
}

#[derive(Default)]
pub struct Shown {
    /// The active one, then open and completed ones, the newest first.
    pub plans: Vec<Found>,
    pub skipped: Vec<SkippedNote>,
}

pub struct Done {
    pub outcome: PlanOutcome,
    pub title: String,
    /// Where the text lies that was there before.
    pub replaced: Option<String>,
    pub redacted: u64,
}

/// Which plan is meant.
#[derive(Clone, Copy)]
enum Match {
    Title,
    /// A part of the title will do where only one has it.
    Part,
}

pub fn all(root: &RootDir) -> Shown {
    let path = plans_path();
    let shelf = shelf(root, &[FOLDERS[0], FOLDERS[1], PLANS]);
    let mut plans: Vec<_> = shelf
        .files
        .into_iter()
        .map(|(name, text)| read(&path, &name, text))
        .collect();
    let active = plans
        .iter()
        .enumerate()
        .filter(|(_, plan)| plan.says_active);
    let active = active.max_by(|(_, one), (_, other)| {
        (one.activated, &other.name).cmp(&(other.activated, &one.name))
    });
    let active = active.map(|(at, plan)| (at, plan.entry.title.clone()));
    for (at, plan) in plans.iter_mut().enumerate() {
        if let Some((_, title)) = active
            .as_ref()
            .filter(|(active, _)| plan.says_active && *active != at)
        {
            plan.entry.status = PlanStatus::Open;
            let remark = format!("it says that it is active, but `{title}` was activated later");
            plan.entry.remark = Some(
                plan.entry
                    .remark
                    .take()
                    .map_or(remark.clone(), |other| format!("{other}; {remark}")),
            );
        }
    }
    plans.sort_by(|one, other| {
        let key = |plan: &Found| {
            (
                plan.entry.status,
                std::cmp::Reverse(plan.entry.updated),
                plan.name.clone(),
            )
        };
        key(one).cmp(&key(other))
    });
    Shown {
        plans,
        skipped: shelf.skipped,
    }
}

impl Shown {
    pub fn active(&self) -> Option<&Found> {
        self.plans
            .iter()
            .find(|plan| plan.entry.status == PlanStatus::Active)
    }

    /// The plan of a title, or the active one.
    pub fn find(&self, title: Option<&str>) -> Result<&Found, ToolError> {
        let Some(title) = title else {
            return self
                .active()
                .ok_or_else(|| self.missing("no plan is active".to_owned()));
        };
        self.by_title(title, Match::Part)?
            .ok_or_else(|| self.missing(format!("no plan is called `{title}`")))
    }

    fn by_title(&self, title: &str, how: Match) -> Result<Option<&Found>, ToolError> {
        let wanted = plain(title);
        let is_named = |plan: &&Found| {
            plain(&plan.entry.title) == wanted
                || matches!(how, Match::Part) && plan.name.strip_suffix(".md") == Some(title)
        };
        if let Some(exact) = self.plans.iter().find(is_named) {
            return Ok(Some(exact));
        }
        let Match::Part = how else { return Ok(None) };
        let mut parts = self
            .plans
            .iter()
            .filter(|plan| plain(&plan.entry.title).contains(&wanted));
        match (parts.next(), parts.next()) {
            (Some(_), Some(_)) => {
                Err(self.missing(format!("several plans have `{title}` in their title")))
            }
            (only, _) => Ok(only),
        }
    }

    fn missing(&self, message: String) -> ToolError {
        let titles: Vec<_> = self
            .plans
            .iter()
            .take(CANDIDATES)
            .map(|plan| plan.entry.title.clone())
            .collect();
        let hint = if titles.is_empty() {
            let call = NextCall::new("plan")
                .with("action", "save")
                .with("title", "…")
                .with("text", "…");
            Line::from("no plan is saved yet: ")
                .call(call)
                .text(" saves one")
        } else {
            Line::from("give one of the titles; ")
                .call(NextCall::new("plan").with("action", "list"))
                .text(" shows all")
        };
        ToolError::invalid_argument(message)
            .with_candidates(titles)
            .with_hint(hint)
    }
}

impl Desk<'_> {
    /// Keeps a plan under a title, or gives the one that is there another text.
    pub fn save(&self, title: &str, text: &str) -> Result<Done, ToolError> {
        let (title, in_title) = redact(&title.split_whitespace().collect::<Vec<_>>().join(" "));
        let (text, in_text) = redact(text.trim());
        let done = |outcome, replaced| Done {
            outcome,
            title: title.clone(),
            replaced,
            redacted: in_title + in_text,
        };
        self.in_turn(|shown| {
            let Some(plan) = shown.by_title(&title, Match::Title)? else {
                let status = if shown.active().is_some() {
                    PlanStatus::Open
                } else {
                    PlanStatus::Active
                };
                return Ok(self
                    .create(&title, &text, status)?
                    .then(|| done(PlanOutcome::Created, None)));
            };
            if plan.text.trim() == text && !plan.whole.is_empty() {
                return Ok(Some(done(PlanOutcome::Unchanged, None)));
            }
            let fields = [
                self.moment("updated"),
                ("branch", self.branch()),
                ("commit", self.commit()),
            ];
            let replaced = self.keep_earlier(plan)?;
            match self.apply(&[(plan, markdown::rewrite(&plan.whole, &fields, Some(&text)))]) {
                Ok(true) => Ok(Some(done(PlanOutcome::Updated, Some(replaced)))),
                other => {
                    // Nothing was replaced, so nothing has to be kept.
                    let name = replaced.rsplit('/').next().unwrap_or_default();
                    let _ = self.earlier().and_then(|folder| folder.remove(name));
                    other.map(|_| None)
                }
            }
        })
    }

    /// Makes a plan the active one, and no other.
    pub fn activate(&self, title: &str) -> Result<Done, ToolError> {
        self.in_turn(|shown| {
            let plan = shown.find(Some(title))?;
            let others: Vec<_> = shown
                .plans
                .iter()
                .filter(|other| other.says_active && other.name != plan.name)
                .collect();
            let done = |outcome| {
                Some(Done {
                    outcome,
                    title: plan.entry.title.clone(),
                    replaced: None,
                    redacted: 0,
                })
            };
            if plan.entry.status == PlanStatus::Active && others.is_empty() {
                return Ok(done(PlanOutcome::Unchanged));
            }
            let active = [
                to_status(PlanStatus::Active),
                self.moment("activated"),
                ("completed", Set::Gone),
            ];
            let open = [to_status(PlanStatus::Open)];
            let mut rewritten = vec![(plan, markdown::rewrite(&plan.whole, &active, None))];
            rewritten.extend(
                others
                    .into_iter()
                    .map(|other| (other, markdown::rewrite(&other.whole, &open, None))),
            );
            Ok(self
                .apply(&rewritten)?
                .then(|| done(PlanOutcome::Activated))
                .flatten())
        })
    }

    /// Marks a plan, or the active one, as done.
    pub fn complete(&self, title: Option<&str>) -> Result<Done, ToolError> {
        self.in_turn(|shown| {
            let plan = shown.find(title)?;
            let done = |outcome| {
                Some(Done {
                    outcome,
                    title: plan.entry.title.clone(),
                    replaced: None,
                    redacted: 0,
                })
            };
            if plan.entry.status == PlanStatus::Completed {
                return Ok(done(PlanOutcome::Unchanged));
            }
            let fields = [to_status(PlanStatus::Completed), self.moment("completed")];
            let rewritten = markdown::rewrite(&plan.whole, &fields, None);
            Ok(self
                .apply(&[(plan, rewritten)])?
                .then(|| done(PlanOutcome::Completed))
                .flatten())
        })
    }

    /// Does something with the plans as they are, and again with how they are then, while somebody else is faster.
    fn in_turn(
        &self,
        work: impl Fn(&Shown) -> Result<Option<Done>, ToolError>,
    ) -> Result<Done, ToolError> {
        let turn = self.memory.turn(self.root_id);
        let _turn = turn
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        for _ in 0..ATTEMPTS {
            self.cancel.check()?;
            if let Some(done) = work(&all(self.root))? {
                return Ok(done);
            }
        }
        Err(ToolError::new(
            ErrorCode::Busy,
            "the plan is being edited over and over; nothing was changed",
        )
        .with_hint("ask again in a moment"))
    }

    /// Whether the name was still free.
    fn create(&self, title: &str, text: &str, status: PlanStatus) -> Result<bool, ToolError> {
        let now = moment::written(self.now);
        let one = |value: Option<String>| value.into_iter().collect::<Vec<_>>();
        let head = self.head.clone();
        let activated = (status == PlanStatus::Active).then(|| now.clone());
        let fields = [
            ("title", vec![title.to_owned()]),
            ("status", vec![status.as_str().to_owned()]),
            ("created", vec![now.clone()]),
            ("updated", vec![now]),
            ("activated", one(activated)),
            (
                "branch",
                one(head.as_ref().and_then(|head| head.branch.clone())),
            ),
            ("commit", one(head.and_then(|head| head.commit))),
        ];
        let bytes = markdown::write(&fields, text);
        let failed = |error: &std::io::Error| trouble(&plans_path(), error);
        let folder = OwnFolder::create(self.root, &[FOLDERS[0], FOLDERS[1], PLANS])
            .map_err(|error| failed(&error))?;
        let slug = Some(slug(title))
            .filter(|slug| !slug.is_empty())
            .unwrap_or_else(|| "plan".to_owned());
        let names = std::iter::once(format!("{slug}.md"))
            .chain((2..100).map(|number| format!("{slug}-{number}.md")));
        for name in names {
            if folder
                .put(&name, bytes.as_bytes())
                .map_err(|error| failed(&error))?
                == PutOutcome::Done
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether all files still were what was read.
    fn apply(&self, rewritten: &[(&Found, String)]) -> Result<bool, ToolError> {
        let change = |(plan, text): &(&Found, String)| FileChange {
            path: plan.entry.path.clone(),
            expected: Expected::Bytes(plan.bytes.clone()),
            edits: vec![Edit {
                range: 0..plan.bytes.len(),
                replacement: text.clone(),
            }],
            new_name: None,
        };
        let files: Vec<_> = rewritten.iter().map(change).collect();
        match self.changes.apply(self.root, &files, self.cancel) {
            Ok(_) => Ok(true),
            Err(ChangeError::Changed { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps what is about to be replaced, and the last of what was before.
    fn keep_earlier(&self, plan: &Found) -> Result<String, ToolError> {
        let path = format!("{}/{EARLIER}", plans_path());
        let failed = |error: &std::io::Error| trouble(&path, error);
        let folder = self.earlier().map_err(|error| failed(&error))?;
        let stem = plan.name.strip_suffix(".md").unwrap_or(&plan.name);
        let stamp = moment::written(self.now)
            .replace('T', "-")
            .replace([':', 'Z'], "");
        let names = std::iter::once(format!("{stem}.{stamp}.md"))
            .chain((2..1000).map(|number| format!("{stem}.{stamp}.{number}.md")));
        for name in names {
            if folder
                .put(&name, &plan.bytes)
                .map_err(|error| failed(&error))?
                == PutOutcome::Done
            {
                let mut kept = folder.names(usize::MAX).unwrap_or_default();
                // Not those of a plan whose name goes on where this one's ends.
                let is_own =
                    |kept: &str| kept.strip_prefix(stem)?.strip_prefix('.')?.chars().next();
                kept.retain(|kept| is_own(kept).is_some_and(|first| first.is_ascii_digit()));
                kept.sort_unstable_by(|one, other| other.cmp(one));
                for old in kept.iter().skip(MOST_EARLIER) {
                    let _ = folder.remove(old);
                }
                return Ok(format!("{path}/{name}"));
            }
        }
        Err(ToolError::new(
            ErrorCode::Internal,
            format!("no free name was found in {path}; nothing was changed"),
        ))
    }

    fn earlier(&self) -> std::io::Result<OwnFolder> {
        OwnFolder::create(self.root, &[FOLDERS[0], FOLDERS[1], PLANS, EARLIER])
    }

    fn moment(&self, key: &'static str) -> (&'static str, Set) {
        (key, Set::To(moment::written(self.now)))
    }

    fn branch(&self) -> Set {
        self.head
            .as_ref()
            .and_then(|head| head.branch.clone())
            .map_or(Set::Gone, Set::To)
    }

    fn commit(&self) -> Set {
        self.head
            .as_ref()
            .and_then(|head| head.commit.clone())
            .map_or(Set::Gone, Set::To)
    }
}

fn to_status(status: PlanStatus) -> (&'static str, Set) {
    ("status", Set::To(status.as_str().to_owned()))
}

fn plans_path() -> String {
    format!("{}/{PLANS}", folder_path())
}

/// Titles are the same but for case and spaces.
fn plain(title: &str) -> String {
    title
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

fn read(folder: &str, name: &str, kept: Text) -> Found {
    let document = Document::read(&kept.text);
    let mut remarks: Vec<String> = kept
        .remark
        .iter()
        .chain(&document.remark)
        .cloned()
        .collect();
    let moment = |key: &str| document.one(key).and_then(moment::read);
    let status = match document.one("status").map(str::to_lowercase).as_deref() {
        Some("active") => PlanStatus::Active,
        Some("completed" | "complete" | "done") => PlanStatus::Completed,
        Some("open") | None => PlanStatus::Open,
        Some(other) => {
            remarks.push(format!(
                "its status `{}` is not known, so it counts as open",
                other.chars().take(40).collect::<String>()
            ));
            PlanStatus::Open
        }
    };
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let title = document
        .one("title")
        .unwrap_or_else(|| title_of(document.body));
    let title: String = if title.is_empty() { stem } else { title }
        .chars()
        .filter(|letter| !letter.is_control())
        .take(120)
        .collect();
    let created = moment("created").unwrap_or(kept.modified);
    // Who edits by hand does not keep the time of it.
    let updated = moment("updated").unwrap_or(created);
    let entry = PlanEntry {
        title: redact(&title).0,
        path: format!("{folder}/{name}"),
        status,
        created,
        updated,
        completed: moment("completed").filter(|_| status == PlanStatus::Completed),
        commit: document.one("commit").map(str::to_owned),
        branch: document.one("branch").map(str::to_owned),
        remark: (!remarks.is_empty()).then(|| remarks.join("; ")),
    };
    Found {
        activated: moment("activated").unwrap_or(updated),
        says_active: status == PlanStatus::Active,
        text: redact(document.body.trim()).0,
        name: name.to_owned(),
        whole: kept.text.clone(),
        bytes: kept.bytes,
        entry,
    }
}

#[cfg(all(test, unix))]
#[expect(
    clippy::disallowed_methods,
    reason = "what is on the disk is looked at as others see it"
)]
mod tests;
