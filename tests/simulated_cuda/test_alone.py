"""The device is a package of its own within this one: it and its tests need nothing of the rest."""

import ast
import os
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest
from in_pytest import PACKAGE, environment

HERE = Path(__file__).parent
# `torchgen` comes with torch, and imports PyYAML.
NEEDED = {"filelock", "torch", "torchgen"}
# Read by each Python at its start: whatever imports another part of the grader fails.
BLOCK = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        wing = name.split(".")[1:2]
        if name.startswith("grader.") and wing != ["simulated_cuda"]:
            raise ModuleNotFoundError(f"{name} is not there", name=name)

sys.meta_path.insert(0, Missing())
"""


def imported(path: Path) -> set[str]:
    """The packages that a file imports by their names; within the device, paths are relative."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.partition(".")[0] for name in [*names, *(node.module or "" for node in froms)]}


def test_it_imports_torch_and_filelock_and_its_plugin_pytest() -> None:
    others = {path: imported(path) - sys.stdlib_module_names for path in PACKAGE.rglob("*.py")}

    assert set().union(*others.values()) == {*NEEDED, "pytest"}
    assert [path.name for path, names in others.items() if "pytest" in names] == [
        "pytest_plugin.py"
    ]


def test_it_has_what_a_package_of_its_own_has() -> None:
    import grader.simulated_cuda as device_or_manager

    package = sys.modules[device_or_manager.__module__]

    assert (PACKAGE / "py.typed").exists()
    public = [getattr(package, name) for name in package.__all__]
    assert all(each.__doc__ for each in public if isinstance(each, type | FunctionType))
    errors = [each for each in public if isinstance(each, type) and issubclass(each, Exception)]
    assert len(errors) == 3
    assert all(issubclass(each, package.SimulatedCudaError) for each in errors)


@pytest.mark.nightly
@pytest.mark.skipif(not hasattr(os, "fork"), reason="on Linux: this system has no fork")
def test_its_tests_run_where_the_rest_cannot_be_imported(tmp_path: Path) -> None:
    variables = environment(tmp_path)
    (tmp_path / "sitecustomize.py").write_text(BLOCK)
    variables["PYTHONPATH"] = os.pathsep.join([str(tmp_path), variables["PYTHONPATH"]])
    blocked = subprocess.run([sys.executable, "-c", "import grader.errors"], env=variables)

    chosen = ["-m", "not (search or nightly)", f"--confcutdir={HERE}", HERE]
    command = [sys.executable, "-m", "pytest", "-q", *chosen]
    ended = subprocess.run(
        command, cwd=HERE.parents[1], env=variables, capture_output=True, text=True
    )

    assert blocked.returncode == 1
    assert ended.returncode == 0, ended.stdout
