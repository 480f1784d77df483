//! `find_references`: every place that uses a symbol, and how sure that is.

mod ahead;
mod by_text;

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use claudevil_protocol::answer::graph::{Excerpt, Resolution, UseRole};
use claudevil_protocol::answer::hits::shortened;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::text::Line;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_references::{
    ConfidenceCounts, ConfidenceLevel, FileReferences, FindReferences, Reference, ReferenceCursor,
    References,
};
use claudevil_protocol::{ErrorCode, ToolError};

use self::ahead::Ahead;
use super::Context;
use super::calls::overloads;
use super::linked::{Linked, info, rounded};
use crate::extract::facts::{Role, Symbol};
use crate::extract::type_expr::is_word;
use crate::extract::{BesideCode, beside_code};
use crate::graph::references::Reference as Found;
use crate::graph::{At, Graph};
use crate::lang::Language;
use crate::search::grep::lines::cut_around;
use crate::search::text_cache::{FileText, TextCache};
use crate::threads::{self, Queue};

/// Names this short stand in too many texts to be worth looking for there.
const SHORTEST_MENTION: usize = 3;
/// Files that are read for mentions at most.
const MOST_READ: usize = 600;
/// Files that a thread takes at once to read.
const READ_AT_ONCE: usize = 4;
/// Bytes of code that take longer to look through than a thread takes to begin.
const WORTH_A_THREAD: usize = 100_000;
const MOST_MENTIONS: usize = 500;
/// So many words in prose, comments and strings are shown where nobody asks for them.
const MENTIONS_SHOWN: usize = 5;
/// Words of code of which nothing is known may be uses, and are surer than these.
const SUREST_WORD: f64 = 0.2;

pub fn find_references(
    context: &Context,
    params: &FindReferences,
) -> Result<References, ToolError> {
    let after = params.cursor.as_deref().map(cursor).transpose()?;
    let linked = Linked::of(context)?;
    let defined_in = params
        .defined_in
        .as_deref()
        .map(|path| linked.indexed.path(Some(path)))
        .transpose()?;
    let graph = linked.graph();
    let targets = match linked.find_all(&graph, params.symbol_query()) {
        Ok(targets) => targets,
        Err(error) if error.code == ErrorCode::SymbolNotFound && params.line.is_none() => {
            return by_text::find_references(context, params, &linked, error);
        }
        Err(error) => return Err(error),
    };
    let target = targets[0];
    let texts = linked.texts();
    let listing = Listing {
        graph: &graph,
        texts: &texts,
        target,
        params,
    };
    let wants_mentions = params.min_confidence() == ConfidenceLevel::Low
        && params.role().is_none_or(|role| role == UseRole::Mention);
    let (found, said) = if wants_mentions {
        listing.references_and_words(&targets, &linked, context)?
    } else {
        (graph.references().to_any(&targets, context.cancel)?, vec![])
    };
    let mut references: Vec<Reference> = found.iter().map(|one| listing.shown(one)).collect();
    let mut defined: Vec<At> = targets
        .iter()
        .flat_map(|at| graph.entities().declarations(*at))
        .collect();
    defined.sort_unstable_by_key(|at| (at.file, at.symbol));
    defined.dedup();
    references.extend(listing.mentions(&found, said, context)?);
    if params.include_definition.unwrap_or(false) {
        references.extend(defined.iter().map(|at| listing.definition(*at)));
    }
    references.retain(|one| {
        params.role().is_none_or(|role| one.role == role)
            && one.level <= params.min_confidence()
            && defined_in.as_ref().is_none_or(|path| one.path != *path)
    });
    references.sort_by_cached_key(ReferenceCursor::new);
    let more_mentions = if params.wants_mentions() {
        0
    } else {
        leave_out_words(&mut references)
    };
    let mut counts = ConfidenceCounts::default();
    let mut files: BTreeMap<&str, u64> = BTreeMap::new();
    for one in &references {
        match one.level {
            ConfidenceLevel::High => counts.high += 1,
            ConfidenceLevel::Medium => counts.medium += 1,
            ConfidenceLevel::Low => counts.low += 1,
        }
        if one.level != ConfidenceLevel::Low {
            *files.entry(&one.path).or_default() += 1;
        }
    }
    let mut files: Vec<FileReferences> = files
        .into_iter()
        .map(|(path, references)| FileReferences {
            path: path.to_owned(),
            references,
        })
        .collect();
    References::sort_files(&mut files);
    let total_files = files.len() as u64;
    files.truncate(params.limit() as usize);
    let total = references.len() as u64;
    if let Some(after) = after {
        references.retain(|one| ReferenceCursor::new(one) > after);
    }
    let shown = references.len().min(params.limit() as usize);
    let remaining = (references.len() - shown) as u64;
    references.truncate(shown);
    for one in &mut references {
        listing.complete(one);
    }
    let definitions = defined.into_iter().map(|at| info(&graph, at)).collect();
    let symbol = info(&graph, target);
    let indexed = &linked.indexed;
    let mut answer = References {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness: linked.freshness(&graph, &targets),
        symbol,
        definitions,
        role: params.role(),
        include_definition: params.include_definition.unwrap_or(false),
        defined_in,
        context_lines: params.context_lines.unwrap_or(0),
        min_confidence: params.min_confidence(),
        references,
        counts,
        total,
        more_mentions,
        files,
        total_files,
        remaining,
        truncated: false,
        cursor: None,
        limit: params.limit(),
        overloads: overloads(&targets),
    };
    answer.set_cursor();
    Ok(answer)
}

