"""Any module, without a rubric: one, those of a package, those that a test suite calls."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
