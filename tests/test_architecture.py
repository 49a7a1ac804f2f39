"""The house stays as docs/architecture.md draws it: wings, faces, ceilings of lines, names."""

import ast
import runpy
import tomllib
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import pytest

import grader

PACKAGE = Path(grader.__file__).parent
ROOT = PACKAGE.parent
ROOMS = runpy.run_path(str(ROOT / "tools" / "rooms.py"))
WINGS = ROOMS["wings"]()
CEILINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ceilings"]
FILES = {"__init__.py", "__main__.py", "errors.py", "loading.py", "pytest_plugin.py", "py.typed"}


def test_there_are_eleven_wings_and_five_files():
    entries = {path.name for path in PACKAGE.iterdir()} - {"__pycache__"}

    assert len(WINGS) == 11
    assert entries == {*WINGS, *FILES}


@pytest.mark.parametrize("folder", CEILINGS)
def test_a_folder_stays_below_its_ceiling(folder):
    assert ROOMS["lines"](ROOT / folder) <= CEILINGS[folder], "fold, merge or delete as much"


@pytest.mark.parametrize("wing", sorted(set(WINGS) - {"cli", "simulated_cuda"}))
def test_every_name_on_a_face_is_there_and_is_used_outside(wing):
    module = import_module(f"grader.{wing}")
    expected = set()
    for path in (p for p in PACKAGE.rglob("*.py") if p.relative_to(PACKAGE).parts[0] != wing):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        expected |= {a.name for i in imports if i.module == f"grader.{wing}" for a in i.names}
        if any(i.module == "grader" and wing in [a.name for a in i.names] for i in imports):
            dotted = (node for node in nodes if isinstance(node, ast.Attribute))
            expected |= {
                d.attr for d in dotted if isinstance(d.value, ast.Name) and d.value.id == wing
            }

    assert all(hasattr(module, name) for name in module.__all__)
    assert set(module.__all__) == expected


def test_a_class_has_a_name_of_its_own():
    homes = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(file)

    shared = {name: files for name, files in homes.items() if len(files) > 1}
    assert shared == {}
