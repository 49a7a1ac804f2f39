"""One report, each of its faces: text, HTML, JSON, JUnit, SARIF, annotations."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
