(simple_identifier) @ref.read
