; Definitions

(header module: (module) @name) @def.module

(data_type name: [(name) @name (prefix_id (operator) @name)]
  constructors: (data_constructors . (data_constructor) .) @body) @def.struct
(data_type name: (name) @name constructors: (_) @body) @def.enum
(data_type name: (name) @name) @def.struct
(newtype name: (name) @name constructor: (_) @body) @def.struct
(type_synonym name: (name) @name) @def.alias
(type_family name: (name) @name) @def.alias
(data_family name: (name) @name) @def.alias
(class name: (name) @name "where"? @body) @def.trait

(data_constructor constructor: (_ name: (constructor) @name)) @def.variant
(data_constructor constructor: (infix operator: (constructor_operator) @name)) @def.variant
(gadt_constructor name: (constructor) @name) @def.variant
(newtype_constructor name: (constructor) @name) @def.variant
(field name: (field_name (variable) @name)) @def.field
(pattern_synonym (equation synonym: [
  (constructor) @name
  (apply function: (constructor) @name)
  (apply function: (apply function: (constructor) @name))
  (apply function: (apply function: (apply function: (constructor) @name)))
  (infix operator: (constructor_operator) @name)
  (record constructor: (constructor) @name)])) @def.function @clause
(pattern_synonym (signature synonym: (constructor) @name)) @declared

; The clauses of a function are one definition. A binding without parameters may still be a function:
; `open = openWith defaults`.

(declarations (function
  name: [(variable) @name (prefix_id (operator) @name)]
  match: (match) @body) @def.function @clause)
(declarations (function
  (infix operator: [(operator) @name (infix_id (variable) @name)])
  match: (match) @body) @def.function @clause)
(declarations (bind name: [(variable) @name (prefix_id (operator) @name)] match: (match) @body) @def.function @clause)
(foreign_import (signature name: (variable) @name)) @def.function

(class_declarations (signature name: [(variable) @name (prefix_id (operator) @name)]) @def.method @declared @clause)
(class_declarations (signature names: (binding_list name: (variable) @name)) @def.method @declared)
(class_declarations (function
  name: [(variable) @name (prefix_id (operator) @name)]
  match: (match) @body) @def.method @clause)
(class_declarations (bind name: [(variable) @name (prefix_id (operator) @name)] match: (match) @body) @def.method @clause)

(instance patterns: (type_patterns . (_) @scope.name)) @scope
(instance_declarations (function
  name: [(variable) @name (prefix_id (operator) @name)]
  match: (match) @body) @def.method @clause)
(instance_declarations (function
  (infix operator: [(operator) @name (infix_id (variable) @name)])
  match: (match) @body) @def.method @clause)
(instance_declarations (bind name: [(variable) @name (prefix_id (operator) @name)] match: (match) @body) @def.method @clause)

; The type declaration above a function is its signature.
[(declarations (signature name: [(variable) @name (prefix_id (operator) @name)]) @declared)
 (instance_declarations (signature name: [(variable) @name (prefix_id (operator) @name)]) @declared)]
(declarations (signature names: (binding_list name: [(variable) @name (prefix_id (operator) @name)])) @declared)

; Exports. Types are exported by their own names, or by those of their parts.

(exports (export [variable: (variable) @exported type: (name) @exported operator: (prefix_id (operator) @exported)]))

; Imports

