"""The simulation held to recordings of real CUDA, where there are any."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RECORDINGS = sorted((Path(__file__).parent / "reference").glob("*.json"))

# What may differ from a recording, and why: "part/name" -> reason.
ACCEPTED: dict[str, str] = {}


def record(out: Path, *names: str) -> dict[str, Any]:
    script = ROOT / "benchmarks" / "record_cuda_reference.py"
    command = [sys.executable, str(script), "--simulated", str(out), *names]
    subprocess.run(command, check=True, capture_output=True)
    recorded: dict[str, Any] = json.loads(out.read_text())
    return recorded


def differences(real: dict[str, Any], simulated: dict[str, Any]) -> list[str]:
    """Every entry of a recording that the simulation does not repeat."""
    return [
        f"{part}/{name}: {simulated[part].get(name)!r}, on CUDA {value!r}"
        for part in ("mixing", "messages", "identities", "printed")
        for name, value in real[part].items()
        if simulated[part].get(name) != value and f"{part}/{name}" not in ACCEPTED
    ]


def test_the_script_records_this_device(tmp_path: Path) -> None:
    recorded = record(tmp_path / "here.json", "mm", "add")
    assert "imulated" in recorded["device"]
    assert recorded["mixing"]["mm"] == {
        f"tensor {left}": "RuntimeError: Expected all tensors to be on the same device, but got "
        f"mat2 is on {mine}, different from other tensors on {other} "
        "(when checking argument in method wrapper_CUDA_mm)"
        for left, mine, other in ((0, "cuda:0", "cpu"), (1, "cpu", "cuda:0"))
    }
    assert recorded["messages"]["copy_"] == "ok"
    assert recorded["identities"]["parameter is the same object"]
    assert not recorded["identities"]["buffer is the same object"]
    assert recorded["printed"]["tensor"] == "tensor([0., 1., 2.], device='cuda:0')"


def test_a_difference_is_found() -> None:
    one = {"mixing": {"mm": {"tensor 0": "ok"}}, "messages": {}, "identities": {}, "printed": {}}
    other = {**one, "mixing": {"mm": {"tensor 0": "RuntimeError: no"}}}
    assert differences(one, one) == []
    assert differences(one, other) == [
        "mixing/mm: {'tensor 0': 'RuntimeError: no'}, on CUDA {'tensor 0': 'ok'}"
    ]


@pytest.mark.slow
@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_the_simulation_repeats_real_cuda(recording: Path, tmp_path: Path) -> None:
    real = json.loads(recording.read_text())
    assert differences(real, record(tmp_path / "here.json")) == []
