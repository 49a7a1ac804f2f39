"""The small things that CUDA does: all on the native device, few on the Python device."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# What the native device does not do yet: the check's name and the reason.
ACCEPTED: dict[str, str] = {}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each check runs in a fork")
@pytest.mark.parametrize(("implementation", "fewest"), [("native", 52), ("python", 1)])
def test_what_is_as_on_cuda(implementation: str, fewest: int) -> None:
    child = subprocess.run(
        [sys.executable, str(HERE / "minimal.py")],
        env={**os.environ, "SIMULATED_CUDA_IMPLEMENTATION": implementation},
        capture_output=True,
        text=True,
    )
    assert child.returncode == 0, child.stderr
    results = json.loads(child.stdout)
    wrong = {name: result for name, result in results.items() if result != "ok"}
    assert len(results) == 52
    if implementation == "native":
        assert wrong.keys() == ACCEPTED.keys(), wrong
    assert len(results) - len(wrong) >= fewest - len(ACCEPTED), wrong
