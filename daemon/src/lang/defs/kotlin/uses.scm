; Imports: the path as a whole

(import (qualified_identifier) @import.module "*"? @import.wildcard (identifier)? @import.alias) @import
(import (qualified_identifier (identifier) @ref.import .))
(import (identifier) @ref.import)

; Relations. Only a class is inherited from through its constructor: `class Shop : Store()`.

(class_declaration (delegation_specifiers (delegation_specifier (constructor_invocation (user_type) @relation.extends))))
(object_declaration (delegation_specifiers (delegation_specifier (constructor_invocation (user_type) @relation.extends))))
(class_declaration "interface" (delegation_specifiers (delegation_specifier (user_type) @relation.extends)))
(class_declaration "class" (delegation_specifiers (delegation_specifier [
  (user_type) @relation.implements
  (explicit_delegation . (user_type) @relation.implements)])))
(object_declaration (delegation_specifiers (delegation_specifier [
  (user_type) @relation.implements
  (explicit_delegation . (user_type) @relation.implements)])))

(object_literal (delegation_specifiers (delegation_specifier [
  (user_type) @relation.implements
  (constructor_invocation (user_type) @relation.extends)])))

; Calls

(call_expression . (identifier) @ref.call)
; The grammar takes a prefix for a part of the callee: `!open(path)`.
(call_expression . (unary_expression operator: ["!" "-" "+"] argument: (identifier) @ref.call))
(call_expression . (navigation_expression . (_) @qualifier (identifier) @ref.call .))
(infix_expression . (_) @qualifier . (identifier) @ref.call)
(delegation_specifier (constructor_invocation (user_type (identifier) @ref.call .)))
(delegation_specifier (constructor_invocation (user_type (identifier) @ref.call . (type_arguments) .)))
(constructor_delegation_call ["this" "super"] @ref.call)

; Bindings

(parameter . (identifier) @ref.bind (_) @qualifier .)
(class_parameter (identifier) @ref.bind . [(user_type) (nullable_type) (function_type)] @qualifier)
(variable_declaration . (identifier) @ref.bind (_)? @qualifier .)
(property_declaration (variable_declaration . (identifier) @ref.bind .) . (_) @qualifier)
(for_statement (variable_declaration . (identifier) @ref.bind .) . (_) @qualifier)
(catch_block (identifier) @ref.bind . (_) @qualifier)
; The parameter of a closure is an element of the receiver: `stores.map { store -> … }`.
(call_expression (navigation_expression . (_) @qualifier (identifier) @_each .)
  (annotated_lambda (lambda_literal (lambda_parameters . (variable_declaration . (identifier) @ref.bind .) .)))
  (#any-of? @_each "forEach" "map" "mapNotNull" "filter" "filterNot" "any" "all" "none" "first" "firstOrNull" "last" "lastOrNull" "find" "single"
  "singleOrNull" "flatMap" "associateBy" "associateWith" "groupBy" "sortedBy" "sortedByDescending" "sumOf" "onEach" "partition" "count"
  "maxByOrNull" "minByOrNull" "distinctBy" "takeWhile" "dropWhile" "let" "also" "takeIf" "takeUnless"))
