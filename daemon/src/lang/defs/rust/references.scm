; Calls

(call_expression function: [
  (identifier) @ref.call
  (scoped_identifier path: (_) @qualifier name: (identifier) @ref.call)
  (field_expression value: (_) @qualifier field: (field_identifier) @ref.call)
  (generic_function function: (identifier) @ref.call)
  (generic_function function: (scoped_identifier path: (_) @qualifier name: (identifier) @ref.call))
  (generic_function function: (field_expression value: (_) @qualifier field: (field_identifier) @ref.call))])
(macro_invocation macro: [
  (identifier) @ref.call
  (scoped_identifier path: (_) @qualifier name: (identifier) @ref.call)])
(struct_expression name: [
  (type_identifier) @ref.call
  (scoped_type_identifier path: (_) @qualifier name: (_) @ref.call)
  (generic_type_with_turbofish type: (type_identifier) @ref.call)])
(attribute [
  (identifier) @ref.call
  (scoped_identifier path: (_) @qualifier name: (identifier) @ref.call)])

; The arguments of a macro are unparsed tokens, so the role of a name depends on adjacent tokens: `check!(open(path))`.

(token_tree (identifier) @ref.read)
; A name before `=` in them is not a known variable, but may be a field: `check!(size = 1)`.
(token_tree (identifier) @ref.write . "=" @qualifier)
(token_tree (identifier) @ref.call . (token_tree . "("))
(token_tree (identifier) @ref.call . "!" . (token_tree))
(token_tree [(_) "?"] @qualifier.end . ["." "::"] . (identifier) @ref.read)
(token_tree [(_) "?"] @qualifier.end . ["." "::"] . (identifier) @ref.call . (token_tree . "("))
((attribute (identifier) @qualifier arguments: (token_tree (identifier) @ref.type)) (#eq? @qualifier "derive"))
; Functions, types and modules that attributes name in strings: `#[serde(default = "Store::open")]`.
((attribute
  (identifier) @_attribute
  arguments: (token_tree (identifier) @_key . "=" . (string_literal (string_content) @words)))
  (#any-of? @_attribute "serde" "serde_as")
  (#any-of? @_key "deserialize_with" "from" "getter" "into" "remote" "serialize_with" "skip_serializing_if" "try_from" "with"))
((attribute
  (identifier) @_attribute
  arguments: (token_tree "default" . "=" . (string_literal (string_content) @words)))
  (#any-of? @_attribute "serde" "serde_as"))
; Variables in format strings: `println!("{limit}")`.
((macro_invocation macro: (identifier) @_macro (token_tree [(string_literal) (raw_string_literal)] @placeholders))
  (#match? @_macro "^(format|format_args|e?print(ln)?|write(ln)?|panic|(debug_)?assert(_eq|_ne)?|todo|unimplemented|unreachable|anyhow|bail|ensure|trace|debug|info|warn|error)$"))
((token_tree (identifier) @_macro . "!" . (token_tree [(string_literal) (raw_string_literal)] @placeholders))
  (#match? @_macro "^(format|format_args|e?print(ln)?|write(ln)?|panic|(debug_)?assert(_eq|_ne)?|todo|unimplemented|unreachable|anyhow|bail|ensure|trace|debug|info|warn|error)$"))
; A closure with the types of its parameters: `check!(name, |dir: Dir, mut store: Store| { … })`.
((token_tree ["|" ","] . (identifier) @ref.bind . ":" . (identifier) @qualifier . ["," "|"])
  (#match? @ref.bind "^[a-z]") (#match? @qualifier "^[A-Z]\\w*[a-z]") (#not-eq? @qualifier "None"))
((token_tree ["|" ","] . (mutable_specifier) . (identifier) @ref.bind . ":" . (identifier) @qualifier . ["," "|"])
  (#match? @qualifier "^[A-Z]\\w*[a-z]"))
; Variables, which may be named after the function that returns their value: `let store = store();`.
(token_tree "let" . (identifier) @ref.bind)
(token_tree "let" . (mutable_specifier) . (identifier) @ref.bind)
(token_tree "let" . (identifier) @ref.bind . "=" . (identifier) @qualifier . (token_tree . "("))
(token_tree "let" . (identifier) @ref.bind
  . "=" . (identifier) @qualifier . ["." "::"] . (identifier) @qualifier . (token_tree . "("))
(token_tree "let" . (mutable_specifier) . (identifier) @ref.bind
  . "=" . (identifier) @qualifier . (token_tree . "("))
(token_tree "let" . (mutable_specifier) . (identifier) @ref.bind
  . "=" . (identifier) @qualifier . ["." "::"] . (identifier) @qualifier . (token_tree . "("))

; Bindings. In a pattern, a capitalized name is a constant or a variant.

([
  (let_declaration pattern: (identifier) @ref.bind)
  (let_condition pattern: (identifier) @ref.bind)
  (for_expression pattern: (identifier) @ref.bind)
  (parameter pattern: (identifier) @ref.bind)
  (variadic_parameter pattern: (identifier) @ref.bind)
  (field_pattern pattern: (identifier) @ref.bind)
  (match_pattern !condition (identifier) @ref.bind)
  (match_pattern (identifier) @ref.bind . "if")
  (closure_parameters (identifier) @ref.bind)
  (tuple_pattern (identifier) @ref.bind)
  (slice_pattern (identifier) @ref.bind)
  (or_pattern (identifier) @ref.bind)
  (mut_pattern (identifier) @ref.bind)
  (ref_pattern (identifier) @ref.bind)
  (reference_pattern (identifier) @ref.bind)
  (tuple_struct_pattern "(" (identifier) @ref.bind)
  (captured_pattern "@" (identifier) @ref.bind)]
  (#not-match? @ref.bind "^[A-Z]"))
[
  (let_declaration pattern: (identifier) @ref.read)
  (let_condition pattern: (identifier) @ref.read)
  (for_expression pattern: (identifier) @ref.read)
  (parameter pattern: (identifier) @ref.read)
  (variadic_parameter pattern: (identifier) @ref.read)
  (field_pattern pattern: (identifier) @ref.read)
  (match_pattern !condition (identifier) @ref.read)
  (match_pattern (identifier) @ref.read . "if")
  (closure_parameters (identifier) @ref.read)
  (tuple_pattern (identifier) @ref.read)
  (slice_pattern (identifier) @ref.read)
  (or_pattern (identifier) @ref.read)
  (mut_pattern (identifier) @ref.read)
  (ref_pattern (identifier) @ref.read)
  (reference_pattern (identifier) @ref.read)
  (tuple_struct_pattern "(" (identifier) @ref.read)
  (captured_pattern "@" (identifier) @ref.read)]
(captured_pattern . (identifier) @ref.bind)
(field_pattern name: (shorthand_field_identifier) @ref.bind)
(parameter pattern: [(identifier) @ref.bind (mut_pattern (identifier) @ref.bind)] type: (_) @qualifier)
(let_declaration pattern: (identifier) @ref.bind type: (_) @qualifier)
(let_declaration pattern: (identifier) @ref.bind value: [
  (struct_expression name: (_) @qualifier)
  (try_expression (struct_expression name: (_) @qualifier))])
(let_declaration pattern: [(identifier) @ref.bind (mut_pattern (identifier) @ref.bind)] value: [
  (call_expression function: [(identifier) (scoped_identifier) (generic_function)] @qualifier)
  (try_expression (call_expression function: [(identifier) (scoped_identifier) (generic_function)] @qualifier))
  (await_expression (call_expression function: [(identifier) (scoped_identifier) (generic_function)] @qualifier))
  (try_expression (await_expression (call_expression function: [(identifier) (scoped_identifier) (generic_function)] @qualifier)))
  (reference_expression value: (_) @qualifier)
  (field_expression) @qualifier
  (identifier) @qualifier])
; The whole call is captured, because its parentheses distinguish a method from a field with the same name.
(let_declaration pattern: [(identifier) @ref.bind (mut_pattern (identifier) @ref.bind)] value: [
  (call_expression function: (field_expression)) @qualifier
  (try_expression (call_expression function: (field_expression)) @qualifier)
  (await_expression (call_expression function: (field_expression)) @qualifier)
  (try_expression (await_expression (call_expression function: (field_expression)) @qualifier))])
; `let store = match open() { Ok(store) => store, … }`
((let_declaration pattern: [(identifier) @ref.bind (mut_pattern (identifier) @ref.bind)] value: (match_expression
  value: [
    (call_expression function: (_) @qualifier)
    (field_expression) @qualifier
    (identifier) @qualifier]
  body: (match_block (match_arm
    pattern: (match_pattern (tuple_struct_pattern type: (identifier) @_whole "(" (identifier) @_given))
    value: (identifier) @_value))))
  (#any-of? @_whole "Some" "Ok")
  (#eq? @_given @_value))
; `let store = match path { Some(path) => Store::open(path), None => return }`
((let_declaration pattern: [(identifier) @ref.bind (mut_pattern (identifier) @ref.bind)] value: [
  (match_expression body: (match_block (match_arm value: (call_expression function: (scoped_identifier) @qualifier))))
  (if_expression consequence: (block (call_expression function: (scoped_identifier) @qualifier) .))])
  (#match? @qualifier "^[A-Z]\\w*::"))
; A destructured value binds the value or the error: `if let Some(store) = open()`, `Err(error)`.
([
  (let_condition pattern: (tuple_struct_pattern type: (identifier) @_whole "(" [
    (identifier) @ref.bind
    (mut_pattern (identifier) @ref.bind)
    (reference_pattern (identifier) @ref.bind)
    (ref_pattern (identifier) @ref.bind)
    (ref_pattern (mut_pattern (identifier) @ref.bind))]) value: [
    (call_expression function: (_) @qualifier)
    (try_expression (call_expression function: (_) @qualifier))
    (await_expression (call_expression function: (_) @qualifier))
    (reference_expression value: (_) @qualifier)
    (field_expression) @qualifier
    (identifier) @qualifier])
  (let_declaration pattern: (tuple_struct_pattern type: (identifier) @_whole "(" [
    (identifier) @ref.bind
    (mut_pattern (identifier) @ref.bind)
    (reference_pattern (identifier) @ref.bind)
    (ref_pattern (identifier) @ref.bind)
    (ref_pattern (mut_pattern (identifier) @ref.bind))]) value: [
    (call_expression function: (_) @qualifier)
    (try_expression (call_expression function: (_) @qualifier))
    (await_expression (call_expression function: (_) @qualifier))
    (reference_expression value: (_) @qualifier)
    (field_expression) @qualifier
    (identifier) @qualifier])]
  (#any-of? @_whole "Some" "Ok" "Err")
  (#not-match? @ref.bind "^[A-Z]"))
; A part of a variant has the type that the variant declares: `Shape::Circle(point)`.
((tuple_struct_pattern type: [(identifier) (scoped_identifier)] @qualifier.start "(" [
    (identifier) @ref.bind
    (mut_pattern (identifier) @ref.bind)
    (reference_pattern (identifier) @ref.bind)
    (ref_pattern (identifier) @ref.bind)
    (ref_pattern (mut_pattern (identifier) @ref.bind))])
  (#not-any-of? @qualifier.start "Some" "Ok" "Err")
  (#not-match? @ref.bind "^[A-Z]"))
((struct_pattern type: (_) @qualifier.start (field_pattern name: (field_identifier) pattern: (identifier) @ref.bind))
  (#not-match? @ref.bind "^[A-Z]"))
(for_expression pattern: (identifier) @ref.bind value: [
  (call_expression function: (_) @qualifier)
  (reference_expression value: (_) @qualifier)
  (field_expression) @qualifier
  (identifier) @qualifier])
(let_declaration pattern: (tuple_pattern (identifier) @ref.bind) value: (tuple_expression) @qualifier)
; An element of the tuple that a function returns, with the pattern before it: `let (store, log) = open();`.
(let_declaration
  pattern: (tuple_pattern [(identifier) @ref.bind (mut_pattern (identifier) @ref.bind)]) @qualifier
  value: [
    (call_expression)
    (try_expression (call_expression))
    (await_expression (call_expression))
    (try_expression (await_expression (call_expression)))] @qualifier)
((match_expression value: (_) @qualifier body: (match_block (match_arm pattern: (match_pattern
    (tuple_struct_pattern type: (identifier) @_whole "(" [
      (identifier) @ref.bind
      (mut_pattern (identifier) @ref.bind)
      (reference_pattern (identifier) @ref.bind)
      (ref_pattern (identifier) @ref.bind)
      (ref_pattern (mut_pattern (identifier) @ref.bind))])))))
  (#any-of? @_whole "Some" "Ok" "Err")
  (#not-match? @ref.bind "^[A-Z]"))
((for_expression
  pattern: (tuple_pattern (_) . (identifier) @ref.bind .)
  value: (call_expression function: (field_expression value: (_) @qualifier field: (field_identifier) @_numbered)))
  (#eq? @_numbered "enumerate"))
; The parameter of a closure is an element of the receiver: `stores.iter().map(|store| …)`.
(call_expression
  function: (field_expression value: (_) @qualifier field: (field_identifier) @_each)
  arguments: (arguments (closure_expression parameters: (closure_parameters . [
    (identifier) @ref.bind
    (reference_pattern (identifier) @ref.bind)] .)))
  (#match? @_each "^(map|filter|for_each|find|any|all|filter_map|find_map|flat_map|and_then|map_or|is_some_and|is_none_or|inspect|position|take_while|skip_while|map_while|retain|(max|min|sort|sort_unstable)_by(_cached)?_key|partition)$"))
; A comparison takes two elements: `stores.sort_by(|one, other| …)`.
(call_expression
  function: (field_expression value: (_) @qualifier field: (field_identifier) @_each)
  arguments: (arguments (closure_expression parameters: (closure_parameters (identifier) @ref.bind)))
  (#match? @_each "^((sort|sort_unstable|max|min|dedup|is_sorted)_by)$"))
(type_parameter name: (type_identifier) @ref.bind bounds: (trait_bounds . (_) @qualifier))
(type_parameter name: (type_identifier) @ref.bind)
(const_parameter name: (identifier) @ref.bind type: (_) @qualifier)
(where_predicate left: (type_identifier) @ref.bind bounds: (trait_bounds . (_) @qualifier))

; A name is not in scope in its own initializer: `let store = store.open();`.
(let_declaration pattern: (_) @initialized value: (_) @initializer)
(let_declaration pattern: (_) @initialized alternative: (_) @initializer)
(let_condition pattern: (_) @initialized value: (_) @initializer)
(for_expression pattern: (_) @initialized value: (_) @initializer)

; Writes

(assignment_expression left: [
  (identifier) @ref.write
  (field_expression value: (_) @qualifier field: (field_identifier) @ref.write)
  (unary_expression (identifier) @ref.write)])
(compound_assignment_expr left: [
  (identifier) @ref.write
  (field_expression value: (_) @qualifier field: (field_identifier) @ref.write)
  (unary_expression (identifier) @ref.write)])
(struct_expression
  name: (_) @qualifier
  body: (field_initializer_list (field_initializer field: (field_identifier) @ref.write)))

(struct_expression
  name: (_) @qualifier
  body: (field_initializer_list (shorthand_field_initializer (identifier) @ref.shorthand.write)))
(struct_pattern type: (_) @qualifier (field_pattern name: (shorthand_field_identifier) @ref.shorthand.read))
(struct_pattern type: (_) @qualifier (field_pattern name: (field_identifier) @ref.read))

; All other names. Identifiers are matched by their parents, because lifetimes and labels have identifiers too.

[
  (attribute value: (identifier) @ref.read)
  (enum_variant value: (identifier) @ref.read)
  (const_item value: (identifier) @ref.read)
  (static_item value: (identifier) @ref.read)
  (let_declaration value: (identifier) @ref.read)
  (reference_expression value: (identifier) @ref.read)
  (type_cast_expression value: (identifier) @ref.read)
  (field_initializer value: (identifier) @ref.read)
  (let_condition value: (identifier) @ref.read)
  (match_expression value: (identifier) @ref.read)
  (match_arm value: (identifier) @ref.read)
  (for_expression value: (identifier) @ref.read)
  (field_expression value: (identifier) @ref.read)
  (array_type length: (identifier) @ref.read)
  (if_expression condition: (identifier) @ref.read)
  (while_expression condition: (identifier) @ref.read)
  (match_pattern condition: (identifier) @ref.read)
  (closure_expression body: (identifier) @ref.read)
  (binary_expression left: (identifier) @ref.read)
  (binary_expression right: (identifier) @ref.read)
  (assignment_expression left: (identifier) @ref.read)
  (assignment_expression right: (identifier) @ref.read)
  (compound_assignment_expr left: (identifier) @ref.read)
  (compound_assignment_expr right: (identifier) @ref.read)
  (expression_statement (identifier) @ref.read)
  (range_expression (identifier) @ref.read)
  (unary_expression (identifier) @ref.read)
  (try_expression (identifier) @ref.read)
  (return_expression (identifier) @ref.read)
  (yield_expression (identifier) @ref.read)
  (arguments (identifier) @ref.read)
  (array_expression (identifier) @ref.read)
  (parenthesized_expression (identifier) @ref.read)
  (tuple_expression (identifier) @ref.read)
  (base_field_initializer (identifier) @ref.read)
  (let_chain (identifier) @ref.read)
  (break_expression (identifier) @ref.read)
  (index_expression (identifier) @ref.read)
  (await_expression (identifier) @ref.read)
  (block (identifier) @ref.read)]
(field_expression value: (_) @qualifier field: (field_identifier) @ref.read)
(scoped_identifier path: (_) @qualifier name: (identifier) @ref.read)
(scoped_identifier path: (identifier) @ref.read)
((scoped_identifier path: (identifier) @ref.type) (#match? @ref.type "^[A-Z]"))
(scoped_type_identifier path: (_) @qualifier name: (type_identifier) @ref.type)
(scoped_type_identifier path: (identifier) @ref.read)
((scoped_type_identifier path: (identifier) @ref.type) (#match? @ref.type "^[A-Z]"))
(tuple_struct_pattern type: (identifier) @ref.read)
(generic_pattern (identifier) @ref.read)
(generic_function function: (identifier) @ref.read)
(range_pattern (identifier) @ref.read)
(shorthand_field_initializer (identifier) @ref.read)
(field_pattern name: (field_identifier) @ref.read)
(type_identifier) @ref.type

; Scopes. Names that a condition binds are not in scope in its `else` branch: `if let Some(store) = open() { … } else { … }`.

[
  (block)
  (closure_expression)
  (while_expression)
  (for_expression)
  (match_arm)
  (function_type)
  (impl_item)
  (macro_invocation)] @block
(if_expression condition: [(let_condition) (let_chain)] @block consequence: (_) @block)