((import module: (module) @import.module !names) @import @import.wildcard
  (#not-match? @import "qualified"))
((import module: (module) @import.module alias: (module)? @import.alias !names) @import
  (#match? @import "qualified"))
((import module: (module) @import.module names: (import_list)) @import @import.wildcard
  (#not-match? @import "qualified")
  (#match? @import "\\shiding\\s*\\("))
(module_export module: (module) @import.module @import.reexport) @import
; Names in the list of a qualified import are visible only through the module.
((import
  module: (module) @import.module
  alias: (module)? @import.alias
  names: (import_list)) @import
  (#match? @import "qualified"))
((import
  module: (module) @import.module @import.alias
  names: (import_list name: (import_name [
    variable: (variable) @import.name
    type: (name) @import.name
    operator: (prefix_id (operator) @import.name)]))) @import
  (#match? @import "qualified"))
((import
  module: (module) @import.module
  names: (import_list name: (import_name [
    variable: (variable) @import.name
    type: (name) @import.name
    operator: (prefix_id (operator) @import.name)]))) @import
  (#not-match? @import "qualified|\\shiding\\s*\\("))
; A module can also be used by its alias.
((import module: (module) @import.module alias: (module) @import.alias) @import
  (#not-match? @import "qualified"))
(import_name variable: (variable) @ref.import)
(import_name type: (name) @ref.import)
(import_name operator: (prefix_id (operator) @ref.import))
(import_name children: (children element: (constructor) @ref.import))
(import module: (module) @ref.import)
(import alias: (module) @ref.import)

; Relations

(instance name: (name) @relation.implements patterns: (type_patterns . (_) @relation.subject))
(deriving_instance name: (name) @relation.implements patterns: (type_patterns . (_) @relation.subject))
(deriving classes: (name) @relation.implements)
(deriving classes: (_ (name) @relation.implements))
(class context: (context context: (apply constructor: (name) @relation.extends)))
(class context: (context context: (_ (apply constructor: (name) @relation.extends))))

; Calls

(apply function: (variable) @ref.call)
(apply function: (constructor) @ref.call)
(apply function: (qualified module: (module) @qualifier id: (variable) @ref.call))
(apply function: (qualified module: (module) @qualifier id: (constructor) @ref.call))
(infix operator: (operator) @ref.call)
(infix operator: (constructor_operator) @ref.call)
(infix_id (variable) @ref.call)
(infix_id (qualified module: (module) @qualifier id: (variable) @ref.call))
(record expression: (constructor) @ref.call)

; A constructor in a pattern is not a call.

(parens pattern: (apply function: (constructor) @ref.named))
(parens pattern: (apply function: (qualified module: (module) @qualifier id: (constructor) @ref.named)))
(alternative pattern: (apply function: (constructor) @ref.named))
(alternative pattern: (apply function: (qualified module: (module) @qualifier id: (constructor) @ref.named)))

; Bindings

(patterns (variable) @ref.bind)
(patterns (parens pattern: (variable) @ref.bind))
(patterns (parens pattern: (apply argument: (variable) @ref.bind)))
(patterns (parens pattern: (infix left_operand: (variable) @ref.bind)))
(patterns (parens pattern: (infix right_operand: (variable) @ref.bind)))
(patterns (tuple element: (variable) @ref.bind))
(patterns (as bind: (variable) @ref.bind))
(declarations (function (infix left_operand: (variable) @ref.bind)))
(declarations (function (infix right_operand: (variable) @ref.bind)))
(field_pattern pattern: (variable) @ref.bind)
(bind pattern: (variable) @ref.bind)
(bind pattern: (tuple element: (variable) @ref.bind))
(generator pattern: (variable) @ref.bind)
(generator pattern: (tuple element: (variable) @ref.bind))
(alternative pattern: (variable) @ref.bind)
(alternative pattern: (apply argument: (variable) @ref.bind))
(alternative pattern: (tuple element: (variable) @ref.bind))
(alternative pattern: (parens pattern: (infix left_operand: (variable) @ref.bind)))
(alternative pattern: (parens pattern: (infix right_operand: (variable) @ref.bind)))
(alternative pattern: (infix left_operand: (variable) @ref.bind))
(alternative pattern: (infix right_operand: (variable) @ref.bind))
(local_binds (bind name: (variable) @ref.bind))
(local_binds (function name: (variable) @ref.bind))
(type_params (variable) @ref.bind)
(field_update field: (field_name (variable) @ref.write))

; All other names

(qualified module: (module) @qualifier id: (variable) @ref.read)
(qualified module: (module) @qualifier id: (constructor) @ref.read)
(qualified module: (module) @qualifier id: (name) @ref.type)
(name) @ref.type
(variable) @ref.read
(constructor) @ref.read
(prefix_id (operator) @ref.read)

; Scopes. The names that a `let` binds are in scope in all of its bindings, those of a comprehension before they are bound.

[(alternative) (lambda) (do) (match)] @block
[(let_in) (list_comprehension)] @block.whole
(local_binds (function patterns: (_) @block match: (_) @block))
(local_binds (function patterns: (_) @block binds: (_) @block))

; Branches, for complexity. `otherwise` and `_` are the default, and do not count.

(conditional) @branch
(multi_way_if) @branch
((guards . (_) @_guard) @branch (#not-eq? @_guard "otherwise"))
((alternative pattern: (_) @_pattern) @branch (#not-eq? @_pattern "_"))
((operator) @branch (#any-of? @branch "&&" "||"))

(pragma) @attribute
(comment) @comment
(haddock) @comment
