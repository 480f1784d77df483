; Definitions: modules and their types

(module_definition . (module_binding (module_name) @name body: (structure) @body) .) @def.module
(module_definition . (module_binding (module_name) @name module_type: (signature) @body) .) @def.module
(module_definition . (module_binding (module_name) @name body: (module_application functor: (_) @gives)) .) @def.module
(module_definition . (module_binding (module_name) @name body: (packed_module)) .) @def.module
(module_definition . (module_binding (module_name) @name !body) .) @def.module
(module_binding (module_name) @name body: (structure) @body) @def.module
(module_binding (module_name) @name module_type: (signature) @body) @def.module
(module_binding (module_name) @name body: (module_application functor: (_) @gives)) @def.module
(module_binding (module_name) @name body: (packed_module)) @def.module
(module_binding (module_name) @name !body) @def.module
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

; Values. A value with parameters is a function; a value bound inside another one is a local name. An item with one binding is
; a definition as a whole; of several bindings (`and`), each is a definition. In a text with errors, values may be children of
; an error.

(compilation_unit (value_definition . (let_binding pattern: (value_name) @name . (parameter) body: (_) @body) .) @def.function)
(compilation_unit (value_definition (let_binding pattern: (value_name) @name . (parameter) body: (_) @body) @def.function))
(compilation_unit (value_definition
  . (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) .) @def.function)
(compilation_unit (value_definition
  (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) @def.function))
(compilation_unit (value_definition . (let_binding pattern: (parenthesized_operator (_) @name) body: (_) @body) .) @def.function)
(compilation_unit (value_definition (let_binding pattern: (parenthesized_operator (_) @name) body: (_) @body) @def.function))
(compilation_unit (value_definition . (let_binding pattern: (value_name) @name body: (_) @body) .) @def.variable)
(compilation_unit (value_definition (let_binding pattern: (value_name) @name body: (_) @body) @def.variable))
(compilation_unit (value_definition (let_binding
  pattern: [(tuple_pattern (value_name) @name) (parenthesized_pattern (tuple_pattern (value_name) @name))]
  body: (_) @body)) @def.variable)

(structure (value_definition . (let_binding pattern: (value_name) @name . (parameter) body: (_) @body) .) @def.function)
(structure (value_definition (let_binding pattern: (value_name) @name . (parameter) body: (_) @body) @def.function))
(structure (value_definition
  . (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) .) @def.function)
(structure (value_definition
  (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) @def.function))
(structure (value_definition . (let_binding pattern: (parenthesized_operator (_) @name) body: (_) @body) .) @def.function)
(structure (value_definition (let_binding pattern: (parenthesized_operator (_) @name) body: (_) @body) @def.function))
(structure (value_definition . (let_binding pattern: (value_name) @name body: (_) @body) .) @def.variable)
(structure (value_definition (let_binding pattern: (value_name) @name body: (_) @body) @def.variable))
(structure (value_definition (let_binding
  pattern: [(tuple_pattern (value_name) @name) (parenthesized_pattern (tuple_pattern (value_name) @name))]
  body: (_) @body)) @def.variable)

(ERROR (value_definition . (let_binding pattern: (value_name) @name . (parameter) body: (_) @body) .) @def.function)
(ERROR (value_definition (let_binding pattern: (value_name) @name . (parameter) body: (_) @body) @def.function))
(ERROR (value_definition
  . (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) .) @def.function)
(ERROR (value_definition
  (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) @def.function))
(ERROR (value_definition . (let_binding pattern: (parenthesized_operator (_) @name) body: (_) @body) .) @def.function)
(ERROR (value_definition (let_binding pattern: (parenthesized_operator (_) @name) body: (_) @body) @def.function))
(ERROR (value_definition . (let_binding pattern: (value_name) @name body: (_) @body) .) @def.variable)
(ERROR (value_definition (let_binding pattern: (value_name) @name body: (_) @body) @def.variable))

(external [(value_name) @name (parenthesized_operator (_) @name)]) @def.function
(value_specification [(value_name) @name (parenthesized_operator (_) @name)] type: (function_type)) @def.function
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @def.variable

; Classes

(class_definition . (class_binding (class_name) @name body: (_)? @body) .) @def.class
(class_binding (class_name) @name body: (_)? @body) @def.class
(class_type_definition . (class_type_binding (class_type_name) @name body: (_)? @body) .) @def.interface
(class_type_binding (class_type_name) @name body: (_)? @body) @def.interface
(method_definition "private"? @modifiers (method_name) @name body: (_)? @body) @def.method
(method_specification "private"? @modifiers (method_name) @name) @def.method
(instance_variable_definition (instance_variable_name) @name) @def.field
(instance_variable_specification (instance_variable_name) @name) @def.field

