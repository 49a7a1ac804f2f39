"""Which implementation of the simulated device this process uses: chosen once, at the first use."""

from __future__ import annotations

import os
import warnings
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, cast, get_args

from .errors import LibraryError, SettingError
from .interface import Device

Implementation = Literal["native", "python"]
VARIABLE = "SIMULATED_CUDA_IMPLEMENTATION"


@cache
def implementation() -> Implementation:
    """`native`, or `python` where no native library is there and none can be built.

    Set `SIMULATED_CUDA_IMPLEMENTATION` to one of the two before the first use to choose.

    Raises:
        SettingError: the variable names something else.
        LibraryError: it asks for `native`, which cannot be had.
    """
    asked = os.environ.get(VARIABLE)
    if asked and asked not in get_args(Implementation):
        raise SettingError(
            f"{VARIABLE} is {asked!r}. Set it to native or python, or leave it unset."
        )
    if asked == "python":
        return "python"
    from .native import build

    try:
        build.find_or_build()
    except LibraryError as error:
        if asked == "native":
            raise
        if build.compiler():  # that there is no compiler is no news each time
            warnings.warn(f"{error} The slower Python device stands in.", stacklevel=2)
        return "python"
    return "native"


def compile_beforehand() -> bool:
    """Compile the native library if this process will use it; whether it is there."""
    if os.environ.get(VARIABLE) == "python":
        return False
    from .native import build

    try:
        build.find_or_build()
    except LibraryError:
        return False
    return True


def cache_folder() -> Path:
    """Where built libraries are kept; `native/build.py`, which is slow to import, says how."""
    from .native import build

    return build.cache_folder()


@cache
def load() -> Device:
    """Import the implementation. Its module is the device: it has each function of `Device`."""
    packages: dict[Implementation, str] = {"native": "native", "python": "python_device"}
    switch: Any = import_module(f".{packages[implementation()]}.switch", __package__)
    return cast(Device, switch)
