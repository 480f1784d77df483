//! Queries about all known roots: one that cannot be opened is left out of the answer, which says so.

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::scope::ALL_ROOTS;
use claudevil_protocol::text::Line;
use claudevil_protocol::{ErrorCode, ToolError};

use crate::query::Context;
use crate::roots::RootFolder;

pub fn asks_all(context: &Context) -> bool {
    context
        .call
        .project
        .as_ref()
        .is_some_and(|project| project.root == ALL_ROOTS)
}

/// Opens each root, and returns the names of those that cannot be opened. In a call about one root that is an error.
pub fn open_each<T>(
    context: &Context,
    places: Vec<RootFolder>,
    mut open: impl FnMut(RootFolder) -> Result<T, ToolError>,
) -> Result<(Vec<T>, Vec<String>), ToolError> {
    let asks_all = asks_all(context);
    let (mut opened, mut unavailable) = (vec![], vec![]);
    for place in places {
        let name = place.root.name.clone();
        match open(place) {
            Ok(root) => opened.push(root),
            Err(error) if asks_all && error.code != ErrorCode::Cancelled => unavailable.push(name),
            Err(error) => return Err(error),
        }
    }
    Ok((opened, unavailable))
}

/// Adds the freshness of one root to that of the answer, with the root's name if there are several. Of unfinished indexes, only
/// the first is shown.
pub fn merge_freshness(all: &mut Freshness, one: &Freshness, name: Option<&str>) {
    let named = |text: &String| name.map_or_else(|| text.clone(), |name| format!("{name}/{text}"));
    if all.partial.is_none() {
        all.partial.clone_from(&one.partial);
    }
    all.stale_total += one.stale_total;
    let room = Freshness::STALE_SHOWN.saturating_sub(all.stale.len());
    all.stale.extend(one.stale.iter().take(room).map(named));
    if let Some(note) = &one.note {
        let named = name.map_or_else(Line::new, |name| Line::from(format!("{name}: ")));
        all.add_note(named.line(note.clone()));
    }
}

/// Notes the roots that could not be opened.
pub fn note_unavailable(all: &mut Freshness, names: &[String]) {
    if !names.is_empty() {
        let names = names.join(", ");
        all.add_note(format!(
            "not searched, because they cannot be opened: {names}"
        ));
    }
}
