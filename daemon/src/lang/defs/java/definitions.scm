; Packages and modules

(package_declaration [(identifier) (scoped_identifier)] @name) @def.module
(module_declaration name: (_) @name body: (module_body) @body) @def.module

; Types. A record is a class, and an annotation type an interface.

(class_declaration (modifiers ["public" "protected" "private"] @modifiers)? name: (identifier) @name body: (class_body) @body) @def.class
(record_declaration (modifiers ["public" "protected" "private"] @modifiers)? name: (identifier) @name body: (class_body) @body) @def.class
(interface_declaration (modifiers ["public" "protected" "private"] @modifiers)? name: (identifier) @name body: (interface_body) @body) @def.interface
(annotation_type_declaration
  (modifiers ["public" "protected" "private"] @modifiers)? name: (identifier) @name body: (annotation_type_body) @body) @def.interface
(enum_declaration (modifiers ["public" "protected" "private"] @modifiers)? name: (identifier) @name body: (enum_body) @body) @def.enum
(enum_constant name: (identifier) @name body: (class_body)? @body) @def.variant

; Methods and constructors

(method_declaration (modifiers ["public" "protected" "private"] @modifiers)? name: (identifier) @name body: (block)? @body) @def.function
(constructor_declaration
  (modifiers ["public" "protected" "private"] @modifiers)? name: (identifier) @name body: (constructor_body) @body) @def.constructor
(compact_constructor_declaration (modifiers ["public" "protected" "private"] @modifiers)? name: (identifier) @name body: (block) @body) @def.constructor
(annotation_type_element_declaration (modifiers ["public" "protected" "private"] @modifiers)? name: (identifier) @name) @def.method

; Fields and constants

(field_declaration
  (modifiers ["public" "protected" "private"]? @modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name)) @def.constant
(field_declaration
  (modifiers ["public" "protected" "private"]? @modifiers "final" "static")
  declarator: (variable_declarator name: (identifier) @name)) @def.constant
(field_declaration (modifiers ["public" "protected" "private"] @modifiers)? declarator: (variable_declarator name: (identifier) @name)) @def.field
(constant_declaration (modifiers ["public" "protected" "private"] @modifiers)? declarator: (variable_declarator name: (identifier) @name)) @def.constant
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @def.field))
(record_declaration parameters: (formal_parameters (spread_parameter (variable_declarator name: (identifier) @name)) @def.field))

; An anonymous class is named by its supertype: `new Runnable() { … }`.

(object_creation_expression
  "new" @name
  type: [
    (type_identifier) @name
    (scoped_type_identifier) @name
    (generic_type . [(type_identifier) (scoped_type_identifier)] @name)]
  (class_body) @body) @def.class

; Bodies without a symbol of their own

(enum_constant name: (identifier) @scope.name body: (class_body) @scope)

; Default visibilities. The later of two matches wins.

(package_declaration [(identifier) (scoped_identifier)] @visibility.public)
(module_declaration name: (_) @visibility.public)
(enum_constant name: (identifier) @visibility.public)
(annotation_type_element_declaration name: (identifier) @visibility.public)
(constant_declaration declarator: (variable_declarator name: (identifier) @visibility.public))
(interface_body [
  (method_declaration name: (identifier) @visibility.public)
  (class_declaration name: (identifier) @visibility.public)
  (record_declaration name: (identifier) @visibility.public)
  (interface_declaration name: (identifier) @visibility.public)
  (annotation_type_declaration name: (identifier) @visibility.public)
  (enum_declaration name: (identifier) @visibility.public)])
(interface_body (method_declaration (modifiers "private") name: (identifier) @visibility.private))
(enum_body_declarations (constructor_declaration name: (identifier) @visibility.private))
(record_declaration parameters: (formal_parameters [
  (formal_parameter name: (identifier) @visibility.public)
  (spread_parameter (variable_declarator name: (identifier) @visibility.public))]))

(marker_annotation) @attribute
(annotation) @attribute
(line_comment) @comment
(block_comment) @comment
