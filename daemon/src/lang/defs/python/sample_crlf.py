"""A module."""
import os

# The way home.
# In two lines.
def home(path: str) -> str:
    """Where it is.

    More.
    """
    if path:
        return os.sep
    return path


class Road:
    length = 1
