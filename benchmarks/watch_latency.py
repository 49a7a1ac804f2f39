"""How long a verdict takes after a save, in `grader watch`, as a ratio to `import torch`.

    python benchmarks/watch_latency.py [--rounds N]

Saves every exercise, as a starter and as the solution, and waits until a terminal shows its
verdict. Exits 1 if the median is above the limit.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "learning" / "watching"))

from latency import Taken, tell
from startup import IMPORT_TORCH, seconds
from terminal import Terminal

from grader.course.catalog import all_rubrics, solution_file, starter, stems
from grader.course.layout import write_course
from grader.schema.rubric import Rubric

LIMIT = 0.15


def save(folder: Path, rubric: Rubric, text: str) -> None:
    (folder / "exercises" / f"{rubric.stem}.py").write_text(text, encoding="utf-8")


def latency(terminal: Terminal, folder: Path, rubric: Rubric, text: str, verdict: str) -> float:
    """From the save to the screen that shows its verdict."""
    start = time.perf_counter()
    save(folder, rubric, text)
    terminal.wait_for(f"{rubric.number} {rubric.title}", verdict, "judged at", without="judging")
    return time.perf_counter() - start


def measure(rounds: int) -> Taken:
    """By exercise, what each save took, and what `import torch` took just before it.

    That is also the pause that a learner makes between two saves.
    """
    taken: Taken = {stem: [] for stem in stems()}
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        os.environ["GRADER_JOURNAL"] = str(folder / "journal.json")
        write_course(folder)
        terminal = Terminal(["watch", stems()[0], "--device", "simulated"], folder)
        try:
            terminal.wait_for("NOT ATTEMPTED")
            for rubric in (rubric for rubric in all_rubrics() for _ in range(rounds)):
                right = solution_file(rubric.stem).read_text(encoding="utf-8")
                for text, verdict in ((right, "PASSED"), (starter(rubric.stem), "NOT ATTEMPTED")):
                    torch = seconds(IMPORT_TORCH)
                    took = latency(terminal, folder, rubric, text, verdict)
                    taken[rubric.stem].append((took, torch))
        finally:
            terminal.close()
    return taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    return tell(measure(parser.parse_args().rounds), LIMIT)


if __name__ == "__main__":
    sys.exit(main())
