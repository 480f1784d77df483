; Patterns that JavaScript, TypeScript and TSX share

; Definitions. Specific patterns come first: of two matches for one name, the earlier wins.

(function_declaration name: (identifier) @name body: (statement_block (return_statement [
  (new_expression constructor: (_) @gives)
  (call_expression function: (_) @gives)
  (identifier) @gives
  (this) @gives])) @body) @def.function
(function_declaration name: (identifier) @name body: (_) @body) @def.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @def.function

; A function that is the value of a variable: `const open = () => { … }`. The whole declaration is the definition if it
; declares nothing else.
(lexical_declaration . (variable_declarator name: (identifier) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)]) .) @def.function
(variable_declarator name: (identifier) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)]) @def.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @def.class

; Methods of a constructor function: `Store.prototype = { open() {} }`.
(assignment_expression
  left: (member_expression object: (identifier) @container property: (property_identifier) @_prototype)
  right: (object [
    (pair
      key: [(property_identifier) (string)] @name
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
    (method_definition name: (property_identifier) @name body: (_) @body)] @def.method)
  (#eq? @_prototype "prototype"))

(method_definition name: (property_identifier) @name body: (_) @body (#eq? @name "constructor")) @def.constructor
(method_definition ["get" "set"] name: (_) @name body: (statement_block (return_statement [
  (new_expression constructor: (_) @gives)
  (member_expression) @gives])) @body) @def.property
(method_definition ["get" "set"] name: (_) @name body: (_) @body) @def.property
(method_definition name: [
  (property_identifier)
  (private_property_identifier)] @name body: (statement_block (return_statement [
  (new_expression constructor: (_) @gives)
  (call_expression function: (_) @gives)
  (identifier) @gives
  (this) @gives])) @body) @def.method
(method_definition name: [
  (property_identifier)
  (private_property_identifier)
  (string)
  (number)
  (computed_property_name)] @name body: (_) @body) @def.method

; Members of an object with a name. Functions in objects that are arguments of a call are not symbols.
(variable_declarator value: (object (pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method))
(assignment_expression right: (object (pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method))
(export_statement value: (object (pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method))

; A function that is assigned to a property: of a prototype, of the exports, or of another object.
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @container property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]
  (#eq? @_prototype "prototype")) @def.method
(assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @name @visibility.public)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]
  (#eq? @_exports "exports")) @def.function
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
    property: (property_identifier) @name @visibility.public)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]
  (#eq? @_module "module") (#eq? @_exports "exports")) @def.function
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (function_expression name: (identifier) @name @visibility.public body: (_) @body)
  (#eq? @_module "module") (#eq? @_exports "exports")) @def.function
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (class name: (_) @name @visibility.public body: (_) @body)
  (#eq? @_module "module") (#eq? @_exports "exports")) @def.class
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @name @visibility.public)
  right: [(function_expression !name body: (_) @body) (arrow_function body: (_) @body)]
  (#eq? @_module "module") (#eq? @name "exports")) @def.function
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @name @visibility.public)
  right: (class !name body: (_) @body)
  (#eq? @_module "module") (#eq? @name "exports")) @def.class
(assignment_expression
  left: (member_expression object: (identifier) @container property: (property_identifier) @name)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]
  (#not-eq? @container "module")) @def.method
(assignment_expression
  left: (member_expression
    object: (member_expression property: (property_identifier) @container)
    property: (property_identifier) @name)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]
  (#not-any-of? @container "prototype" "exports")) @def.method
(assignment_expression
  left: (member_expression object: (this) property: [(property_identifier) (private_property_identifier)] @name)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @def.method
(expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @name @visibility.public)
  right: (_) @_given) @def.variable
  (#eq? @_exports "exports") (#not-eq? @name @_given))

(arguments (function_expression name: (identifier) @name body: (_) @body) @def.function)
(return_statement (function_expression name: (identifier) @name body: (_) @body) @def.function)

; The default export
(export_statement "default" value: (identifier) @default)
(export_statement "default" declaration: [
  (function_declaration name: (_) @default)
  (generator_function_declaration name: (_) @default)
  (class_declaration name: (_) @default)])
(export_statement (export_clause (export_specifier name: (_) @default alias: (_) @_default)) !source
  (#eq? @_default "default"))
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [(identifier) @default (class name: (_) @default) (function_expression name: (_) @default)]
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @default)
  right: [(function_expression !name) (arrow_function) (class !name)]
  (#eq? @_module "module") (#eq? @default "exports"))
; `var app = module.exports = {}`, `var app = exports = module.exports = {}`.
(variable_declarator name: (identifier) @default value: [
  (assignment_expression left: (member_expression) @_exports right: (object))
  (assignment_expression right: (assignment_expression left: (member_expression) @_exports right: (object)))]
  (#eq? @_exports "module.exports"))

; An anonymous default export is called `default`.
(export_statement "default" @name @visibility.public value: [
  (function_expression !name body: (_) @body)
  (generator_function !name body: (_) @body)
  (arrow_function body: (_) @body)]) @def.function
(export_statement "default" @name @visibility.public value: (class !name body: (_) @body)) @def.class
(export_statement "default" @name @visibility.public value: (object) @body) @def.constant

; Variables of a module, unless they only name another module: `const store = require("./store")`.
(program (lexical_declaration kind: "const" . (variable_declarator name: (identifier) @name) @_value .) @def.constant
  (#not-match? @_value "^[\\w$]+ = (require|await import)\\("))
(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @def.constant)
  (#not-match? @def.constant "^[\\w$]+ = (require|await import)\\("))
(program [
  (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @def.variable)
  (variable_declaration (variable_declarator name: (identifier) @name) @def.variable)]
  (#not-match? @def.variable "^[\\w$]+\\s*= require\\("))
(export_statement declaration: (lexical_declaration kind: "const" . (variable_declarator name: (identifier) @name) .) @def.constant)
(export_statement declaration: (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @def.constant))
(export_statement declaration: (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @def.variable))
(export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name) @def.variable))

; Names that are taken out of a value: `export const { login, user: account } = auth(…)`, `export const [use, Provider] = …`.
(export_statement declaration: (_ (variable_declarator name: (object_pattern [
  (shorthand_property_identifier_pattern) @name @visibility.public
  (object_assignment_pattern left: (_) @name @visibility.public)
  (pair_pattern value: [
    (identifier) @name @visibility.public
    (assignment_pattern left: (identifier) @name @visibility.public)])
  (rest_pattern (identifier) @name @visibility.public)] @def.constant))))
(export_statement declaration: (_ (variable_declarator name: (array_pattern
  (identifier) @name @visibility.public @def.constant))))

(export_statement declaration: [
  (function_declaration name: (_) @visibility.public)
  (generator_function_declaration name: (_) @visibility.public)
  (class_declaration name: (_) @visibility.public)
  (lexical_declaration (variable_declarator name: (identifier) @visibility.public))
  (variable_declaration (variable_declarator name: (identifier) @visibility.public))])
(export_statement (export_clause (export_specifier name: (_) @exported alias: (_)? @exported.as)) !source)
(private_property_identifier) @visibility.private

(decorator) @attribute
(comment) @comment

; Imports

(import_statement source: (string) @import.module) @import
(import_statement (import_clause (identifier) @import.default @ref.import) source: (string) @import.module) @import
(import_statement
  (import_clause (namespace_import (identifier) @import.alias @ref.import) @import.whole)
  source: (string) @import.module) @import
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @import.name alias: (_)? @import.alias)))
  source: (string) @import.module) @import
(import_specifier name: (identifier) @ref.import)
(import_specifier alias: (identifier) @ref.import)

(export_statement "*" source: (string) @import.module) @import @import.reexport
(export_statement
  (export_clause (export_specifier name: [(_) "default"] @import.name alias: (_)? @import.alias))
  source: (string) @import.module) @import @import.reexport
(export_statement (export_clause (export_specifier name: (identifier) @ref.import)) source: (string))
(export_statement (export_clause (export_specifier alias: (identifier) @ref.import)) source: (string))
(export_statement
  (namespace_export (identifier) @import.alias @ref.import)
  source: (string) @import.module) @import @import.reexport

(call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .)
  (#eq? @_require "require"))
; A file that re-exports another one: `module.exports = require("./lib/express")`.
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .))
  (#eq? @_module "module") (#eq? @_exports "exports") (#eq? @_require "require")) @import @import.reexport
(variable_declarator
  name: (identifier) @import.alias @ref.import
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .))
  (#eq? @_require "require"))
(variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @import.name @ref.import
    (pair_pattern key: (property_identifier) @import.name @ref.import value: (identifier) @import.alias)])
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .))
  (#eq? @_require "require"))
((variable_declarator
  name: (object_pattern (pair_pattern value: (identifier) @ref.import))
  value: (call_expression function: (identifier) @_require))
  (#eq? @_require "require"))
(variable_declarator
  name: (object_pattern (pair_pattern value: (identifier) @ref.import))
  value: (await_expression (call_expression function: (import))))
; One name of a module: `const open = require("./store").open`.
(variable_declarator
  name: (identifier) @import.alias @ref.import
  value: (member_expression
    object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .))
    property: (property_identifier) @import.name)
  (#eq? @_require "require"))
(variable_declarator value: (member_expression
  object: (call_expression function: (identifier) @_require arguments: (arguments . (string) .))
  property: (property_identifier) @ref.import)
  (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string) @import.module))
(variable_declarator
  name: (identifier) @import.alias @ref.import
  value: (await_expression (call_expression function: (import) arguments: (arguments . (string) @import.module))))
(variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @import.name @ref.import
    (pair_pattern key: (property_identifier) @import.name @ref.import value: (identifier) @import.alias)])
  value: (await_expression (call_expression function: (import) arguments: (arguments . (string) @import.module))))

; Uses of names

(call_expression function: (identifier) @ref.call)
; Calls of a value without a name: `handlers[key]()`, `open()()`.
(call_expression
  function: [(call_expression) (subscript_expression) (parenthesized_expression)] @qualifier
  arguments: (arguments "(" @ref.implicit))
(call_expression function: (member_expression
  object: (_) @qualifier
  property: [(property_identifier) (private_property_identifier)] @ref.call))
; A call with another receiver: `open.call(store, path)`.
(call_expression function: (member_expression
  object: [
    (identifier) @ref.call
    (member_expression object: (_) @qualifier property: (property_identifier) @ref.call)]
  property: (property_identifier) @_caller)
  (#any-of? @_caller "call" "apply"))
(call_expression function: (super) @ref.call)
(new_expression constructor: [(identifier) (this)] @ref.call)
(new_expression constructor: (member_expression object: (_) @qualifier property: (property_identifier) @ref.call))
(decorator (identifier) @ref.call)

(variable_declarator name: (identifier) @ref.bind value: [
  (new_expression constructor: (_) @qualifier)
  (call_expression function: (_) @qualifier)
  (await_expression (call_expression function: (_) @qualifier))
  (await_expression (new_expression constructor: (_) @qualifier))
  (ternary_expression consequence: (new_expression constructor: (_) @qualifier))
  (ternary_expression consequence: (call_expression function: (_) @qualifier))])
; An alias of a value: `const open = store.open`.
(variable_declarator name: (identifier) @ref.bind "=" @qualifier value: [(member_expression) (identifier)] @qualifier)
(variable_declarator name: (identifier) @ref.bind)
; The parameter of a function that is an argument: `stores.map(store => …)`.
(call_expression function: (_) @taker arguments: (arguments (arrow_function parameter: (identifier) @ref.bind)))
(new_expression constructor: (_) @taker arguments: (arguments (arrow_function parameter: (identifier) @ref.bind)))
(arrow_function parameter: (identifier) @ref.bind)
(rest_pattern (identifier) @ref.bind)
(variable_declarator
  name: (array_pattern (identifier) @ref.bind) @qualifier
  value: [(call_expression) (await_expression (call_expression))] @qualifier)
(array_pattern (identifier) @ref.bind)
(shorthand_property_identifier_pattern) @ref.bind
(pair_pattern value: (identifier) @ref.bind)
(assignment_pattern left: (identifier) @ref.bind)
(for_in_statement kind: _ left: (identifier) @ref.bind operator: "of" right: [
  (identifier) @qualifier
  (array) @qualifier
  (member_expression) @qualifier
  (call_expression function: (_) @qualifier)])
(for_in_statement kind: _ left: (identifier) @ref.bind)
(catch_clause parameter: (identifier) @ref.bind)

; Type narrowing by conditions

(if_statement
  condition: (parenthesized_expression (binary_expression
    left: (identifier) @narrowed.name operator: "instanceof" right: [(identifier) (member_expression)] @qualifier))
    @narrowed @block.narrowed
  consequence: (_) @block.narrowed)
(if_statement
  condition: (parenthesized_expression (binary_expression
    left: (binary_expression
      left: (identifier) @narrowed.name operator: "instanceof" right: [(identifier) (member_expression)] @qualifier)
      @narrowed @block.narrowed
    operator: "&&"))
  consequence: (_) @block.narrowed)
; After an early exit, the condition holds: `if (!(x instanceof Store)) return;`.
(statement_block (if_statement
  condition: (parenthesized_expression (unary_expression operator: "!" argument: (parenthesized_expression
    (binary_expression
      left: (identifier) @narrowed.name
      operator: "instanceof"
      right: [(identifier) (member_expression)] @qualifier))))
  consequence: [
    (statement_block [(return_statement) (throw_statement) (continue_statement) (break_statement)] .)
    (return_statement)
    (throw_statement)
    (continue_statement)
    (break_statement)] @narrowed
  !alternative)) @block.narrowed

(assignment_expression left: (identifier) @ref.write)
(augmented_assignment_expression left: (identifier) @ref.write)
(update_expression argument: (identifier) @ref.write)
(assignment_expression left: (member_expression
  object: (_) @qualifier
  property: [(property_identifier) (private_property_identifier)] @ref.write))
(augmented_assignment_expression left: (member_expression
  object: (_) @qualifier
  property: [(property_identifier) (private_property_identifier)] @ref.write))
(update_expression argument: (member_expression
  object: (_) @qualifier
  property: [(property_identifier) (private_property_identifier)] @ref.write))
(call_expression function: (_) @qualifier arguments: (arguments . (object (pair key: (property_identifier) @ref.write))))
(new_expression constructor: (_) @qualifier arguments: (arguments . (object (pair key: (property_identifier) @ref.write))))
(object (pair key: (property_identifier) @ref.write)) @qualifier

; A word that is both a property and a variable: `{ size }`.
(call_expression function: (_) @qualifier
  arguments: (arguments . (object (shorthand_property_identifier) @ref.shorthand.write)))
(new_expression constructor: (_) @qualifier
  arguments: (arguments . (object (shorthand_property_identifier) @ref.shorthand.write)))
(arguments (object (shorthand_property_identifier) @ref.shorthand.write))
(return_statement (object (shorthand_property_identifier) @ref.shorthand.write))
(variable_declarator value: (object (shorthand_property_identifier) @ref.shorthand.write))
(arrow_function body: (parenthesized_expression (object (shorthand_property_identifier) @ref.shorthand.write)))
(pair value: (object (shorthand_property_identifier) @ref.shorthand.write))
(array (object (shorthand_property_identifier) @ref.shorthand.write))
(variable_declarator name: (object_pattern [
  (shorthand_property_identifier_pattern) @ref.shorthand.read
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @ref.shorthand.read)]) value: (_) @qualifier
  (#not-match? @qualifier "^(await import|require)\\("))
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @ref.read)) value: (_) @qualifier
  (#not-match? @qualifier "^(await import|require)\\("))

(member_expression
  object: (_) @qualifier
  property: [(property_identifier) (private_property_identifier)] @ref.read)
(pair_pattern key: (property_identifier) @ref.read)
(shorthand_property_identifier) @ref.read
(identifier) @ref.read

; Scopes. A `var` is in scope beyond the end of its block.

[(statement_block) (for_statement) (for_in_statement) (catch_clause) (switch_body)] @block
[
  (arrow_function)
  (function_expression)
  (generator_function)
  (function_declaration)
  (generator_function_declaration)
  (method_definition)
  (class_static_block)] @block.function
(variable_declaration) @block.hoisted
[(arrow_function) (function_expression) (generator_function)] @closure

; Branches, for complexity

(if_statement) @branch
(for_statement) @branch
(for_in_statement) @branch
(while_statement) @branch
(do_statement) @branch
(switch_case) @branch
(catch_clause) @branch
(ternary_expression) @branch
(binary_expression operator: ["&&" "||" "??"]) @branch
