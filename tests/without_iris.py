"""Keeps `rfc3987_syntax` out: jsonschema, and so nbformat, would build its 38 parsers of IRIs.

That takes 1.4 s of processor time in each process. Nothing that is validated here is an IRI.
"""

import sys

sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment] # importing it is an ImportError
