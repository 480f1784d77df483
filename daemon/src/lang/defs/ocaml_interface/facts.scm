; Definitions: modules and their types

(module_definition . (module_binding (module_name) @name module_type: (signature) @body) .) @def.module
(module_definition . (module_binding (module_name) @name) .) @def.module
(module_binding (module_name) @name module_type: (signature) @body) @def.module
(module_binding (module_name) @name) @def.module
(module_type_definition (module_type_name) @name body: (signature)? @body) @def.interface

; Types

(type_definition . (type_binding name: (type_constructor) @name body: (variant_declaration) @body) .) @def.enum
(type_definition . (type_binding name: (type_constructor) @name body: (record_declaration) @body) .) @def.struct
(type_definition . (type_binding name: (type_constructor) @name) .) @def.alias
(type_binding name: (type_constructor) @name body: (variant_declaration) @body) @def.enum
(type_binding name: (type_constructor) @name body: (record_declaration) @body) @def.struct
(type_binding name: (type_constructor) @name) @def.alias
(exception_definition (constructor_declaration (constructor_name) @name)) @def.struct
(constructor_declaration (constructor_name) @name) @def.variant
(field_declaration (field_name) @name) @def.field

; Values

(external [(value_name) @name (parenthesized_operator (_) @name)]) @def.function
(value_specification [(value_name) @name (parenthesized_operator (_) @name)] type: (function_type)) @def.function
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @def.variable

; Classes

(class_definition . (class_binding (class_name) @name body: (_)? @body) .) @def.class
(class_binding (class_name) @name body: (_)? @body) @def.class
(class_type_definition . (class_type_binding (class_type_name) @name body: (_)? @body) .) @def.interface
(class_type_binding (class_type_name) @name body: (_)? @body) @def.interface
(method_specification "private"? @modifiers (method_name) @name) @def.method
(instance_variable_specification (instance_variable_name) @name) @def.field

; Imports

(open_module_signature module: (extended_module_path) @import.module @import.wildcard) @import
(include_module_type module_type: (module_type_path) @import.module @import.reexport) @import
(module_binding (module_name) @import.alias body: (module_path) @import.module) @import
(open_module_signature module: (extended_module_path (module_name) @ref.import))

; Relations

(inheritance_specification class_type: (class_type_path (class_type_name) @relation.extends))
(module_type_definition (module_type_name) @relation.subject
  body: (signature (include_module_type module_type: (module_type_path (module_type_name) @relation.extends))))
(module_binding (module_name) @relation.subject
  module_type: (module_type_path (module_type_name) @relation.implements))
(module_binding (module_name) @relation.subject
  module_type: (module_type_constraint module_type: (module_type_path (module_type_name) @relation.implements)))

; Uses of names. An interface has no calls and no writes.

(module_parameter (module_name) @ref.bind module_type: (_) @qualifier)
(type_constructor_path (extended_module_path) @qualifier (type_constructor) @ref.type)
(value_name) @ref.read
(field_name) @ref.read
(constructor_name) @ref.read
(instance_variable_name) @ref.read
(module_name) @ref.read
(type_constructor) @ref.type
(module_type_name) @ref.type
(class_name) @ref.type
(class_type_name) @ref.type

(attribute) @attribute
(item_attribute) @attribute
(comment) @comment
