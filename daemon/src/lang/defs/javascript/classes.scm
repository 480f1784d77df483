; What is said otherwise where there are no types.

(class_declaration name: (identifier) @name body: (_) @body) @def.class
(field_definition property: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @def.method
(field_definition property: (_) @name) @def.field

(class_heritage [(identifier) (member_expression)] @relation.extends)
(class_heritage (identifier) @ref.type)
(class_heritage (member_expression object: (_) @qualifier property: (property_identifier) @ref.type))

(formal_parameters (identifier) @ref.bind)
