"""Add up which lines and branches of `grader/` the tests took, and hold each part to its floor.

Usage: python tools/coverage_floors.py FOLDER, where `pytest -p tests.covered` has left its files.

What runs in a child that is killed, or in a Python that is started by a command, is not seen.
"""

import json
import sys
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

import coverage
from run_tests import ROOT

# Percent of lines and branches. A file counts for the first pattern that it matches.
FLOORS = {
    "grader/judge/findings/*": 90,
    "grader/judge/*": 90,
    "grader/simulated_cuda/python_device/*": 90,
    "grader/simulated_cuda/*": 90,
    "grader/*": 85,
}
# These run in another Python (a compiler's, or one that the environment changes), and are
# held by tests that start one: tests/simulated_cuda/test_startup.py, native/test_source.py.
ELSEWHERE = (
    "grader/simulated_cuda/__main__.py",
    "grader/simulated_cuda/environment.py",
    "grader/simulated_cuda/native/build.py",
    "grader/simulated_cuda/native/generate_rules.py",
)


def covered_percent(folder: Path) -> dict[str, float]:
    """How much of each part was taken."""
    measured = coverage.Coverage(folder / ".coverage", config_file=ROOT / "pyproject.toml")
    measured.combine([str(folder)])
    measured.json_report(outfile=str(folder / "coverage.json"))
    there, taken = Counter[str](), Counter[str]()
    for path, file in json.loads((folder / "coverage.json").read_text())["files"].items():
        name = Path(ROOT, path).relative_to(ROOT).as_posix()
        if name in ELSEWHERE:
            continue
        part = next(pattern for pattern in FLOORS if fnmatch(name, pattern))
        for unit in ("lines", "branches"):
            there[part] += file["summary"]["num_statements" if unit == "lines" else "num_branches"]
            taken[part] += file["summary"][f"covered_{unit}"]
    return {part: 100 * taken[part] / there[part] for part in FLOORS}


def main() -> int:
    """Print the table; 0 if each part is above its floor."""
    percent = covered_percent(Path(sys.argv[1]))
    for part, floor in FLOORS.items():
        too_little = "" if percent[part] >= floor else "  TOO LITTLE"
        print(f"Covered: {percent[part]:5.1f} % of {part} (at least {floor}){too_little}")
    return 1 if any(percent[part] < floor for part, floor in FLOORS.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
