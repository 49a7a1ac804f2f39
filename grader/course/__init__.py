"""What is taught, and where its files are: exercises, questions, the exam's pool. No torch."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
