; Types. An actor is a class. Members of an extension belong to the type that it extends.

(class_declaration
  (modifiers (visibility_modifier) @modifiers)?
  declaration_kind: ["class" "actor"]
  name: (type_identifier) @name
  body: (_) @body) @def.class
(class_declaration
  (modifiers (visibility_modifier) @modifiers)?
  declaration_kind: "struct"
  name: (type_identifier) @name
  body: (_) @body) @def.struct
(class_declaration
  (modifiers (visibility_modifier) @modifiers)?
  declaration_kind: "enum"
  name: (type_identifier) @name
  body: (_) @body) @def.enum
(class_declaration declaration_kind: "extension" name: (_) @scope.name) @scope
(protocol_declaration
  (modifiers (visibility_modifier) @modifiers)? name: (type_identifier) @name body: (_) @body) @def.interface
(enum_entry name: (simple_identifier) @name) @def.variant
(typealias_declaration (modifiers (visibility_modifier) @modifiers)? . "typealias" . name: (type_identifier) @name) @def.alias
(associatedtype_declaration name: (type_identifier) @name) @def.alias

; Functions

(function_declaration
  (modifiers (visibility_modifier) @modifiers)?
  "func" . name: _ @name
  body: (function_body) @body) @def.function
(protocol_function_declaration "func" . name: _ @name) @def.method
(init_declaration
  (modifiers (visibility_modifier) @modifiers)? name: "init" @name body: (_)? @body) @def.constructor
(deinit_declaration "deinit" @name body: (_)? @body) @def.method
(subscript_declaration
  (modifiers (visibility_modifier) @modifiers)? "subscript" @name (computed_property)? @body) @def.method
(macro_declaration (simple_identifier) @name) @def.macro

; Properties and constants

(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.property
(class_body (property_declaration
  (modifiers (visibility_modifier) @modifiers)?
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_)? @body) @def.property)
(class_body (property_declaration
  (modifiers (visibility_modifier) @modifiers)?
  name: (pattern (pattern (simple_identifier) @name))) @def.property)
(enum_class_body (property_declaration
  (modifiers (visibility_modifier) @modifiers)?
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_)? @body) @def.property)
(source_file (property_declaration
  (modifiers (visibility_modifier) @modifiers)?
  (value_binding_pattern mutability: "let")
  name: (pattern bound_identifier: (simple_identifier) @name)) @def.constant)
(source_file (property_declaration
  (modifiers (visibility_modifier) @modifiers)?
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_)? @body) @def.variable)

(attribute) @attribute
(comment) @comment
(multiline_comment) @comment
