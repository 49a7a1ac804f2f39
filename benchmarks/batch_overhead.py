"""What a batch costs to start, and for each further submission, as shares of one `import torch`.

    python benchmarks/batch_overhead.py [--submissions N]

Counted is the processor time of all processes, in a control group (benchmarks/metering.py), at the
isolation level that `grader batch` takes by itself. The floor is what the probe itself does: the
same probes one after the other in one warm process, which forks nothing. An answer that could
remember something from one instance to the next is probed twice; most cannot.

Exits 1 if a plain answer costs more than its share of one `import torch`, measured in the same run.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from metering import metered

from grader.course.catalog import find, solution_file
from grader.probe.containment.standby import rehearse
from grader.probe.tasks import Exercise

ROOT = Path(__file__).resolve().parents[1]
STEM, LIMIT, WARM = "03_member_tensors", 0.05, 5
FEW = 20  # from so many on, all are alike: probers have done what is done once
STARTING, PLAIN, REMEMBERING = "a batch of one", "a plain answer", "one that could remember"
PROBE = "its probe in a warm process"
MORE = {PLAIN: "", REMEMBERING: "\nCALLS = []\n"}


def hand_in(folder: Path, count: int, more: str) -> None:
    """A solution for each learner, no two alike."""
    source = solution_file(STEM).read_text(encoding="utf-8") + more
    for i in range(count):
        learner = folder / f"learner {i}"
        learner.mkdir(parents=True)
        (learner / f"{STEM}.py").write_text(f"{source}\n# {i}\n", encoding="utf-8")


def cpu_seconds(*arguments: str) -> float:
    """What a fresh Python costs with these arguments, and all that it starts."""
    with TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "GRADER_JOURNAL": str(Path(folder, "journal.json")),
        }
        return metered([sys.executable, *arguments], Path(folder), environment).cpu_seconds


def batch(count: int, more: str) -> float:
    """The processor seconds of a batch."""
    with TemporaryDirectory() as folder:
        hand_in(Path(folder, "in"), count, more)
        given, out = str(Path(folder, "in")), str(Path(folder, "out"))
        return cpu_seconds("-m", "grader.cli", "batch", given, "--out", out)


def own_work(count: int) -> float:
    """The processor seconds of one probe in a warm process."""
    rubric = find("03")
    task = Exercise(solution_file(STEM), rubric.class_name, 0, "simulated", rubric.recipe)
    for _ in range(WARM):
        rehearse(task)
    before = time.process_time()
    for _ in range(count):
        rehearse(task)
    return (time.process_time() - before) / count


def measure(count: int = 120) -> dict[str, float]:
    """Everything as shares of one `import torch`.

    Raises:
        CannotMeasureError: there is no control group to be had.
    """
    imported = min(cpu_seconds("-c", "import torch") for _ in range(3))
    shares = {
        PROBE: own_work(count) / imported,
        STARTING: min(batch(1, "") for _ in range(3)) / imported,
    }
    for name, more in MORE.items():
        few, many = batch(FEW, more), batch(count, more)
        shares[name] = (many - few) / (count - FEW) / imported
    return shares


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--submissions", type=int, default=120)
    shares = measure(parser.parse_args().submissions)
    for name, share in shares.items():
        print(f"{name:<31} {share:.3f} of import torch")
    print(f"a plain answer: at most {LIMIT} of import torch")
    return 0 if shares[PLAIN] <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
