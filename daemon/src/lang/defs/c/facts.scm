; Definitions

; In a function this is taken for a variable, although it looks like a declaration of a function.
(compound_statement (declaration declarator: (function_declarator declarator: (identifier) @name)) @def.variable)

(function_definition (storage_class_specifier "static") @modifiers
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name)))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name))))]
  body: (_) @body) @def.function
(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name)))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name))))]
  body: (_) @body) @def.function

; The body is the `;`, so that a declaration is shown whole.
(declaration (storage_class_specifier "static") @modifiers
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name))))]
  ";" @body) @def.function
(declaration
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name)))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name))))]
  ";" @body) @def.function

(declaration (storage_class_specifier "static") @modifiers declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
  (init_declarator declarator: (identifier) @name)
  (init_declarator declarator: (pointer_declarator declarator: (array_declarator declarator: (identifier) @name)))
  (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
  (init_declarator declarator: (array_declarator declarator: (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)])))
  (init_declarator declarator: (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: [
      (identifier) @name
      (array_declarator declarator: (identifier) @name)]))))]) @def.variable
(declaration declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
  (array_declarator declarator: (identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)])))
  (init_declarator declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
      (identifier) @name
      (array_declarator declarator: (identifier) @name)])))])]) @def.variable

; An anonymous type is named by its `typedef`: `typedef struct { … } Store;`. A named type is a symbol besides its alias:
; `typedef struct store { … } Store;`. Further names are aliases.
(type_definition "typedef" @def.struct
  type: (struct_specifier !name body: (_) @body) . declarator: (type_identifier) @name @def.struct)
(type_definition "typedef" @def.union
  type: (union_specifier !name body: (_) @body) . declarator: (type_identifier) @name @def.union)
(type_definition "typedef" @def.enum
  type: (enum_specifier !name body: (_) @body) . declarator: (type_identifier) @name @def.enum)
(type_definition
  type: [
    (struct_specifier name: (_) @gives body: (_))
    (union_specifier name: (_) @gives body: (_))
    (enum_specifier name: (_) @gives body: (_))]
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (type_identifier) @name))
    (array_declarator declarator: (type_identifier) @name)] @def.alias)
(type_definition
  type: [
    (struct_specifier !name body: (_))
    (union_specifier !name body: (_))
    (enum_specifier !name body: (_))]
  . declarator: (type_identifier) @gives
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (type_identifier) @name))
    (array_declarator declarator: (type_identifier) @name)] @def.alias)
(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (array_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (type_identifier) @name)))
  (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (type_identifier) @name))))]) @def.alias

(struct_specifier name: (type_identifier) @name body: (_) @body) @def.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @def.union
(enum_specifier name: (type_identifier) @name body: (_) @body) @def.enum
(enumerator name: (identifier) @name) @def.variant
(field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
  (array_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
    (field_identifier) @name
    (array_declarator declarator: (field_identifier) @name)])))
  (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (field_identifier) @name))))]) @def.field

(preproc_def name: (identifier) @name) @def.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @def.macro

; Imports

(preproc_include path: [(string_literal) (system_lib_string)] @import.module) @import

; Calls

(call_expression function: [
  (identifier) @ref.call
  (field_expression argument: (_) @qualifier field: (field_identifier) @ref.call)
  (parenthesized_expression (pointer_expression argument: (identifier) @ref.call))])

; The grammar does not parse the replacement of a macro, so every name in it is a use.

(preproc_def value: (_) @words)
(preproc_function_def value: (_) @words)

; Bindings

(parameter_declaration type: (_) @qualifier declarator: [
  (identifier) @ref.bind
  (pointer_declarator declarator: (identifier) @ref.bind)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @ref.bind))
  (array_declarator declarator: (identifier) @ref.bind)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @ref.bind))
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (identifier) @ref.bind)))])
(declaration type: (_) @qualifier declarator: [
  (identifier) @ref.bind
  (pointer_declarator declarator: (identifier) @ref.bind)
  (array_declarator declarator: (identifier) @ref.bind)
  (init_declarator declarator: (identifier) @ref.bind)
  (init_declarator declarator: (pointer_declarator declarator: (identifier) @ref.bind))
  (init_declarator declarator: (array_declarator declarator: (identifier) @ref.bind))])
(preproc_params (identifier) @ref.bind)

; Writes

(assignment_expression left: [
  (identifier) @ref.write
  (field_expression argument: (_) @qualifier field: (field_identifier) @ref.write)
  (pointer_expression argument: (identifier) @ref.write)])
(update_expression argument: [
  (identifier) @ref.write
  (field_expression argument: (_) @qualifier field: (field_identifier) @ref.write)])
(declaration type: (_) @qualifier declarator: (init_declarator value: (initializer_list
  (initializer_pair designator: (field_designator (field_identifier) @ref.write)))))
(declaration type: (_) @qualifier declarator: (init_declarator value: (initializer_list
  (initializer_list (initializer_pair designator: (field_designator (field_identifier) @ref.write))))))
(compound_literal_expression type: (_) @qualifier value: (initializer_list
  (initializer_pair designator: (field_designator (field_identifier) @ref.write))))
(field_designator (field_identifier) @ref.write)

; All other names

(field_expression argument: (_) @qualifier field: (field_identifier) @ref.read)
(identifier) @ref.read
(field_identifier) @ref.read
(type_identifier) @ref.type

; Scopes

[(compound_statement) (for_statement)] @block

; Branches, for complexity

(if_statement) @branch
(for_statement) @branch
(while_statement) @branch
(do_statement) @branch
(case_statement value: (_)) @branch
(conditional_expression) @branch
(binary_expression operator: ["&&" "||"] @branch)
(preproc_if) @branch
(preproc_ifdef "#ifdef") @branch
(preproc_elif) @branch

(comment) @comment
[(attribute_specifier) (attribute_declaration)] @attribute
