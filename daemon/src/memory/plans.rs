//! Plans: files that sessions and people change, of which at most one is active.
//!
//! The files themselves say which one is active. If several do, after an edit by hand or a merge, the one that was activated
//! last is.

use claudevil_protocol::answer::note::{SkippedNote, title_of};
use claudevil_protocol::text::moment;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::tools::plan::{PlanEntry, PlanOutcome, PlanStatus};
use claudevil_protocol::{ErrorCode, ToolError};

use super::markdown::{self, Document, FieldChange};
use super::{
    LARGEST, Listing, MarkdownFile, Memory, ReadError, decode, folder_path, read_error, redact,
    save_error, slug,
};
use crate::change::{ChangeError, Changes, FileChange};
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::source::git_dir::Head;
use crate::source::own_folder::{OwnFolder, PutOutcome};
use crate::source::walk::notes::{EARLIER, FOLDERS, PLANS};

/// The folder of plans, and the folder in it of texts that a save has replaced.
const PLAN_FOLDERS: [&str; 3] = [FOLDERS[0], FOLDERS[1], PLANS];
const EARLIER_FOLDERS: [&str; 4] = [FOLDERS[0], FOLDERS[1], PLANS, EARLIER];

/// The most attempts at a change while other writers interfere.
const ATTEMPTS: usize = 8;
/// The most replaced texts of a plan that are kept.
const MAX_EARLIER: usize = 20;
const CANDIDATES: usize = 10;
/// The most bytes of all plans that are read. Further plans are skipped.
const MAX_BYTES: usize = 16 << 20;

/// Changes the plans of a root.
pub struct PlanEditor<'a> {
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
pub struct StoredPlan {
    pub entry: PlanEntry,
    /// Without secrets.
    pub text: String,
    name: String,
    /// The file with its front matter.
    whole: String,
    bytes: Vec<u8>,
    activated: i64,
    /// True if the file says that the plan is active; another may have been activated later.
    says_active: bool,
}

#[derive(Default)]
pub struct PlanList {
    /// The active one, then open and completed ones, the newest first.
    pub plans: Vec<StoredPlan>,
    pub skipped: Vec<SkippedNote>,
}

pub struct PlanChange {
    pub outcome: PlanOutcome,
    pub title: String,
    /// The path of the replaced text.
    pub replaced: Option<String>,
    pub redacted: u64,
}

#[derive(Clone, Copy)]
enum TitleMatch {
    Exact,
    /// A part of the title is enough if only one plan has it.
    Partial,
}

impl PlanList {
    pub fn read(root: &RootDir) -> Self {
        let Listing {
            folder,
            names,
            skipped,
        } = Listing::new(root, &PLAN_FOLDERS);
        let path = plans_path();
        let mut list = Self {
            plans: vec![],
            skipped,
        };
        let Some(folder) = folder else {
            return list;
        };
        let mut bytes = 0;
        for name in names {
            let read = folder
                .read(&name, LARGEST)
                .map_err(|error| read_error(&error))
                .and_then(decode)
                .and_then(|file| {
                    bytes += file.bytes.len();
                    if bytes <= MAX_BYTES {
                        return Ok(file);
                    }
                    let reason = format!("beyond the first {} MB", MAX_BYTES >> 20);
                    Err(ReadError::Skipped(reason))
                });
            match read {
                Ok(file) => list.plans.push(StoredPlan::read(&path, &name, file)),
                Err(ReadError::Gone) => {}
                Err(ReadError::Skipped(reason)) => list.skipped.push(SkippedNote {
                    path: format!("{path}/{name}"),
                    reason,
                }),
            }
        }
        list.settle_active();
        list.plans.sort_by_cached_key(|plan| {
            let updated = std::cmp::Reverse(plan.entry.updated);
            (plan.entry.status, updated, plan.name.clone())
        });
        list
    }

    /// Leaves at most one plan active: the one that was activated last.
    fn settle_active(&mut self) {
        let active = self.plans.iter().enumerate();
        let active = active
            .filter(|(_, plan)| plan.says_active)
            .max_by(|(_, one), (_, other)| {
                (one.activated, &other.name).cmp(&(other.activated, &one.name))
            })
            .map(|(at, plan)| (at, plan.entry.title.clone()));
        let Some((active, title)) = active else {
            return;
        };
        for (at, plan) in self.plans.iter_mut().enumerate() {
            if plan.says_active && at != active {
                plan.entry.status = PlanStatus::Open;
                let remark =
                    format!("it says that it is active, but `{title}` was activated later");
                plan.entry.remark = Some(match plan.entry.remark.take() {
                    Some(other) => format!("{other}; {remark}"),
                    None => remark,
                });
            }
        }
    }

    pub fn active(&self) -> Option<&StoredPlan> {
        self.plans
            .iter()
            .find(|plan| plan.entry.status == PlanStatus::Active)
    }

