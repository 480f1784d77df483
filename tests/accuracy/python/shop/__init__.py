"""A small shop."""

from .models import Line, Money, Order, Status  # ⟦ ref Line import ; ref Money import ; ref Order import ; ref Status import ⟧
from .pricing import total as price_of  # ⟦ ref pricing.total import ⟧
