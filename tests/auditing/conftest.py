"""An audit leaves nothing out because other work keeps the machine busy."""

from functools import partial

import pytest

from grader.probe import run_probe


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.probe.run_probe", partial(run_probe, patience=3600.0))
