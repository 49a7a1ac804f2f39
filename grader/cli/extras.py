"""What a plain `pip install wheres-my-tensor` leaves out, and the command that adds it.

An audit, the pytest plugin and the simulated device need nothing of it.
"""

from __future__ import annotations

import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

Home = Literal["venv", "uv", "conda", "system", "managed system"]
# By the name that is imported; tests/cli/test_extras.py compares it with pyproject.toml.
EXTRAS = {
    "IPython": "notebooks",
    "anywidget": "notebooks",
    "fsrs": "learn",
    "ipywidgets": "notebooks",
    "matplotlib": "notebooks",
    "platformdirs": "learn",
    "prompt_toolkit": "learn",
    "pyseccomp": "classroom",
    "watchfiles": "learn",
}


def how_to_get(error: ModuleNotFoundError) -> str:
    """What to install, if `error` is about a package of an extra; else `""`."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return ""
    pip = "uv pip" if home() == "uv" else "python -m pip"
    return (
        f"This needs {package}, which is not installed here. Install what belongs to it:\n"
        f'    {pip} install "wheres-my-tensor[{EXTRAS[package]}]"'
    )


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
