"""tools/build_wheel.py: which glibc a library asks for. tests/packaging/test_wheel.py runs it."""

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

TOOL: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "build_wheel.py"))


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library that was compiled where glibc is 2.32, as all that there is to compile."""
    path = tmp_path / "library.so"
    path.write_bytes(b"\x7fELF\0GLIBC_2.4\0GLIBC_2.32\0GLIBC_2.9\0GLIBCXX_3.4.30\0GLIBC_PRIVATE\0")
    monkeypatch.setitem(TOOL["main"].__globals__, "compile_for", lambda python, folder: path)
    return path


def test_the_newest_glibc_is_found_by_its_number(library: Path) -> None:
    assert TOOL["newest_glibc"](library) == "2.32"


@pytest.mark.parametrize(("asked", "refused"), [("2.28", True), ("2.32", False), ("2.100", False)])
def test_a_library_for_a_newer_glibc_is_refused(
    asked: str, refused: bool, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--libraries-only", "--glibc", asked, str(library.parent)]
    monkeypatch.setattr(sys, "argv", ["build_wheel.py", *options])
    if refused:
        with pytest.raises(SystemExit, match=r"more than glibc 2\.28"):
            TOOL["main"]()
    else:
        TOOL["main"]()
