; Calls

(call_expression function: [
  (identifier) @ref.call
  (template_function name: (identifier) @ref.call)
  (field_expression argument: (_) @qualifier field: (field_identifier) @ref.call)
  (field_expression argument: (_) @qualifier field: (template_method name: (field_identifier) @ref.call))
  (qualified_identifier scope: (_) @qualifier name: (identifier) @ref.call)
  (qualified_identifier scope: (_) @qualifier name: (template_function name: (identifier) @ref.call))
  (qualified_identifier scope: (_)? @qualifier name: (qualified_identifier
    scope: (_) @qualifier name: (identifier) @ref.call))
  (qualified_identifier scope: (_)? @qualifier name: (qualified_identifier
    scope: (_) @qualifier name: (template_function name: (identifier) @ref.call)))])
(call_expression function: (qualified_identifier !scope "::" @qualifier name: (identifier) @ref.call))
(new_expression type: [
  (type_identifier) @ref.call
  (template_type name: (_) @ref.call)
  (qualified_identifier scope: (_) @qualifier name: (type_identifier) @ref.call)
  (qualified_identifier scope: (_) @qualifier name: (template_type name: (_) @ref.call))])
(compound_literal_expression type: (type_identifier) @ref.call)

; The grammar does not parse the replacement of a macro, so every name in it is a use.

(preproc_def value: (_) @words)
(preproc_function_def value: (_) @words)

; Bindings

(parameter_declaration type: (_) @qualifier declarator: [
  (identifier) @ref.bind
  (pointer_declarator declarator: (identifier) @ref.bind)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @ref.bind))
  (reference_declarator (identifier) @ref.bind)
  (array_declarator declarator: (identifier) @ref.bind)])
(optional_parameter_declaration type: (_) @qualifier declarator: [
  (identifier) @ref.bind
  (pointer_declarator declarator: (identifier) @ref.bind)
  (reference_declarator (identifier) @ref.bind)])
(variadic_declarator (identifier) @ref.bind)
(declaration type: [(type_identifier) (primitive_type) (qualified_identifier) (template_type)] @qualifier declarator: [
  (identifier) @ref.bind
  (pointer_declarator declarator: (identifier) @ref.bind)
  (init_declarator declarator: [
    (identifier) @ref.bind
    (pointer_declarator declarator: (identifier) @ref.bind)
    (reference_declarator (identifier) @ref.bind)])])
; In a function this is taken for a variable, although it looks like a declaration of a function.
(compound_statement (declaration type: [(type_identifier) (qualified_identifier) (template_type)] @qualifier
  declarator: (function_declarator declarator: (identifier) @ref.bind)))
(declaration type: (placeholder_type_specifier) declarator: (init_declarator
  declarator: [(identifier) @ref.bind (pointer_declarator declarator: (identifier) @ref.bind)]
  value: [
    (new_expression type: (_) @qualifier)
    (compound_literal_expression type: (_) @qualifier)]))
(declaration type: (placeholder_type_specifier) declarator: (init_declarator
  declarator: [
    (identifier) @ref.bind
    (pointer_declarator declarator: (identifier) @ref.bind)
    (reference_declarator (identifier) @ref.bind)]
  value: (_) @qualifier))
(for_range_loop type: (placeholder_type_specifier) declarator: [
  (identifier) @ref.bind
  (reference_declarator (identifier) @ref.bind)
  (pointer_declarator declarator: (identifier) @ref.bind)]
  right: (_) @qualifier)
(for_range_loop type: [(type_identifier) (qualified_identifier) (template_type)] @qualifier declarator: [
  (identifier) @ref.bind
  (reference_declarator (identifier) @ref.bind)
  (pointer_declarator declarator: (identifier) @ref.bind)])
(for_range_loop declarator: [
  (identifier) @ref.bind
  (reference_declarator (identifier) @ref.bind)
  (pointer_declarator declarator: (identifier) @ref.bind)])
(structured_binding_declarator (identifier) @ref.bind)
(lambda_capture_initializer left: (identifier) @ref.bind)
(type_parameter_declaration (type_identifier) @ref.bind)
(optional_type_parameter_declaration name: (type_identifier) @ref.bind)
(variadic_type_parameter_declaration (type_identifier) @ref.bind)
(preproc_params (identifier) @ref.bind)

; A name is not in scope in its own initializer: `for (auto store : store.all())`.
(for_range_loop declarator: (_) @initialized right: (_) @initializer)
(lambda_capture_initializer left: (_) @initialized right: (_) @initializer)

; Writes

(assignment_expression left: [
  (identifier) @ref.write
  (field_expression argument: (_) @qualifier field: (field_identifier) @ref.write)
  (pointer_expression argument: (identifier) @ref.write)])
(update_expression argument: [
  (identifier) @ref.write
  (field_expression argument: (_) @qualifier field: (field_identifier) @ref.write)])
(field_designator (field_identifier) @ref.write)
(field_initializer (field_identifier) @ref.write)
(field_initializer (template_method name: (field_identifier) @ref.write))
(field_initializer (qualified_identifier scope: (_) @qualifier name: (field_identifier) @ref.write))

; All other names

(field_expression argument: (_) @qualifier field: (field_identifier) @ref.read)
(qualified_identifier scope: (_) @qualifier name: (identifier) @ref.read)
(qualified_identifier !scope "::" @qualifier name: (identifier) @ref.read)
(qualified_identifier scope: (_) @qualifier name: (type_identifier) @ref.type)
(qualified_identifier scope: (_) @qualifier name: (template_type name: (type_identifier) @ref.type))
(qualified_identifier scope: (_) @qualifier name: (qualified_identifier scope: [
  (namespace_identifier) @ref.read
  (template_type name: (type_identifier) @ref.type)]))
(identifier) @ref.read
(field_identifier) @ref.read
(type_identifier) @ref.type
(destructor_name (identifier) @ref.type)
(namespace_identifier) @ref.read

; Scopes

[
  (compound_statement)
  (lambda_expression)
  (for_statement)
  (for_range_loop)
  (if_statement)
  (while_statement)
  (switch_statement)
  (catch_clause)
  (template_declaration)] @block
