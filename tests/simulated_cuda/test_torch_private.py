"""The ledger of PyTorch's private names is true and complete; so is the table of patches."""

import ast
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from packaging.version import Version
from rules import for_each

from grader.simulated_cuda import choice, simulated_cuda, torch_private
from grader.simulated_cuda.torch_private import BOTH, NATIVE, PYTHON, Private

PACKAGE = Path(torch_private.__file__).parent
# Attributes of ours that look like PyTorch's: they are set on tensors.
OURS = {"_class_on_cpu"}
# Modules that are listed by the names in them.
SPACES = {"_C", "_acc", "_autograd", "_device", "_distributed_c10d", "_mode_utils", "_utils"}
SPACES |= {"_tensor_str"}
# The release that reads a name first. Before, we set it as well, and nobody asks.
READ_SINCE = {
    "_cuda_allocationTraceback": "2.12",
    "_cuda_cudaCachingAllocator_is_enabled": "2.12",
    "_cuda_getCublasLtWorkspaceSize": "2.13",
    "_cuda_getCublasWorkspaceSize": "2.13",
    "_cuda_getCurrentSolverHandle": "2.13",
    "_cuda_setCublasLtWorkspaceSize": "2.13",
    "_cuda_setCublasWorkspaceSize": "2.13",
}


@for_each([*BOTH, *NATIVE, *PYTHON], lambda p: f"{p.owner}.{p.name}")
def test_pytorch_has(private: Private) -> None:
    owner: Any = pkgutil.resolve_name(private.owner)
    assert hasattr(owner, private.name) or private.name in inspect.getsource(owner), private.why


def _private_names(tree: ast.Module) -> Iterator[str]:
    """The private attributes that a file reads or imports, but for operators (`aten._to_copy`)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if not (isinstance(node.value, ast.Name) and node.value.id == "aten"):
                yield node.attr
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("torch"):
            yield from (alias.name for alias in node.names)


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield from [node.attr] if ast.unparse(node.value) == "self" else []


def test_the_ledger_has_every_private_name_that_is_used() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")]
    ours = OURS | SPACES | {name for tree in trees for name in _defined(tree)}
    used = {name for tree in trees for name in _private_names(tree)}
    private = {name for name in used if name.startswith("_") and not name.startswith("__")}
    listed = {private.name for private in (*BOTH, *NATIVE, *PYTHON)}
    assert private - ours - listed == set()
    assert {name for name in listed if name.startswith("_")} - used == set(), "used no more"


def test_every_name_that_is_replaced_is_one_that_pytorch_has_or_reads() -> None:
    with simulated_cuda():
        table = choice.load().replaced()
    assert len(table) > 50
    assert all(patch.why for patch in table)
    root = Path(torch.__file__).parent
    sources = (path.read_text(encoding="utf-8") for path in root.rglob("*.py"))
    words = set().union(*(re.findall(r"\w+", source) for source in sources))
    unknown = {p.name for p in table if not hasattr(p.owner, p.name) and p.name not in words}
    running = Version(torch.__version__)
    later = {name for name, release in READ_SINCE.items() if running < Version(release)}
    assert unknown - later == set()
