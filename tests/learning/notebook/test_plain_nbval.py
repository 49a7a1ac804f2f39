"""`pytest --nbval notebooks/`, as it is typed in a set-up environment: no more options."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = ROOT / "notebooks"

# Prints what a machine without a GPU prints, and whose journal it would write.
SOURCE = """\
import os
from pathlib import Path
print("cuda:0 (simulated)")
Path("journal.txt").write_text(os.environ["GRADER_JOURNAL"])
print("NUMBER")
"""


def notebook(number: int) -> str:
    """A notebook whose stored output was made on a GPU; `number` is the last line of it."""
    cell = {
        "cell_type": "code",
        "execution_count": 1,
        "id": "only",
        "metadata": {},
        "source": SOURCE.replace("NUMBER", "1"),
        "outputs": [
            {
                "name": "stdout",
                "output_type": "stream",
                "text": f"cuda:0 (NVIDIA H200)\n{number}\n",
            }
        ],
    }
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A course with our settings and one small notebook in it."""
    (tmp_path / "notebooks").mkdir()
    for name in ("conftest.py", "pytest.ini", "nbval_sanitize.cfg"):
        shutil.copy(NOTEBOOKS / name, tmp_path / "notebooks")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def nbval(checkout: Path, option: str, learner: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", option, "notebooks/"],
        cwd=checkout,
        env={**os.environ, "GRADER_JOURNAL": str(learner)},
        capture_output=True,
        text=True,
    )


@pytest.mark.nightly
@pytest.mark.parametrize(("option", "failed"), [("--nbval", 1), ("--nbval-lax", 0)])
def test_outputs_are_compared_whatever_the_device_and_the_learner(checkout, option, failed):
    for name, number in (("as_stored", 1), ("other", 2)):
        (checkout / "notebooks" / f"{name}.ipynb").write_text(notebook(number))
    learner = checkout / "learner.json"

    ran = nbval(checkout, option, learner)

    assert ran.returncode == bool(failed), ran.stdout + ran.stderr
    assert f"{2 - failed} passed" in ran.stdout
    assert ("other.ipynb::Cell 0" in ran.stdout) == bool(failed)
    assert (checkout / "notebooks" / "journal.txt").read_text() != str(learner)
