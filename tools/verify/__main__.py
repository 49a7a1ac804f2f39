"""`python tools/verify`, which puts only this folder on Python's path."""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    runpy.run_module("verify.command", run_name="__main__")
