//! Every place that has the name: what becomes of it, and why.
//!
//! References are what the graph knows. A rename needs more than that: whatever else has the name in code of the language
//! is looked at too, and what can neither be said to mean the symbol nor to mean something else is a doubt.

use std::collections::{BTreeSet, HashMap};

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::SymbolKind;

use super::family::Family;
use super::files::{ModuleUse, module_use};
use super::last_part;
use super::text::{Opened, Reading};
use super::words::{Place, Sought, Word, is_export, is_member_of_something, place, said_type};
use crate::extract::facts::Role;
use crate::graph::references::Reference;
use crate::graph::{Graph, Outcome, SymbolId, Use, Uses};
use crate::lang::families::Feature;
use crate::lang::{self, Naming};
use crate::query::Context;
use crate::query::find_references::confidence;

/// Texts without facts that are read at most.
const MOST_PROSE: usize = 600;
const MOST_MENTIONS: usize = 500;
/// Names this short stand in too many texts to be worth looking for where they are only words.
const SHORTEST_MENTION: usize = 3;

/// How the new name is written at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    Plain,
    /// `new: old`, where one word is a field and what it holds; the field's name goes before this column.
    Field(u32),
    /// `old: new`.
    Value,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    Change,
    /// It may mean the symbol.
    Doubt {
        confidence: f64,
        reason: &'static str,
    },
    /// A word in a comment, a string or prose.
    Mention {
        confidence: f64,
        reason: &'static str,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    pub file: u32,
    pub word: Word,
    pub writing: Writing,
    pub verdict: Verdict,
}

pub struct Places<'a> {
    pub graph: &'a Graph<'a>,
    pub reading: &'a Reading<'a>,
    pub family: &'a Family<'a>,
}

/// What is known of one file.
struct Known<'a> {
    file: u32,
    opened: &'a Opened,
    uses: &'a Uses,
    naming: Option<&'static Naming>,
    /// Of the name.
    length: usize,
    /// By line and column of the word.
    rows: HashMap<(u32, u32), Use>,
    references: HashMap<(u32, u32), &'a Reference>,
    defined: HashMap<(u32, u32), SymbolId>,
}

type Judged = Option<(Writing, Verdict)>;

const CHANGE: Judged = Some((Writing::Plain, Verdict::Change));

#[expect(clippy::unnecessary_wraps, reason = "what is judged may be none")]
fn doubt(writing: Writing, confidence: f64, reason: &'static str) -> Judged {
    Some((writing, Verdict::Doubt { confidence, reason }))
}

#[expect(clippy::unnecessary_wraps, reason = "what is judged may be none")]
fn mention(confidence: f64, reason: &'static str) -> Judged {
    Some((Writing::Plain, Verdict::Mention { confidence, reason }))
}

/// Of a language without facts about uses.
fn by_text(known: &Known<'_>, found: &Reference, word: Word) -> Judged {
    match beside(known, word) {
        Some(reason) => mention(0.2, reason),
        None => doubt(Writing::Plain, confidence(found), found.reason),
    }
}

/// A word that no use was found at.
fn unknown(known: &Known<'_>, word: Word) -> Judged {
    if let Some(reason) = beside(known, word) {
        return mention(0.2, reason);
    }
    // A part of a longer name.
    let is_part = |row: &Use| {
        let length = u32::try_from(known.uses.name(row).len()).unwrap_or(u32::MAX);
        row.line == word.line
            && row.column <= word.column
            && word.column < row.column.saturating_add(length)
    };
    let from = known
        .uses
        .rows()
        .partition_point(|row| row.line < word.line);
    let on_line = known.uses.rows()[from..]
        .iter()
        .take_while(|row| row.line == word.line);
    if on_line.into_iter().any(is_part) {
        return None;
    }
    doubt(
        Writing::Plain,
        0.3,
        "text match in code that is not resolved",
    )
}

