; Definitions. A variable is a definition if it is assigned at the top level. Patterns of constants come first.

(function_definition name: (word) @name body: (_) @body) @def.function

(program (declaration_command "readonly" (variable_assignment name: (variable_name) @name)) @def.constant)
((program (declaration_command
  ["declare" "typeset" "export"] (word) @_flags (variable_assignment name: (variable_name) @name)) @def.constant)
  (#match? @_flags "^-[A-Za-z]*r"))
(program (declaration_command (variable_assignment name: (variable_name) @name)) @def.variable)
(program (variable_assignment name: (variable_name) @name "=") @def.variable)

; Imports. The literal part of a composed path names the file: `source "$HOME/lib.sh"`.

((command
  name: (command_name (word) @_source)
  . argument: [
    (word) @import.module
    (raw_string) @import.module
    (string . (string_content) @import.module .)
    (string . [(expansion) (simple_expansion) (command_substitution)] . (string_content) @import.module .)
    (concatenation . [(expansion) (simple_expansion) (command_substitution) (string)] . (word) @import.module .)]) @import
  (#any-of? @_source "source" "."))

; Uses of names

(command_name (word) @ref.call)
; Commands that take the name of another command: `sudo make`, `trap cleanup EXIT`.
((command name: (command_name (word) @_runner) . argument: (word) @ref.mention)
  (#any-of? @_runner "trap" "command" "type" "time" "exec" "eval" "sudo") (#match? @ref.mention "^[A-Za-z_]"))

(declaration_command "local" (variable_assignment name: (variable_name) @ref.bind))
(declaration_command ["local" "declare" "typeset"] (variable_name) @ref.bind)
(for_statement variable: (variable_name) @ref.bind)
(c_style_for_statement initializer: (variable_assignment name: (variable_name) @ref.bind))
((command name: (command_name (word) @_read) argument: (word) @ref.bind)
  (#any-of? @_read "read" "mapfile" "readarray" "getopts") (#match? @ref.bind "^[A-Za-z_]"))

(variable_assignment name: (variable_name) @ref.write)
(variable_assignment name: (subscript name: (variable_name) @ref.write))
(postfix_expression (variable_name) @ref.write)
(unset_command (variable_name) @ref.write)
((variable_name) @ref.read (#not-match? @ref.read "^[0-9]"))

; Branches, for complexity

(if_statement) @branch
(elif_clause) @branch
(for_statement) @branch
(c_style_for_statement) @branch
(while_statement) @branch
(ternary_expression) @branch
((case_item . value: (_) @_pattern) @branch (#not-eq? @_pattern "*"))
(list) @branch
(binary_expression operator: ["&&" "||"]) @branch

; A `#!` line is not documentation.
((comment) @comment (#not-match? @comment "^#!"))
