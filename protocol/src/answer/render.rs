//! The cut of an answer to a budget of tokens.

use std::borrow::Cow;

use super::{Answer, Format};
use crate::json;
use crate::text::tokens;

/// Writes an answer within a budget of tokens.
pub fn render<A: Answer>(answer: &A, format: Format, budget: u32) -> String {
    write(fit(answer, format, budget).as_ref(), format)
}

/// Cuts an answer to a budget of tokens; the least valuable items go first.
pub fn fit<A: Answer>(answer: &A, format: Format, budget: u32) -> Cow<'_, A> {
    let fits = |answer: &A| tokens::estimate(&write(answer, format)) <= budget as usize;
    if fits(answer) {
        return Cow::Borrowed(answer);
    }
    let kept = |items: usize| {
        let mut shorter = answer.clone();
        shorter.keep(items);
        shorter
    };
    // The largest number of items that fits. One item is always shown: an answer without items would give the same cursor as
    // its next page, and a client would ask for it forever.
    let (mut fitting, mut above) = (answer.items().min(1), answer.items());
    while fitting + 1 < above {
        let middle = usize::midpoint(fitting, above);
        if fits(&kept(middle)) {
            fitting = middle;
        } else {
            above = middle;
        }
    }
    let mut shorter = kept(fitting);
    while !fits(&shorter) && shorter.shorten() {}
    Cow::Owned(shorter)
}

/// Writes an answer as it is.
pub fn write<A: Answer>(answer: &A, format: Format) -> String {
    match format {
        Format::Text => answer.text().to_string(),
        Format::Json => json::write(answer),
    }
}
