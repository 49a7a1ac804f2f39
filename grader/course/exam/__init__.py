"""The exam: ten modules to judge by reading them, then three of them to fix.

`modules/` has the pool, `fixes.toml` what makes the wrong ones right, and `truth.json` what
happens when each one runs. `tools/refresh_exam.py` measures that; nobody writes it by hand.
"""
