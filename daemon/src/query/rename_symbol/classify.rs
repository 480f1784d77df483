//! Classifies one occurrence of the old name: it changes, it is doubtful, it is only a mention, or it means something else.

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::SymbolKind;

use super::file_context::FileContext;
use super::file_move::{ModuleUse, module_use};
use super::name_search::WordMatch;
use super::rename_set::RenameSet;
use super::source_cache::SourceCache;
use super::syntax::{FieldSyntax, object_type, opening_bracket};
use crate::extract::facts::Role;
use crate::graph::references::Reference;
use crate::graph::{Graph, Outcome, SymbolId, Use};
use crate::lang::families::Feature;
use crate::lang::vocabulary::RETURN;
use crate::query::shared::confidence::confidence;

const UNKNOWN_OWNER: &str = "a member of a value of unknown type";

/// The way the new name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// The new name replaces the old one.
    Name,
    /// The field of a shorthand gets the new name, inserted at this column: `{ size }` → `{ width: size }`.
    Field(u32),
    /// The value of a shorthand gets the new name: `{ size }` → `{ size: width }`.
    Value,
    /// Both names lack this suffix: `[Route]` → `[Path]` for `RouteAttribute` → `PathAttribute`.
    WithoutSuffix(&'static str),
}

impl Rewrite {
    /// Returns the text that is replaced and its replacement, for a rewrite at the old name.
    pub fn replacement<'n>(self, name: &'n str, new_name: &str) -> (&'n str, String) {
        match self {
            Self::Name => (name, new_name.to_owned()),
            Self::Value => (name, format!("{name}: {new_name}")),
            Self::Field(_) => ("", format!("{new_name}: ")),
            Self::WithoutSuffix(suffix) => (
                name.strip_suffix(suffix).unwrap_or(name),
                new_name.strip_suffix(suffix).unwrap_or(new_name).to_owned(),
            ),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    Change,
    /// The occurrence may mean the symbol.
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

impl Verdict {
    /// Returns why an occurrence may mean something else.
    pub fn doubt(self) -> Option<&'static str> {
        match self {
            Self::Doubt { reason, .. } => Some(reason),
            Self::Change | Self::Mention { .. } => None,
        }
    }
}

/// The rewrite and the verdict; none for a name that means something else.
type Classification = Option<(Rewrite, Verdict)>;

const CHANGE: Classification = Some((Rewrite::Name, Verdict::Change));

#[expect(clippy::unnecessary_wraps, reason = "it is a classification")]
fn doubt(rewrite: Rewrite, confidence: f64, reason: &'static str) -> Classification {
    Some((rewrite, Verdict::Doubt { confidence, reason }))
}

#[expect(clippy::unnecessary_wraps, reason = "it is a classification")]
fn mention(confidence: f64, reason: &'static str) -> Classification {
    Some((Rewrite::Name, Verdict::Mention { confidence, reason }))
}

#[derive(Clone, Copy)]
pub struct Classifier<'a> {
    pub graph: &'a Graph<'a>,
    pub sources: &'a SourceCache<'a>,
    pub set: &'a RenameSet<'a>,
}

