"""Every module of `torch.nn` that PyTorch tests itself: same values, gradients and state."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "modules.py"


PARTS = 8


@pytest.mark.search
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_module(part: int) -> None:
    command = [sys.executable, str(SCRIPT), f"{part}/{PARTS}"]
    child = subprocess.run(command, capture_output=True, text=True, check=True)
    results = [json.loads(line) for line in child.stdout.splitlines()]
    assert len(results) >= 90 // PARTS
    assert [r for r in results if r["found"]] == []
