; Packages

(package_header (qualified_identifier) @name) @def.module

; Types. A companion object without a name is not a symbol: its members are used as members of the class.

(class_declaration
  (modifiers (visibility_modifier) @modifiers)?
  "interface"
  name: (identifier) @name
  (class_body)? @body) @def.interface
(class_declaration
  (modifiers (visibility_modifier)? @modifiers (class_modifier "enum"))
  name: (identifier) @name
  (enum_class_body) @body) @def.enum
(class_declaration
  (modifiers (visibility_modifier) @modifiers)?
  "class"
  name: (identifier) @name
  [(class_body) (enum_class_body)]? @body) @def.class
(object_declaration
  (modifiers (visibility_modifier) @modifiers)?
  name: (identifier) @name
  (class_body)? @body) @def.class
(companion_object
  (modifiers (visibility_modifier) @modifiers)?
  name: (identifier) @name
  (class_body)? @body) @def.class
(enum_entry (identifier) @name (class_body)? @body) @def.variant
(type_alias (modifiers (visibility_modifier) @modifiers)? type: (identifier) @name) @def.alias

; Functions. An extension belongs to the type that it extends.

(function_declaration
  (modifiers (visibility_modifier) @modifiers)?
  [(user_type) (nullable_type)] @container
  name: (identifier) @name
  (function_body)? @body) @def.method
(function_declaration
  (modifiers (visibility_modifier) @modifiers)?
  name: (identifier) @name
  (function_body)? @body) @def.function
(secondary_constructor
  (modifiers (visibility_modifier) @modifiers)?
  "constructor" @name
  (block)? @body) @def.constructor

; Properties and constants

(source_file (property_declaration
  (modifiers (visibility_modifier) @modifiers)?
  [(user_type) (nullable_type)] @container
  (variable_declaration . (identifier) @name)) @def.property)
(class_body (property_declaration
  (modifiers (visibility_modifier) @modifiers)?
  [(user_type) (nullable_type)] @container
  (variable_declaration . (identifier) @name)) @def.property)
(property_declaration
  (modifiers (visibility_modifier)? @modifiers (property_modifier))
  (variable_declaration . (identifier) @name)) @def.constant
(source_file (property_declaration
  (modifiers (visibility_modifier) @modifiers)?
  [(variable_declaration . (identifier) @name)
   (multi_variable_declaration (variable_declaration . (identifier) @name))]) @def.property)
(class_body (property_declaration
  (modifiers (visibility_modifier) @modifiers)?
  (variable_declaration . (identifier) @name)) @def.property)
(enum_class_body (property_declaration
  (modifiers (visibility_modifier) @modifiers)?
  (variable_declaration . (identifier) @name)) @def.property)
(class_parameter
  (modifiers (visibility_modifier) @modifiers)?
  ["val" "var"]
  . (identifier) @name) @def.property

; An anonymous object is named by its supertype: `object : Runnable { … }`.

(object_literal
  "object" @name
  (delegation_specifiers . (delegation_specifier [
    (user_type . (identifier) @name)
    (constructor_invocation (user_type . (identifier) @name))]))
  (class_body) @body) @def.class

; Bodies without a symbol of their own

(enum_entry (identifier) @scope.name (class_body) @scope)

(annotation) @attribute
(file_annotation) @attribute
(line_comment) @comment
(block_comment) @comment
