//! What a definition says about the facts of its language, beside its queries.

use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};

use super::naming::Naming;

/// Of a language that is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The name of its grammar in the list of grammars.
    pub grammar: &'static str,
    /// All its `.scm` files, one after the other.
    pub queries: &'static str,
    /// Between the parts of a qualified name.
    pub separator: &'static str,
    pub visibility: &'static VisibilityRule,
    pub names: &'static NameRules,
    pub macros: &'static MacroRules,
    /// Words that open bodies whose last member needs an end, also where the body is closed on its line.
    pub one_line_bodies: &'static [&'static str],
    /// Lines may be left out under a condition, also where the grammar does not expect that.
    pub conditional_lines: bool,
    pub naming: &'static Naming,
}

/// Macros that stand where a grammar knows none; they are told by their capitals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MacroRules {
    /// Words between which and a name one may stand: `class EXPORT Name`. Without them nothing is looked for.
    pub before_names: &'static [&'static str],
    /// Words that begin a declaration, so that what stands before one is a macro.
    pub beginnings: &'static [&'static str],
    /// Words that are neither a type nor a name.
    pub specifiers: &'static [&'static str],
    /// Ends of names of those that stand behind what they are about: `value GUARDED_BY(lock)`.
    pub annotations: &'static [&'static str],
}

/// What a name means, beyond the file that it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a word that a definition may have"
)]
pub struct NameRules {
    pub modules: Modules,
    pub shares: Shares,
    pub types: TypePlace,
    /// Words for the object, or the type, of the method around.
    pub receivers: &'static [&'static str],
    /// Those of them that mean the type.
    pub type_receivers: &'static [&'static str],
    /// Words for what that type is derived from.
    pub parents: &'static [&'static str],
    /// A member may be used by its name alone inside its type.
    pub implicit_members: bool,
    /// What is around a module is out of sight inside it.
    pub closed_modules: bool,
    /// What a file imports can be imported from it.
    pub imports_are_members: bool,
    /// An import that names nothing brings everything of its module.
    pub open_imports: bool,
    /// Expressions for what a file gives to who imports it.
    pub own_module: &'static [&'static str],
    /// Words for what a function is given that has no name for it.
    pub unnamed_parameters: &'static [&'static str],
    /// The sign before a path that begins outside of all modules, where no module is named before it.
    pub top: Option<&'static str>,
    /// The word before names of what is implemented without being written, none of which is a type that holds something.
    pub derives: Option<&'static str>,
    /// Words of comments behind which the type stands of what has none of its own.
    pub documented_types: &'static [&'static str],
    /// The same for what a function gives.
    pub documented_results: &'static [&'static str],
    /// The same for what a function is given; the name stands behind the type.
    pub documented_parameters: &'static [&'static str],
    /// Types that anything is of.
    pub anything: &'static [&'static str],
    /// Types of others that stand for one of what they are applied to.
    pub unions: &'static [&'static str],
    /// Methods that give what is worked with in a block, of what the block is opened with.
    pub enters: &'static [&'static str],
    /// Types of others that hold things by keys, and are applied to both.
    pub keyed: &'static [&'static str],
    /// Members of these that hand out their keys.
    pub keys: &'static [&'static str],
    /// What is had from one of these by going through it.
    pub goes_through: Place,
    /// Types of others that hold what is wanted or what went wrong, and are applied to both.
    pub results: &'static [&'static str],
    /// What takes the second of these apart in a pattern.
    pub failures: &'static [&'static str],
    /// Words before a type that stand for the names of its members.
    pub names_of: &'static [&'static str],
    /// Words before a value to whose type the names of its cases belong.
    pub choices: &'static [&'static str],
    /// What is read or written as a member is never a method.
    pub fields_apart: bool,
    /// Kinds of symbols that have members as types have them.
    pub owners: &'static [SymbolKind],
    /// Kinds of members that can be used by their names alone wherever their type can, if that is no class.
    pub open_members: &'static [SymbolKind],
    /// What is in a module is out of sight outside of it.
    pub sealed_modules: bool,
    /// A module and something else can have one name.
    pub modules_apart: bool,
    /// A type and a variable can have one name.
    pub types_apart: bool,
    /// A function is called by its name alone.
    pub bare_calls: bool,
    /// Where only its name stands, a function that takes something is handed on.
    pub function_values: bool,
    /// A field that is called is the method that hands it out.
    pub accessors: bool,
    /// Words for the type around, where something is made by calling them.
    pub makes_own: &'static [&'static str],
    /// Members, and functions of one argument, that give the type of something.
    pub type_of: &'static [&'static str],
    /// Methods that every type has without saying so, and that make something of it.
    pub makers: &'static [&'static str],
    /// A module's name is its whole path.
    pub dotted_names: bool,
    /// Several functions of one name in one place are different ones.
    pub overloads: bool,
    /// A type implements an interface by having its methods.
    pub structural: bool,
    /// What a type is derived from is a part of it that can be reached by its name.
    pub embedded_fields: bool,
    /// Whoever uses a method of a type is taken to use what it implements.
    pub families: bool,
    /// A public type has to be called like its file.
    pub types_name_files: bool,
    /// Stems of files that stand for their folder.
    pub indexes: &'static [&'static str],
    /// Of files that an import may mean without saying so.
    pub extensions: &'static [&'static str],
    /// Members of foreign wrappers that hand out what is wrapped.
    pub transparent: &'static [&'static str],
    /// Macros that make a test of a body and of two names. Nothing can use it by its name.
    pub tests: &'static [&'static str],
    /// Those of them whose body stands in a type that is derived from the first.
    pub fixture_tests: &'static [&'static str],
}

/// One of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    First,
    Second,
}

