//! `plan`: shows, lists and changes the plans of a root.

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::plan::{Plan, PlanAction, PlanOutcome, Plans};
use claudevil_protocol::tools::recall::RecalledNotes;

use super::Context;
use crate::clock;
use crate::memory::plans::{PlanChange, PlanEditor, PlanList};
use crate::source::beneath::RootDir;
use crate::source::git;

pub fn plan(context: &Context, params: &Plan) -> Result<Plans, ToolError> {
    let Context {
        memory, changes, ..
    } = *context;
    let root = context.roots.resolve(context.call)?.root;
    let dir = RootDir::open(root.path.as_ref(), &root.name)?;
    context.cancel.check()?;
    let editor = || PlanEditor {
        memory,
        changes,
        root: &dir,
        root_id: root.id,
        cancel: context.cancel,
        head: git::head(root.path.as_ref()),
        now: clock::now(),
    };
    let (title, text) = (
        params.title.as_deref(),
        params.text.as_deref().unwrap_or_default(),
    );
    let change = match params.action {
        PlanAction::Save => Some(editor().save(title.unwrap_or_default(), text)?),
        PlanAction::Activate => Some(editor().activate(title.unwrap_or_default())?),
        PlanAction::Complete => Some(editor().complete(title)?),
        PlanAction::Show | PlanAction::List => None,
    };
    let list = PlanList::read(&dir);
    let mut answer = Plans {
        root: root.path,
        root_name: root.name,
        max_tokens: params.common().max_tokens,
        action: params.action,
        active: list.active().map(|plan| plan.entry.title.clone()),
        skipped_total: list.skipped.len() as u64,
        skipped: list
            .skipped
            .iter()
            .take(RecalledNotes::SKIPPED_SHOWN)
            .cloned()
            .collect(),
        total: list.plans.len() as u64,
        ..Plans::default()
    };
    if params.action == PlanAction::List {
        answer.outcome = PlanOutcome::Listed;
        answer.plans = list.plans.into_iter().map(|plan| plan.entry).collect();
        return Ok(answer);
    }
    let title = change
        .as_ref()
        .map(|change| change.title.as_str())
        .or(title);
    // Fails if the plan was moved away in the meantime.
    let found = list.find(title)?;
    answer.plan = Some(found.entry.clone());
    answer.text =
        matches!(params.action, PlanAction::Save | PlanAction::Show).then(|| found.text.clone());
    if let Some(PlanChange {
        outcome,
        replaced,
        redacted,
        ..
    }) = change
    {
        (answer.outcome, answer.replaced, answer.redacted) = (outcome, replaced, redacted);
    }
    Ok(answer)
}
