"""Loads the modules to audit: every file of a folder beside this one."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parent


def load(path: Path) -> ModuleType:
    """The file as a module, known to Python as an imported one is."""
    name = f"audited_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def files(folder: str) -> list:
    """A parameter of a test for each file in `folder`, named after it."""
    return [pytest.param(path, id=path.stem) for path in sorted((HERE / folder).glob("*.py"))]
