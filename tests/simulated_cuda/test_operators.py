"""PyTorch's own operators and modules on the simulated device: values, gradients, state."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from differences import CUDA_ONLY, EXCEPTIONS

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "simulated_cuda.md"

# As many operators and modules are compared at least, in as many runs.
FEWEST, FEWEST_MODULES, PARTS = 600, 90, 8


def run(*options: str) -> dict[str, list[str]]:
    """What was found wrong with each operator; a process that aborts is started behind it."""
    results: dict[str, list[str]] = {}
    while True:
        child = subprocess.run(
            [sys.executable, str(HERE / "operators.py"), *options, "--skip", ",".join(results)],
            capture_output=True,
            text=True,
            check=False,
        )
        started = ""
        for line in filter(None, child.stdout.splitlines()):
            outcome = json.loads(line)
            started = outcome.get("starting", "")
            if not started:
                results[outcome["name"]] = outcome["found"]
        if child.returncode == 0:
            return results
        assert started, child.stderr
        results[started] = ["the process aborted"]


def failures(results: dict[str, list[str]]) -> dict[str, list[str]]:
    return {n: found for n, found in results.items() if found and n not in CUDA_ONLY}


@pytest.mark.search
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_operator_and_module(part: int) -> None:
    results = run("--shard", f"{part}/{PARTS}")
    wrong = failures(results)
    assert set(wrong) <= EXCEPTIONS, wrong
    modules = {name for name in results if name.startswith("nn.") and name[3].isupper()}
    assert len(modules) >= FEWEST_MODULES // PARTS
    assert len(set(results) - CUDA_ONLY - modules) >= FEWEST // PARTS


def test_the_page_lists_the_exceptions() -> None:
    table = PAGE.read_text().split("## Operators that differ")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)) == EXCEPTIONS | CUDA_ONLY
