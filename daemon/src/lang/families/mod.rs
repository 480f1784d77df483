//! Rules that only one family of languages has, as code.
//!
//! A definition names its family (`family = "python"`), and callers ask the family for these rules. The default of every method
//! means that there is no such rule.

pub mod c;
mod csharp;
mod dart;
mod ecmascript;
mod elixir;
mod go;
mod java;
mod kotlin;
mod php;
mod python;
mod ruby;
pub mod rust;
mod scala;
mod shell;
mod swift;

use std::ops::{Deref, RangeInclusive};

use serde::Deserialize;

pub use self::c::{MacroWords, TestMacro};
use super::conventions;

/// A family, by its name in definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Languages without rules of their own.
    #[default]
    None,
    C,
    Cpp,
    Csharp,
    Dart,
    Ecmascript,
    Elixir,
    Go,
    Java,
    Kotlin,
    Php,
    Python,
    Ruby,
    Rust,
    Scala,
    Shell,
    Swift,
}

/// The rules of a family.
pub trait FamilyRules: Sync {
    fn features(&self) -> &'static [Feature] {
        &[]
    }

    /// Returns the meaning of a keyword: `crate`, `it`, `module.exports`.
    fn keyword(&self, _word: &str) -> Option<Keyword> {
        None
    }

    /// Returns how a generic type from outside the root uses its arguments: `Union[A, B]`, `Result<T, E>`.
    fn wrapper(&self, _type_name: &str) -> Option<Wrapper> {
        None
    }

    /// Returns the patterns that bind the error of a result: `Err(error)`.
    fn error_patterns(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the methods whose result is bound by a context manager: `with open(f) as x` → `__enter__`.
    fn enter_methods(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the method that a call of an object runs: `store()` → `Store.__call__`.
    fn call_method(&self) -> Option<&'static str> {
        None
    }

    /// Returns the methods that an operator or a keyword runs implicitly: `__iter__` for the `in` of `for item in store`.
    fn implicit_methods(&self, _sign: &str) -> &'static [&'static str] {
        &[]
    }

    /// Returns whether some operator or keyword runs a method implicitly: `__iter__`.
    fn is_implicitly_called(&self, _method: &str) -> bool {
        false
    }

    /// Returns whether the language itself calls or reads symbols with this name: `__repr__`, `method_missing`.
    fn calls_by_name(&self, _name: &str) -> bool {
        false
    }

    /// Returns whether a line may call a function of its file by a name that it computes: `"${step}_pass"` for `first_pass`.
    fn may_call(&self, _line: &str, _function: &str) -> bool {
        false
    }

    /// Returns whether a function is an expression, and so used where it is written, given the code before its name:
    /// `list.forEach(function `.
    fn is_function_expression(&self, _code_before: &str) -> bool {
        false
    }

    /// Returns whether code can call a function without its name: `apply` for `store(1)`, `__add__` for `+`. Such calls are not
    /// searched for.
    fn is_called_by_syntax(&self, _name: &str) -> bool {
        false
    }

    /// Returns the trait that gives a method of this name calls without the name: `Add` for `add`.
    fn operator_trait(&self, _method: &str) -> Option<&'static str> {
        None
    }

    /// Returns whether a decorator, by its first word, may register the symbol below it: `route` of `@route("/")`.
    fn is_registered_by(&self, decorator: &str) -> bool {
        conventions::is_registering_decorator(decorator)
    }

    /// Returns how a framework passes the results of functions to parameters with their names.
    fn injection(&self) -> Option<&'static Injection> {
        None
    }

    /// Returns the methods that merge another map into a map: `handlers.update(more)`.
    fn merging_methods(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the methods that every type has without declaring them, and that construct a value of it: `Store.new`.
    fn implicit_constructors(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the built-in functions whose first argument is the type of their result: `new(Store)`.
    fn allocators(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the keyword of a type without a name, whose fields are bound behind it: `tests := []struct { store Store }{ … }`.
    fn anonymous_type(&self) -> Option<&'static str> {
        None
    }

    /// Returns the prefix of a path that begins outside all namespaces: `\App\Store`.
    fn global_prefix(&self) -> Option<&'static str> {
        None
    }

    /// Returns the prefix of a type's path that begins outside all modules: `::Shop::Store`, `global::Shop.Store`.
    fn root_prefix(&self) -> &'static str {
        "::"
    }

    /// Returns whether variables may lack a static type, so that the type has to be inferred from the values that flow into
    /// them: `def run(store):`.
    fn has_untyped_variables(&self) -> bool {
        true
    }

    /// Returns the namespace of the standard library, unless the root declares one with that name: `std`.
    fn library_namespace(&self) -> Option<&'static str> {
        None
    }

    /// Returns the subject of the `switch` in which a name is a case: `state` for the qualifier `switch state`.
    fn switch_subject<'t>(&self, _qualifier: &'t str) -> Option<&'t str> {
        None
    }

    /// Returns whether a function with these parameters is called as a member of its first argument: `this string text`.
    fn is_extension_method(&self, _parameters: &str) -> bool {
        false
    }

    /// Returns the suffix that the name of an attribute's type may lack where it is used, after `[`: `[Route]` for
    /// `class RouteAttribute`.
    fn attribute_suffix(&self) -> Option<&'static str> {
        None
    }

    /// Returns whether a constructor with this signature initializes the type itself, so that no code calls it:
    /// `static Store()`.
    fn is_type_initializer(&self, _signature: &str) -> bool {
        false
    }

    /// Returns whether the members of a type with this signature are also those of the values that it wraps:
    /// `implicit class Texts(text: String)`.
    fn is_implicit_class(&self, _signature: &str) -> bool {
        false
    }

    /// Returns whether the names in a module with this signature are also those of the module around it:
    /// `inline namespace v1`.
    fn is_transparent_module(&self, _signature: &str) -> bool {
        false
    }

    /// Returns whether a package can be imported: `package main` and `package store_test` cannot.
    fn is_importable_package(&self, _name: &str) -> bool {
        true
    }

    /// Returns whether packages below a folder with this name can only be imported from around it: `internal`.
    fn is_internal_folder(&self, _name: &str) -> bool {
        false
    }

    /// Returns whether a brace after this code opens a list of exported names: `export type {`, `module.exports = {`.
    fn opens_export_list(&self, _code_before: &str) -> bool {
        false
    }

    /// Returns the kind of test that a macro makes of the body after it: `TEST_F(StoreTest, Opens)`.
    fn test_macro(&self, _signature: &str) -> Option<TestMacro> {
        None
    }

    /// Returns words next to which macros may appear that the grammar does not know: `class EXPORT Store`.
    fn macro_words(&self) -> Option<&'static MacroWords> {
        None
    }

    /// Returns how the grammar parses macros whose arguments may be items: `cfg_server! { impl Store { … } }`.
    fn item_macros(&self) -> Option<&'static ItemMacros> {
        None
    }

    /// Returns the sign at the end of a line that opens an indented block; comments then begin with `#`: `def open():`.
    fn block_opener(&self) -> Option<char> {
        None
    }

    /// Returns whether two definitions of the same name are clauses of one function, so that the documentation above the first is
    /// that of both. Each is given from its name on: `size([])`, `size([_ | rest])`.
    fn are_clauses(&self, _first: &str, _second: &str) -> bool {
        false
    }

    /// Returns the numbers of arguments that a function accepts, given its definition from its name on: 1 and 2 for
    /// `put(store, options \\ [])`. Returns none if the end of the parameters is missing.
    fn accepted_arguments(&self, _definition: &str) -> Option<RangeInclusive<usize>> {
        None
    }

    /// Returns the number of arguments of a call, given the texts before and after its name: 2 for `a |> put(b)`. Returns none
    /// if it is not certain.
    fn count_arguments(&self, _before: &str, _after: &str) -> Option<usize> {
        None
    }

    /// Returns the macro of a module that runs when a file uses the module: `use Store` → `Store.__using__`.
    fn using_macro(&self) -> Option<&'static str> {
        None
    }

    /// Returns words before a body that the grammar cannot parse if it is on one line: `class A { val b = 1 }`.
    fn one_line_bodies(&self) -> &'static [&'static str] {
        &[]
    }
}

