; Definitions. The definition of a template is the whole declaration, so patterns of templates come first.

; In a function, this is assumed to declare a variable, although it looks like a function declaration: `Store store(path);`.
(compound_statement (declaration declarator: (function_declarator declarator: (identifier) @name)) @def.variable)

; Constructors: functions without a result type in a class, or with the name of their class: `Store::Store()`.
(field_declaration_list (function_definition !type
  declarator: (function_declarator declarator: (identifier) @name)
  [(field_initializer_list) (compound_statement)]? @body) @def.constructor)
(field_declaration_list (declaration !type
  declarator: (function_declarator declarator: (identifier) @name) ";" @body) @def.constructor)
(field_declaration_list (template_declaration (function_definition !type
  declarator: (function_declarator declarator: (identifier) @name)
  [(field_initializer_list) (compound_statement)]? @body)) @def.constructor)
(field_declaration_list (template_declaration (declaration !type
  declarator: (function_declarator declarator: (identifier) @name) ";" @body)) @def.constructor)
((template_declaration (function_definition !type
    declarator: (function_declarator declarator: [
      (qualified_identifier
        scope: [(namespace_identifier) @_owner (template_type name: (_) @_owner)] @container.path
        name: (identifier) @name)
      (qualified_identifier scope: (_)? @container.path name: (qualified_identifier
        scope: [(namespace_identifier) @_owner (template_type name: (_) @_owner)] @container.path
        name: (identifier) @name))])
    [(field_initializer_list) (compound_statement)]? @body)) @def.constructor
  (#eq? @_owner @name))
((function_definition !type
    declarator: (function_declarator declarator: [
      (qualified_identifier
        scope: [(namespace_identifier) @_owner (template_type name: (_) @_owner)] @container.path
        name: (identifier) @name)
      (qualified_identifier scope: (_)? @container.path name: (qualified_identifier
        scope: [(namespace_identifier) @_owner (template_type name: (_) @_owner)] @container.path
        name: (identifier) @name))])
    [(field_initializer_list) (compound_statement)]? @body) @def.constructor
  (#eq? @_owner @name))

; Tests whose body follows a macro: `TEST_F(Fixture, Opens) { … }`. The container is the first argument, and the name is the
; second.
((function_definition !type
    declarator: (function_declarator parameters: (parameter_list
      . (parameter_declaration type: (type_identifier) @container)
      . (parameter_declaration type: (type_identifier) @name) .)) @_declarator
    body: (compound_statement) @body) @def.method
  (#match? @_declarator "^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\\s*\\(\\s*\\w+\\s*,\\s*\\w+\\s*\\)$"))

(template_declaration (function_definition
  declarator: [
    (function_declarator declarator: [
      (identifier) @name
      (field_identifier) @name
      (destructor_name) @name
      (operator_name) @name
      (template_function name: (identifier) @name)
      (qualified_identifier scope: (_) @container name: [(identifier) (destructor_name) (operator_name)] @name)
      (qualified_identifier scope: (_)? @container.path name: (qualified_identifier
        scope: (_) @container.path name: [(identifier) (destructor_name) (operator_name)] @name))
      (qualified_identifier scope: (_)? @container.path name: (qualified_identifier
        scope: (_) @container.path name: (qualified_identifier
          scope: (_) @container.path name: [(identifier) (destructor_name) (operator_name)] @name)))])
    (pointer_declarator declarator: (function_declarator declarator: [
      (identifier) @name
      (field_identifier) @name
      (destructor_name) @name
      (operator_name) @name
      (template_function name: (identifier) @name)
      (qualified_identifier scope: (_) @container name: [(identifier) (destructor_name) (operator_name)] @name)
      (qualified_identifier scope: (_)? @container.path name: (qualified_identifier
        scope: (_) @container.path name: [(identifier) (destructor_name) (operator_name)] @name))]))
    (reference_declarator (function_declarator declarator: [
      (identifier) @name
      (field_identifier) @name
      (destructor_name) @name
      (operator_name) @name
      (template_function name: (identifier) @name)
      (qualified_identifier scope: (_) @container name: [(identifier) (destructor_name) (operator_name)] @name)
      (qualified_identifier scope: (_)? @container.path name: (qualified_identifier
        scope: (_) @container.path name: [(identifier) (destructor_name) (operator_name)] @name))]))
    (operator_cast "operator" @name type: (_) @name)]
  body: (_)? @body)) @def.function
(template_declaration (declaration
  declarator: [
    (function_declarator declarator: [
      (identifier) @name
      (operator_name) @name])
    (pointer_declarator declarator: (function_declarator declarator: [
      (identifier) @name
      (operator_name) @name]))
    (reference_declarator (function_declarator declarator: [
      (identifier) @name
      (operator_name) @name]))
    (operator_cast "operator" @name type: (_) @name)]
  ";" @body)) @def.function
((function_definition
  declarator: [
    (function_declarator declarator: [
      (identifier) @name
      (field_identifier) @name
      (destructor_name) @name
      (operator_name) @name
      (template_function name: (identifier) @name)
      (qualified_identifier scope: (_) @container name: [(identifier) (destructor_name) (operator_name)] @name)
      (qualified_identifier scope: (_)? @container.path name: (qualified_identifier
        scope: (_) @container.path name: [(identifier) (destructor_name) (operator_name)] @name))
      (qualified_identifier scope: (_)? @container.path name: (qualified_identifier
        scope: (_) @container.path name: (qualified_identifier
          scope: (_) @container.path name: [(identifier) (destructor_name) (operator_name)] @name)))]) @_declarator
    (pointer_declarator declarator: (function_declarator declarator: [
      (identifier) @name
      (field_identifier) @name
      (destructor_name) @name
      (operator_name) @name
      (template_function name: (identifier) @name)
      (qualified_identifier scope: (_) @container name: [(identifier) (destructor_name) (operator_name)] @name)
      (qualified_identifier scope: (_)? @container.path name: (qualified_identifier
        scope: (_) @container.path name: [(identifier) (destructor_name) (operator_name)] @name))]))
    (reference_declarator (function_declarator declarator: [
      (identifier) @name
      (field_identifier) @name
      (destructor_name) @name
      (operator_name) @name
      (template_function name: (identifier) @name)
      (qualified_identifier scope: (_) @container name: [(identifier) (destructor_name) (operator_name)] @name)
      (qualified_identifier scope: (_)? @container.path name: (qualified_identifier
        scope: (_) @container.path name: [(identifier) (destructor_name) (operator_name)] @name))]))
    (operator_cast "operator" @name type: (_) @name)
    (qualified_identifier scope: (_) @container name: (operator_cast "operator" @name type: (_) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name))))]
  body: (_)? @body) @def.function
  (#not-match? @_declarator "^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\\s*\\(\\s*\\w+\\s*,\\s*\\w+\\s*\\)$"))
(declaration
  declarator: [
    (function_declarator declarator: [
      (identifier) @name
      (destructor_name) @name
      (operator_name) @name])
    (pointer_declarator declarator: (function_declarator declarator: [
      (identifier) @name
      (destructor_name) @name
      (operator_name) @name]))
    (reference_declarator (function_declarator declarator: [
      (identifier) @name
      (destructor_name) @name
      (operator_name) @name]))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name))))
    (operator_cast "operator" @name type: (_) @name)]
  ";" @body) @def.function
(field_declaration
  declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name)] @name)
    (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))]
  ";" @body) @def.method

