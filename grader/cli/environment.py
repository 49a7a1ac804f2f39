"""Which program installs packages into this environment."""

from __future__ import annotations

import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

Home = Literal["venv", "uv", "conda", "system", "managed system"]


def home() -> Home:
    """Whose environment runs this: conda's, uv's, another one, or the system's own."""
    if (Path(sys.prefix) / "conda-meta").is_dir():
        return "conda"
    if sys.prefix != sys.base_prefix:
        # uv makes environments without a pip. Looked up by metadata: where setuptools is, to find
        # the module takes setuptools' `distutils` away from this process (`_distutils_hack`).
        return "venv" if installed_version("pip") else "uv"
    managed = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").exists()
    return "managed system" if managed else "system"


def installed_version(name: str) -> str:
    """The version of a distribution; `""` if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
