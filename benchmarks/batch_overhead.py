"""What each further submission in a batch costs, in CPU seconds and as a share of `import torch`.

    python benchmarks/batch_overhead.py [--submissions N]

The probe's own work is that of the same probes one after the other in one warm process, which forks
nothing. Both are measured without namespaces: where those end, Linux forgets what ran in them.
An answer that could remember something from one instance to the next is probed twice; most cannot.
Exits 1 if a plain answer costs more than its share of one `import torch`, measured in the same run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.catalog import find, solution_file
from grader.classroom.batch import Options, run_batch
from grader.classroom.results.ledger import read
from grader.containment.sandbox import Level
from grader.containment.standby import rehearse
from grader.probe.tasks import Exercise

KINDS = {"a plain answer": "", "one that could remember": "\nCALLS = []\n"}
STEM, LIMIT, WARM = "03_member_tensors", 0.05, 5


def hand_in(folder: Path, count: int, more: str) -> None:
    """A solution for each learner, no two alike."""
    source = solution_file(STEM).read_text(encoding="utf-8") + more
    for i in range(count):
        learner = folder / f"learner {i}"
        learner.mkdir()
        (learner / f"{STEM}.py").write_text(f"{source}\n# {i}\n", encoding="utf-8")


def batch(count: int, more: str) -> float:
    """The CPU seconds of the parent, the workers and all that they started."""
    with TemporaryDirectory() as folder:
        root, out = Path(folder, "in"), Path(folder, "out")
        root.mkdir()
        hand_in(root, count, more)
        before = time.process_time()
        with patch("grader.containment.sandbox.levels.best_level", lambda: Level.PROCESS):
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
    imported = import_of_torch()
    print(f"import torch                    {imported:.3f} CPU s")
    print(f"a probe in a warm process       {own_work(count):.3f} CPU s")
    shares = []
    for name, more in KINDS.items():
        few, many = batch(count // 10, more), batch(count, more)  # leaves out what a start costs
        each = (many - few) / (count - count // 10)
        shares.append(each / imported)
        print(f"{name:<31} {each:.3f} CPU s, {shares[-1]:.3f} of import torch")
    print(f"a plain answer: at most {LIMIT} of import torch")
    return 0 if shares[0] <= LIMIT else 1


def import_of_torch() -> float:
    """The CPU seconds of `import torch` in a new process, the least of some."""
    code = "import time, torch; print(time.process_time())"
    runs = (subprocess.run([sys.executable, "-c", code], capture_output=True) for _ in range(3))
    return min(float(run.stdout) for run in runs)


if __name__ == "__main__":
    sys.exit(main())
