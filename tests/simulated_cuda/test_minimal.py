"""The small things that CUDA does, on the native device; the Python device does few of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# What the native device does not do yet: the check's name and the reason.
ACCEPTED: dict[str, str] = {}


@pytest.mark.nightly
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each check runs in a fork")
def test_what_is_as_on_cuda() -> None:
    child = subprocess.run(
        [sys.executable, str(HERE / "minimal.py")],
        env={**os.environ, "SIMULATED_CUDA_IMPLEMENTATION": "native"},
        capture_output=True,
        text=True,
    )
    assert child.returncode == 0, child.stderr
    results = json.loads(child.stdout)
    wrong = {name: result for name, result in results.items() if result != "ok"}
    assert len(results) == 52
    assert wrong.keys() == ACCEPTED.keys(), wrong