; Imports

(open_module module: (module_path) @import.module @import.wildcard) @import
(open_module_signature module: (extended_module_path) @import.module @import.wildcard) @import
(include_module module: (module_path) @import.module @import.reexport) @import
(include_module_type module_type: (module_type_path) @import.module @import.reexport) @import
(module_binding (module_name) @import.alias body: (module_path) @import.module) @import
(open_module module: (module_path (module_name) @ref.import))
(open_module_signature module: (extended_module_path (module_name) @ref.import))
(include_module module: (module_path (module_name) @ref.import))

; Relations

(inheritance_definition class: (class_path (class_name) @relation.extends))
(inheritance_definition class: (class_application class: (class_path (class_name) @relation.extends)))
(inheritance_specification class_type: (class_type_path (class_type_name) @relation.extends))
(module_type_definition (module_type_name) @relation.subject
  body: (signature (include_module_type module_type: (module_type_path (module_type_name) @relation.extends))))
(module_binding (module_name) @relation.subject
  module_type: (module_type_path (module_type_name) @relation.implements))
(module_binding (module_name) @relation.subject
  module_type: (module_type_constraint module_type: (module_type_path (module_type_name) @relation.implements)))

; Calls. In an expression that opens a module locally, names are looked up in the module: `Store.(open_file path)`.

(local_open_expression (module_path) @qualifier
  expression: (parenthesized_expression
    expression: (application_expression function: (value_path . (value_name) @ref.call))))
(local_open_expression (module_path) @qualifier
  expression: (parenthesized_expression
    expression: (application_expression argument: (value_path . (value_name) @ref.read))))

(application_expression function: (value_path . (value_name) @ref.call))
(application_expression function: (value_path (module_path) @qualifier (value_name) @ref.call))
(application_expression function: (constructor_path (constructor_name) @ref.call))
(application_expression function: (constructor_path (module_path) @qualifier (constructor_name) @ref.call))
(method_invocation object: (_) @qualifier method: (method_name) @ref.call)
(new_expression (class_path (class_name) @ref.call))
(module_application functor: (module_path (module_name) @ref.call .))
(infix_expression operator: (_) @ref.call)
(prefix_expression operator: (_) @ref.call)

; Bindings

(parameter pattern: (typed_pattern pattern: (value_pattern) @ref.bind type: (_) @qualifier))
(let_binding pattern: (value_name) @ref.bind
  body: (application_expression function: (new_expression (class_path) @qualifier)))
(let_binding pattern: (value_name) @ref.bind body: (new_expression (class_path) @qualifier))
(let_binding pattern: (value_name) @ref.bind body: (_) @qualifier)
(let_binding pattern: (value_name) @ref.bind)
(inheritance_definition class: (class_path) @qualifier alias: (value_pattern) @ref.bind)
(tuple_pattern (value_name) @ref.bind)
(value_pattern) @ref.bind
(field_pattern (field_path (field_name) @ref.bind) !pattern)
(module_parameter (module_name) @ref.bind module_type: (_) @qualifier)

; Writes

(set_expression (field_get_expression record: (_) @qualifier field: (field_path (field_name) @ref.write)))
(set_expression (instance_variable_name) @ref.write)
(field_expression (field_path (field_name) @ref.write))

; All other names

(value_path (module_path) @qualifier (value_name) @ref.read)
(module_path (module_path) @qualifier (module_name) @ref.read)
(field_get_expression record: (_) @qualifier field: (field_path (field_name) @ref.read))
(type_constructor_path (extended_module_path) @qualifier (type_constructor) @ref.type)
(constructor_path (module_path) @qualifier (constructor_name) @ref.read)
(value_name) @ref.read
(field_name) @ref.read
(constructor_name) @ref.read
(instance_variable_name) @ref.read
(module_name) @ref.read
(type_constructor) @ref.type
(module_type_name) @ref.type
(class_name) @ref.type
(class_type_name) @ref.type

; Scopes

[(let_expression) (fun_expression) (function_expression) (match_case) (for_expression)] @block
(let_binding (parameter) @block body: (_) @block)

; Branches, for complexity. A case for everything (`_`) is the default, and does not count.

(if_expression) @branch
(for_expression) @branch
(while_expression) @branch
((match_case pattern: (_) @_pattern) @branch (#not-eq? @_pattern "_"))
(and_operator) @branch
(or_operator) @branch

(attribute) @attribute
(item_attribute) @attribute
(comment) @comment
