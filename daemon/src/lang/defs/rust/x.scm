(use_declaration argument: (scoped_use_list path: (_) @import.module list: (use_list [(identifier) @import.name (self) @import.name]))) @import