/// A rule that a family either has or does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Names that a file imports can be imported from it, as if by a re-export: `from a import b`, then `a.b` elsewhere.
    ImportsAreMembers,
    /// The modules inside a module can import from it what it imports: `use super::Store`.
    ImportsVisibleInside,
    /// An import that names nothing brings all names of its module: `import 'store.dart';`.
    ImportBringsAll,
    /// The name of a module is its whole path: `defmodule Shop.Store`.
    ModulesNamedByPath,
    /// A namespace can be named relative to the enclosing ones: `Handler\File` in `namespace Shop`.
    RelativeNamespaces,
    /// Iteration over a map gives its keys: `for name in stores`.
    IterationGivesKeys,
    /// A type implements an interface by having its methods: `type Reader interface`.
    StructuralInterfaces,
    /// An embedded type is a field with the name of the type: `type Server struct { Store }`, `server.Store`.
    EmbeddedFields,
    /// A field that is called is its accessor method: `record Point(int x)`, `point.x()`.
    RecordAccessors,
    /// The name of a function with parameters is a value where it is not called: `items.map(total)`.
    FunctionValues,
    /// A public type has the name of its file: `public class Store` in `Store.java`.
    PublicTypesNameFiles,
    /// Methods are in a block whose head names the trait that they implement: `impl Read for Store`.
    ImplBlocks,
    /// A type, a namespace and a value with the same name are one symbol: `interface Store`, `const Store: Store`.
    MergedDeclarations,
    /// A decorator replaces the function below it by its own result: `@cached`.
    Decorators,
    /// The manifest of a project imports namespaces for all of its files: `<Using Include="Shop.Store" />`.
    ProjectImports,
    /// The names of a class are in scope in its body, outside its methods: `class Move: r = right`.
    ClassBodyScope,
    /// Several files may open a module, and its constants are in scope in all that it encloses: `class Json < Base` in
    /// `module Shop` is derived from `Shop::Base` of another file.
    OpenModules,
    /// Any code may add an attribute to an object, so one that its class does not declare may still exist:
    /// `def connect(self): self.session = Session()`.
    UndeclaredAttributes,
    /// A class may combine a type with others that the type does not know, so that its methods override theirs, and `super`
    /// leads to theirs: `Logged` in `class Store(Logged, Base)`.
    Mixins,
    /// A function in a function is code that a macro adds to other modules: `quote do def open() … end`.
    QuotedDefinitions,
    /// Functions with different numbers of parameters are different functions, and several definitions with one number are
    /// clauses of one function: `def size([])`, `def size([_ | rest])`.
    FunctionsByArity,
    /// Conditional compilation may occur where the grammar does not expect it: `#if DEBUG`.
    ConditionalLines,
    /// The branches of conditional compilation may open brackets that other branches close: `#ifdef DEBUG`.
    UnbalancedConditions,
    /// A constant without a value repeats the expression above it: `const ( A = iota; B )`.
    RepeatedConstants,
    /// A constructor may have a name of its own, by which it is called: `Store.open()`.
    NamedConstructors,
    /// The labels of arguments tell overloads apart: `Store(path: "a")`, `Store(size: 3)`.
    ArgumentLabels,
    /// A block after the parentheses of a call is one more argument: `open(path) { it.read() }`.
    TrailingClosures,
    /// Types with the same name and another number of type parameters are different types: `Store` and `Store<T>`.
    TypesByArity,
    /// A class and the object with its name are one symbol: `class Store`, `object Store { def open() }`.
    CompanionObjects,
    /// A class may add members to the values that it wraps: `implicit class Texts(text: String)`.
    ImplicitClasses,
    /// A constructor names its superclass like a field to construct it: `Circle() : Shape(1), size(2) {}`.
    BaseInitializers,
    /// A macro in a class looks like a constructor with another name: `DEFINE_TYPE(Store, size);`.
    MacrosInClasses,
    /// Signatures in an interface may end without a semicolon, which the grammar misreads if the next line begins with `<`.
    SignaturesWithoutSemicolons,
    /// A closure may have a receiver, whose members are in scope in it: `store.apply { open() }`.
    ClosureReceivers,
    /// A command may have a computed name: `"${step}_pass"`.
    ComputedCommands,
    /// A function with a name may be an expression: `list.forEach(function each() {})`.
    FunctionExpressions,
    /// The constructor in the header of a class may begin the next line, which the grammar misreads in a nested class.
    ConstructorsOnTheirOwnLine,
}

