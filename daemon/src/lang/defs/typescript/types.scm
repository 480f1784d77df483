; Patterns that types need

[(class_declaration name: (_) @name body: (_) @body)
 (abstract_class_declaration name: (_) @name body: (_) @body)] @def.class

(public_field_definition name: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @def.method
(public_field_definition name: (_) @name) @def.field
; A parameter of a constructor that is also a field: `constructor(private store: Store)`.
(class_declaration name: (_) @container body: (class_body (method_definition parameters: (formal_parameters [
  (required_parameter (accessibility_modifier) @modifiers pattern: (identifier) @name)
  (optional_parameter (accessibility_modifier) @modifiers pattern: (identifier) @name)
  (required_parameter "readonly" pattern: (identifier) @name)
  (optional_parameter "readonly" pattern: (identifier) @name)] @def.field))))
(abstract_class_declaration name: (_) @container body: (class_body (method_definition parameters: (formal_parameters [
  (required_parameter (accessibility_modifier) @modifiers pattern: (identifier) @name)
  (optional_parameter (accessibility_modifier) @modifiers pattern: (identifier) @name)
  (required_parameter "readonly" pattern: (identifier) @name)
  (optional_parameter "readonly" pattern: (identifier) @name)] @def.field))))

; Members of an object with a type assertion: `{ … } as Store`, `{ … } satisfies Store`.
(variable_declarator value: [
  (as_expression . (object (pair
    key: [(property_identifier) (string)] @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method))
  (satisfies_expression . (object (pair
    key: [(property_identifier) (string)] @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method))
  (satisfies_expression . (as_expression . (object (pair
    key: [(property_identifier) (string)] @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method)))])
(export_statement value: [
  (as_expression . (object (pair
    key: [(property_identifier) (string)] @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method))
  (satisfies_expression . (object (pair
    key: [(property_identifier) (string)] @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method))])

; Overloads and declarations without bodies.
(function_signature name: (identifier) @name) @def.function
(abstract_method_signature name: (_) @name) @def.method
(method_signature name: (_) @name) @def.method

(interface_declaration name: (_) @name body: (_) @body) @def.interface
(interface_body (property_signature name: (_) @name) @def.property)
(type_alias_declaration value: (object_type (property_signature name: (_) @name) @def.property))
(type_alias_declaration name: (_) @name) @def.alias
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(enum_body name: (_) @name @def.variant)
(enum_assignment name: (_) @name) @def.variant
(internal_module name: (_) @name body: (_) @body) @def.module
(module name: (_) @name body: (_) @body) @def.module
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @def.constant))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @def.variable))

(export_statement declaration: [
  (abstract_class_declaration name: (_) @visibility.public)
  (function_signature name: (_) @visibility.public)
  (interface_declaration name: (_) @visibility.public)
  (type_alias_declaration name: (_) @visibility.public)
  (enum_declaration name: (_) @visibility.public)
  (internal_module name: (_) @visibility.public)])
[(method_definition (accessibility_modifier "private") name: (_) @visibility.private)
 (public_field_definition (accessibility_modifier "private") name: (_) @visibility.private)]
[(method_definition (accessibility_modifier "protected") name: (_) @visibility.protected)
 (abstract_method_signature (accessibility_modifier "protected") name: (_) @visibility.protected)
 (public_field_definition (accessibility_modifier "protected") name: (_) @visibility.protected)]
[(method_definition (accessibility_modifier "public") name: (_) @visibility.public)
 (abstract_method_signature (accessibility_modifier "public") name: (_) @visibility.public)
 (public_field_definition (accessibility_modifier "public") name: (_) @visibility.public)]

; Imports

(import_statement (import_require_clause
  (identifier) @import.alias @ref.import
  source: (string) @import.module)) @import
(import_alias . (identifier) @import.alias @ref.import [(identifier) (nested_identifier)] @import.module) @import

; Relations

(extends_clause value: [(identifier) (member_expression)] @relation.extends)
(implements_clause (_) @relation.implements)
(extends_type_clause type: (_) @relation.extends)

; Uses of names

; The grammar takes `await` for a part of the callee before type arguments: `await open<Store>(path)`, and `!` always: `open!(path)`.
(call_expression function: [
  (await_expression (identifier) @ref.call)
  (non_null_expression (identifier) @ref.call)
  (await_expression (non_null_expression (identifier) @ref.call))])
(call_expression function: [
  (await_expression (member_expression
    object: (_) @qualifier
    property: [(property_identifier) (private_property_identifier)] @ref.call))
  (non_null_expression (member_expression
    object: (_) @qualifier
    property: [(property_identifier) (private_property_identifier)] @ref.call))])
(extends_clause value: (identifier) @ref.type)
(extends_clause value: (member_expression object: (_) @qualifier property: (property_identifier) @ref.type))
(nested_type_identifier module: (_) @qualifier name: (type_identifier) @ref.type)
; The type of a member: `Shape["width"]`.
(lookup_type . (_) @qualifier (literal_type (string (string_fragment) @ref.read)))
(type_parameter name: (type_identifier) @ref.bind constraint: (constraint (_) @qualifier))
(type_parameter name: (type_identifier) @ref.bind)
(type_identifier) @ref.type

(required_parameter pattern: (identifier) @ref.bind type: (type_annotation (_) @qualifier))
(optional_parameter pattern: (identifier) @ref.bind type: (type_annotation (_) @qualifier))
(call_expression function: (_) @taker arguments: (arguments [
  (arrow_function parameters: (formal_parameters (required_parameter pattern: (identifier) @ref.bind !type)))
  (function_expression parameters: (formal_parameters (required_parameter pattern: (identifier) @ref.bind !type)))]))
(new_expression constructor: (_) @taker arguments: (arguments
  (arrow_function parameters: (formal_parameters (required_parameter pattern: (identifier) @ref.bind !type)))))
; `import("./store").then(({ open }) => open())`
(call_expression
  function: (member_expression object: (call_expression function: (import)) @qualifier)
  arguments: (arguments . (arrow_function parameters: (formal_parameters . (required_parameter pattern: (object_pattern [
    (shorthand_property_identifier_pattern) @ref.shorthand.read
    (pair_pattern key: (property_identifier) @ref.read)]))))))
(required_parameter pattern: (identifier) @ref.bind)
(optional_parameter pattern: (identifier) @ref.bind)
(variable_declarator name: (identifier) @ref.bind type: (type_annotation (_) @qualifier))
(variable_declarator type: (type_annotation (_) @qualifier) value: (object [
  (pair key: (property_identifier) @ref.write)
  (shorthand_property_identifier) @ref.shorthand.write]))
[
  (function_declaration return_type: (type_annotation (_) @qualifier)
    body: (statement_block (return_statement (object [
      (pair key: (property_identifier) @ref.write)
      (shorthand_property_identifier) @ref.shorthand.write]))))
  (method_definition return_type: (type_annotation (_) @qualifier)
    body: (statement_block (return_statement (object [
      (pair key: (property_identifier) @ref.write)
      (shorthand_property_identifier) @ref.shorthand.write]))))
  (arrow_function return_type: (type_annotation (_) @qualifier)
    body: (statement_block (return_statement (object [
      (pair key: (property_identifier) @ref.write)
      (shorthand_property_identifier) @ref.shorthand.write]))))
  (arrow_function return_type: (type_annotation (_) @qualifier)
    body: (parenthesized_expression (object [
      (pair key: (property_identifier) @ref.write)
      (shorthand_property_identifier) @ref.shorthand.write])))
]
(as_expression . (object [
  (pair key: (property_identifier) @ref.write)
  (shorthand_property_identifier) @ref.shorthand.write]) (_) @qualifier .)
(satisfies_expression . (object [
  (pair key: (property_identifier) @ref.write)
  (shorthand_property_identifier) @ref.shorthand.write]) (_) @qualifier .)
(required_parameter pattern: (object_pattern [
  (shorthand_property_identifier_pattern) @ref.shorthand.read
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @ref.shorthand.read)
  (pair_pattern key: (property_identifier) @ref.read)]) type: (type_annotation (_) @qualifier))
(index_signature name: (identifier) @ref.bind)
(property_signature name: (property_identifier) @ref.mention)

; `new (this.constructor as Type)(…)` constructs a value of the same type.

(new_expression constructor: (parenthesized_expression (as_expression
  . (member_expression object: (_) @qualifier property: (property_identifier) @ref.call))))

; Scopes

[
  (function_type)
  (constructor_type)
  (function_signature)
  (method_signature)
  (abstract_method_signature)
  (call_signature)
  (construct_signature)
  (index_signature)] @block.function
