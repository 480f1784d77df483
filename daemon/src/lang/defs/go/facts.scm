; The name of the package, which may differ from that of its folder.
(package_clause (package_identifier) @package)

; Definitions

(function_declaration name: (identifier) @name body: (block)? @body) @def.function

(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @container
    (pointer_type (type_identifier) @container)
    (generic_type type: (type_identifier) @container)
    (pointer_type (generic_type type: (type_identifier) @container))]))
  name: (field_identifier) @name
  body: (block)? @body) @def.method

; A declaration of a single type is the definition as a whole: `type Store struct { … }`. In a group, `type ( … )`, each entry
; is a definition.
((type_declaration "type" .
    (type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body))) @def.struct
  (#not-match? @def.struct "^type\\s*\\("))
((type_declaration "type" . (type_spec name: (type_identifier) @name type: (interface_type "{" @body))) @def.interface
  (#not-match? @def.interface "^type\\s*\\("))
((type_declaration "type" . (type_spec name: (type_identifier) @name)) @def.alias
  (#not-match? @def.alias "^type\\s*\\("))
((type_declaration "type" . (type_alias name: (type_identifier) @name)) @def.alias
  (#not-match? @def.alias "^type\\s*\\("))
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @def.struct
(type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @def.interface
(type_spec name: (type_identifier) @name) @def.alias
(type_alias name: (type_identifier) @name) @def.alias

; Fields of named types. Fields of anonymous structs, such as the tables in tests, are not symbols.
(type_spec type: (struct_type (field_declaration_list (field_declaration name: (field_identifier) @name) @def.field)))
(field_declaration type: [
  (struct_type (field_declaration_list (field_declaration name: (field_identifier) @name) @def.field))
  (_ (struct_type (field_declaration_list (field_declaration name: (field_identifier) @name) @def.field)))])
(type_spec type: (interface_type (method_elem name: (field_identifier) @name) @def.method))

; Constants are matched by position, because only the first one has the field `name`.
(source_file (const_declaration "const" . (const_spec (identifier) @name)) @def.constant
  (#not-eq? @name "_") (#not-match? @def.constant "^const\\s*\\("))
(source_file (const_declaration (const_spec (identifier) @name) @def.constant) (#not-eq? @name "_"))
(source_file (var_declaration (var_spec name: (identifier) @name)) @def.variable (#not-eq? @name "_"))
(source_file
  (var_declaration (var_spec_list (var_spec name: (identifier) @name) @def.variable)) (#not-eq? @name "_"))

; Imports

(import_spec !name path: (_) @import.module) @import
(import_spec name: (package_identifier) @import.alias path: (_) @import.module) @import
(import_spec name: (blank_identifier) path: (_) @import.module) @import
(import_spec name: (dot) @import.wildcard path: (_) @import.module) @import
(import_spec name: (package_identifier) @ref.import)

; Relations: embedded types, and assertions that a type implements an interface: `var _ Reader = (*Store)(nil)`

(type_spec name: (_) @relation.subject type: (struct_type (field_declaration_list (field_declaration !name type: [
  (type_identifier) @relation.extends
  (qualified_type) @relation.extends
  (generic_type type: (_) @relation.extends)]))))
(interface_type (type_elem . [
  (type_identifier) @relation.extends
  (qualified_type) @relation.extends
  (generic_type type: (_) @relation.extends)] .))
(var_spec name: (identifier) @_nobody
  type: [(type_identifier) (qualified_type) (generic_type)] @relation.implements
  value: (expression_list [
    (call_expression function: (parenthesized_expression (unary_expression operand: (identifier) @relation.subject)))
    (call_expression function: (identifier) arguments: (argument_list . (identifier) @relation.subject))
    (unary_expression operand: (composite_literal type: (type_identifier) @relation.subject))
    (composite_literal type: (type_identifier) @relation.subject)])
  (#eq? @_nobody "_"))

; Calls

(call_expression function: [
  (identifier) @ref.call
  (selector_expression operand: (_) @qualifier field: (field_identifier) @ref.call)
  (index_expression operand: (identifier) @ref.call)
  (type_instantiation_expression type: (type_identifier) @ref.call)])
(composite_literal type: [
  (type_identifier) @ref.call
  (qualified_type package: (_) @qualifier name: (_) @ref.call)
  (generic_type type: (type_identifier) @ref.call)
  (generic_type type: (qualified_type package: (_) @qualifier name: (_) @ref.call))])
; A conversion to a pointer type looks like a call of the type: `(*Store)(value)`.
(call_expression function: (parenthesized_expression (unary_expression operand: (identifier) @ref.type)))

; Bindings

(parameter_declaration name: (identifier) @ref.bind type: (_) @qualifier)
(variadic_parameter_declaration name: (identifier) @ref.bind type: (_) @qualifier)
(type_parameter_declaration name: (identifier) @ref.bind type: (_) @qualifier)
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @ref.bind)))
  (pointer_type (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @ref.bind))))])))
; A struct type without a name: its fields are bound behind the keyword. Tables of tests are such structs:
; `tests := []struct { store *Store }{ … }`.
(field_declaration name: (field_identifier) @ref.bind type: (struct_type "struct" @qualifier))
(var_spec name: (identifier) @ref.bind type: (struct_type "struct" @qualifier))
(var_spec . name: (identifier) @ref.bind !type value: (expression_list . [
    (composite_literal type: (struct_type "struct" @qualifier))
    (composite_literal type: (slice_type element: (struct_type "struct" @qualifier)))
    (composite_literal type: (slice_type element: (pointer_type (struct_type "struct" @qualifier))))
    (composite_literal type: (array_type element: (struct_type "struct" @qualifier)))
    (composite_literal type: (implicit_length_array_type element: (struct_type "struct" @qualifier)))
    (composite_literal type: (map_type value: (struct_type "struct" @qualifier)))
    (unary_expression operand: (composite_literal type: (struct_type "struct" @qualifier)))]))
(short_var_declaration
  left: (expression_list . (identifier) @ref.bind)
  right: (expression_list . [
    (composite_literal type: (struct_type "struct" @qualifier))
    (composite_literal type: (slice_type element: (struct_type "struct" @qualifier)))
    (composite_literal type: (slice_type element: (pointer_type (struct_type "struct" @qualifier))))
    (composite_literal type: (array_type element: (struct_type "struct" @qualifier)))
    (composite_literal type: (implicit_length_array_type element: (struct_type "struct" @qualifier)))
    (composite_literal type: (map_type value: (struct_type "struct" @qualifier)))
    (unary_expression operand: (composite_literal type: (struct_type "struct" @qualifier)))]))
(range_clause left: (expression_list (_) . (identifier) @ref.bind .) ":=" right: [
    (composite_literal type: (struct_type "struct" @qualifier))
    (composite_literal type: (slice_type element: (struct_type "struct" @qualifier)))
    (composite_literal type: (slice_type element: (pointer_type (struct_type "struct" @qualifier))))
    (composite_literal type: (array_type element: (struct_type "struct" @qualifier)))
    (composite_literal type: (implicit_length_array_type element: (struct_type "struct" @qualifier)))
    (composite_literal type: (map_type value: (struct_type "struct" @qualifier)))
    (unary_expression operand: (composite_literal type: (struct_type "struct" @qualifier)))])
(field_declaration name: (field_identifier) @ref.bind type: (_) @qualifier)
(const_spec (identifier) @ref.bind)
(var_spec name: (identifier) @ref.bind type: (_)? @qualifier)
((var_spec
  . name: (identifier) @ref.bind
  !type
  value: (expression_list . (call_expression
    function: (identifier) @_new
    arguments: (argument_list . (_) @qualifier))))
  (#any-of? @_new "new" "make"))
((var_spec
  . name: (identifier) @ref.bind
  !type
  value: (expression_list . [
    (composite_literal type: (_) @qualifier)
    (unary_expression operand: (composite_literal type: (_) @qualifier))
    (type_assertion_expression type: (_) @qualifier)
    (index_expression operand: (_) @qualifier)
    (identifier) @qualifier
    (selector_expression) @qualifier
    (unary_expression operand: (selector_expression) @qualifier)
    (unary_expression operator: "<-" operand: (identifier) @qualifier)
    (call_expression function: (_) @qualifier)]))
  (#not-any-of? @qualifier "new" "make"))
(short_var_declaration left: (expression_list (identifier) @ref.bind))
((short_var_declaration
  left: (expression_list . (identifier) @ref.bind)
  right: (expression_list . (call_expression
    function: (identifier) @_new
    arguments: (argument_list . (_) @qualifier))))
  (#any-of? @_new "new" "make"))
((short_var_declaration
  left: (expression_list . (identifier) @ref.bind)
  right: (expression_list . [
    (composite_literal type: (_) @qualifier)
    (unary_expression operand: (composite_literal type: (_) @qualifier))
    (type_assertion_expression type: (_) @qualifier)
    (index_expression operand: (_) @qualifier)
    (identifier) @qualifier
    (selector_expression) @qualifier
    (unary_expression operand: (selector_expression) @qualifier)
    (unary_expression operator: "<-" operand: (identifier) @qualifier)
    (call_expression function: (_) @qualifier)]))
  (#not-any-of? @qualifier "new" "make"))
; The second result of a call, and those after it: `_, store := open()`.
(short_var_declaration
  left: (expression_list (_) (identifier) @ref.bind) @qualifier
  right: (expression_list . (call_expression) @qualifier .))
(range_clause
  left: (expression_list (_) . (identifier) @ref.bind .) ":="
  right: [
    (identifier) @qualifier
    (selector_expression) @qualifier
    (slice_expression operand: (_) @qualifier)
    (call_expression function: (_) @qualifier)])
(range_clause left: (expression_list (identifier) @ref.bind) ":=")
(receive_statement
  left: (expression_list . (identifier) @ref.bind) ":="
  right: (unary_expression operand: [(identifier) (selector_expression)] @qualifier))
(receive_statement left: (expression_list (identifier) @ref.bind) ":=")
(type_switch_statement alias: (expression_list (identifier) @ref.bind))
; In a `case` with a single type, the variable has that type: `switch s := value.(type) { case *Store: … }`.
(type_switch_statement
  alias: (expression_list . (identifier) @narrowed.name .)
  (type_case "case" . type: (_) @qualifier @narrowed . ":") @block.narrowed)

; A name is not in scope in its own initializer: `store := store.Open()`.
(const_spec (identifier) @initialized value: (_) @initializer)
(var_spec name: (_) @initialized value: (_) @initializer)
(short_var_declaration left: (_) @initialized right: (_) @initializer)
(range_clause left: (_) @initialized ":=" right: (_) @initializer)
(receive_statement left: (_) @initialized ":=" right: (_) @initializer)
(type_switch_statement alias: (_) @initialized value: (_) @initializer)

; Writes

(assignment_statement left: (expression_list [
  (identifier) @ref.write
  (selector_expression operand: (_) @qualifier field: (field_identifier) @ref.write)]))
(inc_statement [
  (identifier) @ref.write
  (selector_expression operand: (_) @qualifier field: (field_identifier) @ref.write)])
(dec_statement [
  (identifier) @ref.write
  (selector_expression operand: (_) @qualifier field: (field_identifier) @ref.write)])
(range_clause left: (expression_list (identifier) @ref.write) "=")
; The brace behind the type distinguishes a key, which need not be a field: `Labels{name: "a"}` of `type Labels map[string]string`.
(composite_literal
  type: [(type_identifier) (qualified_type) (generic_type)] @qualifier
  body: (literal_value "{" @qualifier (keyed_element . (literal_element (identifier) @ref.write))))
(composite_literal
  type: (struct_type "struct" @qualifier)
  body: (literal_value (keyed_element . (literal_element (identifier) @ref.write))))
; Literals in a list or a map may leave out their type: `[]Store{{name: "a"}}`.
(composite_literal
  type: [
    (slice_type element: [(type_identifier) (qualified_type) (generic_type) (pointer_type)] @qualifier)
    (slice_type element: (struct_type "struct" @qualifier))
    (array_type element: [(type_identifier) (qualified_type) (generic_type) (pointer_type)] @qualifier)
    (implicit_length_array_type element: [(type_identifier) (qualified_type) (generic_type) (pointer_type)] @qualifier)
    (implicit_length_array_type element: (struct_type "struct" @qualifier))
    (array_type element: (struct_type "struct" @qualifier))]
  body: (literal_value (literal_element
    (literal_value (keyed_element . (literal_element (identifier) @ref.write))))))
(composite_literal
  type: [
    (map_type value: [(type_identifier) (qualified_type) (generic_type) (pointer_type)] @qualifier)
    (map_type value: (struct_type "struct" @qualifier))]
  body: (literal_value (keyed_element (literal_element
    (literal_value (keyed_element . (literal_element (identifier) @ref.write)))) .)))

; All other names

(selector_expression operand: (_) @qualifier field: (field_identifier) @ref.read)
(qualified_type package: (package_identifier) @qualifier name: (type_identifier) @ref.type)
(type_identifier) @ref.type
(identifier) @ref.read
(field_identifier) @ref.read

; Scopes. The fields of a struct type without a name are bound, and are not in scope behind it.

[
  (block)
  (field_declaration_list)
  (func_literal)
  (function_type)
  (if_statement)
  (for_statement)
  (expression_switch_statement)
  (type_switch_statement)
  (expression_case)
  (type_case)
  (communication_case)
  (default_case)] @block

; Branches, for complexity

(if_statement) @branch
(for_statement) @branch
(expression_case) @branch
(type_case) @branch
(communication_case) @branch
(binary_expression operator: ["&&" "||"]) @branch

(comment) @comment
