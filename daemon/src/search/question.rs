//! Parses a query into concepts: the words that count, in all their forms.
//!
//! Concepts depend on the text of the query alone, not on an index.

use std::borrow::Cow;

use super::location::QueriedLocation;
use super::morphology;
use super::printed_message::PrintedMessage;
use super::report::Term;
use super::stop_words::is_stop_word;
use super::weights;
use crate::store::text::{parts, words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// One name, as code writes it: `parse_request`, `Foo::bar`, `src/main.rs`.
    Name,
    /// Anything else: a question, a message, some words.
    Words,
}

/// A query word with the forms in which it may be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Concept {
    /// The word itself first, all in lower case, each with its factor.
    pub forms: Vec<(String, f32)>,
    pub weight: f32,
    pub origin: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Word,
    /// A name of several parts, as a whole: `parse_request`.
    Whole,
    /// One of its parts: `parse`.
    Part,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub kind: QueryKind,
    pub concepts: Vec<Concept>,
    /// Neighbouring words that code may write as one, in all forms: `hashmap`, `hash_map` for `hash map`.
    pub pairs: Vec<Vec<(String, f32)>>,
    /// Words that may be the name of a symbol, as they were written.
    pub names: Vec<QueryName>,
    /// The words that may name files and lines, as `main.rs:12`.
    pub locations: Vec<QueriedLocation>,
    /// The query as a path or the end of one, if it looks like one.
    pub path: Option<String>,
    /// The query as a file name without case and separators, if it is one name without a qualifier: `isstream` for `is-stream`.
    pub file_name: Option<String>,
    /// Says whether the query is about tests, so that tests are not ranked lower.
    pub about_tests: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct QueryName {
    pub text: String,
    /// The word is written as a name: alone, in several parts, or capitalised.
    pub is_certain: bool,
}

/// The weight of a part of a name; that of a word is 1.
const PART: f32 = 0.6;
/// The weight of a word that is a value in a message.
const VALUE: f32 = 0.4;
/// A question with fewer words beside the name of the project may be about that name: `celery app`.
const FEWEST_OTHER_WORDS: usize = 2;
/// A query of fewer words is no sentence.
const SHORTEST_SENTENCE: usize = 3;
/// Shorter words are looked up as names only if they are the whole query.
const SHORTEST_NAME: usize = 3;

impl Question {
    pub fn new(query: &str) -> Self {
        let written: Vec<&str> = words(query).map(|(_, word)| word).collect();
        let kind = if is_name(query) {
            QueryKind::Name
        } else {
            QueryKind::Words
        };
        let message = (kind == QueryKind::Words)
            .then(|| PrintedMessage::parse(query))
            .flatten();
        let is_before = |at| {
            message
                .as_ref()
                .is_some_and(|message| message.is_before(at))
        };
        let is_value = |at| {
            message
                .as_ref()
                .is_some_and(|message| message.is_in_value(at))
        };
        let mut concepts: Vec<Concept> = vec![];
        let mut seen: Vec<String> = vec![];
        for (at, word) in words(query) {
            let lower = word.to_lowercase();
            if seen.contains(&lower) || is_before(at) {
                continue;
            }
            let weight = if is_value(at) { VALUE } else { 1.0 };
            let inner: Vec<String> = parts(word).map(|part| word[part].to_lowercase()).collect();
            if inner.len() <= 1 {
                if is_stop_word(&lower) && written.len() > 1 {
                    continue;
                }
                seen.push(lower.clone());
                concepts.push(Concept {
                    forms: morphology::forms(&lower),
                    weight,
                    origin: Origin::Word,
                });
                continue;
            }
            seen.push(lower.clone());
            concepts.push(Concept {
                forms: vec![(lower, 1.0)],
                weight,
                origin: Origin::Whole,
            });
            for part in inner {
                if !seen.contains(&part) && !is_stop_word(&part) {
                    let forms = morphology::forms(&part);
                    seen.push(part);
                    concepts.push(Concept {
                        forms,
                        weight: PART * weight,
                        origin: Origin::Part,
                    });
                }
            }
        }
        if concepts.is_empty() {
            // The query has only stop words.
            let all = written.iter().map(|word| vec![(word.to_lowercase(), 1.0)]);
            concepts = all
                .map(|forms| Concept {
                    forms,
                    weight: 1.0,
                    origin: Origin::Word,
                })
                .collect();
        }
        let about_tests = message.is_none()
            && concepts
                .iter()
                .flat_map(|concept| &concept.forms)
                .any(|(form, _)| TEST_WORDS.contains(&form.as_str()));
        let locations = QueriedLocation::find(query);
        let path = match &locations[..] {
            [only] if kind == QueryKind::Name && only.line.is_some() => Some(only.path.clone()),
            _ => path(query),
        };
        Self {
            kind,
            locations,
            pairs: pairs(&written),
            names: names(&written, kind),
            concepts,
            file_name: (kind == QueryKind::Name && path.is_none())
                .then(|| file_name(query))
                .flatten(),
            path,
            about_tests,
        }
    }

