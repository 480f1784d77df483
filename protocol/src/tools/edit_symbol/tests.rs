//! Checks of parameters, and the text of an answer.

use super::*;

fn edit(action: EditAction, text: Option<&str>) -> EditSymbol {
    EditSymbol {
        symbol: Some("run".to_owned()),
        action: Some(action),
        text: text.map(str::to_owned),
        ..EditSymbol::default()
    }
}

#[test]
fn text_is_needed_where_it_is_written_and_refused_where_it_is_not() {
    assert!(
        edit(EditAction::Replace, Some("fn run() {}"))
            .check()
            .is_ok()
    );
    assert!(edit(EditAction::Delete, None).check().is_ok());
    assert!(edit(EditAction::Delete, Some("x")).check().is_err());
    for action in [
        EditAction::Replace,
        EditAction::ReplaceBody,
        EditAction::InsertAfter,
    ] {
        assert!(edit(action, None).check().is_err());
        assert!(edit(action, Some(" \n")).check().is_err());
    }
    let long = "x".repeat(EditSymbol::LONGEST_TEXT + 1);
    assert!(edit(EditAction::Replace, Some(&long)).check().is_err());
}

#[test]
fn a_list_of_edits_stands_alone() {
    let one = SymbolEdit {
        symbol: Some("run".to_owned()),
        action: Some(EditAction::Delete),
        ..SymbolEdit::default()
    };
    let list = |edits| EditSymbol {
        edits: Some(edits),
        ..EditSymbol::default()
    };
    assert!(list(vec![one.clone()]).check().is_ok());
    assert!(list(vec![]).check().is_err());
    assert!(
        list(vec![one.clone(); EditSymbol::MAX_EDITS + 1])
            .check()
            .is_err()
    );
    let both = |field: fn(&mut EditSymbol) -> &mut Option<String>| {
        let mut both = list(vec![one.clone()]);
        *field(&mut both) = Some("src/a.rs".to_owned());
        both
    };
    assert!(both(|edit| &mut edit.symbol).check().is_err());
    assert!(both(|edit| &mut edit.path).check().is_err());
    assert!(both(|edit| &mut edit.context_file).check().is_err());
}

#[test]
fn only_a_dry_run_may_be_sent_twice() {
    let asked = edit(EditAction::Delete, None);
    assert_eq!(asked.replay(), Replay::Safe);
    let applied = EditSymbol {
        dry_run: Some(false),
        ..asked
    };
    assert_eq!(applied.replay(), Replay::Never);
}
