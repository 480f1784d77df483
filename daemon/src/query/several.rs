//! What the tools share that may be asked about every known root at once: one that is away costs its own part of the
//! answer, which says so.

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::text::Line;
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;
use crate::roots::RootFolder;

/// Whether a call asks about all roots.
pub fn asks_all(context: &Context) -> bool {
    context
        .call
        .project
        .as_ref()
        .is_some_and(|project| project.root == "*")
}

/// What can be opened of the places of a call, and the names of those that cannot. A single one that cannot is an error.
pub fn open<T>(
    context: &Context,
    places: Vec<RootFolder>,
    mut one: impl FnMut(RootFolder) -> Result<T, ToolError>,
) -> Result<(Vec<T>, Vec<String>), ToolError> {
    let is_of_many = asks_all(context);
    let (mut opened, mut away) = (vec![], vec![]);
    for place in places {
        let name = place.root.name.clone();
        match one(place) {
            Ok(one) => opened.push(one),
            Err(error) if is_of_many && error.code != ErrorCode::Cancelled => away.push(name),
            Err(error) => return Err(error),
        }
    }
    Ok((opened, away))
}

/// Adds what is to be known of one root to what is to be known of the answer, with its name where several are asked.
pub fn merge(all: &mut Freshness, one: &Freshness, name: Option<&str>) {
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

/// Says which roots were not asked.
pub fn note_away(all: &mut Freshness, away: &[String]) {
    if !away.is_empty() {
        let away = away.join(", ");
        all.add_note(format!(
            "not searched, because they cannot be opened: {away}"
        ));
    }
}
