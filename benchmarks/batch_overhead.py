"""What a batch costs beyond the probes themselves, in CPU seconds a submission.

    python benchmarks/batch_overhead.py [--submissions N]

The probe's own work is that of the same probes one after the other in one warm process, which forks
nothing. Both are measured without namespaces: where those end, Linux forgets what ran in them.
Exits 1 if a submission costs more than its limit beyond that.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.catalog import find, solution_file
from grader.classroom.batch import Options, run_batch
from grader.classroom.ledger import read
from grader.classroom.sandbox import Level
from grader.probe.standby import rehearse
from grader.probe.tasks import Exercise

STEM, LIMIT, WARM = "03_member_tensors", 0.05, 5


def hand_in(folder: Path, count: int) -> None:
    """A solution for each learner, no two alike."""
    source = solution_file(STEM).read_text(encoding="utf-8")
    for i in range(count):
        learner = folder / f"learner {i}"
        learner.mkdir()
        (learner / f"{STEM}.py").write_text(f"{source}\n# {i}\n", encoding="utf-8")


def batch(count: int) -> float:
    """The CPU seconds of the parent, the workers and all that they started."""
    with TemporaryDirectory() as folder:
        root, out = Path(folder, "in"), Path(folder, "out")
        root.mkdir()
        hand_in(root, count)
        before = time.process_time()
        with patch("grader.classroom.sandbox.confined.best_level", lambda: Level.PROCESS):
            run_batch(root, out, Options(jobs=1), lambda _: lambda: None)
        return time.process_time() - before + sum(entry.seconds for entry in read(out))


def own_work(count: int) -> float:
    """The CPU seconds of one probe in a warm process."""
    rubric = find("03")
    task = Exercise(solution_file(STEM), rubric.class_name, 0, "simulated", rubric.recipe)
    for _ in range(WARM):
        rehearse(task)
    before = time.process_time()
    for _ in range(count):
        rehearse(task)
    return (time.process_time() - before) / count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=100)
    count = parser.parse_args().submissions
    few, many = batch(count // 10), batch(count)  # the difference leaves out what a start costs
    each = (many - few) / (count - count // 10)
    own = own_work(count)
    print(f"a submission in a batch   {each:.3f} CPU s")
    print(f"the probe's own work      {own:.3f} CPU s")
    print(f"beyond it                 {each - own:.3f} CPU s   at most {LIMIT}")
    return 0 if each - own <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
