; Definitions. Specific patterns come first: of two matches for one name, the earlier wins.

(class name: (constant) @name body: (_)? @body) @def.class
(class name: (scope_resolution scope: (_) @container.path name: (constant) @name) body: (_)? @body) @def.class
(module name: (constant) @name body: (_)? @body) @def.module
(module name: (scope_resolution scope: (_) @container.path name: (constant) @name) body: (_)? @body) @def.module

; A class that a call creates: `Point = Struct.new(:x, :y)`.
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_class method: (identifier) @_make block: (_)? @body)
  (#any-of? @_class "Struct" "Class" "Data")
  (#any-of? @_make "new" "define")) @def.class

(method name: (identifier) @name body: (_)? @body (#eq? @name "initialize")) @def.constructor
; The last expression of a method is its result.
(program (method name: (_) @name
  body: (body_statement [(identifier) (call) (self) (constant)] @gives .) @body) @def.function)
(method name: (_) @name body: (body_statement [(identifier) (call) (self) (constant)] @gives .) @body) @def.method
(singleton_method object: (constant) @container name: (_) @name
  body: (body_statement [(identifier) (call) (self) (constant)] @gives .) @body) @def.method
(singleton_method object: (self) name: (_) @name
  body: (body_statement [(identifier) (call) (self) (constant)] @gives .) @body) @def.method
(program (method name: (_) @name body: (_)? @body) @def.function)
(method name: (_) @name body: (_)? @body) @def.method
(singleton_method object: (constant) @container name: (_) @name body: (_)? @body) @def.method
(singleton_method object: (self) name: (_) @name body: (_)? @body) @def.method
(alias name: (identifier) @name) @def.method

; Members that a call defines: `attr_reader :size`, `define_method(:open)`.
(call
  !receiver
  method: (identifier) @_call
  arguments: (argument_list (simple_symbol) @name @def.property)
  (#any-of? @_call "attr_accessor" "attr_reader" "attr_writer" "attr" "cattr_accessor" "mattr_accessor" "class_attribute"))
(call
  !receiver
  method: (identifier) @_call
  arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_call "define_method" "define_singleton_method" "alias_method")) @def.method

(assignment left: (constant) @name) @def.constant

; A bare `private` applies to the methods after it in the same body, but not to constants, singleton methods and nested
; classes.
([(class body: (body_statement (identifier) @section.public))
  (module body: (body_statement (identifier) @section.public))
  (singleton_class body: (body_statement (identifier) @section.public))
  (do_block body: (body_statement (identifier) @section.public))]
  (#eq? @section.public "public"))
([(class body: (body_statement (identifier) @section.protected))
  (module body: (body_statement (identifier) @section.protected))
  (singleton_class body: (body_statement (identifier) @section.protected))
  (do_block body: (body_statement (identifier) @section.protected))]
  (#eq? @section.protected "protected"))
([(class body: (body_statement (identifier) @section.private))
  (module body: (body_statement (identifier) @section.private))
  (singleton_class body: (body_statement (identifier) @section.private))
  (do_block body: (body_statement (identifier) @section.private))]
  (#eq? @section.private "private"))
[(singleton_class) (do_block)] @section.block
(body_statement [
  (singleton_method name: (_) @visibility.public)
  (assignment left: (constant) @visibility.public)
  (class name: [(constant) @visibility.public (scope_resolution name: (constant) @visibility.public)])
  (module name: [(constant) @visibility.public (scope_resolution name: (constant) @visibility.public)])])

; A method that is the argument of such a keyword: `private def open`.
(call method: (identifier) @_word arguments: (argument_list (method name: (_) @visibility.public))
  (#eq? @_word "public"))
(call method: (identifier) @_word arguments: (argument_list (method name: (_) @visibility.protected))
  (#eq? @_word "protected"))
(call method: (identifier) @_word arguments: (argument_list [
  (method name: (_) @visibility.private)
  (singleton_method name: (_) @visibility.private)])
  (#any-of? @_word "private" "private_class_method"))
(call method: (identifier) @_word arguments: (argument_list (call
  method: (identifier) @_call
  arguments: (argument_list (simple_symbol) @visibility.protected)))
  (#eq? @_word "protected")
  (#any-of? @_call "attr_accessor" "attr_reader" "attr_writer" "attr" "define_method" "alias_method"))
(call method: (identifier) @_word arguments: (argument_list (call
  method: (identifier) @_call
  arguments: (argument_list (simple_symbol) @visibility.private)))
  (#eq? @_word "private")
  (#any-of? @_call "attr_accessor" "attr_reader" "attr_writer" "attr" "define_method" "alias_method"))

(comment) @comment

; Imports

(call
  !receiver
  method: (identifier) @_call
  arguments: (argument_list (string (string_content) @import.module @ref.import) .)
  (#any-of? @_call "require" "require_relative" "load" "autoload"))

; Relations

(superclass [(constant) (scope_resolution)] @relation.extends)
(call
  !receiver
  method: (identifier) @_call
  arguments: (argument_list [(constant) (scope_resolution)] @relation.implements)
  (#any-of? @_call "include" "extend" "prepend"))

; Uses of names

(call receiver: (constant) @ref.call method: (identifier) @_new (#eq? @_new "new"))
(call receiver: (scope_resolution scope: (_) @qualifier name: (constant) @ref.call) method: (identifier) @_new
  (#eq? @_new "new"))
(call !receiver method: (identifier) @_method arguments: (argument_list . (simple_symbol) @ref.named .)
  (#eq? @_method "method"))
(alias alias: (identifier) @ref.named)
(call receiver: (_) @qualifier method: [(identifier) (constant)] @ref.call)
(call !receiver method: [(identifier) (constant)] @ref.call)

(superclass (constant) @ref.type)
(superclass (scope_resolution scope: (_) @qualifier name: (constant) @ref.type))
(call
  !receiver
  method: (identifier) @_call
  arguments: (argument_list (constant) @ref.type)
  (#any-of? @_call "include" "extend" "prepend"))
(exceptions (constant) @ref.type)
(exceptions (scope_resolution scope: (_) @qualifier name: (constant) @ref.type))
(in_clause pattern: (constant) @ref.type)

(method_parameters (identifier) @ref.bind)
(block_parameters (identifier) @ref.bind)
(lambda_parameters (identifier) @ref.bind)
(destructured_parameter (identifier) @ref.bind)
(optional_parameter name: (identifier) @ref.bind)
(keyword_parameter name: (identifier) @ref.bind)
(splat_parameter name: (identifier) @ref.bind)
(hash_splat_parameter name: (identifier) @ref.bind)
(block_parameter name: (identifier) @ref.bind)
(exception_variable (identifier) @ref.bind)
(for pattern: (identifier) @ref.bind)
(as_pattern name: (identifier) @ref.bind)
(array_pattern (identifier) @ref.bind)
(keyword_pattern value: (identifier) @ref.bind)
(assignment left: (identifier) @ref.bind right: (_) @qualifier)
(assignment left: (identifier) @ref.bind)
(operator_assignment left: (identifier) @ref.bind operator: "||=" right: (_) @qualifier)
(left_assignment_list (identifier) @ref.bind)
(rest_assignment (identifier) @ref.bind)

; Type narrowing by conditions

((if
  condition: (call
    receiver: (identifier) @narrowed.name
    method: (identifier) @_is
    arguments: (argument_list . [(constant) (scope_resolution)] @qualifier .)) @narrowed @block.narrowed
  consequence: (then) @block.narrowed)
  (#any-of? @_is "is_a?" "kind_of?" "instance_of?"))
(case value: (identifier) @narrowed.name
  (when . (pattern [(constant) (scope_resolution)] @qualifier) @narrowed @block.narrowed . (then) @block.narrowed))

(operator_assignment left: (identifier) @ref.write)
(assignment left: [(instance_variable) (class_variable)] @ref.own.write)
(assignment left: (global_variable) @ref.write)
(operator_assignment left: [(instance_variable) (class_variable)] @ref.own.write)
(operator_assignment left: (global_variable) @ref.write)
(left_assignment_list (instance_variable) @ref.own.write)

(scope_resolution scope: (_) @qualifier name: (constant) @ref.read)
(constant) @ref.read
(identifier) @ref.read
(instance_variable) @ref.own.read
(class_variable) @ref.own.read
(global_variable) @ref.read

; Scopes. An assignment in a block may assign a variable of the enclosing code: `total = 0; items.each { total = 1 }`.

[(block) (do_block) (lambda)] @block
; The methods of a class without a name are in no other scope: `Class.new do def open; end end`.
(call receiver: (constant) @_class method: (identifier) @_make block: (_) @closure
  (#any-of? @_class "Struct" "Class" "Module" "Data")
  (#any-of? @_make "new" "define"))
(assignment) @block.hoisted

; The signature of Sorbet above a method: `sig { void }`.
((call !receiver method: (identifier) @_signature block: (_)) @attribute
  (#eq? @_signature "sig"))

; Branches, for complexity

(if) @branch
(elsif) @branch
(if_modifier) @branch
(until) @branch
(until_modifier) @branch
(while) @branch
(while_modifier) @branch
(for) @branch
(when) @branch
(in_clause) @branch
(rescue) @branch
(rescue_modifier) @branch
(ensure) @branch
(conditional) @branch
(binary operator: ["&&" "||" "and" "or"]) @branch
