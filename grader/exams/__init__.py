"""The exam: ten modules to judge by reading them, then three of them to fix.

`modules/` has the pool, `fixed/` a right version of each wrong module, and `truth.json` what
happens when each one runs. `tools/refresh_exam.py` measures that; nobody writes it by hand.
"""
