"""An answer to an exercise: load, probe, judge; and whether the grader itself is right."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
