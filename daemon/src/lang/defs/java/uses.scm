; Imports

(import_declaration
  (scoped_identifier scope: (_) @import.module name: (identifier) @import.name @ref.import) . ";") @import
(import_declaration (identifier) @import.module @ref.import . ";") @import
(import_declaration [(identifier) (scoped_identifier)] @import.module (asterisk) @import.wildcard) @import
(import_declaration (scoped_identifier name: (identifier) @ref.import) (asterisk))
; The class of a static import: `Store` of `import static shop.Store.open;`.
(import_declaration "static"
  (scoped_identifier scope: [(identifier) @ref.import (scoped_identifier name: (identifier) @ref.import)]) . ";")
(requires_module_directive module: (_) @import.module) @import
(requires_module_directive modifiers: (requires_modifier "transitive") @import.reexport module: (_) @import.module) @import

; Relations

(superclass [(type_identifier) (scoped_type_identifier) (generic_type)] @relation.extends)
(extends_interfaces (type_list [(type_identifier) (scoped_type_identifier) (generic_type)] @relation.extends))
(super_interfaces (type_list [(type_identifier) (scoped_type_identifier) (generic_type)] @relation.implements))
(object_creation_expression type: (_) @relation.extends (class_body))
(provides_module_directive provided: (_) @relation.implements)

; Calls

(method_invocation object: (_)? @qualifier name: (identifier) @ref.call)
(object_creation_expression type: [
  (type_identifier) @ref.call
  (generic_type . (type_identifier) @ref.call)])
(object_creation_expression type: [
  (scoped_type_identifier (_) @qualifier (type_identifier) @ref.call .)
  (generic_type . (scoped_type_identifier (_) @qualifier (type_identifier) @ref.call .))])

(explicit_constructor_invocation constructor: [(this) (super)] @ref.call)

; Bindings

(formal_parameter type: (_) @qualifier name: (identifier) @ref.bind)
(spread_parameter [
    (type_identifier) (scoped_type_identifier) (generic_type) (array_type)
    (integral_type) (floating_point_type) (boolean_type)] @qualifier
  (variable_declarator name: (identifier) @ref.bind))
(catch_formal_parameter (catch_type) @qualifier name: (identifier) @ref.bind)
(local_variable_declaration
  type: (_) @qualifier
  declarator: (variable_declarator name: (identifier) @ref.bind)
  (#not-eq? @qualifier "var"))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @ref.bind))
(local_variable_declaration
  type: (type_identifier) @_var
  declarator: (variable_declarator
    name: (identifier) @ref.bind
    value: [
      (object_creation_expression type: (_) @qualifier)
      (method_invocation) @qualifier
      (field_access) @qualifier
      (array_access) @qualifier
      (cast_expression type: (_) @qualifier)
      (identifier) @qualifier])
  (#eq? @_var "var"))
(enhanced_for_statement type: (_) @qualifier name: (identifier) @ref.bind (#not-eq? @qualifier "var"))
(enhanced_for_statement type: (type_identifier) @_var name: (identifier) @ref.bind value: (_) @qualifier
  (#eq? @_var "var"))
(resource type: (_) @qualifier name: (identifier) @ref.bind (#not-eq? @qualifier "var"))
(resource type: (type_identifier) @_var name: (identifier) @ref.bind value: (_) @qualifier
  (#eq? @_var "var"))
(instanceof_expression right: (_) @qualifier name: (identifier) @ref.bind)
(type_pattern (_) @qualifier (identifier) @ref.bind .)
(record_pattern_component (_) @qualifier (identifier) @ref.bind .)
(record_pattern . (identifier) @ref.type)
; The parameter of a lambda is an element of the receiver: `stores.forEach(store -> …)`.
(method_invocation object: (_) @qualifier name: (identifier) @_each
  arguments: (argument_list . (lambda_expression parameters: (identifier) @ref.bind))
  (#match? @_each "^(map|filter|forEach|anyMatch|allMatch|noneMatch|flatMap|mapTo(Int|Long|Double|Obj)|ifPresent|peek|takeWhile|dropWhile|removeIf)$"))
(lambda_expression parameters: (identifier) @ref.bind)
(inferred_parameters (identifier) @ref.bind)
(type_parameter (type_identifier) @ref.bind (type_bound . (_) @qualifier))
(type_parameter (type_identifier) @ref.bind)
(labeled_statement . (identifier) @ref.bind)

; A name is not in scope in its own initializer: `for (var store : store.all())`.
(enhanced_for_statement name: (_) @initialized value: (_) @initializer)

; Writes

(assignment_expression left: (identifier) @ref.write)
(assignment_expression left: (field_access object: (_) @qualifier field: (identifier) @ref.write))
(update_expression (identifier) @ref.write)
(update_expression (field_access object: (_) @qualifier field: (identifier) @ref.write))

; All other names

(switch_expression "switch" @qualifier condition: (_) @qualifier body: (switch_block [
  (switch_block_statement_group (switch_label (identifier) @ref.read))
  (switch_rule (switch_label (identifier) @ref.read))]))
(marker_annotation name: [(identifier) @ref.type (scoped_identifier name: (identifier) @ref.type)])
(annotation name: [(identifier) @ref.type (scoped_identifier name: (identifier) @ref.type)])
; An argument of an annotation names a method of its type: `@Route(path = "/")`.
(annotation name: (_) @qualifier
  arguments: (annotation_argument_list (element_value_pair key: (identifier) @ref.named)))
(throws (type_identifier) @ref.type)
(field_access object: (_) @qualifier field: (identifier) @ref.read)
(method_reference . (_) @qualifier (identifier) @ref.read .)
(scoped_identifier scope: (_) @qualifier name: (identifier) @ref.read)
(scoped_type_identifier (_) @qualifier (type_identifier) @ref.type .)
((type_identifier) @ref.type (#not-eq? @ref.type "var"))
(identifier) @ref.read

; Scopes

[
  (block)
  (lambda_expression)
  (for_statement)
  (enhanced_for_statement)
  (try_with_resources_statement)
  (catch_clause)
  (switch_block)
  (switch_rule)] @block

; Branches, for complexity

["if" "for" "while" "case" "catch" "&&" "||"] @branch
(ternary_expression) @branch
