"""Semble's own MCP server, ranking by words alone: for machines that cannot download its model.

Run by the interpreter of its installation, with a dummy model in place of its own.
"""

import semble.search
from semble.cli import main

# The weight of the vectors.
semble.search.resolve_alpha = lambda query, alpha: 0.0

if __name__ == "__main__":
    main()
