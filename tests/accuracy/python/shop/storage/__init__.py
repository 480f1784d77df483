"""Where orders are kept."""

from .base import Store  # ⟦ ref Store import ⟧
from .journal import open as open_journal  # ⟦ ref journal.open import ⟧
from .memory import MemoryStore, open  # ⟦ ref MemoryStore import ; ref memory.open import ⟧

__all__ = ["MemoryStore", "Store", "open", "open_journal"]  # ⟦ may MemoryStore, Store, memory.open, journal.open ⟧
