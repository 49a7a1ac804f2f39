"""Loads the modules to audit: every file of a folder beside this one."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pasting import imported, loaded

HERE = Path(__file__).resolve().parent


def load(path: Path) -> ModuleType:
    """The file as a module, known to Python as an imported one is."""
    return imported(path, f"audited_{path.stem}")


def fixed_forms(path: Path, folder: Path) -> list[Callable[..., Any]]:
    """A case's fixed forms: classes of its own, and its buggy one after a diff."""
    text = path.read_text(encoding="utf-8")
    return [
        loaded(patched(text, form), folder).BUGGY if isinstance(form, str) else form
        for form in load(path).FIXED
    ]


def patched(text: str, diff: str) -> str:
    """`text` after a diff: each paragraph's lines marked `-` become those marked `+`.

    Raises:
        AssertionError: a paragraph's lines before are not in `text` exactly once.
    """
    for paragraph in diff.strip("\n").split("\n\n"):
        before, after = (
            "".join(f"\n{line[1:]}" for line in paragraph.splitlines() if line[:1] in marks)
            for marks in (" -", " +")
        )
        assert text.count(f"{before}\n") == 1, paragraph
        text = text.replace(f"{before}\n", f"{after}\n")
    return text


def files(folder: str) -> list:
    """A parameter of a test for each file in `folder`, named after it."""
    return [pytest.param(path, id=path.stem) for path in sorted((HERE / folder).glob("*.py"))]
