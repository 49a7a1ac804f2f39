"""An audit that takes its shortcuts says what one says that asks each question by itself."""

from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from case_files import files, load
from test_module_db import built, listed
from variations import PAIRS

from grader.auditing import one_module
from grader.auditing.one_module import audit
from grader.probe import shortcuts
from grader.render.data import to_json

SEED = 11
MODULES = listed()


@pytest.fixture(autouse=True)
def _with_one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_module, "fresh_seed", lambda: SEED)


def said(make: Any, inputs: Any) -> str:
    return to_json([audit(make, inputs, "simulated")])


@pytest.fixture
def without_shortcuts(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, Any], str]:
    def asked_by_itself(make: Any, inputs: Any) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(shortcuts, "TAKEN", False)
            return said(make, inputs)

    return asked_by_itself


def modules_of(case: Any) -> list[Callable[..., Any]]:
    named = (getattr(case, name, None) for name in ("BUGGY", "MODULE"))
    return [*filter(None, named), *getattr(case, "FIXED", ())]


@pytest.mark.parametrize("path", [*files("cases"), *files("clean"), *files("not_on_cuda")])
def test_of_public_bugs_and_clean_modules(path, without_shortcuts):
    case = load(path)
    inputs = getattr(case, "example_input", None)
    short = [said(make, inputs) for make in modules_of(case)]

    again = load(path)  # with caches of its own
    assert [without_shortcuts(make, inputs) for make in modules_of(again)] == short


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.wrong.__name__)
def test_of_variations(pair, without_shortcuts):
    for make in (pair.wrong, pair.right):
        assert said(make, pair.inputs) == without_shortcuts(make, pair.inputs)


@pytest.mark.slow
@pytest.mark.parametrize("info", MODULES, ids=lambda info: info.name)
def test_of_pytorchs_own_modules(info, without_shortcuts):
    for make, inputs in islice(built(info), 1):
        assert said(make, inputs) == without_shortcuts(make, inputs)
