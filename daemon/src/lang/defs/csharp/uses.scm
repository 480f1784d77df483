; Imports. A namespace is imported with everything in it.

(using_directive !name [(identifier) (qualified_name) (generic_name) (alias_qualified_name)]
  @import.module @import.wildcard) @import
(using_directive "global" !name [(identifier) (qualified_name) (generic_name) (alias_qualified_name)]
  @import.module @import.reexport) @import
(using_directive
  name: (identifier) @import.alias
  (qualified_name qualifier: (_) @import.module name: (_) @import.name) .) @import
(using_directive name: (identifier) @import.alias . "=" . [(identifier) (generic_name)] @import.module) @import
(using_directive name: (identifier) @ref.import)
(using_directive (identifier) @ref.import)
(using_directive (qualified_name name: (identifier) @ref.import))
(extern_alias_directive name: (identifier) @import.module @ref.import) @import

; Relations. Only the first base of a class can be a class. It counts as an interface if its name looks like one: `IStore`.

(class_declaration (base_list . [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @relation.implements)
  (#match? @relation.implements "^([^<]*[.])?I[A-Z]"))
(class_declaration (base_list . [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @relation.extends)
  (#not-match? @relation.extends "^([^<]*[.])?I[A-Z]"))
(class_declaration (base_list [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @relation.implements))
(record_declaration "struct" (base_list [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @relation.implements))
(record_declaration "record" . name: (_) (base_list . [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @relation.implements)
  (#match? @relation.implements "^([^<]*[.])?I[A-Z]"))
(record_declaration "record" . name: (_) (base_list . [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @relation.extends)
  (#not-match? @relation.extends "^([^<]*[.])?I[A-Z]"))
(record_declaration "record" "class" (base_list . [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @relation.extends))
(record_declaration (base_list . (primary_constructor_base_type type: (_) @relation.extends)))
(record_declaration "record" . name: (_) (base_list (_) [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @relation.implements))
(struct_declaration (base_list [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @relation.implements))
(interface_declaration (base_list [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @relation.extends))

; Calls

(invocation_expression function: [
  (identifier) @ref.call
  (generic_name . (identifier) @ref.call)])
(invocation_expression function: (member_access_expression expression: _ @qualifier name: [
  (identifier) @ref.call
  (generic_name . (identifier) @ref.call)]))
(invocation_expression function: (conditional_access_expression
  condition: (_) @qualifier
  (member_binding_expression name: [
    (identifier) @ref.call
    (generic_name . (identifier) @ref.call)])))
(object_creation_expression type: [
  (identifier) @ref.call
  (generic_name . (identifier) @ref.call)])
(object_creation_expression type: (qualified_name qualifier: (_) @qualifier name: [
  (identifier) @ref.call
  (generic_name . (identifier) @ref.call)]))

(constructor_initializer ["base" "this"] @ref.call)
(primary_constructor_base_type type: [
  (identifier) @ref.call
  (generic_name . (identifier) @ref.call)])
(primary_constructor_base_type type: (qualified_name qualifier: (_) @qualifier name: [
  (identifier) @ref.call
  (generic_name . (identifier) @ref.call)]))

; Bindings

; The parameter of a lambda that is an argument: `stores.Select(store => …)`.
(invocation_expression
  function: (_) @taker
  arguments: (argument_list (argument (lambda_expression parameters: [
    (implicit_parameter) @ref.bind
    (parameter_list (parameter !type name: (identifier) @ref.bind))]))))
(object_creation_expression
  type: (_) @taker
  arguments: (argument_list (argument (lambda_expression parameters: [
    (implicit_parameter) @ref.bind
    (parameter_list (parameter !type name: (identifier) @ref.bind))]))))
(parameter type: (_) @qualifier name: (identifier) @ref.bind)
(parameter name: (identifier) @ref.bind)
(parameter_list type: (_) @qualifier name: (identifier) @ref.bind)
(implicit_parameter) @ref.bind
(type_parameter name: (identifier) @ref.bind)
(variable_declaration
  type: [
    (identifier) (qualified_name) (generic_name) (alias_qualified_name) (nullable_type) (array_type) (predefined_type)
    (pointer_type) (tuple_type) (ref_type)] @qualifier
  (variable_declarator name: (identifier) @ref.bind))
(variable_declaration
  type: (implicit_type)
  (variable_declarator name: (identifier) @ref.bind (object_creation_expression type: (_) @qualifier)))
(variable_declaration
  type: (implicit_type)
  (variable_declarator name: (identifier) @ref.bind . (_) @qualifier .))
(variable_declarator name: (identifier) @ref.bind)
(tuple_pattern name: (identifier) @ref.bind)
(foreach_statement type: (implicit_type) left: (identifier) @ref.bind right: (_) @qualifier)
(foreach_statement
  type: [(identifier) (qualified_name) (generic_name) (nullable_type) (array_type) (predefined_type)] @qualifier
  left: (identifier) @ref.bind)
(catch_declaration type: (_) @qualifier name: (identifier) @ref.bind)
(declaration_pattern
  type: [(identifier) (qualified_name) (generic_name) (nullable_type) (array_type) (predefined_type)] @qualifier
  name: (identifier) @ref.bind)
(declaration_pattern name: (identifier) @ref.bind)
(recursive_pattern type: (_)? @qualifier name: (identifier) @ref.bind)
(var_pattern name: (identifier) @ref.bind)
(list_pattern name: (identifier) @ref.bind)
(parenthesized_variable_designation name: (identifier) @ref.bind)
; `stores.TryGetValue(key, out var store)`.
(invocation_expression
  function: (member_access_expression expression: (_) @qualifier name: (identifier) @_get)
  arguments: (argument_list (argument (declaration_expression type: (implicit_type) name: (identifier) @ref.bind)))
  (#eq? @_get "TryGetValue"))
(declaration_expression type: (implicit_type) name: (identifier) @ref.bind)
(declaration_expression
  type: [(identifier) (qualified_name) (generic_name) (nullable_type) (array_type) (predefined_type)] @qualifier
  name: (identifier) @ref.bind)
(from_clause type: (_) @qualifier name: (identifier) @ref.bind)
(from_clause name: (identifier) @ref.bind "in" . (_) @qualifier)
(from_clause name: (identifier) @ref.bind)
(let_clause . (identifier) @ref.bind)
(join_clause . "join" . (identifier) @ref.bind)
(join_into_clause (identifier) @ref.bind)
(labeled_statement . (identifier) @ref.bind)

; A name is not in scope in its own initializer: `foreach (var store in store.All())`.
(foreach_statement left: (_) @initialized right: (_) @initializer)

; Writes

; Members of a new object: `new Store { Path = home }`, `Store store = new() { Path = home }`. The brace before them says that the
; type is not known.
(object_creation_expression
  type: (_) @qualifier
  initializer: (initializer_expression (assignment_expression left: (identifier) @ref.write)))
(variable_declaration
  type: (_) @qualifier
  (variable_declarator
    (implicit_object_creation_expression (initializer_expression (assignment_expression left: (identifier) @ref.write)))))
(property_declaration
  type: (_) @qualifier
  [(implicit_object_creation_expression (initializer_expression (assignment_expression left: (identifier) @ref.write)))
   (arrow_expression_clause
     (implicit_object_creation_expression (initializer_expression (assignment_expression left: (identifier) @ref.write))))])
(method_declaration
  returns: (_) @qualifier
  body: [
    (arrow_expression_clause
      (implicit_object_creation_expression (initializer_expression (assignment_expression left: (identifier) @ref.write))))
    (block (return_statement
      (implicit_object_creation_expression (initializer_expression (assignment_expression left: (identifier) @ref.write)))))])
(initializer_expression "{" @qualifier (assignment_expression left: (identifier) @ref.write))
(with_expression . (_) @qualifier (with_initializer . (identifier) @ref.write))

(assignment_expression left: (identifier) @ref.write)
(assignment_expression left: (member_access_expression expression: _ @qualifier name: (identifier) @ref.write))
(assignment_expression left: (tuple_expression (argument (identifier) @ref.write)))
(postfix_unary_expression (identifier) @ref.write . ["++" "--"])
(postfix_unary_expression
  (member_access_expression expression: _ @qualifier name: (identifier) @ref.write) . ["++" "--"])
(prefix_unary_expression ["++" "--"] . (identifier) @ref.write)
(anonymous_object_creation_expression (identifier) @ref.write . "=")

; Types

(parameter type: (identifier) @ref.type)
(variable_declaration type: (identifier) @ref.type)
(property_declaration type: (identifier) @ref.type)
(method_declaration returns: (identifier) @ref.type)
(cast_expression type: (identifier) @ref.type)
(nullable_type type: (identifier) @ref.type)
(array_type type: (identifier) @ref.type)
(typeof_expression type: (identifier) @ref.type)
(sizeof_expression type: (identifier) @ref.type)
(default_expression type: (identifier) @ref.type)
(catch_declaration type: (identifier) @ref.type)
(declaration_pattern type: (identifier) @ref.type)
(type_pattern type: (identifier) @ref.type)
(recursive_pattern type: (identifier) @ref.type)
(is_expression right: (identifier) @ref.type)
(as_expression right: (identifier) @ref.type)
(tuple_element type: (identifier) @ref.type)
(event_declaration type: (identifier) @ref.type)
(indexer_declaration type: (identifier) @ref.type)
(operator_declaration type: (identifier) @ref.type)
(conversion_operator_declaration type: (identifier) @ref.type)
(delegate_declaration type: (identifier) @ref.type)
(local_function_statement type: (identifier) @ref.type)
(foreach_statement type: (identifier) @ref.type)
(type_parameter_constraint type: (identifier) @ref.type)
(ref_type type: (identifier) @ref.type)
(pointer_type type: (identifier) @ref.type)
(declaration_expression type: (identifier) @ref.type)
(from_clause type: (identifier) @ref.type)
; The bracket distinguishes an attribute, whose name may lack its suffix: `[Route]` for `RouteAttribute`.
(attribute_list "[" @qualifier (attribute name: (identifier) @ref.type))
(global_attribute "[" @qualifier (attribute name: (identifier) @ref.type))
(attribute name: (identifier) @ref.type)
; A named argument of an attribute sets a property of its type: `[Route(Path = "/")]`.
(attribute name: (_) @qualifier (attribute_argument_list (attribute_argument name: (identifier) @ref.named . "=")))
(primary_constructor_base_type type: (identifier) @ref.type)
(qualified_name qualifier: (_) @qualifier name: (identifier) @ref.type)
(qualified_name qualifier: (_) @qualifier name: (generic_name . (identifier) @ref.type))
(generic_name . (identifier) @ref.type)
(type_argument_list (identifier) @ref.type)
(base_list (identifier) @ref.type)
(explicit_interface_specifier (identifier) @ref.type)
(type_parameter_constraints_clause . (identifier) @ref.type)

; Named arguments: `Open(path: home)`. The `(` after the callee distinguishes them from members. Of several matches for a name, a
; write precedes a read.
(invocation_expression function: (_) @qualifier
  arguments: (argument_list "(" @qualifier (argument name: (identifier) @ref.write)))
(object_creation_expression type: (_) @qualifier
  arguments: (argument_list "(" @qualifier (argument name: (identifier) @ref.write)))
(argument_list "(" @qualifier (argument name: (identifier) @ref.read))

; Properties in a pattern: `store is Disk { Path: home }`, `store is { Path: home }`.
(recursive_pattern type: (_) @qualifier (property_pattern_clause (subpattern . (identifier) @ref.read . ":")))
(is_pattern_expression
  expression: (_) @qualifier
  pattern: (recursive_pattern !type (property_pattern_clause (subpattern . (identifier) @ref.read . ":"))))
(property_pattern_clause (subpattern . (identifier) @ref.read . ":")) @qualifier

; All other names

(member_access_expression expression: _ @qualifier name: (identifier) @ref.read)
(conditional_access_expression
  condition: (_) @qualifier (member_binding_expression name: (identifier) @ref.read))
(identifier) @ref.read

; Scopes

[
  (block)
  (lambda_expression)
  (anonymous_method_expression)
  (local_function_statement)
  (query_expression)
  (for_statement)
  (foreach_statement)
  (while_statement)
  (using_statement)
  (fixed_statement)
  (catch_clause)
  (switch_body)
  (switch_section)
  (switch_expression_arm)] @block

; Branches, for complexity

["if" "for" "while" "case" "catch" "&&" "||" "??"] @branch
(conditional_expression) @branch
(conditional_access_expression) @branch
