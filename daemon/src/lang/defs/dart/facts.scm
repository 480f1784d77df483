; Definitions. Specific patterns come first: of two matches for one name, the earlier wins.

(class_definition name: (identifier) @name body: (_) @body) @def.class
(mixin_declaration (mixin) . (identifier) @name (class_body) @body) @def.trait
(extension_declaration name: (identifier) @name body: (_) @body) @def.module
(extension_declaration "on" . class: (_) @scope.name . body: (_) @scope)
(extension_declaration "on" . class: (_) @scope.name . class: [(type_arguments) (nullable_type)] body: (_) @scope)
(extension_declaration "on" class: "." . class: (_) @scope.name body: (_) @scope)
(extension_type_declaration name: (identifier) @name body: (_) @body) @def.class
(enum_declaration name: (identifier) @name body: (_) @body) @def.enum
(enum_constant name: (identifier) @name) @def.variant
(class_definition (mixin_application_class . (identifier) @name)) @def.class
(type_alias (type_identifier) @name . (type_parameters)? . "=") @def.alias
(type_alias (type_identifier) @name . (type_parameters)? . (formal_parameter_list)) @def.alias

; The last part is the name of the constructor itself: `open` of `Store.open(…)`.
(declaration (constructor_signature name: (identifier) @name .
  parameters: (_))) @def.constructor
(method_declaration
  signature: (method_signature (constructor_signature name: (identifier) @name . parameters: (_)))
  body: (_) @body) @def.constructor
(method_declaration
  signature: (method_signature (factory_constructor_signature (identifier) @name . (formal_parameter_list)))
  body: (_) @body) @def.constructor
(declaration (constant_constructor_signature (identifier) @name . (formal_parameter_list))) @def.constructor
(declaration (factory_constructor_signature (identifier) @name . (formal_parameter_list))) @def.constructor

(method_declaration signature: (method_signature [
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)]) body: (_) @body) @def.property
(declaration [
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)]) @def.property
(method_declaration signature: (method_signature (function_signature name: (identifier) @name)) body: (_) @body) @def.method
(method_declaration
  signature: (method_signature (operator_signature [(binary_operator) "[]" "[]=" "~"] @name))
  body: (_) @body) @def.method
(declaration (operator_signature [(binary_operator) "[]" "[]=" "~"] @name)) @def.method
(declaration (function_signature name: (identifier) @name)) @def.method
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @def.field
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @def.field

(function_declaration signature: (getter_signature name: (identifier) @name) body: (_) @body) @def.property
(function_declaration signature: (setter_signature name: (identifier) @name) body: (_) @body) @def.property
(function_declaration signature: (function_signature name: (identifier) @name) body: (_) @body) @def.function
(local_function_declaration (lambda_expression
  parameters: (function_signature name: (identifier) @name)
  body: (_) @body)) @def.function
(initialized_variable_definition name: (identifier) @name value: (function_expression body: (_) @body)) @def.function
(program (function_signature name: (identifier) @name) @def.function)
(program (static_final_declaration_list (static_final_declaration . (identifier) @name) @def.constant))
(program (initialized_identifier_list (initialized_identifier . (identifier) @name) @def.variable))

(annotation) @attribute
(comment) @comment
(documentation_comment) @comment

; Imports

(library_import (import_specification (configurable_uri) @import.module)) @import
(library_import (import_specification (configurable_uri) @import.module . (identifier) @import.alias @ref.import)) @import
(library_import (import_specification
  (configurable_uri) @import.module
  (combinator "show" (identifier) @import.name @ref.import))) @import
(library_export (configurable_uri) @import.module .) @import @import.reexport
(library_export
  (configurable_uri) @import.module
  (combinator "show" (identifier) @import.name @ref.import)) @import @import.reexport
(part_directive (uri) @import.module) @import

; Relations

; The parts of `library.Store` are siblings.
(superclass . (type_identifier) @relation.extends .)
(superclass . (type_identifier) @relation.extends . [(type_arguments) (mixins)])
(superclass . (type_identifier) @qualifier . "." . (type_identifier) @relation.extends)
(mixin_application . (type_identifier) @relation.extends . [(type_arguments) (mixins)])
(mixin_application . (type_identifier) @qualifier . "." . (type_identifier) @relation.extends)
(mixins ["with" ","] . (type_identifier) @relation.implements . ["," (type_arguments)])
(mixins ["with" ","] . (type_identifier) @relation.implements .)
(mixins (type_identifier) @qualifier . "." . (type_identifier) @relation.implements)
(interfaces ["implements" ","] . (type_identifier) @relation.implements . ["," (type_arguments)])
(interfaces ["implements" ","] . (type_identifier) @relation.implements .)
(interfaces (type_identifier) @qualifier . "." . (type_identifier) @relation.implements)
(mixin_declaration ["on" ","] . (type_identifier) @relation.extends . ["," (type_arguments) (interfaces) (class_body)])
(mixin_declaration (type_identifier) @qualifier . "." . (type_identifier) @relation.extends)

; Uses of names

(method_invocation function: (identifier) @ref.call)
(method_invocation function: [
  (unconditional_assignable_selector . (_) @qualifier (identifier) @ref.call .)
  (conditional_assignable_selector . (_) @qualifier (identifier) @ref.call .)])
