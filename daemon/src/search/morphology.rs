//! Generates the forms of an English word: `parsing`, `parsed`, `parser`, `parses` for `parse`.
//!
//! The index stores words as they are written, so nothing stored depends on a natural language; the query looks up all forms
//! instead. A form that occurs nowhere costs one failed lookup.

/// Shorter words have no other forms.
const SHORTEST: usize = 4;
/// The factor of a form that is close to the word: `query`, `queries`.
const FORM: f32 = 0.8;
/// The factor of other forms: `validate`, `validation`.
const DISTANT: f32 = 0.72;

/// Returns the word itself and then its forms, each with its factor.
pub fn forms(word: &str) -> Vec<(String, f32)> {
    let mut forms = vec![(word.to_owned(), 1.0)];
    if word.len() < SHORTEST || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return forms;
    }
    let stems = stems(word);
    let mut add = |form: String, weight: f32| {
        if form.len() >= 3 && !forms.iter().any(|(known, _)| *known == form) {
            forms.push((form, weight));
        }
    };
    for stem in &stems {
        add(stem.clone(), FORM);
    }
    for stem in stems.iter().map(String::as_str).chain([word]) {
        add(format!("{stem}s"), FORM);
        add(format!("{stem}es"), DISTANT);
        let bare = stem.strip_suffix('e').unwrap_or(stem);
        for ending in ["ing", "ed", "er", "or", "ers", "ion", "ation"] {
            add(format!("{bare}{ending}"), DISTANT);
        }
        if let Some(last) = doubling(stem) {
            for ending in ["ing", "ed", "er"] {
                add(format!("{stem}{last}{ending}"), DISTANT);
            }
        }
        if let Some(bare) = stem.strip_suffix('y') {
            add(format!("{bare}ies"), FORM);
        }
    }
    forms
}

/// Returns the words that a word may be a form of: `parse` for `parsing`.
fn stems(word: &str) -> Vec<String> {
    let mut stems: Vec<String> = vec![];
    let mut add = |stem: &str, ending: &str| stems.push(format!("{stem}{ending}"));
    if let Some(stem) = word.strip_suffix("ies") {
        add(stem, "y");
    }
    if let Some(stem) = word.strip_suffix("es") {
        add(stem, "");
        add(stem, "e");
    } else if let Some(stem) = word.strip_suffix('s').filter(|stem| !stem.ends_with('s')) {
        add(stem, "");
    }
    for (ending, shortest) in [("ing", 6), ("ed", 5), ("er", 0), ("or", 0)] {
        if let Some(stem) = word.strip_suffix(ending).filter(|_| word.len() >= shortest) {
            add(stem, "");
            add(stem, "e");
            if let Some(single) = undoubled(stem) {
                add(single, "");
            }
        }
    }
    if let Some(stem) = word.strip_suffix("ization") {
        add(stem, "ize");
    }
    if let Some(stem) = word.strip_suffix("ation").filter(|_| word.len() > 7) {
        add(stem, "");
        add(stem, "e");
        add(stem, "ate");
    } else if let Some(stem) = word.strip_suffix("ion").filter(|_| word.len() > 6) {
        add(stem, "");
        add(stem, "e");
    }
    for ending in ["ment", "able"] {
        if let Some(stem) = word.strip_suffix(ending).filter(|_| word.len() > 6) {
            add(stem, "");
            if ending == "able" {
                add(stem, "e");
            }
        }
    }
    stems.retain(|stem| stem.len() >= 3);
    stems.dedup();
    stems
}

/// Returns the last letter of a stem if it is doubled before an ending: `n` of `run` in `running`.
fn doubling(stem: &str) -> Option<char> {
    let mut last = stem.chars().rev();
    let (end, before) = (last.next()?, last.next()?);
    (!"aeiouwxy".contains(end) && "aeiou".contains(before)).then_some(end)
}

/// Removes a doubled last letter: `run` for `runn`.
fn undoubled(stem: &str) -> Option<&str> {
    let mut last = stem.chars().rev();
    let (end, before) = (last.next()?, last.next()?);
    (stem.len() > 2 && end == before).then(|| &stem[..stem.len() - end.len_utf8()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lead_to_their_other_forms() {
        for (word, form) in [
            ("parsing", "parse"),
            ("parses", "parser"),
            ("running", "run"),
            ("run", "run"),
            ("stop", "stopped"),
            ("queries", "query"),
            ("query", "queries"),
            ("serialization", "serialize"),
            ("validation", "validate"),
            ("validate", "validation"),
            ("handlers", "handler"),
            ("deployment", "deploy"),
            ("connection", "connect"),
        ] {
            let forms = forms(word);
            assert!(
                forms.iter().any(|(known, _)| known == form),
                "{word} -> {form}: {forms:?}"
            );
            assert_eq!(forms[0], (word.to_owned(), 1.0));
        }
    }

    #[test]
    fn names_and_short_words_stay_as_they_are() {
        for word in ["io", "tls", "utf8", "größe", "foo_bar"] {
            assert_eq!(forms(word).len(), 1, "{word}");
        }
    }
}