    /// Returns the question for the title of a report, which is never a single name, and is about the fault rather than tests.
    pub fn from_title(title: &str) -> Self {
        let question = Self::new(title);
        let names = words(title).map(|(_, word)| word).collect::<Vec<_>>();
        Self {
            kind: QueryKind::Words,
            names: self::names(&names, QueryKind::Words),
            locations: vec![],
            path: None,
            file_name: None,
            about_tests: false,
            ..question
        }
    }

    /// Returns the question for weighted words, without names, pairs or a path.
    pub fn from_terms(terms: &[Term]) -> Self {
        let concept = |term: &Term| Concept {
            forms: if term.is_whole {
                vec![(term.word.clone(), 1.0)]
            } else {
                morphology::forms(&term.word)
            },
            weight: term.weight,
            origin: if term.is_whole {
                Origin::Whole
            } else {
                Origin::Word
            },
        };
        Self {
            kind: QueryKind::Words,
            concepts: terms.iter().map(concept).collect(),
            pairs: vec![],
            names: vec![],
            locations: vec![],
            path: None,
            file_name: None,
            about_tests: false,
        }
    }

    /// Returns the question with little weight for the name of the project, if it has several other words: `alacritty` in
    /// `how does alacritty decide which key is bound`.
    pub fn within(&self, root_name: &str) -> Cow<'_, Self> {
        let is_own = |text: &str| text.eq_ignore_ascii_case(root_name);
        let is_word = |one: &&Concept| one.origin == Origin::Word;
        let (own, others): (Vec<&Concept>, Vec<&Concept>) = (self.concepts.iter())
            .filter(is_word)
            .partition(|one| is_own(&one.forms[0].0));
        if own.is_empty() || others.len() < FEWEST_OTHER_WORDS {
            return Cow::Borrowed(self);
        }
        let mut question = self.clone();
        for concept in &mut question.concepts {
            if is_own(&concept.forms[0].0) {
                concept.weight *= weights::OWN_NAME;
            }
        }
        question.names.retain(|name| !is_own(&name.text));
        Cow::Owned(question)
    }

    /// Returns whether the query is one name, and not a path.
    pub fn is_symbol(&self) -> bool {
        self.kind == QueryKind::Name && self.path.is_none()
    }

    /// Returns the query if it is one name in capitals with an underscore, as constants and environment variables have.
    pub fn constant(&self) -> Option<&str> {
        let [name] = &self.names[..] else { return None };
        let is_capital =
            |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
        let name = Some(name.text.as_str()).filter(|_| self.is_symbol())?;
        let has_parts = name.trim_matches('_').contains('_');
        (has_parts && name.chars().all(is_capital)).then_some(name)
    }

    /// Returns a query that is one name of several parts, as options and keys of a configuration have: `max-memory`,
    /// `cache.max_size`.
    pub fn compound_name<'q>(&self, query: &'q str) -> Option<&'q str> {
        let query = query.trim().trim_end_matches("()");
        let is_plain = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
        let mut all = words(query);
        let has_parts = all.next().is_some_and(|(_, word)| parts(word).count() > 1);
        let is_compound = (has_parts || all.next().is_some()) && query.chars().all(is_plain);
        Some(query).filter(|_| is_compound && self.is_symbol())
    }

    /// Returns the forms of the concepts by which a line is chosen: not values of a message, unless there are no others.
    pub fn line_forms(&self) -> Vec<Vec<&str>> {
        let is_value = |concept: &Concept| concept.weight <= VALUE;
        if self.concepts.iter().all(is_value) {
            return self.word_forms();
        }
        let all = self.concepts.iter().zip(self.word_forms());
        let others = all.filter(|(concept, _)| !is_value(concept));
        others.map(|(_, forms)| forms).collect()
    }

    /// Returns the forms of each concept.
    pub fn word_forms(&self) -> Vec<Vec<&str>> {
        let forms = self.concepts.iter().map(|concept| &concept.forms);
        forms
            .map(|forms| forms.iter().map(|(form, _)| form.as_str()).collect())
            .collect()
    }
}

