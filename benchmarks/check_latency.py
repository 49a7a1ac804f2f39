"""How long `check` takes in a notebook, as a ratio to `import torch`.

    python benchmarks/check_latency.py [--rounds N]

Checks every exercise's class, the starter's and the solution's, in a process that has checked one
before, as a kernel has. Exits 1 if the median is above the limit.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from latency import Taken, tell
from startup import IMPORT_TORCH, seconds

from grader import check
from grader.course.catalog import all_rubrics, solution_file, starter
from grader.loading import class_of, execute
from grader.schema.rubric import Rubric

LIMIT = 0.1


def classes(rubric: Rubric) -> tuple[Any, Any]:
    """The solution's class and the starter's."""
    path = solution_file(rubric.stem)
    texts = (path.read_text(encoding="utf-8"), starter(rubric.stem))
    modules = [execute(text, path.with_stem(f"{rubric.stem}_{i}")) for i, text in enumerate(texts)]
    return class_of(modules[0], rubric.class_name), class_of(modules[1], rubric.class_name)


def latency(rubric: Rubric, cls: Any) -> float:
    """How long the call takes, with its report written."""
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        check(rubric.number, cls)
    return time.perf_counter() - start


def measure(rounds: int) -> Taken:
    """By exercise, what each check took, and what `import torch` took beside it."""
    answers = [(rubric, classes(rubric)) for rubric in all_rubrics()]
    first, (right, _) = answers[0]
    latency(first, right)
    taken: Taken = {rubric.stem: [] for rubric, _ in answers}
    for _ in range(rounds):
        for rubric, pair in answers:
            torch = seconds(IMPORT_TORCH)
            taken[rubric.stem] += [(latency(rubric, cls), torch) for cls in pair]
    return taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GRADER_JOURNAL"] = str(Path(folder, "journal.json"))
        return tell(measure(rounds), LIMIT)


if __name__ == "__main__":
    sys.exit(main())
