; Definitions
