"""An audit that takes its shortcuts says what one says that asks each question by itself."""

import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from case_files import files, fixed_forms, load
from test_module_db import PARTS, built, listed
from variations import PAIRS

from grader.auditing import one_module
from grader.auditing.one_module import audit
from grader.probe import shortcuts
from grader.render.data import to_json

SEED = 11


@pytest.fixture(autouse=True)
def _with_one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_module, "fresh_seed", lambda: SEED)


def said(make: Any, inputs: Any) -> str:
    text = to_json([audit(make, inputs, "simulated")])
    return re.sub(r"pasted_\d+", "pasted", text)  # each file of a fixed form has its own number


@pytest.fixture
def without_shortcuts(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, Any], str]:
    def asked_by_itself(make: Any, inputs: Any) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(shortcuts, "TAKEN", False)
            return said(make, inputs)

    return asked_by_itself


def modules_of(path: Path, folder: Path) -> list[Callable[..., Any]]:
    case = load(path)
    named = (getattr(case, name, None) for name in ("BUGGY", "CLEAN"))
    return [*filter(None, named), *(fixed_forms(path, folder) if hasattr(case, "FIXED") else ())]


@pytest.mark.search
@pytest.mark.parametrize("path", [*files("cases"), *files("clean"), *files("not_on_cuda")])
def test_of_public_bugs_and_clean_modules(path, tmp_path, without_shortcuts):
    inputs = getattr(load(path), "example_input", None)
    short = [said(make, inputs) for make in modules_of(path, tmp_path)]

    again = modules_of(path, tmp_path)  # with caches of its own
    assert [without_shortcuts(make, inputs) for make in again] == short


@pytest.mark.search
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.wrong.__name__)
def test_of_variations(pair, without_shortcuts):
    for make in (pair.wrong, pair.right):
        assert said(make, pair.inputs) == without_shortcuts(make, pair.inputs)


@pytest.mark.search
@pytest.mark.parametrize("part", range(PARTS))
def test_of_pytorchs_own_modules(part, without_shortcuts):
    for info in listed()[part::PARTS]:
        for make, inputs in islice(built(info), 1):
            assert said(make, inputs) == without_shortcuts(make, inputs), info.name
