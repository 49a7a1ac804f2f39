"""From facts to a report. Pure functions that run nothing and import no torch."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
