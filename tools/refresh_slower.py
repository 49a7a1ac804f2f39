"""Write tests/slower.txt: the tests that `make test` leaves to `make check`, as they take long.

It runs all that are not marked `slow`, which takes some ten minutes. A test that is not listed runs
in both, so run this again when `make test` has become long.
"""

import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import mean
from xml.etree import ElementTree

from run_tests import PARALLEL, ROOT, run_pytest

SLOWER = ROOT / "tests" / "slower.txt"
SECONDS, SECONDS_OF_ALL = 0.2, 5  # on average for each of its parameters, and together


def slower(results: Path) -> list[str]:
    """The test functions in a JUnit file that take long, as `tests/file.py::function`."""
    seconds = defaultdict[str, list[float]](list)
    for case in ElementTree.parse(results).iter("testcase"):
        file = case.attrib["classname"].replace(".", "/") + ".py"
        function = case.attrib["name"].partition("[")[0]
        seconds[f"{file}::{function}"].append(float(case.attrib["time"]))
    return sorted(
        name for name, each in seconds.items() if mean(each) > SECONDS or sum(each) > SECONDS_OF_ALL
    )


def main() -> int:
    """Run them, write the list, and return pytest's exit status."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "results.xml")
        status = run_pytest([*PARALLEL, "-m", "not slow"], results, "native")
        if status == 0:
            SLOWER.write_text("".join(f"{name}\n" for name in slower(results)), encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