(template_declaration (class_specifier
  name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier scope: (_) @container name: (type_identifier) @name)]
  body: (_) @body)) @def.class
(template_declaration (struct_specifier
  name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier scope: (_) @container name: (type_identifier) @name)]
  body: (_) @body)) @def.struct
(template_declaration (alias_declaration name: (type_identifier) @name)) @def.alias
(template_declaration (concept_definition name: (identifier) @name)) @def.trait
(template_declaration (declaration declarator: (init_declarator declarator: (identifier) @name))) @def.variable

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
    (struct_specifier name: (_) body: (_))
    (union_specifier name: (_) body: (_))
    (enum_specifier name: (_) body: (_))]
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
  . declarator: (type_identifier)
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (type_identifier) @name))
    (array_declarator declarator: (type_identifier) @name)] @def.alias)
(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (array_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (type_identifier) @name)))]) @def.alias

(class_specifier
  name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier scope: (_) @container name: (type_identifier) @name)]
  body: (_) @body) @def.class
(struct_specifier
  name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier scope: (_) @container name: (type_identifier) @name)]
  body: (_) @body) @def.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @def.union
(enum_specifier name: (type_identifier) @name body: (_) @body) @def.enum
(enumerator name: (identifier) @name) @def.variant
(alias_declaration name: (type_identifier) @name) @def.alias
(concept_definition name: (identifier) @name) @def.trait
(namespace_definition name: (_) @name body: (_) @body) @def.module
(namespace_alias_definition name: (_) @name) @def.alias
(preproc_def name: (identifier) @name) @def.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @def.macro

