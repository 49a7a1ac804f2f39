"""Spares each process 1.4 s: jsonschema, which nbformat imports, builds 38 parsers of IRIs."""

import sys

sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment] # importing it is an ImportError
