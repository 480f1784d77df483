; Definitions. Members of an enum or a trait are as visible as it is, so their patterns take its modifiers.

(trait_item (visibility_modifier)? @modifiers
  body: (declaration_list (function_item name: (_) @name body: (_) @body) @def.method))
(trait_item (visibility_modifier)? @modifiers
  body: (declaration_list (function_signature_item name: (_) @name) @def.method))
(trait_item (visibility_modifier)? @modifiers
  body: (declaration_list (const_item name: (_) @name) @def.constant))
(trait_item (visibility_modifier)? @modifiers
  body: (declaration_list (associated_type name: (_) @name) @def.alias))
(enum_item (visibility_modifier)? @modifiers
  body: (enum_variant_list (enum_variant name: (_) @name) @def.variant))
(enum_item (visibility_modifier)? @modifiers
  body: (enum_variant_list (enum_variant
    body: (field_declaration_list (field_declaration name: (_) @name) @def.field))))

(mod_item (visibility_modifier)? @modifiers name: (_) @name body: (_)? @body) @def.module
(struct_item (visibility_modifier)? @modifiers name: (_) @name body: (field_declaration_list) @body) @def.struct
(struct_item (visibility_modifier)? @modifiers name: (_) @name) @def.struct
(union_item (visibility_modifier)? @modifiers name: (_) @name body: (_) @body) @def.union
(enum_item (visibility_modifier)? @modifiers name: (_) @name body: (_) @body) @def.enum
(trait_item (visibility_modifier)? @modifiers name: (_) @name body: (_) @body) @def.trait
(function_item (visibility_modifier)? @modifiers name: (_) @name body: (_) @body) @def.function
(function_signature_item (visibility_modifier)? @modifiers name: (_) @name) @def.function
(type_item (visibility_modifier)? @modifiers name: (_) @name) @def.alias
(const_item (visibility_modifier)? @modifiers name: (_) @name (#not-eq? @name "_")) @def.constant
(static_item (visibility_modifier)? @modifiers name: (_) @name) @def.variable
; `thread_local! { static STORE: Store = … }`, `lazy_static! { static ref STORE: Store = … }`
(macro_invocation (token_tree "static" @def.variable . (identifier) @name @def.variable . ":"))
(macro_invocation (token_tree "static" @def.variable . (identifier) @_ref . (identifier) @name @def.variable . ":")
  (#eq? @_ref "ref"))
; A type that an item macro declares: `pin_project! { pub struct Store { … } }`. Like a derived trait, the macro may give it
; members that are not in its text, so it counts as a supertype.
[
  (source_file (macro_invocation (token_tree "struct" @def.struct . (identifier) @name @def.struct)))
  (declaration_list (macro_invocation (token_tree "struct" @def.struct . (identifier) @name @def.struct)))]
[
  (source_file (macro_invocation (token_tree "enum" @def.enum . (identifier) @name @def.enum)))
  (declaration_list (macro_invocation (token_tree "enum" @def.enum . (identifier) @name @def.enum)))]
(macro_invocation (token_tree "pub" . ["struct" "enum"] . (identifier) @visibility.public))
(macro_invocation (token_tree "pub" . (token_tree) . ["struct" "enum"] . (identifier) @visibility.internal))
[
  (source_file (macro_invocation
    macro: (_) @relation.implements (token_tree ["struct" "enum"] . (identifier) @relation.subject)))
  (declaration_list (macro_invocation
    macro: (_) @relation.implements (token_tree ["struct" "enum"] . (identifier) @relation.subject)))]
(field_declaration (visibility_modifier)? @modifiers name: (_) @name) @def.field
(macro_definition name: (_) @name) @def.macro

; Members that implement a trait are visible wherever the trait is.
(impl_item trait: (_) body: (declaration_list [
  (function_item name: (_) @visibility.public)
  (const_item name: (_) @visibility.public)
  (type_item name: (_) @visibility.public)]))
((attribute_item (attribute (identifier) @_export)) .
  (macro_definition name: (_) @visibility.public)
  (#eq? @_export "macro_export"))
[
  (function_item (visibility_modifier "in") name: (_) @visibility.internal)
  (struct_item (visibility_modifier "in") name: (_) @visibility.internal)
  (enum_item (visibility_modifier "in") name: (_) @visibility.internal)
  (trait_item (visibility_modifier "in") name: (_) @visibility.internal)
  (mod_item (visibility_modifier "in") name: (_) @visibility.internal)
  (const_item (visibility_modifier "in") name: (_) @visibility.internal)
  (static_item (visibility_modifier "in") name: (_) @visibility.internal)
  (type_item (visibility_modifier "in") name: (_) @visibility.internal)
  (field_declaration (visibility_modifier "in") name: (_) @visibility.internal)
]

; The type is captured without the tokens before it, because a lifetime or `dyn` would be mistaken for the type: `&'a Store`.
(impl_item type: [
  (type_identifier) @scope.name
  (primitive_type) @scope.name
  (scoped_type_identifier) @scope.name
  (generic_type type: (_) @scope.name)
  (dynamic_type trait: (_) @scope.name)
  (reference_type type: [(type_identifier) (primitive_type) (scoped_type_identifier)] @scope.name)
  (reference_type type: (generic_type type: (_) @scope.name))
  (reference_type type: (dynamic_type trait: (_) @scope.name))
  (array_type element: (_) @scope.name)
  (tuple_type) @scope.name
  (pointer_type type: (_) @scope.name)]) @scope

; Relations

(impl_item trait: (_) @relation.implements type: [
  (type_identifier) @relation.subject
  (primitive_type) @relation.subject
  (scoped_type_identifier) @relation.subject
  (generic_type type: (_) @relation.subject)
  (dynamic_type trait: (_) @relation.subject)
  (reference_type type: [(type_identifier) (primitive_type) (scoped_type_identifier)] @relation.subject)
  (reference_type type: (generic_type type: (_) @relation.subject))
  (reference_type type: (dynamic_type trait: (_) @relation.subject))])
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @relation.extends))
((attribute_item (attribute
    (identifier) @_derive
    arguments: (token_tree (identifier) @relation.implements . ["," ")"]))) .
  [(attribute_item) (line_comment)]* .
  [
    (struct_item name: (_) @relation.subject)
    (enum_item name: (_) @relation.subject)
    (union_item name: (_) @relation.subject)]
  (#eq? @_derive "derive"))

; Branches, for complexity. The first arm of a match is the default, and does not count.

(if_expression) @branch
(for_expression) @branch
(while_expression) @branch
(try_expression) @branch
(match_block (match_arm) . [(line_comment) (block_comment)]* . (match_arm) @branch)
(match_pattern condition: (_) @branch)
(let_declaration alternative: (_) @branch)
(binary_expression operator: ["&&" "||"] @branch)
(let_chain "&&" @branch)
(token_tree ["&&" "||"] @branch)

[(line_comment) (block_comment)] @comment
[(line_comment inner: (_)) (block_comment inner: (_))] @comment.inner
[(attribute_item) (inner_attribute_item)] @attribute