(field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
  (reference_declarator (field_identifier) @name)
  (array_declarator declarator: (field_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
    (field_identifier) @name
    (array_declarator declarator: (field_identifier) @name)])))]) @def.field
(declaration declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (reference_declarator (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)])))
  (init_declarator declarator: [
    (identifier) @name
    (qualified_identifier scope: (_) @container name: (identifier) @name)
    (pointer_declarator declarator: (identifier) @name)
    (reference_declarator (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
      (identifier) @name
      (array_declarator declarator: (identifier) @name)])))])]) @def.variable

; Sections of a class. The opening brace begins the default section, up to the first access specifier.
(class_specifier body: (field_declaration_list "{" @section.private))
(struct_specifier body: (field_declaration_list "{" @section.public))
(field_declaration_list (access_specifier "public") @section.public)
(field_declaration_list (access_specifier "protected") @section.protected)
(field_declaration_list (access_specifier "private") @section.private)

; Functions and variables that are private to a file
(function_definition (storage_class_specifier "static") declarator: [
  (function_declarator declarator: (identifier) @visibility.private)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @visibility.private))])
(declaration (storage_class_specifier "static") declarator: [
  (identifier) @visibility.private
  (init_declarator declarator: (identifier) @visibility.private)
  (function_declarator declarator: (identifier) @visibility.private)])
(namespace_definition !name body: (declaration_list [
  (function_definition declarator: (function_declarator declarator: (identifier) @visibility.private))
  (class_specifier name: (_) @visibility.private)
  (struct_specifier name: (_) @visibility.private)
  (declaration declarator: (init_declarator declarator: (identifier) @visibility.private))]))

; Imports

(preproc_include path: [(string_literal) (system_lib_string)] @import.module) @import
(using_declaration "namespace" @import.wildcard [(identifier) (qualified_identifier)] @import.module) @import
(using_declaration "namespace" (qualified_identifier name: (identifier) @ref.import))
; In a class, `using Base::open;` names a member of a base class, and is no import.
([
  (translation_unit (using_declaration (qualified_identifier scope: (_) @import.module name: [
    (identifier) @import.name @ref.import
    [(qualified_identifier) (operator_name)] @import.name])) @import)
  (declaration_list (using_declaration (qualified_identifier scope: (_) @import.module name: [
    (identifier) @import.name @ref.import
    [(qualified_identifier) (operator_name)] @import.name])) @import)
  (compound_statement (using_declaration (qualified_identifier scope: (_) @import.module name: [
    (identifier) @import.name @ref.import
    [(qualified_identifier) (operator_name)] @import.name])) @import)
  (preproc_ifdef (using_declaration (qualified_identifier scope: (_) @import.module name: [
    (identifier) @import.name @ref.import
    [(qualified_identifier) (operator_name)] @import.name])) @import)
  (preproc_if (using_declaration (qualified_identifier scope: (_) @import.module name: [
    (identifier) @import.name @ref.import
    [(qualified_identifier) (operator_name)] @import.name])) @import)
  (preproc_else (using_declaration (qualified_identifier scope: (_) @import.module name: [
    (identifier) @import.name @ref.import
    [(qualified_identifier) (operator_name)] @import.name])) @import)]
  (#not-match? @import "^using\\s+namespace"))

; Relations

(class_specifier name: (_) @relation.subject (base_class_clause [
  (type_identifier) @relation.extends
  (template_type name: (_) @relation.extends)
  (qualified_identifier) @relation.extends]))
(struct_specifier name: (_) @relation.subject (base_class_clause [
  (type_identifier) @relation.extends
  (template_type name: (_) @relation.extends)
  (qualified_identifier) @relation.extends]))

; Branches, for complexity

(if_statement) @branch
(for_statement) @branch
(for_range_loop) @branch
(while_statement) @branch
(do_statement) @branch
(case_statement value: (_)) @branch
(catch_clause) @branch
(conditional_expression) @branch
(binary_expression operator: ["&&" "||" "and" "or"] @branch)
(preproc_if) @branch
(preproc_ifdef "#ifdef") @branch
(preproc_elif) @branch

(comment) @comment
[(attribute_specifier) (attribute_declaration)] @attribute