fn cursor(text: &str) -> Result<ReferenceCursor, ToolError> {
    ReferenceCursor::decode(text).ok_or_else(|| {
        ToolError::invalid_argument(format!("cursor `{text}` is not one of this tool")).with_hint(
            Line::new().words("pass the `cursor` of the last answer, or none to start over"),
        )
    })
}

/// Leaves out all but the first words of prose, comments and strings, and says how many are gone.
fn leave_out_words(references: &mut Vec<Reference>) -> u64 {
    let before = references.len();
    let mut words = 0;
    references.retain(|one| {
        let is_word = one.role == UseRole::Mention && one.confidence <= SUREST_WORD;
        words += usize::from(is_word);
        !is_word || words <= MENTIONS_SHOWN
    });
    (before - references.len()) as u64
}

/// How sure a place is.
pub fn confidence(found: &Found) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a handful of candidates")]
    let candidates = found.candidates.max(1) as f64;
    match found.resolution {
        _ if found.by_dispatch => 0.55,
        Resolution::Resolved => 0.95,
        Resolution::Ambiguous if found.by_name => 0.45,
        Resolution::Ambiguous => 0.5 + 0.25 / candidates,
        Resolution::NameOnly if found.candidates == 1 => 0.4,
        Resolution::NameOnly => 0.3,
    }
}

pub fn role(role: Role) -> UseRole {
    match role {
        Role::Import => UseRole::Import,
        Role::Call => UseRole::Call,
        Role::Write | Role::Bind | Role::Narrow => UseRole::Write,
        Role::Type => UseRole::Type,
        Role::Read | Role::Named => UseRole::Read,
        Role::Mention => UseRole::Mention,
    }
}