impl Places<'_> {
    /// In the order of the files and their lines.
    pub fn find(&self, context: &Context) -> Result<Vec<Found>, ToolError> {
        let target = self.family.target;
        let name = last_part(&self.graph.symbol(target).name);
        let sought = Sought::new(name, self.reading.naming(target.file));
        // Where the index has it for sure, and wherever its letters may stand.
        let mut files: BTreeSet<u32> = self
            .family
            .references
            .iter()
            .map(|found| found.file)
            .collect();
        files.extend(self.family.members.iter().map(|at| at.file));
        files.extend(self.graph.files_with(name));
        let (mut found, mut prose, mut mentions) = (vec![], 0, 0);
        for file in files {
            let is_code = self.is_of_the_language(file);
            prose += usize::from(!is_code);
            if !is_code && (prose > MOST_PROSE || name.len() < SHORTEST_MENTION) {
                continue;
            }
            context.cancel.check()?;
            let Some(opened) = self.reading.open(file) else {
                continue;
            };
            let words = sought.all_in(opened.text());
            let uses = self.graph.uses(file);
            let known = self.known(file, &opened, &uses, name);
            for word in words {
                let judged = if is_code {
                    self.judged(&known, word)
                } else {
                    self.elsewhere(file)
                };
                let Some((writing, verdict)) = judged else {
                    continue;
                };
                mentions += usize::from(matches!(verdict, Verdict::Mention { .. }));
                if !matches!(verdict, Verdict::Mention { .. }) || mentions <= MOST_MENTIONS {
                    found.push(Found {
                        file,
                        word,
                        writing,
                        verdict,
                    });
                }
            }
            self.reading.close(file);
        }
        Ok(found)
    }

    /// Whether names of a file can mean the symbol: it is of the language, or has pieces of it.
    fn is_of_the_language(&self, file: u32) -> bool {
        let Some(own) = self.graph.file(self.family.target.file).language else {
            return false;
        };
        let Some(language) = self.graph.file(file).language else {
            return false;
        };
        let inner = language
            .embed
            .iter()
            .filter_map(|embed| lang::by_name(embed.language));
        // Prose shows code, and has none.
        std::iter::once(language)
            .chain(inner.filter(|_| !language.prose))
            .any(|one| lang::same_language_family(one, own))
    }

    fn known<'b>(
        &'b self,
        file: u32,
        opened: &'b Opened,
        uses: &'b Uses,
        name: &'b str,
    ) -> Known<'b> {
        let whole = &self.graph.symbol(self.family.target).name;
        // Some languages count signs to a name, and some names are whole paths: the word is looked for a little further on.
        let place_of = |line: u32, column: u32| {
            let at = opened.offset(line, column)?;
            let shift = (0..4).chain([whole.len() - name.len()]).find(|shift| {
                opened
                    .text()
                    .get(at + shift..)
                    .is_some_and(|rest| rest.starts_with(name))
            })?;
            Some((line, opened.column_of(at + shift)))
        };
        let mut rows = HashMap::new();
        let of_object = format!("@{name}");
        for row in [name, whole, &of_object]
            .into_iter()
            .flat_map(|name| uses.named(name))
        {
            if let Some(place) = place_of(row.line, row.column) {
                rows.entry(place).or_insert(*row);
            }
        }
        let own = self
            .family
            .references
            .iter()
            .filter(|found| found.file == file);
        let references = own
            .filter_map(|found| Some((place_of(found.row.line, found.row.column)?, found)))
            .collect();
        let symbols = &self.graph.file(file).outline.symbols;
        let named = (0..)
            .zip(symbols)
            .filter(|(_, symbol)| last_part(&symbol.name) == name || symbol.name == *whole);
        let defined = named
            .filter_map(|(at, symbol)| {
                let shift = symbol.name.len() - last_part(&symbol.name).len();
                let column = symbol.name_column + u32::try_from(shift).unwrap_or(0);
                let place = place_of(symbol.name_line, column)
                    .or_else(|| place_of(symbol.name_line, symbol.name_column));
                Some((place?, SymbolId { file, symbol: at }))
            })
            .collect();
        let naming = self.reading.naming(file);
        Known {
            file,
            opened,
            uses,
            naming,
            length: name.len(),
            rows,
            references,
            defined,
        }
    }

    /// A word in a text of another language, or of none.
    fn elsewhere(&self, file: u32) -> Judged {
        if self.graph.has_uses(file) {
            mention(0.15, "text match in another language")
        } else {
            mention(0.15, "text match only")
        }
    }

    fn judged(&self, known: &Known<'_>, word: Word) -> Judged {
        let at = (word.line, word.column);
        if let Some(defined) = known.defined.get(&at) {
            return if self.family.has(*defined) {
                CHANGE
            } else {
                None
            };
        }
        let sign = known.naming.and_then(|naming| naming.variable_sigil);
        if sign.is_some_and(|sign| known.opened.text()[..word.at].ends_with(sign))
            && !self.is_variable()
        {
            return None;
        }
        match (known.references.get(&at), known.rows.get(&at)) {
            (Some(found), _) if !self.graph.has_uses(known.file) => by_text(known, found, word),
            (Some(found), _) => self.referred(known, found, word),
            (None, Some(row)) if known.uses.name(row).starts_with('@') => self.kept(known, row),
            (None, Some(row)) => self.used(known, row, word),
            (None, None) => unknown(known, word),
        }
    }

    fn is_variable(&self) -> bool {
        let kind = self.graph.symbol(self.family.target).kind;
        matches!(
            kind,
            SymbolKind::Field | SymbolKind::Property | SymbolKind::Variable | SymbolKind::Constant
        )
    }

    /// Also of a type that has no name of its own.
    fn is_member(&self) -> bool {
        let kind = self.graph.symbol(self.family.target).kind;
        matches!(
            kind,
            SymbolKind::Field | SymbolKind::Property | SymbolKind::Method
        ) || self.graph.members().owner(self.family.target).is_some()
    }

    /// A place that the graph takes for a reference.
    fn referred(&self, known: &Known<'_>, found: &Reference, word: Word) -> Judged {
        let is_sure = found.resolution == Resolution::Resolved || found.by_dispatch;
        let is_alone = known.uses.qualifier(&found.row).is_none();
        let mut writing = Writing::Plain;
        if found.row.role != Role::Import {
            match known.place(word) {
                Place::Shorthand { from, open } if !is_export(known.opened.code(), open) => {
                    let is_field = self.is_member();
                    writing = if is_field {
                        Writing::Field(known.opened.column_of(from))
                    } else {
                        Writing::Value
                    };
                    if is_field && is_alone {
                        return self.in_braces(known, &found.row, open, writing);
                    }
                }
                Place::Key { open } if is_alone && !is_export(known.opened.code(), open) => {
                    // A key is no use of a variable that happens to be called like it.
                    return if self.is_member() {
                        self.in_braces(known, &found.row, open, writing)
                    } else {
                        None
                    };
                }
                _ => {}
            }
            if is_alone && known.is_member(word) {
                return doubt(writing, 0.4, UNKNOWN_OWNER);
            }
        }
        if is_sure {
            return Some((writing, Verdict::Change));
        }
        doubt(writing, confidence(found), found.reason)
    }

    /// A use of the name that the graph does not take for a reference.
    fn used(&self, known: &Known<'_>, row: &Use, word: Word) -> Judged {
        let is_alone = known.uses.qualifier(row).is_none();
        let outcome = self.graph.resolver().resolve(known.file, known.uses, row);
        if let Some(judged) = self.as_module(known, row, word, &outcome) {
            return judged;
        }
        if row.role != Role::Import {
            match known.place(word) {
                Place::Shorthand { from, open } => {
                    let writing = Writing::Field(known.opened.column_of(from));
                    return if self.is_member() {
                        // Where the graph knows whose field it is, it has said so.
                        let is_other =
                            !is_alone && matches!(outcome, Outcome::Targets(_) | Outcome::Foreign);
                        if is_other {
                            None
                        } else {
                            self.in_braces(known, row, open, writing)
                        }
                    } else {
                        self.as_value(known, row)
                    };
                }
                Place::Key { open } if self.is_member() && is_alone => {
                    return self.in_braces(known, row, open, Writing::Plain);
                }
                _ => {}
            }
            if is_alone && known.is_member(word) {
                return if self.is_member() {
                    doubt(Writing::Plain, 0.4, UNKNOWN_OWNER)
                } else {
                    None
                };
            }
        }
        match outcome {
            Outcome::Local if self.is_parameter_too(known, row) => CHANGE,
            Outcome::Foreign if self.may_be_embedded(known, row) => doubt(
                Writing::Plain,
                0.4,
                "a field that is called like the type it is of",
            ),
            Outcome::Targets(_) | Outcome::Local | Outcome::Foreign => None,
            Outcome::Unknown if row.role == Role::Mention => mention(0.3, "a word in a string"),
            Outcome::Unknown if self.is_in_its_type(known, row) => CHANGE,
            Outcome::Unknown if !is_alone && !self.is_member() => {
                mention(0.2, "a member of a value of unknown type")
            }
            Outcome::Unknown => doubt(Writing::Plain, 0.3, "it is not known what is meant here"),
        }
    }

    /// A variable of an object: what a property that is only declared keeps its value in.
    fn kept(&self, known: &Known<'_>, row: &Use) -> Judged {
        if self.graph.symbol(self.family.target).kind != SymbolKind::Property {
            return None;
        }
        let owner = self
            .graph
            .members()
            .owner(self.family.target)
            .filter(|owner| owner.file == known.file);
        match owner {
            Some(owner) if self.family.is_around(known.file, owner.symbol, row.symbol) => CHANGE,
            _ => doubt(
                Writing::Plain,
                0.4,
                "the variable of a property of that name",
            ),
        }
    }

    /// A field in braces, by the type that these are said to be of.
    fn in_braces(&self, known: &Known<'_>, row: &Use, open: usize, writing: Writing) -> Judged {
        match self.is_its_type(known, row, open) {
            Some(true) => Some((writing, Verdict::Change)),
            Some(false) => None,
            None => doubt(writing, 0.4, "a field of a value of unknown type"),
        }
    }

    fn is_its_type(&self, known: &Known<'_>, row: &Use, open: usize) -> Option<bool> {
        let code = known.opened.code();
        let own: Vec<SymbolId> = self
            .family
            .members
            .iter()
            .filter_map(|at| self.graph.members().owner(*at))
            .collect();
        let is_own = |at: &SymbolId| {
            own.iter()
                .any(|own| own == at || self.graph.entities().declarations(*own).contains(at))
        };
        let reserved = known
            .naming
            .map_or(&[][..], |naming| naming.reserved.as_slice());
        if let Some(said) = said_type(code, open, reserved) {
            let word = &code[said.clone()];
            let rules = self.graph.rules(known.file)?;
            if rules.receivers.contains(&word) {
                let around = SymbolId {
                    file: known.file,
                    symbol: row.symbol?,
                };
                return self.graph.members().owner(around).map(|at| is_own(&at));
            }
            let (line, column) = (
                known.opened.line_of(said.start),
                known.opened.column_of(said.start),
            );
            let named = known
                .uses
                .named(word)
                .find(|one| (one.line, one.column) == (line, column))?;
            return match self.graph.resolver().resolve(known.file, known.uses, named) {
                Outcome::Targets(found) => Some(found.symbols.iter().any(is_own)),
                Outcome::Foreign => Some(false),
                Outcome::Local | Outcome::Unknown => None,
            };
        }
        // What a function returns that says what it returns.
        let before = code[..open].trim_end();
        let before = before.strip_suffix('(').map_or(before, str::trim_end);
        let is_returned = before.ends_with("return") || before.ends_with("=>");
        let around = self.graph.symbol(SymbolId {
            file: known.file,
            symbol: row.symbol?,
        });
        let returned = around
            .result()
            .filter(|_| is_returned && around.kind.is_callable())?
            .text();
        let seen = self
            .graph
            .scopes()
            .resolve_at_top_level(known.file, returned)?;
        Some(is_own(&seen))
    }

    /// What a field is given that is written like it.
    fn as_value(&self, known: &Known<'_>, row: &Use) -> Judged {
        if row.role.binds() {
            return None;
        }
        let alone = Use {
            role: Role::Read,
            qualifier: None,
            ..*row
        };
        let Outcome::Targets(found) = self
            .graph
            .resolver()
            .resolve(known.file, known.uses, &alone)
        else {
            return None;
        };
        let is_it = found.symbols.iter().any(|at| {
            self.graph
                .entities()
                .declarations(*at)
                .iter()
                .any(|one| self.family.has(*one))
        });
        match found.resolution {
            _ if !is_it => None,
            Resolution::Resolved => Some((Writing::Value, Verdict::Change)),
            _ => doubt(Writing::Value, 0.5, found.reason),
        }
    }

    /// A parameter that is declared with the field in one word is the field's name in its function too.
    fn is_parameter_too(&self, known: &Known<'_>, row: &Use) -> bool {
        let own = self
            .family
            .members
            .iter()
            .filter(|at| at.file == known.file);
        own.filter_map(|at| {
            let symbol = self.graph.symbol(*at);
            let bound = known
                .rows
                .get(&(symbol.name_line, symbol.name_column))
                .filter(|row| row.role == Role::Bind)?;
            let around = SymbolId {
                file: known.file,
                symbol: bound.symbol?,
            };
            let function = if around == *at {
                self.graph.symbol(around).parent?
            } else {
                around.symbol
            };
            self.graph
                .symbol(SymbolId {
                    symbol: function,
                    ..around
                })
                .kind
                .is_callable()
                .then_some(function)
        })
        .any(|function| {
            known.uses.qualifier(row).is_none()
                && self.family.is_around(known.file, function, row.symbol)
        })
    }

    /// A name that stands in the body of the type itself, or before the name of its member: `@size.setter`.
    fn is_in_its_type(&self, known: &Known<'_>, row: &Use) -> bool {
        let Some(symbol) = row.symbol.filter(|_| known.uses.qualifier(row).is_none()) else {
            return false;
        };
        let around = SymbolId {
            file: known.file,
            symbol,
        };
        let is_owner = self
            .family
            .members
            .iter()
            .any(|at| self.graph.members().owner(*at) == Some(around));
        is_owner || self.family.has(around) && row.line < self.graph.symbol(around).name_line
    }

    /// A type that another is made of is a field there.
    fn may_be_embedded(&self, known: &Known<'_>, row: &Use) -> bool {
        let rules = self.graph.rules(known.file);
        rules.is_some_and(|rules| rules.has(Feature::EmbeddedFields))
            && known.uses.qualifier(row).is_some()
            && self.graph.symbol(self.family.target).kind.is_type()
            && !self.graph.members().subtypes(self.family.target).is_empty()
    }

    /// The name of a module whose file is moved.
    fn as_module(
        &self,
        known: &Known<'_>,
        row: &Use,
        word: Word,
        outcome: &Outcome,
    ) -> Option<Judged> {
        let after = &known.opened.code()[word.at + known.length..];
        let qualifier = known.uses.qualifier(row);
        match module_use(
            self.graph,
            self.family.target,
            known.file,
            row,
            qualifier,
            after,
        )? {
            ModuleUse::Sure => Some(CHANGE),
            ModuleUse::Doubtful if *outcome == Outcome::Local => None,
            ModuleUse::Doubtful => Some(doubt(
                Writing::Plain,
                0.5,
                "it may be another module of that name",
            )),
        }
    }
}

const UNKNOWN_OWNER: &str = "a member of a value of unknown type";

/// Why a word is none of the code, if it is not.
fn beside(known: &Known<'_>, word: Word) -> Option<&'static str> {
    let at = u32::try_from(word.at).unwrap_or(u32::MAX);
    let beside = known.opened.beside();
    if beside.is_comment(at) {
        return Some("a word in a comment");
    }
    beside.is_string(at).then_some("a word in a string")
}

impl Known<'_> {
    fn place(&self, word: Word) -> Place {
        if self.naming.is_some_and(|naming| naming.shorthand_fields) {
            place(self.opened.code(), word.at, self.length)
        } else {
            Place::Plain
        }
    }

    fn is_member(&self, word: Word) -> bool {
        let signs = (self.naming).map_or(&["."][..], |naming| naming.member_operators.as_slice());
        is_member_of_something(self.opened.code(), word.at, signs)
    }
}