(cascade_expression target: (_) @qualifier
  (unconditional_cascade_section (method_invocation function: (cascade_selector (identifier) @ref.call))))
(annotation name: (identifier) @ref.call)
(redirection (this) @ref.call . (arguments))
(redirection (this) @qualifier . "." . (identifier) @ref.call)
(initializer_list_entry (super) @ref.call . (arguments))
(initializer_list_entry (super) @qualifier . "." . (identifier) @ref.call)

(type_parameter . (type_identifier) @ref.bind)
(_ (type_identifier) @qualifier . "." . (type_identifier) @ref.type)
(type_identifier) @ref.type

(formal_parameter (type_identifier) @qualifier name: (identifier) @ref.bind
  (#not-any-of? @qualifier "List" "Set" "Iterable" "Iterator" "Queue" "Map" "Stream" "Future" "FutureOr"))
; A parameter with a collection type has the type of its elements: `List<Store> stores`.
(formal_parameter (type_identifier) @_collection (type_arguments) @qualifier name: (identifier) @ref.bind
  (#any-of? @_collection "List" "Set" "Iterable" "Iterator" "Queue" "Map" "Stream" "Future" "FutureOr"))
; The parameter of a closure is an element of the receiver: `stores.map((store) => …)`.
(method_invocation
  function: [
    (unconditional_assignable_selector . (_) @qualifier (identifier) @_each .)
    (conditional_assignable_selector . (_) @qualifier (identifier) @_each .)]
  arguments: (argument_part (arguments . "(" . (argument (function_expression
    parameters: (formal_parameter_list . "(" . (formal_parameter . (identifier) @ref.bind .) . ")")))))
  (#any-of? @_each "forEach" "map" "where" "any" "every" "firstWhere" "lastWhere" "singleWhere" "expand" "takeWhile" "skipWhile"
    "removeWhere" "retainWhere" "indexWhere" "then" "listen"))
(if_statement
  (type_test_expression . (identifier) @narrowed.name (type_test (is_operator . "is" .) (type_identifier) @qualifier))
    @narrowed @block.narrowed
  consequence: (_) @block.narrowed)
(formal_parameter name: (identifier) @ref.bind)
(formal_parameter . (identifier) @ref.bind)
(constructor_param (this) (identifier) @ref.write)
(super_formal_parameter (identifier) @ref.bind)
(initialized_variable_definition (type_identifier) @qualifier name: (identifier) @ref.bind)
(initialized_variable_definition . [(final_builtin) (inferred_type) (const_builtin)] . name: (identifier) @ref.bind
  value: (cascade_expression target: (_) @qualifier))
(initialized_variable_definition . [(final_builtin) (inferred_type) (const_builtin)] . name: (identifier) @ref.bind
  value: (_) @qualifier)
(initialized_variable_definition name: (identifier) @ref.bind)
(for_loop_parts name: (identifier) @ref.bind value: (_) @qualifier)
(for_loop_parts name: (identifier) @ref.bind)
(try_statement (type_identifier) @qualifier . (catch_clause (catch_parameters . (identifier) @ref.bind)))
(catch_parameters (identifier) @ref.bind)

; A name is not in scope in its own initializer: `for (var store in store.all())`.
(for_loop_parts name: (_) @initialized value: (_) @initializer)

(assignable_expression (identifier) @ref.write)
(assignable_expression (unconditional_assignable_selector . (_) @qualifier (identifier) @ref.write .))
(field_initializer . (identifier) @ref.write)
(field_initializer (this) . (identifier) @ref.write)

; Named arguments: `open(path: home)`. The `(` after the callee distinguishes them from members. Of several matches for a name, a
; write precedes a read.
(method_invocation function: (_) @qualifier
  arguments: (argument_part (arguments "(" @qualifier (named_argument (label (identifier) @ref.write)))))
(new_expression (type_identifier) @qualifier (arguments "(" @qualifier (named_argument (label (identifier) @ref.write))))
(const_object_expression (type_identifier) @qualifier
  (arguments "(" @qualifier (named_argument (label (identifier) @ref.write))))
(annotation name: (_) @qualifier (arguments "(" @qualifier (named_argument (label (identifier) @ref.write))))
(arguments "(" @qualifier (named_argument (label (identifier) @ref.read)))
; A field of a record: `(path: home, size: 1)`.
(record_literal "(" @qualifier (label (identifier) @ref.read))
(record_literal "(" @qualifier (record_field (label (identifier) @ref.read)))

(unconditional_assignable_selector . (_) @qualifier (identifier) @ref.read .)
(conditional_assignable_selector . (_) @qualifier (identifier) @ref.read .)
(identifier) @ref.read
(identifier_dollar_escaped) @ref.read

; Scopes. The name of a caught exception is outside of its block in the tree, so the whole `try` is its scope.

[
  (block)
  (function_expression)
  (if_statement)
  (for_statement)
  (for_element)
  (try_statement)
  (switch_statement_case)
  (switch_expression_case)] @block

; Branches, for complexity

(if_statement) @branch
(for_statement) @branch
(while_statement) @branch
(do_statement) @branch
(catch_clause) @branch
(switch_statement_case) @branch
(switch_expression_case . pattern: (_) @_pattern (#not-eq? @_pattern "_")) @branch
(conditional_expression) @branch
(if_null_expression) @branch
(logical_and_expression) @branch
(logical_or_expression) @branch
