//! Finds the words to highlight in lines of files.

use std::ops::Range;

/// Returns the ranges of the words in a line, in order and without overlaps.
pub fn places(line: &str, words: &[String]) -> Vec<Range<usize>> {
    // Only ASCII letters change their case, so byte offsets stay the same.
    let lower = line.to_ascii_lowercase();
    let found = words
        .iter()
        .flat_map(|word| lower.match_indices(word.as_str()));
    let mut found: Vec<_> = found
        .map(|(at, word)| at..at + word.len())
        .filter(|place| !place.is_empty())
        .collect();
    found.sort_unstable_by_key(|place| (place.start, usize::MAX - place.end));
    let mut end = 0;
    found.retain(|place| {
        let is_apart = place.start >= end;
        end = if is_apart { place.end } else { end };
        is_apart
    });
    found
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::tools::search::SearchMode;

    use super::*;

    fn marked(line: &str, query: &str, mode: SearchMode) -> String {
        let mut text = String::new();
        let mut end = 0;
        for place in places(line, &mode.words_to_highlight(query)) {
            text.push_str(&format!(
                "{}<{}>",
                &line[end..place.start],
                &line[place.clone()]
            ));
            end = place.end;
        }
        text + &line[end..]
    }

    #[test]
    fn matched_words_are_highlighted_once() {
        let cases = [
            (
                "fn count_tokens()",
                "how are tokens counted",
                SearchMode::Auto,
                "fn count_<tokens>()",
            ),
            (
                "Token count: count",
                "count AND token NOT the",
                SearchMode::Keyword,
                "<Token> <count>: <count>",
            ),
            ("counters", "count counters", SearchMode::Auto, "<counters>"),
            (
                "größe = Größe(1)",
                "größe",
                SearchMode::Semantic,
                "<größe> = <Größe>(1)",
            ),
            (
                "foo(a) Foo(b)",
                "foo(",
                SearchMode::Literal,
                "<foo(>a) <Foo(>b)",
            ),
            ("foo(a)", "fo+", SearchMode::Regex, "foo(a)"),
            ("anything", "to be", SearchMode::Auto, "anything"),
        ];
        for (line, query, mode, expected) in cases {
            assert_eq!(marked(line, query, mode), expected, "{query}");
        }
    }
}
