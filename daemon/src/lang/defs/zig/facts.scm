; Definitions. Types are values, named by the constants that hold them: `const Store = struct { … };`.

(function_declaration "export" @modifiers name: (identifier) @name body: (_)? @body) @def.function
(function_declaration "pub"? @modifiers name: (identifier) @name body: (_)? @body) @def.function
(variable_declaration "pub"? @modifiers "const" . (identifier) @name (struct_declaration "{" @body)) @def.struct
(variable_declaration "pub"? @modifiers "const" . (identifier) @name (opaque_declaration "{" @body)) @def.struct
(variable_declaration "pub"? @modifiers "const" . (identifier) @name (enum_declaration "{" @body)) @def.enum
(variable_declaration "pub"? @modifiers "const" . (identifier) @name (union_declaration "{" @body)) @def.union
(variable_declaration "pub"? @modifiers "const" . (identifier) @name (error_set_declaration "{" @body)) @def.enum
(variable_declaration "pub"? @modifiers "const" . (identifier) @name type: (_)) @def.constant
((variable_declaration "pub"? @modifiers "const" . (identifier) @name . (_) .) @def.constant
  (#not-match? @def.constant "= *@import\\(|const [A-Z][A-Za-z0-9]* = [a-z_]+\\.[A-Z][A-Za-z0-9]*;"))
(variable_declaration "pub"? @modifiers "var" . (identifier) @name) @def.variable
(enum_declaration (container_field name: (identifier) @name @visibility.public) @def.variant)
(error_set_declaration (identifier) @name @def.variant @visibility.public)
(container_field name: (identifier) @name @visibility.public) @def.field
(test_declaration [(string) (identifier)] @name (block) @body) @def.function

; Imports. A constant whose value is a type of a module counts as an import: `const Store = shop.Store;`.

(variable_declaration "const" . (identifier) @import.alias
  . (field_expression object: (identifier) @import.module member: (identifier) @import.name @ref.import) .
  (#match? @import.alias "^[A-Z]") (#match? @import.module "^[a-z]") (#match? @import.name "^[A-Z]")) @import

(variable_declaration (identifier) @import.alias
  (builtin_function (builtin_identifier) @_import (arguments (string) @import.module))
  (#eq? @_import "@import")) @import
(variable_declaration (identifier) @import.alias
  (field_expression
    object: (builtin_function (builtin_identifier) @_import (arguments (string) @import.module))
    member: (identifier) @import.name)
  (#eq? @_import "@import")) @import
(using_namespace_declaration
  (builtin_function (arguments (string) @import.module))) @import @import.wildcard
((field_expression
    object: (builtin_function (builtin_identifier) @_import)
    member: (identifier) @ref.import)
  (#eq? @_import "@import"))

; Calls

(call_expression function: [
  (identifier) @ref.call
  (field_expression object: (_) @qualifier member: (identifier) @ref.call)])
(struct_initializer [
  (identifier) @ref.call
  (field_expression object: (_) @qualifier member: (identifier) @ref.call)] (initializer_list))
(builtin_function (builtin_identifier) @ref.call)

; Bindings

(parameter name: (identifier) @ref.bind type: (_) @qualifier)
(payload (identifier) @ref.bind)
(variable_declaration ["const" "var"] . (identifier) @ref.bind type: (_) @qualifier)
(block (variable_declaration ["const" "var"] . (identifier) @ref.bind . (_) @qualifier .))
(block (variable_declaration ["const" "var"] . (identifier) @ref.bind))

; Writes. The grammar parses an assignment as a declaration without a keyword.

(variable_declaration . [
  (identifier) @ref.write
  (field_expression object: (_) @qualifier member: (identifier) @ref.write)])

(struct_initializer . (_) @qualifier
  (initializer_list (assignment_expression left: (field_expression . "." . member: (identifier) @ref.write))))
(assignment_expression left: [
  (identifier) @ref.write
  (field_expression member: (identifier) @ref.write)])

; All other names

(field_expression object: (_) @qualifier member: (identifier) @ref.read)
(error_union_type ok: (identifier) @ref.type)
(pointer_type (identifier) @ref.type)
(nullable_type (identifier) @ref.type)
(slice_type (identifier) @ref.type)
(parameter type: (identifier) @ref.type)
(container_field type: (identifier) @ref.type)
(function_declaration type: (identifier) @ref.type)
(identifier) @ref.read

; Scopes

[
  (block)
  (if_statement)
  (if_expression)
  (for_statement)
  (for_expression)
  (while_statement)
  (while_expression)
  (catch_expression)
  (switch_case)] @block

; Branches, for complexity

(if_statement) @branch
(if_expression) @branch
(for_statement) @branch
(for_expression) @branch
(while_statement) @branch
(while_expression) @branch
(try_expression) @branch
(catch_expression) @branch
(switch_case) @branch
(binary_expression operator: ["and" "or" "orelse"] @branch)

(comment) @comment
