"""Which implementation of the simulated device this process uses: chosen once, at the first use."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import Any, Literal, get_args

Implementation = Literal["native", "python"]
VARIABLE = "SIMULATED_CUDA_IMPLEMENTATION"


@cache
def implementation() -> Implementation:
    """`native`, or `python` where no native library can be had.

    Set `SIMULATED_CUDA_IMPLEMENTATION` to one of the two before the first use to choose.

    Raises:
        ValueError: the variable names something else.
    """
    wanted = os.environ.get(VARIABLE, "python")
    for name in get_args(Implementation):
        if name == wanted:
            return name  # type: ignore[no-any-return]
    raise ValueError(f"{VARIABLE} is {wanted!r}. Set it to native or python, or leave it unset.")


@cache
def load() -> Any:
    """The package that implements the device: `turn_on`, `set_count`, `turn_off`."""
    packages = {"native": ".native", "python": ".python_device"}
    return import_module(packages[implementation()], __package__)
