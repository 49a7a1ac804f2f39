"""Run on PyTorch's CUDA build all that can run there: test_cuda_build.py STANDIN."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from check import NOT_REPLACED, NOTEBOOKS, ROOT

RUN = str(ROOT / "tests" / "cuda_build" / "with_standin.sh")
PYTEST = ("-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", NOT_REPLACED)
# They call CUDA themselves, judge on whatever device there is, or ask which one it is.
ON_CUDA = ("tests/cuda_build", "tests/auditing", "tests/judge", "tests/render")
# The simulated device on a CUDA build that finds no driver, which is what pip installs on Linux.
SIMULATED = ("tests/simulated_cuda", "tests/probe")


def main() -> int:
    """Run each part; 0 only if every part passed."""
    standin = str(Path(sys.argv[1]).resolve())
    parts = {
        "Simulated device, no driver": [sys.executable, *PYTEST, *SIMULATED],
        "Tests on CUDA": [
            RUN,
            standin,
            sys.executable,
            *PYTEST,
            *ON_CUDA,
        ],
        "The course on CUDA": [
            *(RUN, standin, sys.executable, "tools/verify", "--device", "cuda"),
        ],
        "Notebooks on CUDA": [RUN, standin, sys.executable, "-m", "pytest", "-q", *NOTEBOOKS],
    }
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "GRADER_JOURNAL": str(Path(folder, "journal.json")),
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(ROOT),
        }
        for name, command in parts.items():
            print(f"\n{name}", flush=True)
            results[name] = subprocess.run(command, cwd=ROOT, env=environment).returncode
    print(
        "",
        *(f"{name}: {'failed' if code else 'passed'}" for name, code in results.items()),
        sep="\n",
    )
    return 1 if any(results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
