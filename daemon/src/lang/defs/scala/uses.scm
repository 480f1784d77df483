; Imports. The parts of a path are siblings.

(import_declaration path: [(identifier) @import.module "."]+ (namespace_wildcard) @import.wildcard) @import
(import_declaration path: [(identifier) @import.module "."]+ path: (identifier) @import.name @ref.import .) @import
(import_declaration path: [(identifier) @import.module "."]+ (namespace_selectors [
  (identifier) @import.name @ref.import
  (arrow_renamed_identifier name: (_) @import.name alias: (_) @import.alias)
  (as_renamed_identifier name: (_) @import.name alias: (_) @import.alias)
  (namespace_wildcard) @import.wildcard])) @import
(import_declaration path: [(identifier) @import.module "."]+ (as_renamed_identifier
  name: (_) @import.name alias: (_) @import.alias)) @import
(arrow_renamed_identifier name: (identifier) @ref.import)
(arrow_renamed_identifier alias: (identifier) @ref.import)
(as_renamed_identifier name: (identifier) @ref.import)
(as_renamed_identifier alias: (identifier) @ref.import)
(export_declaration path: [(identifier) @import.module "."]+ (namespace_selectors
  (identifier) @import.name @ref.import) @import.reexport) @import
(export_declaration path: [(identifier) @import.module "."]+ (namespace_wildcard) @import.reexport) @import

; Relations

(extends_clause . type: [(type_identifier) (generic_type) (stable_type_identifier)] @relation.extends)
(extends_clause (_) [(type_identifier) (generic_type) (stable_type_identifier)] @relation.implements)
(given_definition name: (_) return_type: [(type_identifier) (generic_type)] @relation.implements)

; Calls

((call_expression function: (identifier) @ref.call) (#not-eq? @ref.call "this"))
; A constructor calls another one first: `def this() = this(1)`.
((function_definition name: (identifier) @_constructor body: [
  (call_expression function: (identifier) @ref.call)
  (block (call_expression function: (identifier) @ref.call))])
  (#eq? @_constructor "this")
  (#eq? @ref.call "this"))
(extends_clause . type: [
  (type_identifier) @ref.call
  (generic_type type: (type_identifier) @ref.call)] . arguments: (_))
(extends_clause . type: (stable_type_identifier (_) @qualifier (type_identifier) @ref.call .) . arguments: (_))
(call_expression function: (field_expression value: (_) @qualifier field: (identifier) @ref.call))
(call_expression function: (generic_function function: (identifier) @ref.call))
(call_expression function: (generic_function
  function: (field_expression value: (_) @qualifier field: (identifier) @ref.call)))
(infix_expression left: (_) @qualifier operator: (identifier) @ref.call)
(instance_expression . [
  (type_identifier) @ref.call
  (generic_type type: (type_identifier) @ref.call)
  (compound_type base: (type_identifier) @ref.call)])
(instance_expression . (stable_type_identifier (_) @qualifier (type_identifier) @ref.call .))

; Bindings

(parameter name: (identifier) @ref.bind type: (_) @qualifier)
(class_parameter name: (identifier) @ref.bind type: (_) @qualifier)
(binding name: (identifier) @ref.bind type: (_)? @qualifier)
; The parameter of a closure is an element of the receiver: `stores.map(store => …)`.
(call_expression
  function: (field_expression value: (_) @qualifier field: (identifier) @_each)
  arguments: (arguments . (lambda_expression parameters: (identifier) @ref.bind))
  (#any-of? @_each "foreach" "map" "flatMap" "filter" "filterNot" "exists" "forall" "find" "count" "partition" "groupBy" "sortBy"
    "maxBy" "minBy" "takeWhile" "dropWhile" "withFilter" "tap"))
(lambda_expression parameters: (identifier) @ref.bind)
(val_definition pattern: (identifier) @ref.bind type: (_) @qualifier)
(var_definition pattern: (identifier) @ref.bind type: (_) @qualifier)
(val_definition pattern: (identifier) @ref.bind value: (instance_expression . (_) @qualifier))
((val_definition pattern: (identifier) @ref.bind value: (call_expression function: (identifier) @qualifier))
  (#match? @qualifier "^[A-Z]"))
(val_definition pattern: (identifier) @ref.bind !type value: (_) @qualifier)
(var_definition pattern: (identifier) @ref.bind !type value: (_) @qualifier)
(val_definition pattern: (identifier) @ref.bind)
(var_definition pattern: (identifier) @ref.bind)
(identifiers (identifier) @ref.bind)
(tuple_pattern (identifier) @ref.bind)
(case_class_pattern (identifier) @ref.bind)
(typed_pattern pattern: (identifier) @ref.bind type: (_) @qualifier)
(capture_pattern name: (identifier) @ref.bind)
((case_clause pattern: (identifier) @ref.bind) (#match? @ref.bind "^[a-z_]"))
(enumerator . (identifier) @ref.bind . ["<-" "="] . (_) @qualifier)
(type_parameters name: (identifier) @ref.bind)
(covariant_type_parameter name: (identifier) @ref.bind)
(contravariant_type_parameter name: (identifier) @ref.bind)
(self_type . (identifier) @ref.bind)

; A name is not in scope in its own initializer: `for (store <- store.all) …`.
(enumerator . (_) @initialized . ["<-" "="] . (_) @initializer)

; Writes

(assignment_expression left: (identifier) @ref.write)
(assignment_expression left: (field_expression value: (_) @qualifier field: (identifier) @ref.write))
((infix_expression left: (identifier) @ref.write operator: (operator_identifier) @_operator)
  (#any-of? @_operator "+=" "-=" "*=" "/=" "++=" ":+="))

; Named arguments: `open(path = home)`. The `(` after the callee distinguishes them from members.
(call_expression function: (_) @qualifier
  arguments: (arguments "(" @qualifier (assignment_expression left: (identifier) @ref.write)))
(instance_expression . (_) @qualifier
  arguments: (arguments "(" @qualifier (assignment_expression left: (identifier) @ref.write)))
(extends_clause . type: (_) @qualifier
  . arguments: (arguments "(" @qualifier (assignment_expression left: (identifier) @ref.write)))

; All other names

(field_expression value: (_) @qualifier field: (identifier) @ref.read)
(stable_type_identifier (_) @qualifier (type_identifier) @ref.type .)
(type_identifier) @ref.type
(identifier) @ref.read

; Scopes

[(block) (indented_block) (lambda_expression) (for_expression) (case_clause) (catch_clause)] @block

; Branches, for complexity

["if" "for" "while" "do" "catch" "case"] @branch
((operator_identifier) @branch (#any-of? @branch "&&" "||"))
