; Packages

(package_clause name: (_) @name body: (_)? @body) @def.module
(package_object name: (_) @name body: (_)? @body) @def.module

; Types. An `object` counts as a class, and so does a `given` with members.

(class_definition (modifiers (access_modifier) @modifiers)? name: (_) @name body: (_)? @body) @def.class
(object_definition (modifiers (access_modifier) @modifiers)? name: (_) @name body: (_)? @body) @def.class
(trait_definition (modifiers (access_modifier) @modifiers)? name: (_) @name body: (_)? @body) @def.trait
(enum_definition (modifiers (access_modifier) @modifiers)? name: (_) @name body: (_)? @body) @def.enum
(simple_enum_case name: (_) @name) @def.variant
(full_enum_case name: (_) @name) @def.variant
(type_definition (modifiers (access_modifier) @modifiers)? name: (_) @name) @def.alias
(given_definition
  (modifiers (access_modifier) @modifiers)? name: (_) @name body: (with_template_body) @body) @def.class
(given_definition (modifiers (access_modifier) @modifiers)? name: (_) @name) @def.constant

; Functions

((function_definition
  (modifiers (access_modifier) @modifiers)? name: (identifier) @name body: (_)? @body) @def.constructor
  (#eq? @name "this"))
(function_definition (modifiers (access_modifier) @modifiers)? name: (_) @name body: (_)? @body) @def.function
(function_declaration (modifiers (access_modifier) @modifiers)? name: (_) @name) @def.function

; Fields and constants

; Only the first parameter list of a case class declares fields.
(class_definition "case" [(identifier) (type_parameters) (annotation) (access_modifier)] .
  class_parameters: (class_parameters . (class_parameter
    (modifiers (access_modifier) @modifiers)? name: (_) @name) @def.field))
(class_definition "case" [(identifier) (type_parameters) (annotation) (access_modifier)] .
  class_parameters: (class_parameters (class_parameter
    (modifiers (access_modifier) @modifiers)? name: (_) @name) @def.field))
(class_parameter (modifiers (access_modifier) @modifiers)? ["val" "var"] name: (_) @name) @def.field
(full_enum_case class_parameters: (class_parameters (class_parameter name: (_) @name) @def.field))
(template_body [
  (val_definition
    (modifiers (access_modifier) @modifiers)?
    pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) @def.field
  (var_definition
    (modifiers (access_modifier) @modifiers)?
    pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) @def.field
  (val_declaration (modifiers (access_modifier) @modifiers)? name: (identifier) @name) @def.field
  (var_declaration (modifiers (access_modifier) @modifiers)? name: (identifier) @name) @def.field])
(enum_body [
  (val_definition (modifiers (access_modifier) @modifiers)? pattern: (identifier) @name) @def.field
  (var_definition (modifiers (access_modifier) @modifiers)? pattern: (identifier) @name) @def.field])
(with_template_body [
  (val_definition (modifiers (access_modifier) @modifiers)? pattern: (identifier) @name) @def.field
  (var_definition (modifiers (access_modifier) @modifiers)? pattern: (identifier) @name) @def.field])
(compilation_unit [
  (val_definition
    (modifiers (access_modifier) @modifiers)?
    pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) @def.constant
  (var_definition
    (modifiers (access_modifier) @modifiers)?
    pattern: [(identifier) @name (identifiers (identifier) @name)]) @def.variable])

; Blocks without a symbol of their own

(extension_definition parameters: (parameters (parameter type: (_) @scope.name))) @scope
(given_definition !name return_type: (_) @scope.name body: (with_template_body)) @scope

; An anonymous class is named by its supertype: `new Runnable { … }`.

(instance_expression
  "new" @name . [
    (type_identifier) @name @relation.extends
    (generic_type type: (_) @name @relation.extends)
    (stable_type_identifier) @name @relation.extends
    (compound_type base: (_) @name @relation.extends)]
  (template_body) @body) @def.class

; A member that is private to a package (`private[shop]`) is visible within it.

(class_definition (modifiers (access_modifier "private" (access_qualifier))) name: (_) @visibility.internal)
(object_definition (modifiers (access_modifier "private" (access_qualifier))) name: (_) @visibility.internal)
(trait_definition (modifiers (access_modifier "private" (access_qualifier))) name: (_) @visibility.internal)
(function_definition (modifiers (access_modifier "private" (access_qualifier))) name: (_) @visibility.internal)
(val_definition (modifiers (access_modifier "private" (access_qualifier))) pattern: [
  (identifier) @visibility.internal
  (tuple_pattern (identifier) @visibility.internal)])

(annotation) @attribute
(comment) @comment
(block_comment) @comment