; The implicit parameter, at the beginning of a closure: `stores.map { it.open() }`.
(call_expression (navigation_expression . (_) @qualifier (identifier) @_each .)
  (annotated_lambda (lambda_literal . "{" . [
    (call_expression . (navigation_expression . (identifier) @ref.bind))
    (call_expression . (navigation_expression . (navigation_expression . (identifier) @ref.bind)))
    (call_expression (value_arguments . (value_argument (identifier) @ref.bind)))
    (navigation_expression . (identifier) @ref.bind)
    (binary_expression . (navigation_expression . (identifier) @ref.bind))]))
  (#eq? @ref.bind "it")
  (#any-of? @_each "forEach" "map" "mapNotNull" "filter" "filterNot" "any" "all" "none" "first" "firstOrNull" "last" "lastOrNull" "find" "single"
  "singleOrNull" "flatMap" "associateBy" "associateWith" "groupBy" "sortedBy" "sortedByDescending" "sumOf" "onEach" "partition" "count"
  "maxByOrNull" "minByOrNull" "distinctBy" "takeWhile" "dropWhile" "let" "also" "takeIf" "takeUnless"))

; The receiver of a closure, bound at its brace: `store.apply { open() }`, `with(store) { open() }`.
(call_expression (navigation_expression . (_) @qualifier (identifier) @_scope .)
  (annotated_lambda (lambda_literal "{" @ref.bind))
  (#any-of? @_scope "apply" "run"))
(call_expression . (call_expression . (identifier) @_scope (value_arguments . (value_argument (_) @qualifier) .))
  (annotated_lambda (lambda_literal "{" @ref.bind))
  (#eq? @_scope "with"))

; A name is not in scope in its own initializer: `val store = store.open()`.
(property_declaration [(variable_declaration) (multi_variable_declaration)] @initialized . (_) @initializer)
(for_statement [(variable_declaration) (multi_variable_declaration)] @initialized . (_) @initializer)
(when_subject (variable_declaration) @initialized . (_) @initializer)

; Type tests

(if_expression
  condition: (is_expression left: (identifier) @narrowed.name "is" right: (_) @qualifier) @narrowed @block.narrowed
  . ")" . (_) @block.narrowed)
(if_expression
  condition: (binary_expression
    . (is_expression left: (identifier) @narrowed.name "is" right: (_) @qualifier) @narrowed @block.narrowed . "&&")
  . ")" . (_) @block.narrowed)
(when_expression
  (when_subject (identifier) @narrowed.name)
  (when_entry condition: (type_test "is" . (_) @qualifier) @narrowed) @block.narrowed)
; The rest of a block behind `if (shape !is Circle) return`.
(block (if_expression
  condition: (is_expression left: (identifier) @narrowed.name "!is" right: (_) @qualifier)
  . ")" . [
    (return_expression)
    (throw_expression)
    (block . [(return_expression) (throw_expression)] .)]) @narrowed) @block.narrowed

(setter (identifier) @ref.bind)
(type_parameter (identifier) @ref.bind . (_) @qualifier .)
(type_parameter (identifier) @ref.bind)

; Writes

(assignment left: (identifier) @ref.write)
(assignment left: (navigation_expression . (_) @qualifier (identifier) @ref.write .))
(unary_expression argument: (identifier) @ref.write operator: ["++" "--"])
(unary_expression operator: ["++" "--"] argument: (identifier) @ref.write)

; Named arguments: `open(path = home)`. The `(` after the callee distinguishes them from members. Of several matches for a name, a
; write precedes a read.
(call_expression . (_) @qualifier (value_arguments "(" @qualifier (value_argument . (identifier) @ref.write . "=")))
(constructor_invocation . (_) @qualifier (value_arguments "(" @qualifier (value_argument . (identifier) @ref.write . "=")))
(value_arguments "(" @qualifier (value_argument . (identifier) @ref.read . "="))

; All other names

(user_type (identifier) @ref.type)
(type_constraint . (identifier) @ref.type)
(navigation_expression . (_) @qualifier (identifier) @ref.read .)
; The grammar parses some keywords as names: `null`.
((identifier) @ref.read (#not-any-of? @ref.read "null" "break" "continue"))
; `"$name and more"`: the grammar parses the `$` and the name after it as text.
(string_literal (string_content) @_sign . (string_content) @ref.leading.read (#eq? @_sign "$"))

; Scopes

[
  (block)
  (lambda_literal)
  (anonymous_function)
  (function_type)
  (for_statement)
  (catch_block)
  (when_expression)
  (when_entry)
  (setter)] @block

; Branches, for complexity

["if" "for" "while" "catch" "&&" "||" "?:"] @branch
(when_entry . condition: (_)) @branch
