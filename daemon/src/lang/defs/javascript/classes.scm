; Patterns for code without types

(class_declaration name: (identifier) @name body: (_) @body) @def.class
(field_definition property: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @def.method
(field_definition property: (_) @name) @def.field

; Fields that a constructor assigns: `this.store = new Store()`. Only the name is the definition, because the value is code of
; the constructor.
(class_declaration
  name: (identifier) @container
  body: (class_body (method_definition
    name: (property_identifier) @_constructor
    body: (statement_block (expression_statement (assignment_expression
      left: (member_expression
        object: (this)
        property: [(property_identifier) (private_property_identifier)] @name) @def.field
      right: (_) @gives)))))
  (#eq? @_constructor "constructor")
  (#not-match? @gives "^this\\.[\\w$#]+\\.bind\\("))

(class_heritage [(identifier) (member_expression)] @relation.extends)
(class_heritage (identifier) @ref.type)
(class_heritage (member_expression object: (_) @qualifier property: (property_identifier) @ref.type))

(call_expression function: (_) @taker arguments: (arguments [
  (arrow_function parameters: (formal_parameters (identifier) @ref.bind))
  (function_expression parameters: (formal_parameters (identifier) @ref.bind))]))
(new_expression constructor: (_) @taker arguments: (arguments
  (arrow_function parameters: (formal_parameters (identifier) @ref.bind))))
; `import("./store").then(({ open }) => open())`
(call_expression
  function: (member_expression object: (call_expression function: (import)) @qualifier)
  arguments: (arguments . (arrow_function parameters: (formal_parameters . (object_pattern [
    (shorthand_property_identifier_pattern) @ref.shorthand.read
    (pair_pattern key: (property_identifier) @ref.read)])))))
(formal_parameters (identifier) @ref.bind)
