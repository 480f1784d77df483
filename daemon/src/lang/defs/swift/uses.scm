; Imports

(import_declaration (identifier) @import.module) @import
(import_declaration (identifier (simple_identifier) @ref.import .))

; Relations. Only the first supertype of a class can be a class; the syntax does not show whether it is one, so it is assumed
; to be.

(class_declaration
  declaration_kind: "class"
  name: (_)
  . (type_parameters)?
  . (inheritance_specifier inherits_from: (user_type) @relation.extends))
(class_declaration
  declaration_kind: "class"
  (inheritance_specifier)
  (inheritance_specifier inherits_from: (user_type) @relation.implements))
(class_declaration
  declaration_kind: ["struct" "enum" "actor"]
  (inheritance_specifier inherits_from: (user_type) @relation.implements))
(class_declaration
  declaration_kind: "extension"
  name: (_) @relation.subject
  (inheritance_specifier inherits_from: (user_type) @relation.implements))
(protocol_declaration (inheritance_specifier inherits_from: (user_type) @relation.extends))

; Calls

(call_expression . (simple_identifier) @ref.call)
(call_expression . (navigation_expression
  target: (_) @qualifier
  suffix: (navigation_suffix suffix: (simple_identifier) @ref.call)))
(call_expression . (prefix_expression operation: "." target: (simple_identifier) @ref.call))
; The grammar takes a prefix for a part of the callee: `!open(path)`.
(call_expression . (prefix_expression operation: [(bang) "-" "+" "~"] target: (simple_identifier) @ref.call))
(constructor_expression constructed_type: (user_type (type_identifier) @ref.call))

; Bindings

(parameter name: (simple_identifier) @ref.bind name: (_) @qualifier)
(lambda_parameter name: (simple_identifier) @ref.bind)
(lambda_parameter name: (simple_identifier) @ref.bind name: (_) @qualifier)
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @ref.bind) . (type_annotation (_) @qualifier))
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @ref.bind)
  . value: (_) @qualifier)
(property_declaration name: (pattern (pattern (simple_identifier) @ref.bind)))
(pattern bound_identifier: (simple_identifier) @ref.bind)
(for_statement item: (pattern bound_identifier: (simple_identifier) @ref.bind) collection: (_) @qualifier)
(for_statement item: (pattern (simple_identifier) @ref.bind))
(for_statement item: (pattern (pattern (simple_identifier) @ref.bind)))
(if_statement bound_identifier: (simple_identifier) @ref.bind
  . condition: [(simple_identifier) (navigation_expression) (call_expression)] @qualifier)
(guard_statement bound_identifier: (simple_identifier) @ref.bind
  . condition: [(simple_identifier) (navigation_expression) (call_expression)] @qualifier)
(while_statement bound_identifier: (simple_identifier) @ref.bind
  . condition: [(simple_identifier) (navigation_expression) (call_expression)] @qualifier)
