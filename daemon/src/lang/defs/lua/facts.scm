; Definitions: declared functions, and functions that are assigned to a name. The result of a function is captured if the
; function ends with a `return` of a single name: `return store`.

(function_declaration name: (method_index_expression table: (_) @container method: (identifier) @name)
  body: (block (return_statement (expression_list . (identifier) @gives .)) .) @body) @def.method
(function_declaration name: (dot_index_expression table: (_) @container field: (identifier) @name)
  body: (block (return_statement (expression_list . (identifier) @gives .)) .) @body) @def.function
(function_declaration "local"? @modifiers name: (identifier) @name body: (block)? @body) @def.function
(function_declaration name: (dot_index_expression table: (_) @container field: (identifier) @name)
  body: (block)? @body) @def.function
(function_declaration name: (method_index_expression table: (_) @container method: (identifier) @name)
  body: (block)? @body) @def.method

(variable_declaration "local" @modifiers (assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition body: (block)? @body)))) @def.function
(assignment_statement
  (variable_list . name: [
    (identifier) @name
    (dot_index_expression table: (_) @container field: (identifier) @name)
    (bracket_index_expression table: (_) @container field: (string content: (string_content) @name))])
  (expression_list . value: (function_definition body: (block)? @body))) @def.function
(field name: (identifier) @name value: (function_definition body: (block)? @body)) @def.function
(field name: (string content: (string_content) @name) value: (function_definition body: (block)? @body)) @def.function

; Variables of the file, and fields of its tables

((chunk (variable_declaration "local" @modifiers
  (assignment_statement (variable_list name: (identifier) @name . attribute: (attribute (identifier) @_attribute)))) @def.constant)
  (#eq? @_attribute "const"))
((chunk (variable_declaration "local" @modifiers
  (assignment_statement (variable_list name: (identifier) @name))) @def.variable)
  (#not-match? @def.variable "^local\\s+\\w+\\s*=\\s*require\\b"))
(chunk (variable_declaration "local" @modifiers (variable_list name: (identifier) @name)) @def.variable)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @def.variable)
(chunk (assignment_statement (variable_list
  name: (dot_index_expression table: (identifier) @container field: (identifier) @name))) @def.field)

; Imports

((function_call name: (identifier) @_require arguments: (arguments . (string content: (string_content) @import.module))) @import
  (#any-of? @_require "require" "dofile" "loadfile" "include"))
((variable_declaration (assignment_statement
  (variable_list . name: (identifier) @import.alias .)
  (expression_list . value: (function_call
    name: (identifier) @_require
    arguments: (arguments . (string content: (string_content) @import.module))) @import)))
  (#eq? @_require "require"))
((variable_declaration (assignment_statement
  (variable_list . name: (identifier) @import.alias @ref.import .)
  (expression_list . value: (dot_index_expression
    table: (function_call
      name: (identifier) @_require
      arguments: (arguments . (string content: (string_content) @import.module))) @import
    field: (identifier) @import.name))))
  (#eq? @_require "require"))
((variable_declaration (assignment_statement
  (variable_list . name: (identifier) @ref.import .)
  (expression_list . value: (function_call
    name: (identifier) @_require
    arguments: (arguments . (string))))))
  (#eq? @_require "require"))
((dot_index_expression
  table: (function_call
    name: (identifier) @_require
    arguments: (arguments . (string content: (string_content) @import.module))) @import
  field: (identifier) @import.name @ref.import)
  (#eq? @_require "require"))

; Relations: a table that looks up missing keys in another one: `setmetatable(Store, { __index = Base })`

((function_call
  name: (identifier) @_set
  arguments: (arguments
    . (identifier) @relation.subject
    . (table_constructor (field name: (identifier) @_index value: (identifier) @relation.extends))))
  (#eq? @_set "setmetatable") (#eq? @_index "__index"))

; A new table that looks up missing keys in another one: `local Store = setmetatable({}, { __index = Base })`

((variable_declaration (assignment_statement
  (variable_list . name: (identifier) @relation.subject)
  (expression_list . value: (function_call
    name: (identifier) @_set
    arguments: (arguments
      . (table_constructor)
      . (table_constructor (field name: (identifier) @_index value: (identifier) @relation.extends)))))))
  (#eq? @_set "setmetatable") (#eq? @_index "__index"))

; The value that `require` returns for the file

(chunk (return_statement (expression_list . (identifier) @default .)))

; Uses of names

(function_call name: (identifier) @ref.call)
(function_call name: (dot_index_expression table: (_) @qualifier field: (identifier) @ref.call))
(function_call name: (method_index_expression table: (_) @qualifier method: (identifier) @ref.call))

(parameters name: (identifier) @ref.bind)
((variable_declaration (assignment_statement
  (variable_list . name: (identifier) @ref.bind)
  (expression_list . value: (function_call
    name: (identifier) @_set
    arguments: (arguments . (_) . (identifier) @qualifier .)))))
  (#eq? @_set "setmetatable"))
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @ref.bind)
  (expression_list . value: (_) @qualifier)))
(variable_declaration (assignment_statement (variable_list name: (identifier) @ref.bind)))
(variable_declaration (variable_list name: (identifier) @ref.bind))
(for_numeric_clause name: (identifier) @ref.bind)
(for_generic_clause (variable_list name: (identifier) @ref.bind))

; A name is not in scope in its own initializer: `local store = store.open()`.
(variable_declaration (assignment_statement (variable_list) @initialized (expression_list) @initializer))
(for_numeric_clause name: (_) @initialized start: (_) @initializer)
(for_numeric_clause name: (_) @initialized end: (_) @initializer)
(for_numeric_clause name: (_) @initialized step: (_) @initializer)
(for_generic_clause (variable_list) @initialized (expression_list) @initializer)

(assignment_statement (variable_list name: (identifier) @ref.write))
(assignment_statement (variable_list
  name: (dot_index_expression table: (_) @qualifier field: (identifier) @ref.write)))
(table_constructor (field name: (identifier) @ref.write)) @qualifier

(dot_index_expression table: (_) @qualifier field: (identifier) @ref.read)
(identifier) @ref.read

; Scopes

[(block) (for_statement) (function_definition)] @block

; Branches, for complexity

(if_statement) @branch
(elseif_statement) @branch
(for_statement) @branch
(while_statement) @branch
(repeat_statement) @branch
(binary_expression ["and" "or"]) @branch

(comment) @comment
