; Imports. The parts of a path in nested groups are captured one by one, the outermost first.

(extern_crate_declaration (visibility_modifier)? @import.reexport
  name: (_) @import.module alias: (_)? @import.alias) @import

(use_declaration (visibility_modifier)? @import.reexport argument: [
  (identifier) @import.module
  (scoped_identifier path: (_) @import.module name: (_) @import.name)
  (use_as_clause path: (identifier) @import.module alias: (_) @import.alias)
  (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
  (use_wildcard (_) @import.module) @import.wildcard]) @import

(use_declaration (visibility_modifier)? @import.reexport argument: (use_list [
  (identifier) @import.module
  (scoped_identifier path: (_) @import.module name: (_) @import.name)
  (use_as_clause path: (identifier) @import.module alias: (_) @import.alias)
  (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
  (use_wildcard (_) @import.module) @import.wildcard])) @import

(use_declaration (visibility_modifier)? @import.reexport argument: (scoped_use_list
  path: (_) @import.module
  list: (use_list [
    (identifier) @import.name
    (self) @import.name
    (use_as_clause path: [(identifier) (self)] @import.name alias: (_) @import.alias)
    (scoped_identifier path: (_) @import.module name: (_) @import.name)
    (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
    (use_wildcard (_)? @import.module) @import.wildcard]))) @import

(use_declaration (visibility_modifier)? @import.reexport argument: [
  (scoped_use_list path: (_) @import.module list: (use_list (scoped_use_list
    path: (_) @import.module
    list: (use_list [
      (identifier) @import.name
      (self) @import.name
      (use_as_clause path: [(identifier) (self)] @import.name alias: (_) @import.alias)
      (scoped_identifier path: (_) @import.module name: (_) @import.name)
      (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
      (use_wildcard (_)? @import.module) @import.wildcard]))))
  (use_list (scoped_use_list
    path: (_) @import.module
    list: (use_list [
      (identifier) @import.name
      (self) @import.name
      (use_as_clause path: [(identifier) (self)] @import.name alias: (_) @import.alias)
      (scoped_identifier path: (_) @import.module name: (_) @import.name)
      (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
      (use_wildcard (_)? @import.module) @import.wildcard])))]) @import

(use_declaration (visibility_modifier)? @import.reexport argument: (scoped_use_list
  path: (_) @import.module
  list: (use_list (scoped_use_list
    path: (_) @import.module
    list: (use_list (scoped_use_list
      path: (_) @import.module
      list: (use_list [
        (identifier) @import.name
        (self) @import.name
        (use_as_clause path: [(identifier) (self)] @import.name alias: (_) @import.alias)
        (scoped_identifier path: (_) @import.module name: (_) @import.name)
        (use_wildcard (_)? @import.module) @import.wildcard]))))))) @import

; Groups without a path of their own: at the top, in a group with a path, and around a group with a path

(use_declaration (visibility_modifier)? @import.reexport argument: (use_list (use_list [
  (identifier) @import.module
  (scoped_identifier path: (_) @import.module name: (_) @import.name)
  (use_as_clause path: (identifier) @import.module alias: (_) @import.alias)
  (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
  (use_wildcard (_) @import.module) @import.wildcard
  (use_list [
    (identifier) @import.module
    (scoped_identifier path: (_) @import.module name: (_) @import.name)
    (use_as_clause path: (identifier) @import.module alias: (_) @import.alias)
    (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
    (use_wildcard (_) @import.module) @import.wildcard])]))) @import

(use_declaration (visibility_modifier)? @import.reexport argument: (scoped_use_list
  path: (_) @import.module
  list: (use_list (use_list [
    (identifier) @import.name
    (self) @import.name
    (use_as_clause path: [(identifier) (self)] @import.name alias: (_) @import.alias)
    (scoped_identifier path: (_) @import.module name: (_) @import.name)
    (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
    (use_wildcard (_)? @import.module) @import.wildcard
    (use_list [
      (identifier) @import.name
      (self) @import.name
      (use_as_clause path: [(identifier) (self)] @import.name alias: (_) @import.alias)
      (scoped_identifier path: (_) @import.module name: (_) @import.name)
      (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
      (use_wildcard (_)? @import.module) @import.wildcard])])))) @import

(use_declaration (visibility_modifier)? @import.reexport argument: [
  (scoped_use_list path: (_) @import.module list: (use_list (use_list [
    (scoped_use_list path: (_) @import.module list: (use_list [
      (identifier) @import.name
      (self) @import.name
      (use_as_clause path: [(identifier) (self)] @import.name alias: (_) @import.alias)
      (scoped_identifier path: (_) @import.module name: (_) @import.name)
      (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
      (use_wildcard (_)? @import.module) @import.wildcard]))
    (use_list (scoped_use_list path: (_) @import.module list: (use_list [
      (identifier) @import.name
      (self) @import.name
      (use_as_clause path: [(identifier) (self)] @import.name alias: (_) @import.alias)
      (scoped_identifier path: (_) @import.module name: (_) @import.name)
      (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
      (use_wildcard (_)? @import.module) @import.wildcard])))])))
  (scoped_use_list path: (_) @import.module list: (use_list (scoped_use_list
    path: (_) @import.module
    list: (use_list (use_list [
      (identifier) @import.name
      (self) @import.name
      (use_as_clause path: [(identifier) (self)] @import.name alias: (_) @import.alias)
      (scoped_identifier path: (_) @import.module name: (_) @import.name)
      (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
      (use_wildcard (_)? @import.module) @import.wildcard])))))
  (use_list [
    (use_list (scoped_use_list path: (_) @import.module list: (use_list [
      (identifier) @import.name
      (self) @import.name
      (use_as_clause path: [(identifier) (self)] @import.name alias: (_) @import.alias)
      (scoped_identifier path: (_) @import.module name: (_) @import.name)
      (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
      (use_wildcard (_)? @import.module) @import.wildcard])))
    (scoped_use_list path: (_) @import.module list: (use_list (use_list [
      (identifier) @import.name
      (self) @import.name
      (use_as_clause path: [(identifier) (self)] @import.name alias: (_) @import.alias)
      (scoped_identifier path: (_) @import.module name: (_) @import.name)
      (use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (_) @import.alias)
      (use_wildcard (_)? @import.module) @import.wildcard])))])]) @import

; Names in imports

(extern_crate_declaration [name: (_) alias: (_)] @ref.import)
(use_declaration argument: (identifier) @ref.import)
(use_declaration argument: (scoped_identifier path: (_) @qualifier name: (identifier) @ref.import))
(use_list (identifier) @ref.import)
(use_list (scoped_identifier path: (_) @qualifier name: (identifier) @ref.import))
(use_as_clause path: (identifier) @ref.import)
(use_as_clause path: (scoped_identifier path: (_) @qualifier name: (identifier) @ref.import))
(use_as_clause alias: (identifier) @ref.import)
(scoped_use_list path: (identifier) @ref.import)
(scoped_use_list path: (scoped_identifier path: (_) @qualifier name: (identifier) @ref.import))
(use_wildcard (identifier) @ref.import)
(use_wildcard (scoped_identifier path: (_) @qualifier name: (identifier) @ref.import))
