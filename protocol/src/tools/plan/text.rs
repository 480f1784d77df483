//! The text of `plan`: one plan with its text, or all of them by a line each.

use crate::answer::note::text::{checkout, fenced, remark, skipped, whole};
use crate::text::NextCall;
use crate::text::quantity::{count, grouped};
use crate::text::tokens::MOST_TOKENS;
use crate::text::{leading, moment, one_line};
use crate::tools::Tool;
use crate::tools::checkpoint::text::redacted;
use crate::tools::plan::{Plan, PlanEntry, PlanOutcome, PlanStatus, Plans};

pub fn write(plans: &Plans) -> String {
    let mut lines = vec![head(plans)];
    lines.extend(
        plans
            .plan
            .as_ref()
            .and_then(|plan| remark(plan.remark.as_deref())),
    );
    if let (Some(text), PlanOutcome::Shown) = (&plans.text, plans.outcome) {
        lines.extend(fenced(text));
        if let (true, Some(plan)) = (plans.cut, &plans.plan) {
            lines.push(whole(&plan.path, &plans.root_name));
        }
    }
    for plan in &plans.plans {
        lines.push(line(plan));
        lines.extend(remark(plan.remark.as_deref()));
    }
    lines.extend(
        plans
            .replaced
            .as_ref()
            .map(|path| format!("the text before is kept in {}", one_line(path))),
    );
    lines.extend(redacted(plans.redacted));
    lines.extend(skipped(plans.skipped_total, &plans.skipped));
    lines.extend(next(plans));
    lines.join("\n")
}

/// What was done, or how many there are.
pub fn head(plans: &Plans) -> String {
    let root = &plans.root_name;
    let Some(plan) = &plans.plan else {
        return match plans.total {
            0 => format!(
                "0 plans in {root}: none is kept yet; plan {{\"action\":\"save\",\"title\":\"…\",\"text\":\"…\"}} keeps one"
            ),
            total => format!("{} in {root}", count(total, "plan")),
        };
    };
    let done = match plans.outcome {
        PlanOutcome::Shown | PlanOutcome::Listed => "plan",
        PlanOutcome::Created => "saved a new plan:",
        PlanOutcome::Updated => "saved again:",
        PlanOutcome::Unchanged => "unchanged:",
        PlanOutcome::Activated => "activated:",
        PlanOutcome::Completed => "completed:",
    };
    format!("{done} {} in {root}", line(plan))
}

/// `The lexer (active)  path  updated 2026-11-15 15:45  main@1a2b3c4`.
pub fn line(plan: &PlanEntry) -> String {
    let mut parts = vec![
        format!("{} ({})", leading(&plan.title), plan.status.as_str()),
        one_line(&plan.path),
    ];
    parts.push(
        match plan
            .completed
            .filter(|_| plan.status == PlanStatus::Completed)
        {
            Some(completed) => format!("completed {}", moment::minute(completed)),
            None => format!("updated {}", moment::minute(plan.updated)),
        },
    );
    parts.extend(checkout(plan.branch.as_deref(), plan.commit.as_deref()));
    parts.join("  ")
}

fn next(plans: &Plans) -> Option<String> {
    let root = plans.root_name.as_str();
    let call = |action: &str| NextCall::new(Plan::NAME).with("action", action);
    match (&plans.plan, plans.outcome) {
        (None, _) => {
            let left_out = plans.total.saturating_sub(plans.plans.len() as u64);
            (left_out > 0).then(|| {
                format!(
                    "{} more: {}",
                    grouped(left_out),
                    call("list").with_budget(MOST_TOKENS).with("root", root)
                )
            })
        }
        (Some(plan), PlanOutcome::Created | PlanOutcome::Updated)
            if plan.status != PlanStatus::Active =>
        {
            let active = plans.active.as_ref().map_or_else(
                || "no plan is active".to_owned(),
                |active| format!("`{}` is active", one_line(active)),
            );
            Some(format!(
                "{active}; to work on this one: {}",
                call("activate")
                    .with("title", plan.title.as_str())
                    .with("root", root)
            ))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::render::render;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;
    use crate::tools::plan::PlanAction;

    fn entry(title: &str, status: PlanStatus) -> PlanEntry {
        PlanEntry {
            title: title.to_owned(),
            path: format!(
                ".claudevil/memories/plans/{}.md",
                title.to_lowercase().replace(' ', "-")
            ),
            status,
            updated: 1_794_757_512_000,
            completed: (status == PlanStatus::Completed).then_some(1_794_757_512_000),
            branch: Some("main".to_owned()),
            ..PlanEntry::default()
        }
    }

    fn plans(outcome: PlanOutcome, plan: Option<PlanEntry>) -> Plans {
        Plans {
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            action: PlanAction::Show,
            outcome,
            text: plan
                .as_ref()
                .map(|_| "- [x] lexer\n- [ ] parser".to_owned()),
            plan,
            ..Plans::default()
        }
    }

    #[test]
    fn a_plan_is_shown_with_its_text() {
        insta::assert_snapshot!(plans(PlanOutcome::Shown, Some(entry("The lexer", PlanStatus::Active))).text().to_string(), @r"
        plan The lexer (active)  .claudevil/memories/plans/the-lexer.md  updated 2026-11-15 15:45  main in engine
        ```
        - [x] lexer
        - [ ] parser
        ```
        ");
        let saved = Plans {
            active: Some("The lexer".to_owned()),
            replaced: Some(".claudevil/memories/plans/earlier/a.md".to_owned()),
            ..plans(PlanOutcome::Updated, Some(entry("Docs", PlanStatus::Open)))
        };
        insta::assert_snapshot!(saved.text().to_string(), @r#"
        saved again: Docs (open)  .claudevil/memories/plans/docs.md  updated 2026-11-15 15:45  main in engine
        the text before is kept in .claudevil/memories/plans/earlier/a.md
        `The lexer` is active; to work on this one: plan {"action":"activate","title":"Docs","root":"engine"}
        "#);
    }

    #[test]
    fn lists_are_cut_between_plans() {
        let many: Vec<_> = (0..200)
            .map(|number| entry(&format!("Plan {number}"), PlanStatus::Completed))
            .collect();
        let list = Plans {
            total: 200,
            plans: many,
            ..plans(PlanOutcome::Listed, None)
        };
        let text = render(&list, Format::Text, 500);
        assert!(tokens::estimate(&text) <= 500, "{text}");
        assert!(
            text.starts_with("200 plans in engine\nPlan 0 (completed)"),
            "{text}"
        );
        assert!(
            text.ends_with(r#" more: plan {"action":"list","max_tokens":10000,"root":"engine"}"#),
            "{text}"
        );
        let none = plans(PlanOutcome::Listed, None);
        assert!(
            none.text()
                .to_string()
                .starts_with("0 plans in engine: none is kept yet"),
            "{}",
            none.text().to_string()
        );
        let long = Plans {
            text: Some("- [ ] a step\n".repeat(5000)),
            ..plans(PlanOutcome::Shown, Some(entry("Docs", PlanStatus::Open)))
        };
        for format in [Format::Text, Format::Json] {
            assert!(tokens::estimate(&render(&long, format, 500)) <= 500);
        }
        assert!(render(&long, Format::Text, 500).contains("cut; all of it: read_file"));
    }
}