/// What a use is to the symbol around it.
pub fn usage(graph: &Graph<'_>, found: &Found, name: &str) -> &'static str {
    let Some(symbol) = found.row.symbol.map(|symbol| {
        graph.symbol(At {
            file: found.file,
            symbol,
        })
    }) else {
        return plain_usage(found.row.role);
    };
    if found.row.role != Role::Type {
        return plain_usage(found.row.role);
    }
    if symbol.kind.is_callable() {
        return match place_in_head(graph, found, symbol, name) {
            Some(Head::Parameters) => "parameter type of",
            Some(Head::Returned) => "return type of",
            Some(Head::Else) | None => "type in",
        };
    }
    let is_base = graph
        .file(found.file)
        .outline
        .relations
        .iter()
        .any(|relation| relation.line == found.row.line && *relation.target == *name);
    match symbol.kind {
        _ if is_base => "base of",
        SymbolKind::Field | SymbolKind::Property | SymbolKind::Variable | SymbolKind::Constant => {
            "type of"
        }
        _ => "type in",
    }
}

/// A part of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    Parameters,
    Returned,
    Else,
}

/// Where in the declaration of a callable a type stands; none where it stands in its body. The declaration comes first: of
/// the uses of a name inside the callable, as many belong to it as it has the name.
fn place_in_head(graph: &Graph<'_>, found: &Found, symbol: &Symbol, name: &str) -> Option<Head> {
    let uses = graph.uses(found.file);
    let own = uses
        .named(uses.name(&found.row))
        .filter(|row| row.symbol == found.row.symbol && row.role == Role::Type);
    let earlier = own
        .filter(|row| (row.line, row.column) < (found.row.line, found.row.column))
        .count();
    let place = *said_at(&symbol.signature, name).get(earlier)?;
    let start = symbol.signature.as_ptr().addr();
    let inside = symbol.parameters().map(|all| {
        let text = all.text();
        let from = text.as_ptr().addr().saturating_sub(start);
        from..from + text.len()
    });
    let declared = symbol.result().or_else(|| symbol.declared_type());
    let is_returned = declared.is_some_and(|declared| !said_at(declared.text(), name).is_empty());
    Some(match inside {
        Some(inside) if inside.contains(&place) => Head::Parameters,
        _ if is_returned => Head::Returned,
        _ => Head::Else,
    })
}

/// Where a text has a name as a word of its own.
fn said_at(text: &str, name: &str) -> Vec<usize> {
    let is_whole = |at: &usize| {
        !text[..*at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word)
    };
    text.match_indices(name)
        .map(|(at, _)| at)
        .filter(is_whole)
        .collect()
}

/// What a place is handed to: the function whose argument it is, and nothing more than that.
fn handed_to(text: &str, at: usize, length: usize) -> Option<&str> {
    let (before, after) = (
        text.get(..at)?.trim_end(),
        text.get(at + length..)?.trim_start(),
    );
    if !before.ends_with(['(', ',']) || !after.starts_with([')', ',']) {
        return None;
    }
    let mut depth = 0_u32;
    let open = before.bytes().rposition(|byte| {
        match byte {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' if depth > 0 => depth -= 1,
            b'(' | b'[' | b'{' => return true,
            _ => {}
        }
        false
    })?;
    let called = text[..open].trim_end();
    let name = &called[called.trim_end_matches(is_word).len()..];
    (text.as_bytes()[open] == b'(' && !name.is_empty()).then_some(name)
}

fn plain_usage(role: Role) -> &'static str {
    match role {
        Role::Import => "import in",
        Role::Call => "call in",
        Role::Write | Role::Bind | Role::Narrow => "write in",
        Role::Type => "type in",
        Role::Read | Role::Named => "read in",
        Role::Mention => "mention in",
    }
}

/// A file that has a word, and where.
struct Said {
    file: u32,
    text: FileText,
    words: Vec<Word>,
}

struct Listing<'a> {
    graph: &'a Graph<'a>,
    texts: &'a TextCache<'a>,
    target: At,
    params: &'a FindReferences,
}

