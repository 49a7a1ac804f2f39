"""How long a class with endless loops takes, and how long the others wait for theirs.

    python benchmarks/batch_loops.py [--submissions 24] [--loops 4] [--jobs 2]

The loops are spread evenly over the class, the first of them first, and each burns a core until its
time is up. Printed are the seconds until every other submission is in the ledger, and until the
batch ends.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

STEM = "03_member_tensors"
LOOP = "while True:\n    pass\n"


def hand_in(folder: Path, count: int, loops: int) -> None:
    """A solution for each learner, no two alike; some loop when they are imported."""
    from grader.course.catalog import solution_file

    source = solution_file(STEM).read_text(encoding="utf-8")
    looping = {i * count // loops for i in range(loops)}
    for i in range(count):
        path = folder / f"learner {i:03}" / f"{STEM}.py"
        path.parent.mkdir(parents=True)
        more = LOOP if i in looping else ""
        path.write_text(f"{source}\n# {i}\n{more}", encoding="utf-8")


def measure(count: int, loops: int, jobs: int) -> tuple[float, float]:
    """Seconds until the last submission that does not loop is written down, and until the end.

    Raises:
        ValueError: others than the loops ran out of time, or a loop did not.
    """
    from grader.classroom.batch import BatchOptions, run_batch
    from grader.classroom.results.ledger import read_ledger

    moments: list[float] = []
    with TemporaryDirectory() as folder:
        given, out = Path(folder, "in"), Path(folder, "out")
        hand_in(given, count, loops)
        begun = time.monotonic()
        options = BatchOptions(jobs, device="simulated")
        run_batch(given, out, options, lambda _: lambda: moments.append(time.monotonic() - begun))
        verdicts = [entry.report.verdict for entry in read_ledger(out)]
    if verdicts.count("timeout") != loops or verdicts.count("passed") != count - loops:
        raise ValueError(f"not {loops} loops and {count - loops} passed: {verdicts}")
    others = max(moments[i] for i, verdict in enumerate(verdicts) if verdict == "passed")
    return others, moments[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--submissions", type=int, default=24)
    parser.add_argument("--loops", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    others, end = measure(arguments.submissions, arguments.loops, arguments.jobs)
    print(f"every other submission in the ledger: {others:.1f} s")
    print(f"the batch has ended:                  {end:.1f} s")


if __name__ == "__main__":
    main()