const TEST_WORDS: [&str; 4] = ["test", "spec", "fixture", "mock"];

/// Returns whether a query is one name or path as code writes them: `Foo::bar`, `main()`.
fn is_name(query: &str) -> bool {
    let query = query
        .trim()
        .trim_end_matches(['?', '!'])
        .trim_end_matches("()");
    !query.is_empty()
        && query.chars().any(char::is_alphanumeric)
        && query
            .chars()
            .all(|letter| letter.is_alphanumeric() || "_.:#>/\\-$@~".contains(letter))
}

/// Returns a query with a slash or a file extension as a path: `src/main.rs`, `./a/b`, `main.rs`.
fn path(query: &str) -> Option<String> {
    let query = query.trim().trim_start_matches("./").trim_matches('/');
    let has_extension = query.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=5).contains(&ending.len())
            && ending
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
    });
    let is_one = !query.is_empty() && !query.contains(char::is_whitespace) && !query.contains("::");
    (is_one && (query.contains('/') || has_extension)).then(|| query.to_owned())
}

/// Returns a query without case and separators: `sqlmapper` for `SqlMapper`. None if it has a qualifier, as `Foo::bar` has.
fn file_name(query: &str) -> Option<String> {
    let query = query.trim().trim_end_matches(['?', '!', '(', ')']);
    let is_name_char = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    query
        .chars()
        .all(is_name_char)
        .then(|| plain_letters(query))
}

/// Returns a name without case and separators: `httpserver` for `HttpServer`, `http_server` and `http.server`.
pub fn plain_letters(name: &str) -> String {
    let letters = name
        .chars()
        .filter(|letter| !matches!(letter, '_' | '-' | '.'));
    letters.flat_map(char::to_lowercase).collect()
}

fn names(written: &[&str], kind: QueryKind) -> Vec<QueryName> {
    let mut names: Vec<QueryName> = vec![];
    for (place, word) in written.iter().enumerate() {
        let is_all = kind == QueryKind::Name;
        let too_plain = word.chars().count() < SHORTEST_NAME || is_stop_word(&word.to_lowercase());
        if (too_plain && written.len() > 1) || names.iter().any(|name| name.text == *word) {
            continue;
        }
        // A sentence begins with a capital: `Wanted but not invoked`.
        let is_first = place == 0 && written.len() >= SHORTEST_SENTENCE;
        let is_capital = word.starts_with(char::is_uppercase) && !is_first;
        let is_certain = is_all || parts(word).count() > 1 || is_capital;
        names.push(QueryName {
            text: (*word).to_owned(),
            is_certain,
        });
    }
    names
}