; `if let store { … }` unwraps the variable with that name.
(if_statement bound_identifier: (simple_identifier) @ref.bind @qualifier . "{")
(guard_statement bound_identifier: (simple_identifier) @ref.bind @qualifier . (else))
(pattern (pattern bound_identifier: (simple_identifier) @ref.bind) "as" (user_type) @qualifier)
; The parameter of a closure is an element of the receiver: `stores.map { (store) in … }`.
(call_expression
  (navigation_expression target: (_) @qualifier suffix: (navigation_suffix suffix: (simple_identifier) @_each))
  (call_suffix (lambda_literal type: (lambda_function_type
    (lambda_function_type_parameters . (lambda_parameter . name: (simple_identifier) @ref.bind .) .))))
  (#any-of? @_each "forEach" "map" "compactMap" "flatMap" "filter" "first" "contains" "allSatisfy" "firstIndex" "removeAll"))
; The first parameter of a closure that declares none, bound at its brace: `stores.map { $0.open() }`. The brace is bound in all of
; them, so that an inner closure has its own.
(call_expression
  (navigation_expression target: (_) @qualifier suffix: (navigation_suffix suffix: (simple_identifier) @_each))
  (call_suffix [
    (lambda_literal . "{" @ref.bind)
    (value_arguments . (value_argument value: (lambda_literal . "{" @ref.bind)))])
  (#any-of? @_each "forEach" "map" "compactMap" "flatMap" "filter" "first" "contains" "allSatisfy" "firstIndex" "removeAll" "sorted" "sort"
  "min" "max" "partition" "drop" "prefix"))
(lambda_literal . "{" @ref.bind)
(if_statement bound_identifier: (simple_identifier) @ref.bind)
(guard_statement bound_identifier: (simple_identifier) @ref.bind)
(while_statement bound_identifier: (simple_identifier) @ref.bind)
(computed_setter (simple_identifier) @ref.bind)
(type_parameter . (type_identifier) @ref.bind . (user_type) @qualifier)
(type_parameter . (type_identifier) @ref.bind)

; A name is not in scope in its own initializer: `if let store = open(store) { … }`.
(property_declaration name: (_) @initialized . value: (_) @initializer)
(property_declaration name: (_) @initialized . (type_annotation) . value: (_) @initializer)
(for_statement item: (_) @initialized collection: (_) @initializer)
(if_statement bound_identifier: (simple_identifier) @initialized
  . condition: [(simple_identifier) (navigation_expression) (call_expression)] @initializer)
(guard_statement bound_identifier: (simple_identifier) @initialized
  . condition: [(simple_identifier) (navigation_expression) (call_expression)] @initializer)
(while_statement bound_identifier: (simple_identifier) @initialized
  . condition: [(simple_identifier) (navigation_expression) (call_expression)] @initializer)

; Writes

(directly_assignable_expression (simple_identifier) @ref.write)
(directly_assignable_expression (navigation_expression
  target: (_) @qualifier
  suffix: (navigation_suffix suffix: (simple_identifier) @ref.write)))

; Named arguments: `open(path: home)`. The `(` after the callee distinguishes them from members. Of several matches for a name, a
; write precedes a read.
(call_expression . (_) @qualifier (call_suffix (value_arguments "(" @qualifier
  (value_argument name: (value_argument_label (simple_identifier) @ref.write)))))
(constructor_expression constructed_type: (_) @qualifier (constructor_suffix (value_arguments "(" @qualifier
  (value_argument name: (value_argument_label (simple_identifier) @ref.write)))))
(value_arguments "(" @qualifier (value_argument name: (value_argument_label (simple_identifier) @ref.read)))
; An element of a tuple: `(path: home, size: 1)`.
(tuple_expression "(" @qualifier name: (simple_identifier) @ref.read)

; Members of a type that the code around them names: `let kind: Kind = .open`, `kind == .open`, `case .open:`.
(property_declaration
  (type_annotation (_) @qualifier)
  value: (prefix_expression operation: "." target: (simple_identifier) @ref.read))
(equality_expression
  lhs: (_) @qualifier
  rhs: (prefix_expression operation: "." target: (simple_identifier) @ref.read))
(assignment
  target: (directly_assignable_expression (_) @qualifier)
  result: (prefix_expression operation: "." target: (simple_identifier) @ref.read))
(function_declaration
  "->" . (_) @qualifier
  body: (function_body (statements (control_transfer_statement
    (prefix_expression operation: "." target: (simple_identifier) @ref.read)))))
(switch_statement
  "switch" @qualifier
  expr: (_) @qualifier
  (switch_entry (switch_pattern (pattern "." . (simple_identifier) @ref.read))))

; All other names

(user_type . (type_identifier) @qualifier.start (type_identifier) @ref.type)
(navigation_expression target: (_) @qualifier suffix: (navigation_suffix suffix: (simple_identifier) @ref.read))
(type_identifier) @ref.type
(simple_identifier) @ref.read

; Scopes

[
  (lambda_literal)
  (if_statement)
  (for_statement)
  (while_statement)
  (repeat_while_statement)
  (do_statement)
  (catch_block)
  (switch_entry)] @block

; Branches, for complexity

["if" "for" "while" "guard" "case" "&&" "||"] @branch
(catch_keyword) @branch
(ternary_expression) @branch
