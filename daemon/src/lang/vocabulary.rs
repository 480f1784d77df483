//! Words that many languages share in declarations and expressions.

/// Words before the name of a variable that are not its type: `private final store`, `let mut store`.
pub const MODIFIERS: [&str; 16] = [
    "var",
    "let",
    "const",
    "val",
    "final",
    "auto",
    "static",
    "private",
    "public",
    "protected",
    "readonly",
    "late",
    "mut",
    "local",
    "export",
    "internal",
];

/// Words before the name of a type parameter, and types of value parameters: `typename T`, `in T`, `int N`.
pub const TYPE_PARAMETER_MODIFIERS: [&str; 15] = [
    "typename",
    "class",
    "in",
    "out",
    "reified",
    "const",
    "covariant",
    "struct",
    "auto",
    "int",
    "bool",
    "char",
    "long",
    "unsigned",
    "size_t",
];

/// Supertypes that only declare type parameters: `class Store(Generic[T])`.
pub const GENERIC_BASES: [&str; 2] = ["Generic", "Protocol"];

/// Words before the parameters of a function expression, in their order: `open = async function (path)`.
pub const FUNCTION_WORDS: [&str; 2] = ["async", "function"];

/// Words before a parameter that takes any number of arguments: `vararg names: String`, `params string[] names`.
pub const REST_MARKERS: [&str; 2] = ["vararg ", "params "];

/// The beginning of a parameter that only declares the type of the receiver: `(this: Store, path: string) => void`.
pub const RECEIVER_PARAMETER: &str = "this:";

/// The parameter list of a function without parameters: `int open(void)`.
pub const VOID: &str = "void";

/// The word before the bounds of type parameters: `fn open<T>() -> Store where T: Copy`.
pub const WHERE: &str = " where ";

/// The modifier of a public field of a tuple struct: `struct Store(pub Path)`.
pub const PUBLIC_FIELD: &str = "pub ";

/// The word before the result of a function: `return { size }`.
pub const RETURN: &str = "return";

/// The word before a value of a generator: `yield item`.
pub const YIELD: &str = "yield";

/// Words between the name that an iteration binds and the values: `for item in items`, `for (const item of items)`.
pub const ITERATION_WORDS: [&str; 2] = [" in ", " of "];

/// Words after the values of an iteration in a comprehension: `[item for item in items if item]`.
pub const ITERATION_ENDS: [&str; 2] = [" if ", " for "];

/// The sign of a call: `open()`.
pub const CALL_SIGN: &str = "(";

/// The sign of a decorator: `@cached`.
pub const DECORATOR_SIGN: &str = "@";

/// The keyword of an iteration, which runs methods implicitly: `for item in store`.
pub const ITERATION_SIGN: &str = "in";

/// The operator that constructs a value: `new Store()`.
pub const NEW: &str = "new ";

/// The operator of a cast, and the word before a name for a value: `value as Store`, `with open() as file`.
pub const AS: &str = " as ";
/// The words between a value and the type that it is cast to.
pub const CASTS: [&str; 3] = [AS, " as? ", " as! "];

/// Words before an expression that do not change its type: `await open()`, `&mut store`.
pub const EXPRESSION_PREFIXES: [&str; 15] = [
    "&mut ", "await ", NEW, "try? ", "try! ", "try ", "const ", "mut ", "ref ", "move ", "yield ",
    "typeof ", "struct ", "dyn ", "clone ",
];

/// The word before the brackets of a map's type: `map[string]Store`.
pub const MAP_TYPE: &str = "map";

/// The name that queries bind at the opening brace of a closure, for a receiver or a first parameter without a name of its own:
/// `store.apply { open() }`, `stores.map { $0.open() }`.
pub const CLOSURE_BRACE: &str = "{";

/// The keyword of a class: `class Store`.
pub const CLASS: &str = "class";

/// The keyword of a constructor in the header of a class, and the modifiers before it: `class Store private constructor(…)`.
pub const CONSTRUCTOR: &str = "constructor";
pub const CONSTRUCTOR_MODIFIERS: [&str; 4] = ["private", "internal", "protected", "public"];

/// Words before a chain of calls: `await Command().spawn()`.
pub const CHAIN_PREFIXES: [&str; 3] = ["await ", NEW, "yield "];

/// The words between the parts of a conditional expression: `open if path else other`.
pub const CONDITIONAL: (&str, &str) = (" if ", " else ");

/// Operators between alternative values: `path or other`, `path ?? other`, `path ?: other`.
pub const ALTERNATIVE_OPERATORS: [&str; 3] = [" or ", " ?? ", " ?: "];

/// Words before parentheses that are no calls: `if (open)`, `sizeof(int)`.
pub const CONTROL_WORDS: [&str; 8] = [
    "if", "else", "while", "for", "switch", "return", "case", "sizeof",
];

/// The beginnings of tuple types that are written with a name: `tuple[Store, Log]`.
pub const TUPLE_TYPES: [&str; 2] = ["tuple[", "Tuple["];
