//! References to a symbol whose language has no facts about uses: every occurrence of its name in files of that language,
//! resolved by name only.

use std::collections::HashSet;

use claudevil_protocol::ToolError;

use super::references::Reference;
use super::{References, Resolution, SymbolId, Use};
use crate::extract::facts::Role;
use crate::source::cancel::CancelToken;

const OCCURRENCES_BETWEEN_CHECKS: usize = 256;

impl References<'_, '_> {
    pub(super) fn find_by_text(
        self,
        target: SymbolId,
        cancel: &CancelToken,
    ) -> Result<Vec<Reference>, ToolError> {
        let symbol = self.symbol(target);
        let name = last_part(&symbol.name);
        let language = self.file(target.file).language.map(|language| language.id);
        let mut found = vec![];
        for file in self.files_with(name).iter().copied() {
            cancel.check()?;
            if self.file(file).language.map(|language| language.id) != language {
                continue;
            }
            let Some(text) = self.source.read(&self.file(file).path) else {
                continue;
            };
            let symbols = self.file(file).outline.symbols.iter();
            let defined = symbols.filter(|symbol| last_part(&symbol.name) == name);
            let defined: HashSet<u32> = defined.map(|symbol| symbol.name_line).collect();
            for (line, content) in (1..).zip(text.lines()) {
                if defined.contains(&line) {
                    continue;
                }
                let mut enclosing = None;
                for (count, place) in words(content, name).enumerate() {
                    if count % OCCURRENCES_BETWEEN_CHECKS == 0 {
                        cancel.check()?;
                    }
                    let is_call = symbol.kind.is_callable()
                        && content[place + name.len()..].trim_start().starts_with('(');
                    found.push(Reference {
                        file,
                        row: Use {
                            name: 0,
                            qualifier: None,
                            line,
                            column: u32::try_from(place).unwrap_or(u32::MAX),
                            role: if is_call { Role::Call } else { Role::Read },
                            symbol: *enclosing
                                .get_or_insert_with(|| self.innermost_symbol(file, line)),
                        },
                        resolution: Resolution::NameOnly,
                        reason: "text match only",
                        candidates: 1,
                        by_name: true,
                        by_dispatch: false,
                        by_index: false,
                        shorthand: None,
                    });
                }
            }
        }
        Ok(found)
    }
}

/// Returns the last part of a qualified name, or the words of a heading without its colon.
fn last_part(name: &str) -> &str {
    let mut parts = name.rsplit(['.', ':']).map(str::trim);
    parts.find(|part| !part.is_empty()).unwrap_or(name)
}

/// Returns the byte offsets at which a line has a whole word.
fn words<'a>(line: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word)
        .map(|(place, _)| place)
        .filter(move |place| {
            !line[..*place].ends_with(is_part) && !line[place + word.len()..].starts_with(is_part)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::graph::tests::Files;

    #[test]
    fn every_occurrence_of_a_common_name_is_found() {
        let selects = "select * from orders;\n".repeat(1_500);
        let texts = [
            ("a.sql", "create table orders (id int);\n"),
            ("b.sql", &selects),
            ("c.sql", &selects),
            ("d.sql", &selects),
        ];
        let files = Files::new("sql", &texts);
        let graph = Graph::new(&files.snapshot, &files);
        let orders = graph.named("orders").next().expect("defined");
        let found = graph.references().to(orders, &CancelToken::default());
        assert_eq!(found.expect("not cancelled").len(), 4_500);
    }

    #[test]
    fn a_heading_with_a_colon_is_found_by_its_words() {
        let texts = [("a.md", "## Notes:\n\nSee Notes, and: more.\n")];
        let files = Files::new("markdown", &texts);
        let graph = Graph::new(&files.snapshot, &files);
        let notes = graph.named("Notes:").next().expect("defined");
        let found = graph.references().to(notes, &CancelToken::default());
        let found = found.expect("not cancelled");
        let lines = found.iter().map(|one| one.row.line);
        assert_eq!(lines.collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn a_word_is_not_a_part_of_another() {
        let found = |line: &str| words(line, "total").collect::<Vec<_>>();
        assert_eq!(
            found("select total(x), subtotal(y), total_of(z), (total)"),
            [7, 44]
        );
        assert_eq!(found("größetotal total"), [13]);
        assert!(found("").is_empty());
    }
}