/// The kinds of the nodes of macros whose arguments may be items.
#[derive(Debug)]
pub struct ItemMacros {
    pub invocation: &'static str,
    /// The arguments of an invocation.
    pub arguments: &'static str,
    /// Nodes whose children may be items, besides the whole text.
    pub blocks: &'static [&'static str],
    /// Items that have code or files of their own.
    pub code: &'static [&'static str],
    /// Nodes that may be among such items.
    pub others: &'static [&'static str],
}

/// The rules by which a framework passes the result of one function to each parameter with its name: fixtures of pytest.
pub struct Injection {
    /// The decorators of the functions whose results are passed: `@pytest.fixture`.
    pub decorators: &'static [&'static str],
    /// The beginning of the names of functions that receive them, besides those with such a decorator: `def test_open(store):`.
    pub function_prefix: &'static str,
    /// The name of a file whose functions are in scope below its folder: `conftest.py`.
    pub shared_file: &'static str,
    /// Returns the parameter in the arguments of such a decorator, if it is not the name of the function: `(name="store")`.
    pub parameter: fn(&str) -> Option<&str>,
    /// The decorator that passes values to parameters instead, on a function or on a type around it:
    /// `@pytest.mark.parametrize("size", [1, 2])`.
    pub values_decorator: &'static str,
    /// Returns whether the decorator with these arguments passes the values of this parameter.
    pub passes_values: fn(&str, &str) -> bool,
}

