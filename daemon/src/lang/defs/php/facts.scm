; Definitions. The names of variables and properties exclude the `$`, so that `$this->lines` finds `$lines`.

(namespace_definition name: (namespace_name) @name body: (compound_statement)? @body) @def.module

(class_declaration name: (name) @name body: (declaration_list) @body) @def.class
(interface_declaration name: (name) @name body: (declaration_list) @body) @def.interface
(trait_declaration name: (name) @name body: (declaration_list) @body) @def.trait
(enum_declaration name: (name) @name body: (enum_declaration_list) @body) @def.enum
(enum_case name: (name) @name) @def.variant
; Arguments of an anonymous class are evaluated outside of it.
(object_creation_expression "new" @name (anonymous_class "class" @name body: (declaration_list) @body)) @def.class
(anonymous_class (arguments) @outside)

; A method of a trait under another name: `use Logs { log as note; }`.
(use_declaration . [(name) (qualified_name)] @qualifier .
  (use_list (use_as_clause . (name) @ref.call (visibility_modifier)? @modifiers (name) @name) @def.method))
(use_as_clause
  . (class_constant_access_expression . (_) @qualifier (name) @ref.call .)
  (visibility_modifier)? @modifiers (name) @name) @def.method
(use_as_clause (visibility_modifier)? @modifiers (name) @name .) @def.method