    /// Returns the plan of a title, or the active one.
    pub fn find(&self, title: Option<&str>) -> Result<&StoredPlan, ToolError> {
        let Some(title) = title else {
            return self
                .active()
                .ok_or_else(|| self.missing("no plan is active".to_owned()));
        };
        self.by_title(title, TitleMatch::Partial)?
            .ok_or_else(|| self.missing(format!("no plan is called `{title}`")))
    }

    fn by_title(&self, title: &str, how: TitleMatch) -> Result<Option<&StoredPlan>, ToolError> {
        let wanted = normalize(title);
        let is_named = |plan: &&StoredPlan| {
            normalize(&plan.entry.title) == wanted
                || matches!(how, TitleMatch::Partial)
                    && plan.name.strip_suffix(".md") == Some(title)
        };
        if let Some(exact) = self.plans.iter().find(is_named) {
            return Ok(Some(exact));
        }
        let TitleMatch::Partial = how else {
            return Ok(None);
        };
        let mut parts = self
            .plans
            .iter()
            .filter(|plan| normalize(&plan.entry.title).contains(&wanted));
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

impl PlanEditor<'_> {
    /// Saves a plan under a title, or replaces the text of the one that has it.
    pub fn save(&self, title: &str, text: &str) -> Result<PlanChange, ToolError> {
        let (title, in_title) = redact(&title.split_whitespace().collect::<Vec<_>>().join(" "));
        let (text, in_text) = redact(text.trim());
        let change = |outcome, replaced| PlanChange {
            outcome,
            title: title.clone(),
            replaced,
            redacted: in_title + in_text,
        };
        self.retry(|list| {
            let Some(plan) = list.by_title(&title, TitleMatch::Exact)? else {
                let status = if list.active().is_some() {
                    PlanStatus::Open
                } else {
                    PlanStatus::Active
                };
                self.create(&title, &text, status)?;
                return Ok(Some(change(PlanOutcome::Created, None)));
            };
            if plan.text.trim() == text && !plan.whole.is_empty() {
                return Ok(Some(change(PlanOutcome::Unchanged, None)));
            }
            let Head { commit, branch } = self.head.clone().unwrap_or_default();
            let fields = [
                self.moment("updated"),
                ("branch", branch),
                ("commit", commit),
            ];
            let replaced = self.keep_earlier(plan)?;
            match self.apply(&[(plan, markdown::rewrite(&plan.whole, &fields, Some(&text)))]) {
                Ok(true) => Ok(Some(change(PlanOutcome::Updated, Some(replaced)))),
                other => {
                    // Nothing was replaced.
                    let name = replaced.rsplit('/').next().unwrap_or_default();
                    let _ = self.earlier_folder().and_then(|folder| folder.remove(name));
                    other.map(|_| None)
                }
            }
        })
    }

    /// Activates a plan, and no other.
    pub fn activate(&self, title: &str) -> Result<PlanChange, ToolError> {
        self.retry(|list| {
            let plan = list.find(Some(title))?;
            let others: Vec<_> = list
                .plans
                .iter()
                .filter(|other| other.says_active && other.name != plan.name)
                .collect();
            let change = |outcome| Some(plan.status_change(outcome));
            if plan.entry.status == PlanStatus::Active && others.is_empty() {
                return Ok(change(PlanOutcome::Unchanged));
            }
            let active = [
                status_field(PlanStatus::Active),
                self.moment("activated"),
                ("completed", None),
            ];
            let open = [status_field(PlanStatus::Open)];
            let mut rewritten = vec![(plan, markdown::rewrite(&plan.whole, &active, None))];
            rewritten.extend(
                others
                    .into_iter()
                    .map(|other| (other, markdown::rewrite(&other.whole, &open, None))),
            );
            Ok(self
                .apply(&rewritten)?
                .then(|| change(PlanOutcome::Activated))
                .flatten())
        })
    }

    /// Completes a plan, or the active one.
    pub fn complete(&self, title: Option<&str>) -> Result<PlanChange, ToolError> {
        self.retry(|list| {
            let plan = list.find(title)?;
            let change = |outcome| Some(plan.status_change(outcome));
            if plan.entry.status == PlanStatus::Completed {
                return Ok(change(PlanOutcome::Unchanged));
            }
            let fields = [
                status_field(PlanStatus::Completed),
                self.moment("completed"),
            ];
            let rewritten = markdown::rewrite(&plan.whole, &fields, None);
            Ok(self
                .apply(&[(plan, rewritten)])?
                .then(|| change(PlanOutcome::Completed))
                .flatten())
        })
    }

    /// Runs a change on the plans as they are, and again while another writer interferes.
    fn retry(
        &self,
        work: impl Fn(&PlanList) -> Result<Option<PlanChange>, ToolError>,
    ) -> Result<PlanChange, ToolError> {
        let lock = self.memory.plan_lock(self.root_id);
        let _guard = lock
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        for _ in 0..ATTEMPTS {
            self.cancel.check()?;
            if let Some(change) = work(&PlanList::read(self.root))? {
                return Ok(change);
            }
        }
        Err(ToolError::new(
            ErrorCode::Busy,
            "the plan kept changing while it was being saved; nothing was changed",
        )
        .with_hint("ask again in a moment"))
    }

    /// Writes a new plan under the first free name.
    fn create(&self, title: &str, text: &str, status: PlanStatus) -> Result<(), ToolError> {
        let now = moment::written(self.now);
        let one = |value: Option<String>| value.into_iter().collect::<Vec<_>>();
        let Head { commit, branch } = self.head.clone().unwrap_or_default();
        let activated = (status == PlanStatus::Active).then(|| now.clone());
        let fields = [
            ("title", vec![title.to_owned()]),
            ("status", vec![status.as_str().to_owned()]),
            ("created", vec![now.clone()]),
            ("updated", vec![now]),
            ("activated", one(activated)),
            ("branch", one(branch)),
            ("commit", one(commit)),
        ];
        let bytes = markdown::write(&fields, text);
        let failed = |error: &std::io::Error| save_error(&plans_path(), error);
        let folder = OwnFolder::create(self.root, &PLAN_FOLDERS).map_err(|error| failed(&error))?;
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
                return Ok(());
            }
        }
        Err(no_free_name(&plans_path()))
    }

    /// Rewrites plans, all or none. Returns false if a file has changed since it was read.
    fn apply(&self, rewritten: &[(&StoredPlan, String)]) -> Result<bool, ToolError> {
        let change = |(plan, text): &(&StoredPlan, String)| FileChange {
            path: plan.entry.path.clone(),
            before: plan.bytes.clone(),
            after: text.clone().into_bytes(),
            new_name: None,
        };
        let files: Vec<_> = rewritten.iter().map(change).collect();
        match self.changes.apply(self.root, &files, self.cancel) {
            Ok(_) => Ok(true),
            Err(ChangeError::Changed { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Copies a plan that is about to be replaced, and removes the oldest copies. Returns the path of the copy.
    fn keep_earlier(&self, plan: &StoredPlan) -> Result<String, ToolError> {
        let path = format!("{}/{EARLIER}", plans_path());
        let failed = |error: &std::io::Error| save_error(&path, error);
        let folder = self.earlier_folder().map_err(|error| failed(&error))?;
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
                kept.retain(|kept| is_copy(kept, stem));
                kept.sort_unstable_by(|one, other| other.cmp(one));
                for old in kept.iter().skip(MAX_EARLIER) {
                    let _ = folder.remove(old);
                }
                return Ok(format!("{path}/{name}"));
            }
        }
        Err(no_free_name(&path))
    }

    fn earlier_folder(&self) -> std::io::Result<OwnFolder> {
        OwnFolder::create(self.root, &EARLIER_FOLDERS)
    }

    fn moment(&self, key: &'static str) -> FieldChange {
        (key, Some(moment::written(self.now)))
    }
}

/// Returns whether a file is a copy of this plan: `docs.2026-11-15-154512.md` is one of `docs`, but
/// `docs.2.2026-11-15-154512.md` is not.
fn is_copy(name: &str, stem: &str) -> bool {
    let rest = name
        .strip_prefix(stem)
        .and_then(|rest| rest.strip_prefix('.'));
    let stamp = rest.and_then(|rest| rest.split('.').next());
    stamp.is_some_and(|stamp| {
        stamp.len() == "2026-11-15-154512".len()
            && stamp
                .bytes()
                .all(|sign| sign.is_ascii_digit() || sign == b'-')
    })
}

fn status_field(status: PlanStatus) -> FieldChange {
    ("status", Some(status.as_str().to_owned()))
}

fn no_free_name(folder: &str) -> ToolError {
    ToolError::new(
        ErrorCode::Internal,
        format!("no free name was found in {folder}; nothing was changed"),
    )
}

fn plans_path() -> String {
    format!("{}/{PLANS}", folder_path())
}

/// Returns a title in lower case with single spaces, for comparison.
fn normalize(title: &str) -> String {
    title
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

impl StoredPlan {
    fn read(folder: &str, name: &str, file: MarkdownFile) -> Self {
        let document = Document::read(&file.text);
        let mut remarks: Vec<String> = file
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
        let created = moment("created").unwrap_or(file.modified);
        // An edit by hand leaves the field as it was.
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
        Self {
            activated: moment("activated").unwrap_or(updated),
            says_active: status == PlanStatus::Active,
            text: redact(document.body.trim()).0,
            name: name.to_owned(),
            whole: file.text.clone(),
            bytes: file.bytes,
            entry,
        }
    }

    /// Returns a change of the status alone.
    fn status_change(&self, outcome: PlanOutcome) -> PlanChange {
        PlanChange {
            outcome,
            title: self.entry.title.clone(),
            replaced: None,
            redacted: 0,
        }
    }
}

#[cfg(all(test, unix))]
#[expect(
    clippy::disallowed_methods,
    reason = "what is on the disk is looked at as others see it"
)]
mod tests;
