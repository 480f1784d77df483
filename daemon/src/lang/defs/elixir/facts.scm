; In Elixir even definitions are calls: the name that is called determines what is defined, as in `defmodule Shop do`.

; Modules, protocols, implementations

((call target: (identifier) @_word (arguments . (alias) @name) (do_block) @body) @def.module
  (#eq? @_word "defmodule"))
((call target: (identifier) @_word (arguments . (alias) @name) (do_block) @body) @def.interface
  (#eq? @_word "defprotocol"))
((call target: (identifier) @_word
  (arguments . (alias) @relation.implements (keywords (pair value: (alias) @scope.name @relation.subject)))) @scope
  (#eq? @_word "defimpl"))
; The container of an implementation for several types is the first of them: `defimpl Size, for: [List, Map]`.
((call target: (identifier) @_word
  (arguments . (alias) (keywords (pair value: (list . (alias) @scope.name))))) @scope
  (#eq? @_word "defimpl"))
((call target: (identifier) @_word
  (arguments . (alias) @relation.implements (keywords (pair value: (list (alias) @relation.subject)))))
  (#eq? @_word "defimpl"))

; Fields of structs and exceptions
((call target: (identifier) @_word (arguments [
  (list (atom) @name @def.field)
  (list (keywords (pair key: (keyword) @name) @def.field))
  (keywords (pair key: (keyword) @name) @def.field)]))
  (#any-of? @_word "defstruct" "defexception"))

; Functions. Each clause is a definition.

((call target: (identifier) @modifiers
  (arguments
    . [(call target: (identifier) @name)
       (identifier) @name
       (binary_operator left: [(call target: (identifier) @name) (identifier) @name] operator: "when")]
    . (keywords)? @body)
  (do_block)? @body) @def.function
  (#any-of? @modifiers "def" "defp" "defdelegate"))
((call target: (identifier) @modifiers
  (arguments
    . [(call target: (identifier) @name)
       (identifier) @name
       (binary_operator left: [(call target: (identifier) @name) (identifier) @name] operator: "when")]
    . (keywords)? @body)
  (do_block)? @body) @def.macro
  (#any-of? @modifiers "defmacro" "defmacrop" "defguard" "defguardp"))
; Operators
((call target: (identifier) @modifiers
  (arguments . (binary_operator left: (identifier) operator: _ @name right: (identifier)) . (keywords)? @body)
  (do_block)? @body) @def.function
  (#any-of? @modifiers "def" "defp" "defmacro" "defmacrop") (#not-eq? @name "when"))
((call target: (identifier) @_word (arguments . (string) @name) (do_block) @body) @def.function
  (#any-of? @_word "test" "property"))

; Types, callbacks and constants of a module

((unary_operator operator: "@" operand: (call
  target: (identifier) @modifiers
  (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))) @def.alias
  (#any-of? @modifiers "type" "typep" "opaque"))
((unary_operator operator: "@" operand: (call
  target: (identifier) @_word
  (arguments . (binary_operator left: (call target: (identifier) @name) operator: "::")))) @def.function
  (#any-of? @_word "callback" "macrocallback"))
((unary_operator operator: "@" operand: (call target: (identifier) @name (arguments))) @def.constant
  (#not-any-of? @name "doc" "moduledoc" "typedoc" "spec" "impl" "type" "typep" "opaque" "callback" "macrocallback"
    "behaviour" "deprecated" "dialyzer" "derive" "enforce_keys" "optional_callbacks" "compile" "external_resource"
    "before_compile" "after_compile" "on_definition" "on_load" "fallback_to_any" "since" "vsn" "tag" "moduletag"
    "describetag"))

; Documentation, and attributes between it and the definition

((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments . (string (quoted_content) @doc))))
  (#eq? @_word "moduledoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments . (sigil (quoted_content) @doc))))
  (#eq? @_word "moduledoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments . [(string) (sigil)]))) @comment
  (#any-of? @_word "doc" "typedoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_word)) @attribute
  (#any-of? @_word "spec" "impl" "deprecated" "dialyzer" "tag" "since"))
; `@doc false`, `@doc since: "1.1"`
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments . [(boolean) (keywords)]))) @attribute
  (#any-of? @_word "doc" "typedoc"))

; Imports

((call target: (identifier) @_word (arguments . (alias) @import.module @ref.import)) @import
  (#any-of? @_word "alias" "require" "use"))
((call target: (identifier) @_word (arguments . (alias) @import.module @ref.import . (keywords))) @import
  (#eq? @_word "import"))
((call target: (identifier) @_word (arguments . (alias) @import.module @import.wildcard @ref.import .)) @import
  (#eq? @_word "import"))
((call target: (identifier) @_word
  (arguments
    . (alias) @import.module
    . (keywords (pair key: (keyword) @_only value: (list (keywords (pair key: (keyword) @import.name @ref.import))))))) @import
  (#eq? @_word "import") (#match? @_only "^only:"))
((call target: (identifier) @_word
  (arguments . (alias) @import.module (keywords (pair key: (keyword) @_as value: (alias) @import.alias @ref.import)))) @import
  (#any-of? @_word "alias" "require") (#match? @_as "^as:"))
((call target: (identifier) @_word
  (arguments . (dot left: (_) @import.module right: [
    (tuple (alias) @import.name @ref.import)
    (alias) @import.name @ref.import]))) @import
  (#any-of? @_word "alias" "require" "use" "import"))

; Relations

((call target: (identifier) @_word (arguments . (alias) @relation.extends)) (#eq? @_word "use"))
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments . (alias) @relation.implements)))
  (#eq? @_word "behaviour"))

; Calls

((call target: (identifier) @ref.call)
  (#not-any-of? @ref.call "def" "defp" "defmodule" "defmacro" "defmacrop" "defprotocol" "defimpl" "defguard"
    "defguardp" "defdelegate" "alias" "import" "require" "use" "if" "unless" "case" "cond" "with" "for" "try" "receive"
    "quote" "doc" "moduledoc" "typedoc" "spec" "impl" "type" "typep" "opaque" "callback" "behaviour"))
(call target: (dot left: (_) @qualifier right: (identifier) @ref.call) (arguments))
(call target: (dot left: (alias) @qualifier right: (identifier) @ref.call))
(binary_operator operator: "|>" right: (identifier) @ref.call)
; A function as a value: `&name/1`.
(unary_operator operator: "&" operand: (binary_operator
  left: (call target: (dot left: (_) @qualifier right: (identifier) @ref.named)) operator: "/" right: (integer)))
(unary_operator operator: "&" operand: (binary_operator
  left: (identifier) @ref.named operator: "/" right: (integer)))
(dot left: (_) @qualifier right: (identifier) @ref.read)

; A delegate calls the function that it names, or the one of its own name.
((call target: (identifier) @_word
  (arguments
    . [(call target: (identifier) @ref.name) (identifier) @ref.name]
    (keywords . (pair key: (keyword) @ref.call value: (_) @qualifier) .)))
  (#eq? @_word "defdelegate") (#match? @ref.call "^to:"))
((call target: (identifier) @_word
  (arguments (keywords (pair key: (keyword) @_to value: (_) @qualifier) (pair key: (keyword) @_as value: (atom) @ref.call))))
  (#eq? @_word "defdelegate") (#match? @_to "^to:") (#match? @_as "^as:"))

; Bindings: parameters, and the sides of a match to the usual depth

((call target: (identifier) @_word (arguments . [
  (call (arguments (identifier) @ref.bind))
  (call (arguments (binary_operator left: (identifier) @ref.bind operator: "\\\\")))
  (call (arguments (tuple (identifier) @ref.bind)))
  (call (arguments (list (binary_operator [left: (identifier) @ref.bind right: (identifier) @ref.bind]))))
  (call (arguments (map (map_content (keywords (pair value: (identifier) @ref.bind))))))
  (binary_operator left: (call (arguments (identifier) @ref.bind)) operator: "when")
  (binary_operator
    left: (call (arguments (map (map_content (keywords (pair value: (identifier) @ref.bind)))))) operator: "when")]))
  (#any-of? @_word "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate"))
(binary_operator
  left: (map (struct (_) @qualifier) (map_content (keywords (pair value: (identifier) @ref.bind)))) operator: "=")
(binary_operator left: (map (struct (_) @qualifier)) operator: "=" right: (identifier) @ref.bind)
(binary_operator left: (identifier) @ref.bind operator: "=" right: (map (struct (_) @qualifier)))
(binary_operator left: (identifier) @ref.bind operator: ["=" "<-"])
(binary_operator left: (tuple (identifier) @ref.bind) operator: ["=" "<-"])
(binary_operator left: (list (identifier) @ref.bind) operator: ["=" "<-"])
(binary_operator left: (map (map_content (keywords (pair value: (identifier) @ref.bind)))) operator: ["=" "<-"])
(stab_clause left: (arguments [
  (identifier) @ref.bind
  (tuple (identifier) @ref.bind)
  (map (map_content (keywords (pair value: (identifier) @ref.bind))))
  (binary_operator left: (identifier) @ref.bind operator: "in")]))

; All other names

(alias) @ref.type
((identifier) @ref.read
  (#not-any-of? @ref.read "def" "defp" "defmodule" "defmacro" "defmacrop" "defprotocol" "defimpl" "defguard"
    "defguardp" "defdelegate" "alias" "import" "require" "use" "if" "unless" "case" "cond" "with" "for" "try" "receive"
    "quote" "moduledoc" "typedoc" "typep"))

; Scopes

[(do_block) (else_block) (rescue_block) (catch_block) (after_block) (anonymous_function) (stab_clause)] @block
((call target: (identifier) @_each) @block (#any-of? @_each "for" "with"))

; Branches, for complexity

((call target: (identifier) @branch) (#any-of? @branch "if" "unless" "for"))
((do_block (stab_clause left: (arguments . (_) @_pattern)) @branch) (#not-any-of? @_pattern "_" "true"))
((do_block (stab_clause left: (binary_operator)) @branch))
((else_block (stab_clause left: (arguments . (_) @_pattern)) @branch) (#not-any-of? @_pattern "_" "true"))
(rescue_block (stab_clause) @branch)
(catch_block (stab_clause) @branch)
(binary_operator operator: ["&&" "||" "and" "or"]) @branch

(comment) @comment