((method_declaration (visibility_modifier)? @modifiers name: (name) @name body: (compound_statement)? @body) @def.constructor
  (#eq? @name "__construct"))
(method_declaration (visibility_modifier)? @modifiers name: (name) @name body: (compound_statement)? @body) @def.method
(function_definition name: (name) @name body: (compound_statement) @body) @def.function

; A property without a type has the type of the value that its class assigns to it, a new object or a parameter:
; `$this->store = new Store()`.
(property_declaration !type (visibility_modifier)? @modifiers
  (property_element name: (variable_name (name) @name)) @open) @def.property
(assignment_expression
  left: (member_access_expression object: (variable_name) @_this name: (name) @member)
  right: [
    (object_creation_expression [(name) (qualified_name)] @gives)
    (binary_expression right: (object_creation_expression [(name) (qualified_name)] @gives))]
  (#eq? @_this "$this"))
(method_declaration
  parameters: (formal_parameters (simple_parameter type: (_) @gives name: (variable_name) @_parameter))
  body: (compound_statement (expression_statement (assignment_expression
    left: (member_access_expression object: (variable_name) @_this name: (name) @member)
    right: (variable_name) @_value)))
  (#eq? @_this "$this")
  (#eq? @_value @_parameter))
(property_declaration (visibility_modifier)? @modifiers
  (property_element name: (variable_name (name) @name))) @def.property
; A parameter of a constructor that is also a property: `__construct(private Store $store)`.
(class_declaration name: (name) @container body: (declaration_list (method_declaration parameters: (formal_parameters [
  (property_promotion_parameter visibility: (visibility_modifier)? @modifiers name: (variable_name (name) @name))
  (property_promotion_parameter name: (by_ref (variable_name (name) @name)))] @def.property))))
(trait_declaration name: (name) @container body: (declaration_list (method_declaration parameters: (formal_parameters [
  (property_promotion_parameter visibility: (visibility_modifier)? @modifiers name: (variable_name (name) @name))
  (property_promotion_parameter name: (by_ref (variable_name (name) @name)))] @def.property))))
(property_promotion_parameter visibility: (visibility_modifier)? @modifiers
  name: (variable_name (name) @name)) @def.property
(property_promotion_parameter name: (by_ref (variable_name (name) @name))) @def.property

(const_declaration (visibility_modifier)? @modifiers (const_element . (name) @name)) @def.constant
((function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument [(string (string_content) @name) (encapsed_string . (string_content) @name .)]))) @def.constant
  (#eq? @_define "define"))

; Imports

(namespace_use_declaration (namespace_use_clause
  . [(name) @import.module
   (qualified_name !prefix (name) @import.module)
   (qualified_name prefix: (namespace_name) @import.module (name) @import.name)]
  alias: (name)? @import.alias)) @import
(namespace_use_declaration
  (namespace_name) @import.module
  body: (namespace_use_group (namespace_use_clause
    . [(name) (qualified_name)] @import.name
    alias: (name)? @import.alias))) @import

(namespace_use_clause (name) @ref.import)
(namespace_use_clause (qualified_name (name) @ref.import))
(namespace_use_clause (qualified_name prefix: (namespace_name (name) @ref.import)))
(namespace_use_declaration (namespace_name (name) @ref.import))

(require_expression [(string) (encapsed_string)] @import.module) @import
(require_once_expression [(string) (encapsed_string)] @import.module) @import
(include_expression [(string) (encapsed_string)] @import.module) @import
(include_once_expression [(string) (encapsed_string)] @import.module) @import
(require_expression (parenthesized_expression [(string) (encapsed_string)] @import.module)) @import
(require_once_expression (parenthesized_expression [(string) (encapsed_string)] @import.module)) @import
(include_expression (parenthesized_expression [(string) (encapsed_string)] @import.module)) @import
(include_once_expression (parenthesized_expression [(string) (encapsed_string)] @import.module)) @import
; `__DIR__ . '/file.php'`
(require_expression (binary_expression right: (string) @import.module)) @import
(require_once_expression (binary_expression right: (string) @import.module)) @import
(include_expression (binary_expression right: (string) @import.module)) @import
(include_once_expression (binary_expression right: (string) @import.module)) @import

; Relations

(anonymous_class (base_clause [(name) (qualified_name)] @relation.extends))
(anonymous_class (class_interface_clause [(name) (qualified_name)] @relation.implements))
(anonymous_class body: (declaration_list (use_declaration [(name) (qualified_name)] @relation.extends)))
(class_declaration (base_clause [(name) (qualified_name)] @relation.extends))
(interface_declaration (base_clause [(name) (qualified_name)] @relation.extends))
(class_declaration (class_interface_clause [(name) (qualified_name)] @relation.implements))
(enum_declaration (class_interface_clause [(name) (qualified_name)] @relation.implements))
(class_declaration name: (name) @relation.subject
  body: (declaration_list (use_declaration [(name) (qualified_name)] @relation.extends)))
(trait_declaration name: (name) @relation.subject
  body: (declaration_list (use_declaration [(name) (qualified_name)] @relation.extends)))
(enum_declaration name: (name) @relation.subject
  body: (enum_declaration_list (use_declaration [(name) (qualified_name)] @relation.extends)))

; Calls

(function_call_expression function: (name) @ref.call)
(function_call_expression function: (qualified_name prefix: (namespace_name)? @qualifier (name) @ref.call))
(member_call_expression object: (_) @qualifier name: (name) @ref.call)
(nullsafe_member_call_expression object: (_) @qualifier name: (name) @ref.call)
(scoped_call_expression scope: (_) @qualifier name: (name) @ref.call)
(object_creation_expression (name) @ref.call)
(object_creation_expression (qualified_name prefix: (namespace_name)? @qualifier (name) @ref.call))
(attribute (name) @ref.call)
(attribute (qualified_name prefix: (namespace_name)? @qualifier (name) @ref.call))

; Types

(named_type (name) @ref.type)
(named_type (qualified_name prefix: (namespace_name)? @qualifier (name) @ref.type))
(base_clause (name) @ref.type)
(base_clause (qualified_name prefix: (namespace_name)? @qualifier (name) @ref.type))
(class_interface_clause (name) @ref.type)
(class_interface_clause (qualified_name prefix: (namespace_name)? @qualifier (name) @ref.type))
(use_declaration (name) @ref.type)
(use_declaration (qualified_name prefix: (namespace_name)? @qualifier (name) @ref.type))
(use_instead_of_clause (name) @ref.type)
(scoped_call_expression scope: (name) @ref.type)
(scoped_call_expression scope: (qualified_name prefix: (namespace_name)? @qualifier (name) @ref.type))
(scoped_property_access_expression scope: (name) @ref.type)
(scoped_property_access_expression scope: (qualified_name prefix: (namespace_name)? @qualifier (name) @ref.type))
(class_constant_access_expression . (name) @ref.type)
(class_constant_access_expression . (qualified_name prefix: (namespace_name)? @qualifier (name) @ref.type))
(binary_expression operator: "instanceof" right: (name) @ref.type)
(binary_expression operator: "instanceof" right: (qualified_name prefix: (namespace_name)? @qualifier (name) @ref.type))

; Bindings. PHP declares no variables: an assignment counts as the declaration.

(simple_parameter type: (_)? @qualifier name: (variable_name (name) @ref.bind))
(variadic_parameter type: (_)? @qualifier name: (variable_name (name) @ref.bind))
(assignment_expression left: (variable_name (name) @ref.bind)
  right: (object_creation_expression [(name) (qualified_name)] @qualifier))
(assignment_expression left: (variable_name (name) @ref.bind) right: (_) @qualifier)
(assignment_expression left: (variable_name (name) @ref.bind))
(reference_assignment_expression left: (variable_name (name) @ref.bind))
(list_literal (variable_name (name) @ref.bind))
(list_literal (by_ref (variable_name (name) @ref.bind)))
(foreach_statement (_) @qualifier . (variable_name (name) @ref.bind))
(foreach_statement (_) . (by_ref (variable_name (name) @ref.bind)))
(foreach_statement . (_) @qualifier (pair (_) . (variable_name (name) @ref.bind)))
(foreach_statement (pair (variable_name (name) @ref.bind)))
(foreach_statement (pair (by_ref (variable_name (name) @ref.bind))))
(catch_clause type: (_) @qualifier name: (variable_name (name) @ref.bind))
(static_variable_declaration name: (variable_name (name) @ref.bind))
(global_declaration (variable_name (name) @ref.bind))

; Type narrowing by conditions

(if_statement
  condition: (parenthesized_expression (binary_expression
    left: (variable_name (name) @narrowed.name) operator: "instanceof" right: [(name) (qualified_name)] @qualifier))
    @narrowed @block.narrowed
  body: (_) @block.narrowed)
(if_statement
  condition: (parenthesized_expression (binary_expression
    left: (binary_expression
      left: (variable_name (name) @narrowed.name) operator: "instanceof" right: [(name) (qualified_name)] @qualifier)
      @narrowed @block.narrowed
    operator: "&&"))
  body: (_) @block.narrowed)
; After an early exit, the condition holds: `if (!$x instanceof Store) { return; }`.
(compound_statement (if_statement
  condition: (parenthesized_expression (unary_op_expression [
    (binary_expression
      left: (variable_name (name) @narrowed.name) operator: "instanceof" right: [(name) (qualified_name)] @qualifier)
    (parenthesized_expression (binary_expression
      left: (variable_name (name) @narrowed.name)
      operator: "instanceof"
      right: [(name) (qualified_name)] @qualifier))]))
  body: (compound_statement [
    (return_statement)
    (continue_statement)
    (break_statement)
    (expression_statement (throw_expression))] .) @narrowed
  !alternative)) @block.narrowed

; Writes

(assignment_expression left: [
  (member_access_expression object: (_) @qualifier name: (name) @ref.write)
  (scoped_property_access_expression scope: (_) @qualifier name: (variable_name (name) @ref.write))
  (subscript_expression . (variable_name (name) @ref.write))
  (subscript_expression . (member_access_expression object: (_) @qualifier name: (name) @ref.write))])
(augmented_assignment_expression left: [
  (variable_name (name) @ref.write)
  (member_access_expression object: (_) @qualifier name: (name) @ref.write)
  (scoped_property_access_expression scope: (_) @qualifier name: (variable_name (name) @ref.write))])
(update_expression argument: [
  (variable_name (name) @ref.write)
  (member_access_expression object: (_) @qualifier name: (name) @ref.write)
  (scoped_property_access_expression scope: (_) @qualifier name: (variable_name (name) @ref.write))])
(unset_statement (variable_name (name) @ref.write))

; Named arguments: `open(path: $home)`. The `(` after the callee distinguishes them from members. Of several matches for a name, a
; write precedes a read.
(function_call_expression function: (_) @qualifier arguments: (arguments "(" @qualifier (argument name: (name) @ref.write)))
(member_call_expression object: (_) @qualifier
  arguments: (arguments "(" @qualifier (argument name: (name) @ref.write)))
(nullsafe_member_call_expression object: (_) @qualifier
  arguments: (arguments "(" @qualifier (argument name: (name) @ref.write)))
(scoped_call_expression scope: (_) @qualifier
  arguments: (arguments "(" @qualifier (argument name: (name) @ref.write)))
(object_creation_expression [(name) (qualified_name)] @qualifier
  (arguments "(" @qualifier (argument name: (name) @ref.write)))
(attribute [(name) (qualified_name)] @qualifier
  parameters: (arguments "(" @qualifier (argument name: (name) @ref.write)))
(arguments "(" @qualifier (argument name: (name) @ref.read))

; Reads

(member_access_expression object: (_) @qualifier name: (name) @ref.read)
(nullsafe_member_access_expression object: (_) @qualifier name: (name) @ref.read)
(scoped_property_access_expression scope: (_) @qualifier name: (variable_name (name) @ref.read))
(class_constant_access_expression . (_) @qualifier (name) @ref.read .)
(qualified_name prefix: (namespace_name) @qualifier (name) @ref.read)
(name) @ref.read

; Scopes

[(anonymous_function) (arrow_function)] @block.function

; Branches, for complexity

(if_statement) @branch
(else_if_clause) @branch
(for_statement) @branch
(foreach_statement) @branch
(while_statement) @branch
(do_statement) @branch
(case_statement) @branch
(match_expression) @branch
(catch_clause) @branch
(conditional_expression body: (_)) @branch
(binary_expression operator: ["&&" "||"]) @branch

(attribute_list) @attribute
(comment) @comment