fn pairs(written: &[&str]) -> Vec<Vec<(String, f32)>> {
    let lower: Vec<String> = written.iter().map(|word| word.to_lowercase()).collect();
    let fits = |word: &str| !is_stop_word(word) && word.chars().all(char::is_alphabetic);
    let mut pairs = vec![];
    for (one, two) in lower.iter().zip(lower.iter().skip(1)) {
        if !fits(one) || !fits(two) {
            continue;
        }
        let mut forms = vec![(format!("{one}{two}"), 1.0), (format!("{one}_{two}"), 1.0)];
        if let Some(single) = two.strip_suffix('s') {
            forms.extend([
                (format!("{one}{single}"), 1.0),
                (format!("{one}_{single}"), 1.0),
            ]);
        }
        pairs.push(forms);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_chosen_by_the_words_of_a_message_and_not_by_its_values() {
        for (query, expected) in [
            ("Crawled 200 <GET https://a.b>", vec!["crawled", "200"]),
            ("parse a header", vec!["parse", "header"]),
        ] {
            let question = Question::new(query);
            let forms = question.line_forms();
            let words: Vec<&str> = forms.iter().map(|forms| forms[0]).collect();
            assert_eq!(words, expected);
        }
    }

    #[test]
    fn the_name_of_the_project_counts_little_in_a_question_of_several_words() {
        for (query, expected) in [
            ("how does alacritty decide which key is bound", 0.1),
            ("how does Alacritty decide which key is bound", 0.1),
            ("alacritty config", 1.0),
            ("alacritty", 1.0),
        ] {
            let question = Question::new(query);
            let question = question.within("alacritty");
            let mut concepts = question.concepts.iter();
            let own = concepts.find(|one| one.forms[0].0 == "alacritty");
            assert!(
                (own.expect(query).weight - expected).abs() < 0.01,
                "{query}"
            );
            let mut names = question.names.iter();
            let is_name = names.any(|one| one.text.eq_ignore_ascii_case("alacritty"));
            assert_eq!(is_name, expected > 0.5, "{query}");
        }
    }

    fn firsts(query: &str) -> Vec<(String, f32)> {
        Question::new(query)
            .concepts
            .into_iter()
            .map(|concept| (concept.forms[0].0.clone(), concept.weight))
            .collect()
    }

    #[test]
    fn a_question_is_about_its_rare_words_and_a_name_about_its_parts() {
        assert_eq!(
            firsts("how are tokens counted"),
            [("tokens".to_owned(), 1.0), ("counted".to_owned(), 1.0)]
        );
        let name = [("parsehttp", 1.0), ("parse", PART), ("http", PART)]
            .map(|(word, weight)| (word.to_owned(), weight));
        assert_eq!(firsts("parseHttp"), name);
        assert_eq!(
            firsts("how is it"),
            [("how", 1.0), ("is", 1.0), ("it", 1.0)].map(|(w, n)| (w.to_owned(), n))
        );
        assert!(firsts("…").is_empty());
    }

    #[test]
    fn a_query_is_a_name_or_words() {
        for name in [
            "Client",
            "parse_request",
            "Foo::bar",
            "src/main.rs",
            "a->b",
            "main()",
            "größe",
            "#define",
        ] {
            assert_eq!(Question::new(name).kind, QueryKind::Name, "{name}");
        }
        for words in [
            "how does it work",
            "connection refused",
            "fn main() {",
            "",
            "==",
        ] {
            assert_eq!(Question::new(words).kind, QueryKind::Words, "{words}");
        }
    }

    #[test]
    fn words_that_may_be_names_are_looked_up_as_names() {
        let names = Question::new("how does HttpServer parse requests").names;
        let certain: Vec<(&str, bool)> = names
            .iter()
            .map(|name| (name.text.as_str(), name.is_certain))
            .collect();
        assert_eq!(
            certain,
            [("HttpServer", true), ("parse", false), ("requests", false)]
        );
        assert!(Question::new("unit tests of the parser").about_tests);
        assert!(Question::new("mocking of timers").about_tests);
        assert!(!Question::new("the latest parser").about_tests);
    }

    #[test]
    fn a_name_in_capitals_with_an_underscore_is_a_constant() {
        let is_constant = |query: &str| Question::new(query).constant().is_some();
        assert!(is_constant("STARSHIP_CONFIG") && is_constant("HTTP_2"));
        for query in [
            "HTTP",
            "_HTTP",
            "Max_SIZE",
            "MAX_SIZE of it",
            "A_B::C_D",
            "MAX_SIZE.rs",
        ] {
            assert!(!is_constant(query), "{query}");
        }
    }

    #[test]
    fn a_line_after_a_path_is_not_a_part_of_it() {
        let path = |query: &str| Question::new(query).path;
        assert_eq!(path("cmd/main.go:250").as_deref(), Some("cmd/main.go"));
        assert_eq!(path("main.go:250:3").as_deref(), Some("main.go"));
        assert_eq!(path("Foo::bar"), None);
    }

    #[test]
    fn a_query_with_a_slash_or_extension_is_a_path() {
        let path = |query: &str| Question::new(query).path;
        for query in [
            "src/main.rs",
            "./src/main.rs",
            "main.rs",
            "cli/doctor",
            "/src/a/",
        ] {
            assert!(path(query).is_some(), "{query}");
        }
        for query in [
            "Session",
            "std::fs",
            "parse and/or render",
            "Foo.barBaz",
            "e.g. this",
        ] {
            assert_eq!(path(query), None, "{query}");
        }
        assert_eq!(path("./src/main.rs").as_deref(), Some("src/main.rs"));
    }

    #[test]
    fn a_name_without_a_qualifier_may_be_that_of_a_file() {
        let file_name = |query: &str| Question::new(query).file_name;
        assert_eq!(file_name("is-stream").as_deref(), Some("isstream"));
        assert_eq!(file_name("SqlMapper()").as_deref(), Some("sqlmapper"));
        for query in ["Foo::bar", "main.rs", "is a stream"] {
            assert_eq!(file_name(query), None, "{query}");
        }
    }

    #[test]
    fn neighbouring_words_are_also_searched_as_one() {
        let pairs = Question::new("how hash maps grow").pairs;
        assert!(
            pairs[0].iter().any(|(form, _)| form == "hash_map"),
            "{pairs:?}"
        );
        assert_eq!(pairs.len(), 2);
    }
}