impl Listing<'_> {
    fn shown(&self, found: &Found) -> Reference {
        let confidence = rounded(confidence(found));
        let name = &self.graph.symbol(self.target).name;
        Reference {
            path: self.graph.file(found.file).path.clone(),
            line: found.row.line,
            column: found.row.column + 1,
            role: role(found.row.role),
            usage: usage(self.graph, found, name).to_owned(),
            confidence,
            level: ConfidenceLevel::from_confidence(confidence),
            resolution: found.resolution,
            reason: found.reason.to_owned(),
            candidates: (found.candidates > 1)
                .then(|| u32::try_from(found.candidates).unwrap_or(u32::MAX)),
            enclosing: self.enclosing(found.file, found.row.symbol),
            text: String::new(),
            context: None,
            is_test: found.row.symbol.map_or_else(
                || self.graph.tests().is_test_file(found.file),
                |symbol| {
                    self.graph.tests().is_test(At {
                        file: found.file,
                        symbol,
                    })
                },
            ),
        }
    }

    fn enclosing(&self, file: u32, symbol: Option<u32>) -> Option<String> {
        let at = At {
            file,
            symbol: symbol?,
        };
        Some(self.graph.file(file).qualified(self.graph.symbol(at)))
    }

    fn definition(&self, at: At) -> Reference {
        let symbol = self.graph.symbol(at);
        Reference {
            path: self.graph.file(at.file).path.clone(),
            line: symbol.name_line,
            column: symbol.name_column + 1,
            role: UseRole::Write,
            usage: "definition of".to_owned(),
            confidence: 1.0,
            level: ConfidenceLevel::High,
            resolution: Resolution::Resolved,
            reason: "its definition".to_owned(),
            candidates: None,
            enclosing: Some(self.graph.file(at.file).qualified(symbol)),
            text: String::new(),
            context: None,
            is_test: self.graph.tests().is_test(at),
        }
    }

    /// The references, and every place that has the name as a word: files are read for it while uses are resolved.
    fn references_and_words(
        &self,
        targets: &[At],
        linked: &Linked,
        context: &Context,
    ) -> Result<(Rc<[Found]>, Vec<Said>), ToolError> {
        let name = &*self.graph.symbol(self.target).name;
        let resolve = || self.graph.references().to_any(targets, context.cancel);
        if name.len() < SHORTEST_MENTION {
            return Ok((resolve()?, vec![]));
        }
        let mut files = self.graph.files_with(name);
        // Code that cannot use it means something else by the word.
        files.retain(|file| {
            self.graph.scopes().can_use(self.target, *file)
                || !self.graph.same_language_family(self.target.file, *file)
        });
        files.truncate(MOST_READ);
        let texts = linked.texts_by_thread();
        let queue = Queue::new(files.len(), READ_AT_ONCE);
        let ahead = Ahead::of(self.graph, self.target, &files);
        let unpack = linked.unpacking();
        let read = || {
            ahead.each(|key| unpack(key, name));
            let texts = texts();
            let places = std::iter::from_fn(|| queue.take())
                .take_while(|_| !context.cancel.is_cancelled())
                .flatten();
            let said = places.filter_map(|place| {
                let (file, text) = (files[place], texts.once(files[place] as usize)?);
                let words: Vec<Word> = words_at(text.whole(), name).collect();
                (!words.is_empty()).then_some(Said { file, text, words })
            });
            said.collect::<Vec<_>>()
        };
        let (found, said) = threads::meanwhile(read, || {
            let found = resolve();
            ahead.end();
            found
        });
        let mut said: Vec<Said> = said.into_iter().flatten().collect();
        context.cancel.check()?;
        said.sort_by_key(|one| one.file);
        Ok((found?, said))
    }

    /// Words in comments, strings and prose, and whatever stands in files without facts.
    fn mentions(
        &self,
        found: &[Found],
        said: Vec<Said>,
        context: &Context,
    ) -> Result<Vec<Reference>, ToolError> {
        let known: HashSet<(u32, u32)> = found.iter().map(|one| (one.file, one.row.line)).collect();
        let mut said = said;
        for one in &mut said {
            context.cancel.check()?;
            self.leave_out_names(one, &known);
        }
        // Most files have the word as a name alone: only of the others it is asked what it is there.
        said.retain(|one| !one.words.is_empty());
        let with_facts = |file: u32| {
            self.graph
                .file(file)
                .language
                .filter(|language| language.facts.is_some())
        };
        let languages: Vec<_> = said.iter().map(|one| with_facts(one.file)).collect();
        let beside = beside_each(&said, &languages);
        let mut mentions = vec![];
        for (Said { file, text, words }, beside) in said.into_iter().zip(beside) {
            let is_kin = self.graph.same_language_family(self.target.file, file);
            let reason = |at: u32| {
                let Some(beside) = &beside else {
                    return (0.15, "text match only");
                };
                match (beside.is_comment(at), beside.is_string(at)) {
                    (true, _) => (
                        if is_kin { SUREST_WORD } else { 0.15 },
                        "a word in a comment",
                    ),
                    (false, true) => (
                        if is_kin { SUREST_WORD } else { 0.15 },
                        "a word in a string",
                    ),
                    _ if is_kin => (0.25, "text match in code that is not resolved"),
                    _ => (0.15, "text match in another language"),
                }
            };
            mentions.extend(
                words
                    .iter()
                    .map(|word| self.mention(file, word.line, word.column, reason(word.at))),
            );
            self.texts.keep(file as usize, text);
            if mentions.len() >= MOST_MENTIONS {
                mentions.truncate(MOST_MENTIONS);
                break;
            }
        }
        Ok(mentions)
    }

    /// Leaves of the words of a file the first on each line that is no use and no name of anything.
    fn leave_out_names(&self, said: &mut Said, known: &HashSet<(u32, u32)>) {
        let name = &*self.graph.symbol(self.target).name;
        let uses = self.graph.uses_with(said.file, &[name]);
        let rows = uses.iter().flat_map(|uses| uses.named(name));
        let symbols = self
            .graph
            .file(said.file)
            .outline
            .symbols
            .iter()
            .filter(|symbol| *symbol.name == *name);
        let symbols = symbols.map(|symbol| (symbol.name_line, symbol.name_column));
        let named: HashSet<(u32, u32)> = rows
            .map(|row| (row.line, row.column))
            .chain(symbols)
            .collect();
        let mut last = 0;
        said.words.retain(|Word { line, column, .. }| {
            let is_left = *line != last
                && !known.contains(&(said.file, *line))
                && !named.contains(&(*line, *column));
            if is_left {
                last = *line;
            }
            is_left
        });
    }

    fn mention(
        &self,
        file: u32,
        line: u32,
        column: u32,
        (confidence, reason): (f64, &'static str),
    ) -> Reference {
        let symbols = &self.graph.file(file).outline.symbols;
        let around = symbols
            .iter()
            .rposition(|symbol| (symbol.start_line..=symbol.end_line).contains(&line));
        Reference {
            path: self.graph.file(file).path.clone(),
            line,
            column: column + 1,
            role: UseRole::Mention,
            usage: "mention in".to_owned(),
            confidence,
            level: ConfidenceLevel::Low,
            resolution: Resolution::NameOnly,
            reason: reason.to_owned(),
            candidates: None,
            enclosing: around.and_then(|symbol| self.enclosing(file, u32::try_from(symbol).ok())),
            text: String::new(),
            context: None,
            is_test: self.graph.tests().is_test_file(file),
        }
    }

    /// Adds the lines of a place, which only those that are shown need.
    fn complete(&self, reference: &mut Reference) {
        let Some(text) = self
            .graph
            .file_number(&reference.path)
            .and_then(|file| self.texts.file(file as usize))
        else {
            return;
        };
        let line = reference.line;
        if let Some((_, content)) = text.lines(line, line).next() {
            let indent = content.len() - content.trim_start().len();
            let column = (reference.column as usize).saturating_sub(1 + indent);
            reference.text = cut_around(content.trim(), column);
        }
        if reference.role == UseRole::Read {
            let name = &self.graph.symbol(self.target).name;
            let place = text.line_start(line) + reference.column as usize - 1;
            if let Some(called) = handed_to(text.whole(), place, name.len()) {
                reference.usage = format!("argument of {called} in");
            }
        }
        if let Some(around) = self.params.context_lines.filter(|lines| *lines > 0) {
            let (from, to) = (
                line.saturating_sub(around).max(1),
                line.saturating_add(around),
            );
            let lines: Vec<String> = text
                .lines(from, to)
                .map(|(_, content)| shortened(content))
                .collect();
            reference.context = Some(Excerpt::whole(from, lines.iter().map(String::as_str)));
        }
    }
}

