; Elements. A capitalized one calls its component: `<Button />`.

(jsx_opening_element name: (identifier) @ref.call (#match? @ref.call "^[A-Z]"))
(jsx_self_closing_element name: (identifier) @ref.call (#match? @ref.call "^[A-Z]"))
(jsx_opening_element name: (member_expression object: (_) @qualifier property: (property_identifier) @ref.call))
(jsx_self_closing_element name: (member_expression object: (_) @qualifier property: (property_identifier) @ref.call))
(jsx_opening_element name: (_) @qualifier attribute: (jsx_attribute (property_identifier) @ref.write))
(jsx_self_closing_element name: (_) @qualifier attribute: (jsx_attribute (property_identifier) @ref.write))
