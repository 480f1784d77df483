(class_declaration
  declaration_kind: ["struct" "enum" "actor"]
  (inheritance_specifier inherits_from: (user_type) @relation.implements))