impl Classifier<'_> {
    pub fn classify_in_other_language(&self, file: u32) -> Classification {
        if self.graph.has_uses(file) {
            mention(0.15, "text match in another language")
        } else {
            mention(0.15, "text match only")
        }
    }

    pub fn classify(&self, file: &FileContext<'_>, word: WordMatch) -> Classification {
        let position = (word.line, word.column);
        if let Some(definition) = file.definitions.get(&position) {
            return if self.set.has(*definition) {
                CHANGE
            } else {
                self.classify_other_definition(file, *definition, word)
            };
        }
        let sigil = file.naming.and_then(|naming| naming.variable_sigil);
        if sigil.is_some_and(|sigil| file.source.text()[..word.offset].ends_with(sigil))
            && !self.is_variable()
        {
            return None;
        }
        let reference = file.references.get(&position);
        match (reference, file.uses_of_name.get(&position)) {
            (Some(found), _) if !self.graph.has_uses(file.file) => {
                classify_text_match(file, found, word)
            }
            (Some(found), _) => self.classify_reference(file, found, word),
            (None, Some(used)) if file.is_instance_variable(used) => {
                self.classify_instance_variable(file, used)
            }
            (None, Some(used)) => self.classify_use(file, used, word),
            (None, None) => classify_word(file, word),
        }
    }

    /// Classifies the definition of another symbol: a method of an object in braces may implement the renamed one, as in
    /// `const shop: Store = { open() {} }`.
    fn classify_other_definition(
        &self,
        file: &FileContext<'_>,
        definition: SymbolId,
        word: WordMatch,
    ) -> Classification {
        let kind = |at: SymbolId| self.graph.symbol(at).kind;
        let owner = |at: SymbolId| self.graph.members().owner(at);
        let rules = self.graph.rules(file.file)?;
        let is_of_object = matches!(kind(definition), SymbolKind::Method | SymbolKind::Property)
            && !owner(definition).is_some_and(|of| kind(of).is_type());
        if !is_of_object || !self.is_member() || rules.has(Feature::ImplBlocks) {
            return None;
        }
        file.naming.filter(|naming| naming.shorthand_fields)?;
        let open = opening_bracket(file.source.code(), word.offset)?;
        let symbol = self.graph.symbol(definition).parent;
        match self.is_object_of_owner(file, symbol, open) {
            Some(true) => CHANGE,
            Some(false) => None,
            // Objects without a declared type mostly implement interfaces.
            None => {
                let mut owners = self.set.members.iter().filter_map(|at| owner(*at));
                let is_interface = owners.any(|of| kind(of) == SymbolKind::Interface);
                doubt(Rewrite::Name, 0.4, "a method of an object of unknown type")
                    .filter(|_| is_interface)
            }
        }
    }

    fn is_variable(&self) -> bool {
        matches!(
            self.graph.symbol(self.set.target).kind,
            SymbolKind::Field | SymbolKind::Property | SymbolKind::Variable | SymbolKind::Constant
        )
    }

    /// Returns whether the symbol is a member, even of an unnamed type.
    fn is_member(&self) -> bool {
        matches!(
            self.graph.symbol(self.set.target).kind,
            SymbolKind::Field | SymbolKind::Property | SymbolKind::Method
        ) || self.graph.members().owner(self.set.target).is_some()
    }

    fn classify_reference(
        &self,
        file: &FileContext<'_>,
        found: &Reference,
        word: WordMatch,
    ) -> Classification {
        let is_sure = found.resolution == Resolution::Resolved || found.by_dispatch;
        let is_alone = file.uses.qualifier(&found.row).is_none();
        let mut rewrite = Rewrite::Name;
        if found.row.role != Role::Import {
            match file.field_syntax(word) {
                FieldSyntax::Shorthand { start, open } if !self.is_export_list(file, open) => {
                    let is_field = self.is_member();
                    rewrite = if is_field {
                        Rewrite::Field(file.source.column_of(start))
                    } else {
                        Rewrite::Value
                    };
                    if is_field && is_alone {
                        return self.classify_field(file, &found.row, open, rewrite);
                    }
                }
                FieldSyntax::Key { open } if is_alone && !self.is_export_list(file, open) => {
                    // A key does not use a variable that happens to have the same name.
                    return if self.is_member() {
                        self.classify_field(file, &found.row, open, rewrite)
                    } else {
                        None
                    };
                }
                _ => {}
            }
            if is_alone && file.has_receiver(word) && !found.by_index {
                return doubt(rewrite, 0.4, UNKNOWN_OWNER);
            }
        }
        if is_sure {
            return Some((rewrite, Verdict::Change));
        }
        doubt(rewrite, confidence(found), found.reason)
    }

    fn is_export_list(&self, file: &FileContext<'_>, open: usize) -> bool {
        let rules = self.graph.rules(file.file);
        rules.is_some_and(|rules| rules.family.opens_export_list(&file.source.code()[..open]))
    }

    /// Classifies a use that is not among the references of the graph.
    fn classify_use(&self, file: &FileContext<'_>, used: &Use, word: WordMatch) -> Classification {
        let is_alone = file.uses.qualifier(used).is_none();
        let outcome = self.graph.resolver().resolve(file.file, file.uses, used);
        if let Some(classified) = self.classify_module_path(file, used, word, &outcome) {
            return classified;
        }
        if used.role != Role::Import {
            match file.field_syntax(word) {
                FieldSyntax::Shorthand { start, open } => {
                    if !self.is_member() {
                        return self.classify_value(file, used);
                    }
                    // A qualified field that resolves belongs to another type: otherwise it would be a reference.
                    let is_other =
                        !is_alone && matches!(outcome, Outcome::Targets(_) | Outcome::Foreign);
                    let rewrite = Rewrite::Field(file.source.column_of(start));
                    return if is_other {
                        None
                    } else {
                        self.classify_field(file, used, open, rewrite)
                    };
                }
                FieldSyntax::Key { open } if self.is_member() && is_alone => {
                    return self.classify_field(file, used, open, Rewrite::Name);
                }
                _ => {}
            }
            if is_alone && file.has_receiver(word) {
                return if self.is_member() {
                    doubt(Rewrite::Name, 0.4, UNKNOWN_OWNER)
                } else {
                    None
                };
            }
        }
        match outcome {
            Outcome::Local if self.is_parameter_property(file, used) => CHANGE,
            Outcome::Foreign if self.may_be_embedded_field(file, used) => {
                doubt(Rewrite::Name, 0.4, "a field named after its type")
            }
            Outcome::Targets(_) | Outcome::Local | Outcome::Foreign => None,
            Outcome::Unknown if used.role == Role::Mention => mention(0.3, "a word in a string"),
            Outcome::Unknown if self.is_in_body_of_owner(file, used) => CHANGE,
            Outcome::Unknown if !is_alone && !self.is_member() => mention(0.2, UNKNOWN_OWNER),
            Outcome::Unknown => doubt(Rewrite::Name, 0.3, "it is not known what is meant here"),
        }
    }

    /// Classifies the variable that holds the value of a property: `@size` for `attr_reader :size`.
    fn classify_instance_variable(&self, file: &FileContext<'_>, used: &Use) -> Classification {
        if self.graph.symbol(self.set.target).kind != SymbolKind::Property {
            return None;
        }
        let owner = self
            .graph
            .members()
            .owner(self.set.target)
            .filter(|owner| owner.file == file.file);
        match owner {
            Some(owner) if self.set.encloses(file.file, owner.symbol, used.symbol) => CHANGE,
            _ => doubt(
                Rewrite::Name,
                0.4,
                "the variable of a property of that name",
            ),
        }
    }

    /// Classifies a field in braces by the type of the object.
    fn classify_field(
        &self,
        file: &FileContext<'_>,
        used: &Use,
        open: usize,
        rewrite: Rewrite,
    ) -> Classification {
        match self.is_object_of_owner(file, used.symbol, open) {
            Some(true) => Some((rewrite, Verdict::Change)),
            Some(false) => None,
            None => doubt(rewrite, 0.4, "a field of a value of unknown type"),
        }
    }

    /// Returns whether the object in braces is of the type that declares the symbol; none if its type is unknown.
    fn is_object_of_owner(
        &self,
        file: &FileContext<'_>,
        symbol: Option<u32>,
        open: usize,
    ) -> Option<bool> {
        let code = file.source.code();
        let owners: Vec<SymbolId> = self
            .set
            .members
            .iter()
            .filter_map(|at| self.graph.members().owner(*at))
            .collect();
        let is_owner = |at: &SymbolId| {
            let declares =
                |owner: &SymbolId| self.graph.entities().declarations(*owner).contains(at);
            owners.iter().any(|owner| owner == at || declares(owner))
        };
        if let Some(written) = object_type(code, open, file.naming?) {
            let word = &code[written.clone()];
            let rules = self.graph.rules(file.file)?;
            if rules.receivers.contains(&word) {
                let around = SymbolId {
                    file: file.file,
                    symbol: symbol?,
                };
                return self.graph.members().owner(around).map(|at| is_owner(&at));
            }
            let (line, column) = (
                file.source.line_of(written.start),
                file.source.column_of(written.start),
            );
            let type_use = file
                .uses
                .named(word)
                .find(|one| (one.line, one.column) == (line, column))?;
            let outcome = self
                .graph
                .resolver()
                .resolve(file.file, file.uses, type_use);
            return match outcome {
                Outcome::Targets(found) => Some(found.symbols.iter().any(is_owner)),
                Outcome::Foreign => Some(false),
                Outcome::Local | Outcome::Unknown => None,
            };
        }
        // A returned object is of the function's result type.
        let before = code[..open].trim_end();
        let before = before.strip_suffix('(').map_or(before, str::trim_end);
        let is_returned = before.ends_with(RETURN) || before.ends_with("=>");
        let around = self.graph.symbol(SymbolId {
            file: file.file,
            symbol: symbol?,
        });
        let result = around
            .result()
            .filter(|_| is_returned && around.kind.is_callable())?
            .text();
        let result = self
            .graph
            .scopes()
            .resolve_at_top_level(file.file, result)?;
        Some(is_owner(&result))
    }

    /// Classifies the value of a shorthand field.
    fn classify_value(&self, file: &FileContext<'_>, used: &Use) -> Classification {
        if used.role.binds() {
            return None;
        }
        let alone = Use {
            role: Role::Read,
            qualifier: None,
            ..*used
        };
        let Outcome::Targets(found) = self.graph.resolver().resolve(file.file, file.uses, &alone)
        else {
            return None;
        };
        let is_symbol = found.symbols.iter().any(|at| {
            let declarations = self.graph.entities().declarations(*at);
            declarations.iter().any(|one| self.set.has(*one))
        });
        match found.resolution {
            _ if !is_symbol => None,
            Resolution::Resolved => Some((Rewrite::Value, Verdict::Change)),
            _ => doubt(Rewrite::Value, 0.5, found.reason),
        }
    }

    /// Returns whether a local name is the parameter that declares the field: `constructor(private size: number)`.
    fn is_parameter_property(&self, file: &FileContext<'_>, used: &Use) -> bool {
        let members = self.set.members.iter().filter(|at| at.file == file.file);
        let declaring_function = |at: &SymbolId| {
            let symbol = self.graph.symbol(*at);
            let bound = file
                .uses_of_name
                .get(&(symbol.name_line, symbol.name_column))
                .filter(|bound| bound.role == Role::Bind)?;
            let around = SymbolId {
                file: file.file,
                symbol: bound.symbol?,
            };
            let function = if around == *at {
                self.graph.symbol(around).parent?
            } else {
                around.symbol
            };
            let is_callable = |symbol| {
                self.graph
                    .symbol(SymbolId { symbol, ..around })
                    .kind
                    .is_callable()
            };
            is_callable(function).then_some(function)
        };
        file.uses.qualifier(used).is_none()
            && members
                .filter_map(declaring_function)
                .any(|function| self.set.encloses(file.file, function, used.symbol))
    }

    /// Returns whether a name is in the body of the type itself, or before the name of its member: `@size.setter`.
    fn is_in_body_of_owner(&self, file: &FileContext<'_>, used: &Use) -> bool {
        let Some(symbol) = used.symbol.filter(|_| file.uses.qualifier(used).is_none()) else {
            return false;
        };
        let around = SymbolId {
            file: file.file,
            symbol,
        };
        let is_owner = |at: &SymbolId| self.graph.members().owner(*at) == Some(around);
        self.set.members.iter().any(is_owner)
            || self.set.has(around) && used.line < self.graph.symbol(around).name_line
    }

    /// Returns whether a member may be the field of an embedded type: `server.Store`.
    fn may_be_embedded_field(&self, file: &FileContext<'_>, used: &Use) -> bool {
        let rules = self.graph.rules(file.file);
        rules.is_some_and(|rules| rules.has(Feature::EmbeddedFields))
            && file.uses.qualifier(used).is_some()
            && self.graph.symbol(self.set.target).kind.is_type()
            && !self.graph.members().subtypes(self.set.target).is_empty()
    }

    /// Classifies a part of a path if the symbol is a module whose file is renamed.
    fn classify_module_path(
        &self,
        file: &FileContext<'_>,
        used: &Use,
        word: WordMatch,
        outcome: &Outcome,
    ) -> Option<Classification> {
        let after = &file.source.code()[word.offset + file.name_length..];
        let qualifier = file.uses.qualifier(used);
        match module_use(
            self.graph,
            self.set.target,
            file.file,
            used,
            qualifier,
            after,
        )? {
            ModuleUse::Sure => Some(CHANGE),
            ModuleUse::Doubtful if *outcome == Outcome::Local => None,
            ModuleUse::Doubtful => Some(doubt(
                Rewrite::Name,
                0.5,
                "it may be another module of that name",
            )),
        }
    }
}

/// Classifies a match in a language without facts about uses.
fn classify_text_match(
    file: &FileContext<'_>,
    found: &Reference,
    word: WordMatch,
) -> Classification {
    match file.reason_beside_code(word) {
        Some(reason) => mention(0.2, reason),
        None => doubt(Rewrite::Name, confidence(found), found.reason),
    }
}

/// Classifies a word at which extraction found no use.
fn classify_word(file: &FileContext<'_>, word: WordMatch) -> Classification {
    if let Some(reason) = file.reason_beside_code(word) {
        return mention(0.2, reason);
    }
    if file.is_part_of_use(word) {
        return None;
    }
    doubt(
        Rewrite::Name,
        0.3,
        "text match in code that is not resolved",
    )
}
