; Namespaces

(namespace_declaration name: (_) @name @visibility.public body: (declaration_list) @body) @def.module
(file_scoped_namespace_declaration name: (_) @name @visibility.public) @def.module

; Types

(class_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  name: (identifier) @name
  body: (declaration_list)? @body) @def.class
(struct_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  name: (identifier) @name
  body: (declaration_list)? @body) @def.struct
(interface_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  name: (identifier) @name
  body: (declaration_list)? @body) @def.interface
(enum_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  name: (identifier) @name
  body: (enum_member_declaration_list)? @body) @def.enum
(record_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  "struct"
  name: (identifier) @name
  body: (declaration_list)? @body) @def.struct
(record_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  name: (identifier) @name
  body: (declaration_list)? @body) @def.class
(delegate_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  name: (identifier) @name) @def.alias
(enum_member_declaration name: (identifier) @name @visibility.public) @def.variant

; Methods and constructors. An extension method belongs to the type that it extends.

(method_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  name: (identifier) @name
  parameters: (parameter_list . (parameter (modifier) @_this type: (_) @container))
  body: (_)? @body
  (#eq? @_this "this")) @def.method
(method_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  name: (identifier) @name
  body: (_)? @body) @def.method
(constructor_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  name: (identifier) @name
  body: (_)? @body) @def.constructor
(destructor_declaration "~" @name name: (identifier) @name body: (_)? @body) @def.method
(operator_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  operator: _ @name
  body: (_)? @body) @def.method
(conversion_operator_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  "operator" @name
  type: (_) @name
  body: (_)? @body) @def.method
(local_function_statement name: (identifier) @name body: (_)? @body) @def.function

; Fields, properties and constants

(property_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  name: (identifier) @name
  accessors: (accessor_list) @body) @def.property
(property_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  name: (identifier) @name
  value: (arrow_expression_clause) @body) @def.property
(indexer_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  "this" @name
  [(accessor_list) (arrow_expression_clause)] @body) @def.property
(event_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  name: (identifier) @name
  accessors: (accessor_list)? @body) @def.property
(event_field_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  (variable_declaration (variable_declarator name: (identifier) @name))) @def.property
(field_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  (modifier "const")
  (variable_declaration (variable_declarator name: (identifier) @name))) @def.constant
(field_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  (modifier "static")
  (modifier "readonly")
  (variable_declaration (variable_declarator name: (identifier) @name))) @def.constant
(field_declaration
  (modifier ["public" "protected" "internal" "private"])? @modifiers
  (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
(record_declaration (parameter_list (parameter name: (identifier) @name @visibility.public) @def.property))

; Default visibilities

(compilation_unit [
  (class_declaration . (attribute_list)* . (modifier ["abstract" "file" "new" "partial" "readonly" "sealed" "static" "unsafe"])* . "class" name: (identifier) @visibility.internal)
  (struct_declaration . (attribute_list)* . (modifier ["abstract" "file" "new" "partial" "readonly" "sealed" "static" "unsafe"])* . "struct" name: (identifier) @visibility.internal)
  (interface_declaration . (attribute_list)* . (modifier ["abstract" "file" "new" "partial" "readonly" "sealed" "static" "unsafe"])* . "interface" name: (identifier) @visibility.internal)
  (enum_declaration . (attribute_list)* . (modifier ["abstract" "file" "new" "partial" "readonly" "sealed" "static" "unsafe"])* . "enum" name: (identifier) @visibility.internal)
  (record_declaration . (attribute_list)* . (modifier ["abstract" "file" "new" "partial" "readonly" "sealed" "static" "unsafe"])* . "record" name: (identifier) @visibility.internal)
  (delegate_declaration . (attribute_list)* . (modifier ["abstract" "file" "new" "partial" "readonly" "sealed" "static" "unsafe"])* . "delegate" name: (identifier) @visibility.internal)])
(namespace_declaration body: (declaration_list [
  (class_declaration . (attribute_list)* . (modifier ["abstract" "file" "new" "partial" "readonly" "sealed" "static" "unsafe"])* . "class" name: (identifier) @visibility.internal)
  (struct_declaration . (attribute_list)* . (modifier ["abstract" "file" "new" "partial" "readonly" "sealed" "static" "unsafe"])* . "struct" name: (identifier) @visibility.internal)
  (interface_declaration . (attribute_list)* . (modifier ["abstract" "file" "new" "partial" "readonly" "sealed" "static" "unsafe"])* . "interface" name: (identifier) @visibility.internal)
  (enum_declaration . (attribute_list)* . (modifier ["abstract" "file" "new" "partial" "readonly" "sealed" "static" "unsafe"])* . "enum" name: (identifier) @visibility.internal)
  (record_declaration . (attribute_list)* . (modifier ["abstract" "file" "new" "partial" "readonly" "sealed" "static" "unsafe"])* . "record" name: (identifier) @visibility.internal)
  (delegate_declaration . (attribute_list)* . (modifier ["abstract" "file" "new" "partial" "readonly" "sealed" "static" "unsafe"])* . "delegate" name: (identifier) @visibility.internal)]))
(interface_declaration body: (declaration_list [
  (method_declaration name: (identifier) @visibility.public)
  (property_declaration name: (identifier) @visibility.public)
  (event_declaration name: (identifier) @visibility.public)
  (event_field_declaration (variable_declaration (variable_declarator name: (identifier) @visibility.public)))
  (field_declaration (variable_declaration (variable_declarator name: (identifier) @visibility.public)))
  (indexer_declaration "this" @visibility.public)
  (operator_declaration operator: _ @visibility.public)]))

(attribute_list) @attribute
(comment) @comment
