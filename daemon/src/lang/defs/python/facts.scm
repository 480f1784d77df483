; Definitions. Specific patterns come first: of two matches for one name, the earlier wins.

; Properties, which a decorator declares. A property without a type has that of the value that it returns.
(decorated_definition
  (decorator [
    (identifier) @_decorator
    (attribute attribute: (identifier) @_decorator)])
  definition: (function_definition name: (identifier) @name !return_type body: (block
    (return_statement [(call function: (_) @gives) (identifier) @gives (attribute) @gives])) @body)
  (#any-of? @_decorator "property" "cached_property")) @def.property
(decorated_definition
  (decorator [
    (identifier) @_decorator
    (attribute attribute: (identifier) @_decorator)])
  definition: (function_definition name: (identifier) @name body: (block) @body)
  (#any-of? @_decorator "property" "cached_property" "setter" "getter" "deleter")) @def.property

(function_definition name: (identifier) @name body: (block) @body
  (#eq? @name "__init__")) @def.constructor

; A function without a declared result has the type of the value that it returns.
(decorated_definition definition: (function_definition name: (identifier) @name !return_type body: (block
  (return_statement [(call function: (_) @gives) (identifier) @gives (attribute) @gives])) @body)) @def.function
(decorated_definition definition: (function_definition name: (identifier) @name body: (block) @body)) @def.function
(function_definition name: (identifier) @name !return_type body: (block
  (return_statement [(call function: (_) @gives) (identifier) @gives (attribute) @gives])) @body) @def.function
(function_definition name: (identifier) @name body: (block) @body) @def.function

; An enum is recognized by its base class.
(decorated_definition definition: (class_definition
  name: (identifier) @name
  superclasses: (argument_list [(identifier) @_base (attribute attribute: (identifier) @_base)])
  body: (block) @body)
  (#match? @_base "(Enum|Flag)$")) @def.enum
(class_definition
  name: (identifier) @name
  superclasses: (argument_list [(identifier) @_base (attribute attribute: (identifier) @_base)])
  body: (block) @body
  (#match? @_base "(Enum|Flag)$")) @def.enum
(class_definition
  superclasses: (argument_list [(identifier) @_base (attribute attribute: (identifier) @_base)])
  body: (block (expression_statement (assignment left: [
    (identifier) @name
    (pattern_list (identifier) @name)
    (tuple_pattern (identifier) @name)] !type) @def.variant))
  (#match? @_base "(Enum|Flag)$"))

(decorated_definition definition: (class_definition name: (identifier) @name body: (block) @body)) @def.class
(class_definition name: (identifier) @name body: (block) @body) @def.class

; A lambda that is assigned to a name is a function with that name.
(assignment left: (identifier) @name right: (lambda body: (_) @body)) @def.function

(class_definition body: (block (expression_statement (assignment left: [
  (identifier) @name
  (pattern_list (identifier) @name)
  (tuple_pattern (identifier) @name)]) @def.field)))

; Fields that a constructor assigns: `self.store = Store()`. Only the name is the definition, because the value is code of the
; constructor.
(class_definition
  name: (identifier) @container
  body: (block (function_definition
    name: (identifier) @_method
    parameters: (parameters . [(identifier) @_self (typed_parameter . (identifier) @_self)])
    body: (block (expression_statement (assignment
      left: (attribute object: (identifier) @_object attribute: (identifier) @name) @def.field
      type: (type) @gives)))))
  (#eq? @_method "__init__")
  (#eq? @_self @_object))
(class_definition
  name: (identifier) @container
  body: (block (function_definition
    name: (identifier) @_method
    parameters: (parameters . [(identifier) @_self (typed_parameter . (identifier) @_self)])
    body: (block (expression_statement (assignment
      left: (attribute object: (identifier) @_object attribute: (identifier) @name) @def.field
      right: (_)? @gives)))))
  (#eq? @_method "__init__")
  (#eq? @_self @_object))
; Fields that are assigned together. `self.a.b = 1` assigns no field of the object itself.
(class_definition
  name: (identifier) @container
  body: (block (function_definition
    name: (identifier) @_method
    parameters: (parameters . [(identifier) @_self (typed_parameter . (identifier) @_self)])
    body: (block (expression_statement (assignment left: [
      (pattern_list (attribute object: (identifier) @_object attribute: (identifier) @name) @def.field)
      (tuple_pattern (attribute object: (identifier) @_object attribute: (identifier) @name) @def.field)
      (list_pattern (attribute object: (identifier) @_object attribute: (identifier) @name) @def.field)])))))
  (#eq? @_method "__init__")
  (#eq? @_self @_object))
; Fields that are assigned in a block, such as that of an `if` or an `else`, or in two nested blocks.
(class_definition
  name: (identifier) @container
  body: (block (function_definition
    name: (identifier) @_method
    parameters: (parameters . [(identifier) @_self (typed_parameter . (identifier) @_self)])
    body: (block (_ (block (expression_statement (assignment
      left: (attribute object: (identifier) @_object attribute: (identifier) @name) @def.field
      right: (_)? @gives)))))))
  (#eq? @_method "__init__")
  (#eq? @_self @_object))
(class_definition
  name: (identifier) @container
  body: (block (function_definition
    name: (identifier) @_method
    parameters: (parameters . [(identifier) @_self (typed_parameter . (identifier) @_self)])
    body: (block (_ (_ (block (expression_statement (assignment
      left: (attribute object: (identifier) @_object attribute: (identifier) @name) @def.field
      right: (_)? @gives))))))))
  (#eq? @_method "__init__")
  (#eq? @_self @_object))
(class_definition
  name: (identifier) @container
  body: (block (function_definition
    name: (identifier) @_method
    parameters: (parameters . [(identifier) @_self (typed_parameter . (identifier) @_self)])
    body: (block (_ (block (_ (block (expression_statement (assignment
      left: (attribute object: (identifier) @_object attribute: (identifier) @name) @def.field
      right: (_)? @gives)))))))))
  (#eq? @_method "__init__")
  (#eq? @_self @_object))

(type_alias_statement left: (type [
  (identifier) @name
  (generic_type . (identifier) @name)])) @def.alias
(assignment left: (identifier) @name type: (type (identifier) @_type) (#eq? @_type "TypeAlias")) @def.alias
; Constants, even under a condition. Those of functions are dropped, because they are local.
(expression_statement (assignment left: (identifier) @name) @def.constant
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(module (expression_statement (assignment left: [
  (identifier) @name
  (pattern_list [(identifier) @name (list_splat_pattern (identifier) @name)])
  (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])]) @def.variable))
; An assignment in an `except`, which replaces a failed import, is not a definition: `except ImportError: json = None`.
(module [
  (if_statement [
    (block (expression_statement (assignment left: (identifier) @name right: (_) @_value) @def.variable))
    (_ (block (expression_statement (assignment left: (identifier) @name right: (_) @_value) @def.variable)))])
  (try_statement (block (expression_statement (assignment left: (identifier) @name right: (_) @_value) @def.variable)))]
  (#not-eq? @_value "None"))
(module (expression_statement (assignment left: (_
  (tuple_pattern [
    (identifier) @name
    (list_splat_pattern (identifier) @name)
    (tuple_pattern (identifier) @name)]))) @def.variable))
(module (expression_statement (assignment right: (assignment left: [
  (identifier) @name
  (pattern_list (identifier) @name)])) @def.variable))

; Names of special methods begin with an underscore, but are not private.
(function_definition name: (identifier) @visibility.public (#match? @visibility.public "^__.+__$"))
(assignment left: (identifier) @visibility.public (#match? @visibility.public "^__.+__$"))

(decorator) @attribute

; Comments and docstrings

(comment) @comment
(class_definition body: (block . (expression_statement (string (string_content) @doc))))
(function_definition body: (block . (expression_statement (string (string_content) @doc))))

; Imports

(import_statement name: (dotted_name) @import.module) @import
(import_statement name: (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.alias)) @import
(import_from_statement module_name: (_) @import.module name: (dotted_name) @import.name) @import
(import_from_statement
  module_name: (_) @import.module
  name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias)) @import
(import_from_statement module_name: (_) @import.module (wildcard_import) @import.wildcard) @import
(future_import_statement "__future__" @import.module name: (dotted_name) @import.name) @import

(import_statement name: (dotted_name (identifier) @ref.import))
(import_from_statement module_name: (dotted_name (identifier) @ref.import))
(import_from_statement name: (dotted_name (identifier) @ref.import))
(future_import_statement name: (dotted_name (identifier) @ref.import))
(relative_import (dotted_name (identifier) @ref.import))
(aliased_import name: (dotted_name (identifier) @ref.import))
(aliased_import alias: (identifier) @ref.import)

; Relations

(class_definition superclasses: (argument_list [
  (identifier) @relation.extends @ref.type
  (attribute object: (_) @qualifier attribute: (identifier) @relation.extends)
  (subscript value: (identifier) @relation.extends @ref.type)
  (subscript value: (attribute object: (_) @qualifier attribute: (identifier) @relation.extends))]))

; `@implementer(IStore) class Store` of zope.interface
(decorated_definition
  (decorator (call
    function: [(identifier) @_implementer (attribute attribute: (identifier) @_implementer)]
    arguments: (argument_list [
      (identifier) @relation.implements
      (attribute object: (_) @qualifier attribute: (identifier) @relation.implements)])))
  definition: (class_definition name: (identifier) @relation.subject)
  (#any-of? @_implementer "implementer" "implementer_only"))

; Uses of names

(call function: (identifier) @ref.call)
(call function: (attribute object: (_) @qualifier attribute: (identifier) @ref.call))
; `type(self)(…)` constructs a value of the same type.
(call function: (call function: (identifier) @ref.call arguments: (argument_list . (_) @qualifier .))
  (#eq? @ref.call "type"))
(decorator (identifier) @ref.call)
; Calls of a value without a name, and implicit calls of methods: `handlers[key]()`, `for item in store`.
(call
  function: [(call) (subscript) (parenthesized_expression)] @qualifier
  arguments: (argument_list "(" @ref.implicit))
(decorator "@" @ref.implicit (call) @qualifier)
(for_statement "in" @ref.implicit right: (_) @qualifier)
(for_in_clause "in" @ref.implicit right: (_) @qualifier)
(with_item value: (as_pattern . (_) @qualifier "as" @ref.implicit))
(raise_statement "raise" @ref.implicit . (identifier) @qualifier)
; `raise Missing` constructs a value.
(raise_statement . (identifier) @ref.call (#match? @ref.call "^_*[A-Z]"))
(raise_statement . (attribute object: (_) @qualifier attribute: (identifier) @ref.call) (#match? @ref.call "^_*[A-Z]"))
(decorator (attribute object: (_) @qualifier attribute: (identifier) @ref.call))
; A setter of a property that was defined above: `@size.setter`.
(decorator (attribute object: (identifier) @ref.own.read attribute: (identifier) @_more)
  (#any-of? @_more "setter" "getter" "deleter"))
; Named arguments: `open(path=home)`. The `(` after the callee distinguishes them from members.
(call function: (_) @qualifier arguments: (argument_list "(" @qualifier
  (keyword_argument name: (identifier) @ref.write)))
(class_definition name: (identifier) @qualifier superclasses: (argument_list "(" @qualifier
  (keyword_argument name: (identifier) @ref.write)))

(type (identifier) @ref.type)
(type (attribute object: (_) @qualifier attribute: (identifier) @ref.type))
(type (subscript value: (attribute object: (_) @qualifier attribute: (identifier) @ref.type)))
(type (subscript subscript: (identifier) @ref.type))
(type (binary_operator (identifier) @ref.type))
(type (binary_operator (binary_operator (identifier) @ref.type)))
(type (string (string_content) @ref.type) (#match? @ref.type "^\\w+$"))
(type (string (string_content) @words) (#not-match? @words "^\\w+$"))
(type (subscript value: (_) @_generic subscript: [
  (string (string_content) @words)
  (list (string (string_content) @words))])
  (#not-match? @_generic "Literal$"))
(type (subscript subscript: (subscript value: (_) @_generic subscript: (string (string_content) @words)))
  (#not-match? @_generic "Literal$"))
(type (binary_operator (subscript value: (_) @_generic subscript: (string (string_content) @words)))
  (#not-match? @_generic "Literal$"))
(assignment type: (type (identifier) @_alias) right: (string (string_content) @words) (#eq? @_alias "TypeAlias"))
(call function: [(identifier) @_cast (attribute attribute: (identifier) @_cast)]
  arguments: (argument_list . (string (string_content) @words))
  (#eq? @_cast "cast"))
(call function: [(identifier) @_variable (attribute attribute: (identifier) @_variable)]
  arguments: (argument_list (keyword_argument name: (identifier) @_bound value: (string (string_content) @words)))
  (#eq? @_variable "TypeVar") (#eq? @_bound "bound"))
; A type in quotes outside of an annotation: `Handler = Callable[["Store"], "Store | None"]`.
(subscript
  value: [(identifier) @_generic (attribute attribute: (identifier) @_generic)]
  subscript: [(string (string_content) @words) (list (string (string_content) @words))]
  (#any-of? @_generic "Union" "Optional" "Callable" "Type" "List" "Dict" "Sequence" "Iterable" "Mapping"))
(generic_type (identifier) @ref.type)
(member_type (identifier) @ref.type)
(class_definition superclasses: (argument_list (attribute object: (_) @qualifier attribute: (identifier) @ref.type)))
(except_clause value: [
  (identifier) @ref.type
  (tuple (identifier) @ref.type)
  (as_pattern . (identifier) @ref.type)
  (as_pattern . (tuple (identifier) @ref.type))])
(class_pattern (dotted_name (identifier) @ref.type))

(parameters (identifier) @ref.bind)
(lambda_parameters (identifier) @ref.bind)
(default_parameter name: (identifier) @ref.bind)
(typed_parameter (identifier) @ref.bind type: (type) @qualifier)
(typed_default_parameter name: (identifier) @ref.bind type: (type) @qualifier)
(list_splat_pattern (identifier) @ref.bind)
(dictionary_splat_pattern (identifier) @ref.bind)
([
  (for_statement left: (identifier) @ref.bind right: [
    (identifier) @qualifier
    (attribute) @qualifier
    (call function: (_) @qualifier)])
  (for_in_clause left: (identifier) @ref.bind right: [
    (identifier) @qualifier
    (attribute) @qualifier
    (call function: (_) @qualifier)])]
  (#not-any-of? @qualifier "sorted" "reversed" "list" "tuple" "set" "frozenset" "iter"))
; A loop over a list or a default: `for route in self.routes or []`.
(for_statement left: (identifier) @ref.bind right: (boolean_operator left: [(identifier) (attribute)] @qualifier operator: "or"))
; `sorted`, `reversed` and `enumerate` give the same elements.
([
  (for_statement left: (identifier) @ref.bind right: (call
    function: (identifier) @_same arguments: (argument_list . (_) @qualifier)))
  (for_in_clause left: (identifier) @ref.bind right: (call
    function: (identifier) @_same arguments: (argument_list . (_) @qualifier)))]
  (#any-of? @_same "sorted" "reversed" "list" "tuple" "set" "frozenset" "iter"))
([
  (for_statement left: (_ (_) . (identifier) @ref.bind .) right: (call
    function: (identifier) @_numbered arguments: (argument_list . (_) @qualifier)))
  (for_in_clause left: (_ (_) . (identifier) @ref.bind .) right: (call
    function: (identifier) @_numbered arguments: (argument_list . (_) @qualifier)))]
  (#eq? @_numbered "enumerate"))
(for_statement left: (identifier) @ref.bind)
(for_in_clause left: (identifier) @ref.bind)
(assignment
  left: (pattern_list (identifier) @ref.bind) @qualifier
  right: [(call) (await (call))] @qualifier)
(pattern_list (identifier) @ref.bind)
(tuple_pattern (identifier) @ref.bind)
(list_pattern (identifier) @ref.bind)
(with_item value: (as_pattern
  . [(call) (identifier) (attribute) (await)] @qualifier.start
  alias: (as_pattern_target (identifier) @ref.bind)))
(except_clause value: (as_pattern . (_) @qualifier alias: (as_pattern_target (identifier) @ref.bind)))
(as_pattern_target (identifier) @ref.bind)
(as_pattern_target (tuple (identifier) @ref.bind))
(named_expression name: (identifier) @ref.bind value: (call function: (_) @qualifier))
(named_expression name: (identifier) @ref.bind)
(assignment left: (identifier) @ref.bind type: (type) @qualifier)
(assignment left: (identifier) @ref.bind right: [
  (call function: (_) @qualifier)
  (await (call function: (_) @qualifier))
  (conditional_expression . (call function: (_) @qualifier))
  (boolean_operator operator: "or" right: (call function: (_) @qualifier))])
; An alias of a value: `open = store.open`.
(assignment left: (identifier) @ref.bind "=" @qualifier right: [(attribute) (identifier)] @qualifier)
(assignment left: (identifier) @ref.bind)
(case_pattern (dotted_name . (identifier) @ref.bind .))
(keyword_pattern (dotted_name . (identifier) @ref.bind .))
(case_pattern (as_pattern (case_pattern) (identifier) @ref.bind))
(splat_pattern (identifier) @ref.bind)

; A name is not in scope in its own initializer: `[size for size in size(2)]`.
(default_parameter name: (_) @initialized value: (_) @initializer)
(typed_default_parameter name: (_) @initialized value: (_) @initializer)
(for_in_clause left: (_) @initialized right: (_) @initializer)

(assignment left: (attribute object: (_) @qualifier attribute: (identifier) @ref.write))
(augmented_assignment left: (attribute object: (_) @qualifier attribute: (identifier) @ref.write))
(augmented_assignment left: (identifier) @ref.write)
(pattern_list (attribute object: (_) @qualifier attribute: (identifier) @ref.write))

(global_statement (identifier) @outer)
(nonlocal_statement (identifier) @outer)
(attribute object: (_) @qualifier attribute: (identifier) @ref.read)
(identifier) @ref.read

; Type narrowing by conditions

((if_statement
  condition: (call
    function: (identifier) @_is
    arguments: (argument_list . (identifier) @narrowed.name . [(identifier) (attribute)] @qualifier .)) @narrowed @block.narrowed
  consequence: (block) @block.narrowed)
  (#eq? @_is "isinstance"))
((if_statement
  condition: (boolean_operator left: (call
    function: (identifier) @_is
    arguments: (argument_list . (identifier) @narrowed.name . [(identifier) (attribute)] @qualifier .)) @narrowed @block.narrowed operator: "and")
  consequence: (block) @block.narrowed)
  (#eq? @_is "isinstance"))
((if_statement
  condition: (boolean_operator operator: "and" right: (call
    function: (identifier) @_is
    arguments: (argument_list . (identifier) @narrowed.name . [(identifier) (attribute)] @qualifier .)) @narrowed @block.narrowed)
  consequence: (block) @block.narrowed)
  (#eq? @_is "isinstance"))
((elif_clause
  condition: (call
    function: (identifier) @_is
    arguments: (argument_list . (identifier) @narrowed.name . [(identifier) (attribute)] @qualifier .)) @narrowed @block.narrowed
  consequence: (block) @block.narrowed)
  (#eq? @_is "isinstance"))
((elif_clause
  condition: (boolean_operator left: (call
    function: (identifier) @_is
    arguments: (argument_list . (identifier) @narrowed.name . [(identifier) (attribute)] @qualifier .)) @narrowed @block.narrowed operator: "and")
  consequence: (block) @block.narrowed)
  (#eq? @_is "isinstance"))
((elif_clause
  condition: (boolean_operator operator: "and" right: (call
    function: (identifier) @_is
    arguments: (argument_list . (identifier) @narrowed.name . [(identifier) (attribute)] @qualifier .)) @narrowed @block.narrowed)
  consequence: (block) @block.narrowed)
  (#eq? @_is "isinstance"))
((block (assert_statement (call
    function: (identifier) @_is
    arguments: (argument_list . (identifier) @narrowed.name . [(identifier) (attribute)] @qualifier .)) @narrowed)) @block.narrowed (#eq? @_is "isinstance"))
; After an early exit, the condition holds: `if not isinstance(x, Store): return`.
((block (if_statement
  condition: (not_operator argument: (call
    function: (identifier) @_is
    arguments: (argument_list . (identifier) @narrowed.name . [(identifier) (attribute)] @qualifier .)))
  consequence: (block [(return_statement) (raise_statement) (continue_statement) (break_statement)] .) @narrowed
  !alternative)) @block.narrowed
  (#eq? @_is "isinstance"))

; The declared exports of a module: `__all__`.
(assignment
  left: (identifier) @_list
  right: [(list (string (string_content) @ref.mention)) (tuple (string (string_content) @ref.mention))]
  (#eq? @_list "__all__"))
(augmented_assignment
  left: (identifier) @_list
  right: (list (string (string_content) @ref.mention))
  (#eq? @_list "__all__"))

; A default value runs where the function is defined: `open` of `def run(open=open)` is not the parameter.
(function_definition parameters: (parameters [
  (default_parameter value: (_) @outside)
  (typed_default_parameter value: (_) @outside)]))

; Scopes. A comprehension uses names before it binds them.

(lambda) @block.function
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @block.whole
(named_expression) @block.hoisted

; Branches, for complexity

(if_statement) @branch
(elif_clause) @branch
(for_statement) @branch
(while_statement) @branch
(except_clause) @branch
(finally_clause) @branch
(boolean_operator) @branch
(conditional_expression) @branch
(for_in_clause) @branch
(if_clause) @branch
(case_clause (case_pattern (_))) @branch
