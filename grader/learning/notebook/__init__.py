"""What a notebook uses: the check cell and how a report looks in it."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