/// The meaning of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    /// The enclosing type, and not an object of it: `cls`.
    OwnType,
    /// The parameter of a closure that declares none: `it`.
    ImplicitParameter,
    /// The companion object of a type, if it has no name of its own: `Store.Companion.open`.
    CompanionObject,
    /// The object whose members are the exports of the file: `module.exports`.
    Exports,
    /// The function that imports a module: `require("./store")`, `import("./store")`.
    Require,
    /// The operator for the names of a type's members: `keyof Store`.
    KeyOperator,
    /// The attribute that implements traits without code: `#[derive(Debug)]`.
    Derive,
    /// The root of the crate, at the start of a path: `crate`.
    CrateRoot,
    /// The enclosing module: `self::store`, `use store::{self}`.
    OwnModule,
    /// The parent of the enclosing module: `super::store`.
    ParentModule,
}

/// The way in which a generic type from outside the root uses its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapper {
    /// A value of one of them: `Union[A, B]`.
    Union,
    /// A value of the first, or an error of the second: `Result<T, E>`.
    Result,
}

struct NoRules;

impl FamilyRules for NoRules {}

impl Deref for Family {
    type Target = dyn FamilyRules;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::None => &NoRules,
            Self::C => &c::C,
            Self::Cpp => &c::Cpp,
            Self::Csharp => &csharp::Csharp,
            Self::Dart => &dart::Dart,
            Self::Ecmascript => &ecmascript::Ecmascript,
            Self::Elixir => &elixir::Elixir,
            Self::Go => &go::Go,
            Self::Java => &java::Java,
            Self::Kotlin => &kotlin::Kotlin,
            Self::Php => &php::Php,
            Self::Python => &python::Python,
            Self::Ruby => &ruby::Ruby,
            Self::Rust => &rust::Rust,
            Self::Scala => &scala::Scala,
            Self::Shell => &shell::Shell,
            Self::Swift => &swift::Swift,
        }
    }
}