/// Where a word stands for itself, from the beginning of the text and of its line, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    at: u32,
    line: u32,
    column: u32,
}

/// Where each of some texts has comments and strings; none for a text without a language.
fn beside_each(said: &[Said], languages: &[Option<&Language>]) -> Vec<Option<BesideCode>> {
    let beside = |place: usize| {
        languages[place].map(|language| beside_code(language, said[place].text.whole()))
    };
    let bytes: usize = said
        .iter()
        .zip(languages)
        .filter(|(_, has)| has.is_some())
        .map(|(one, _)| one.text.whole().len())
        .sum();
    if bytes < WORTH_A_THREAD {
        return (0..said.len()).map(beside).collect();
    }
    let queue = Queue::new(said.len(), 1);
    let some = || -> Vec<_> {
        std::iter::from_fn(|| queue.take())
            .flatten()
            .map(|place| (place, beside(place)))
            .collect()
    };
    let ((), parts) = threads::meanwhile(some, || ());
    let mut all: Vec<_> = parts.into_iter().flatten().collect();
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, beside)| beside).collect()
}

/// All places of a word, in their order.
fn words_at<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = Word> + 'a {
    let number = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    let (mut line, mut start, mut counted) = (1, 0, 0);
    memchr::memmem::find_iter(text.as_bytes(), word).filter_map(move |at| {
        let before = text[..at]
            .chars()
            .next_back()
            .is_none_or(|sign| !is_word(sign));
        let after = text[at + word.len()..]
            .chars()
            .next()
            .is_none_or(|sign| !is_word(sign));
        if !before || !after {
            return None;
        }
        for end in memchr::memchr_iter(b'\n', &text.as_bytes()[counted..at]) {
            line += 1;
            start = counted + end + 1;
        }
        counted = at;
        Some(Word {
            at: number(at),
            line,
            column: number(at - start),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_handed_to_what_is_called() {
        for (text, expected) in [
            ("register(@)", Some("register")),
            ("bus.on('done', @, 3)", Some("on")),
            ("run(a, [b, c],\n    @)", Some("run")),
            ("[a, @, b]", None),
            ("(@, b)", None),
            ("run({ a, @ })", None),
            ("run(@ + 1)", None),
            ("run(@.a)", None),
            ("@", None),
        ] {
            let at = text.find('@').expect("a place");
            assert_eq!(
                handed_to(&text.replace('@', "name"), at, 4),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn words_are_found_with_their_lines() {
        let found = |text: &str| {
            words_at(text, "cart")
                .map(|word| (word.line, word.column))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found("cart\n carts cart\r\n\nä.cart(cart)"),
            [(1, 0), (2, 7), (4, 3), (4, 8)]
        );
        assert!(found("a_cart cartä").is_empty());
        assert_eq!(
            words_at("\n\nx cart", "cart").next(),
            Some(Word {
                at: 4,
                line: 3,
                column: 2
            })
        );
    }

    #[test]
    fn a_name_is_said_as_a_word() {
        assert_eq!(
            said_at("fn of(a: Account, b: MyAccount) -> Account", "Account"),
            [9, 35]
        );
        assert!(said_at("", "Account").is_empty());
    }
}