/// How an import says which files it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modules {
    /// It says nothing that could be followed.
    None,
    /// Folders and a file with dots between them, from the file itself when it begins with dots.
    Dotted,
    /// A path from the file, or the name of a package of the same root.
    Relative,
    /// A folder, behind the name that a module file gives to its own.
    PackageFolder,
    /// Folders and files from the root of a crate.
    Crate,
    /// A name that files give themselves.
    Namespace,
    /// A path from the file, or the end of any.
    Include,
    /// A file by its stem with a capital.
    Capitalised,
}

/// What is in sight without an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shares {
    Nothing,
    Folder,
    Namespace,
    Root,
}

/// Where a declaration has its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypePlace {
    /// Behind the name, or behind the parameters.
    After,
    Before,
}

/// How a symbol's visibility follows from its modifiers and its name. The first that applies holds, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibilityRule {
    /// Modifiers as written, or single words of them.
    pub words: &'static [(&'static str, Visibility)],
    /// For names that begin with `_`.
    pub underscore: Option<Visibility>,
    /// For names that begin with a capital.
    pub uppercase: Option<Visibility>,
    pub otherwise: Option<Visibility>,
}

impl VisibilityRule {
    pub const NONE: Self = Self {
        words: &[],
        underscore: None,
        uppercase: None,
        otherwise: None,
    };

    pub fn judge(&self, name: &str, modifiers: Option<&str>) -> Option<Visibility> {
        let find = |word: &str| {
            self.words
                .iter()
                .find(|(known, _)| *known == word)
                .map(|(_, visibility)| *visibility)
        };
        let by_words = modifiers.and_then(|modifiers| {
            find(modifiers.trim()).or_else(|| {
                modifiers
                    .split(|sign: char| !sign.is_alphanumeric())
                    .find_map(find)
            })
        });
        let by_name = || match name.chars().next() {
            Some('_') => self.underscore,
            Some(first) if first.is_uppercase() => self.uppercase,
            _ => None,
        };
        by_words.or_else(by_name).or(self.otherwise)
    }
}

/// A line that opens something, in a language that is not parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutlineRule {
    /// Matched against single lines. A group `name` is the name, a group `container` what that belongs to, and the
    /// length of a group `level` the depth.
    pub pattern: &'static str,
    /// None for what is no symbol itself, but counts as a level around others.
    pub kind: Option<SymbolKind>,
    pub end: End,
    /// The depth, where no group gives it.
    pub level: Option<u32>,
    /// What the next line must be.
    pub under: Option<&'static str>,
    /// The kind that the symbol around it must have.
    pub within: Option<SymbolKind>,
}

/// Where something that a line opened ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With its line.
    Line,
    /// Before the next one of the same or a higher level.
    Next,
    /// With the bracket that closes the first one opened on its line; with its line if none is.
    Bracket,
    /// With the value behind it: its brackets, or what comes before a `,` or `;` on its line.
    Value,
    /// Before the next line that is not further indented, unless that only closes it.
    Indent,
    /// Before the next blank line.
    Blank,
    /// With the `;` or the block that ends its statement.
    Semicolon,
}

/// How comments and strings are written, so that what stands in them is not taken for structure. Grammars know their own:
/// of a language that is parsed it only tells where a word stands that is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexis {
    pub line_comments: &'static [&'static str],
    pub block_comments: &'static [(&'static str, &'static str)],
    pub comments_begin: CommentsBegin,
    /// Quotes of strings that end on their line and in which a backslash escapes.
    pub strings: &'static [&'static str],
    /// Quotes of strings that end on their line and in which a backslash is only itself.
    pub raw_strings: &'static [&'static str],
    /// Strings over several lines.
    pub text_blocks: &'static [(&'static str, &'static str)],
    /// Lines of something else.
    pub fences: &'static [Fence],
    /// Opening and closing ones, in turn.
    pub brackets: &'static str,
    /// How many levels of symbols are kept.
    pub depth: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentsBegin {
    Anywhere,
    /// After white space or at the start of a line.
    AfterSpace,
    /// With nothing but white space before it.
    LineStart,
}

/// Whole lines that are hidden, after the one that opens them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    pub open: &'static str,
    pub close: FenceClose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceClose {
    /// By a line with nothing but what the group `mark` of the opening matched, or more of the same.
    Mark,
    /// Before the next line that is not further indented than the opening.
    Indent,
    Pattern(&'static str),
}

/// Text of another language inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Embed {
    /// A group `language` names the language.
    pub open: &'static str,
    pub close: &'static str,
    /// Where the opening names none.
    pub language: &'static str,
}

/// Files of this name that are another language's, and what tells them.
#[derive(Debug, PartialEq, Eq)]
pub struct Unless {
    /// The id of the other language.
    pub language: &'static str,
    /// Beginnings of lines that only it has.
    pub lines: &'static [&'static str],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_before_names_and_names_before_the_default() {
        let rule = VisibilityRule {
            words: &[
                ("pub", Visibility::Public),
                ("pub(crate)", Visibility::Internal),
            ],
            underscore: Some(Visibility::Private),
            uppercase: Some(Visibility::Public),
            otherwise: Some(Visibility::Protected),
        };
        for (name, modifiers, visibility) in [
            ("a", Some("pub"), Visibility::Public),
            ("a", Some("pub(crate)"), Visibility::Internal),
            ("a", Some("static pub final"), Visibility::Public),
            ("_a", None, Visibility::Private),
            ("Ä", Some("static"), Visibility::Public),
            ("a", None, Visibility::Protected),
        ] {
            assert_eq!(
                rule.judge(name, modifiers),
                Some(visibility),
                "{name} {modifiers:?}"
            );
        }
        assert_eq!(VisibilityRule::NONE.judge("a", None), None);
    }
}
