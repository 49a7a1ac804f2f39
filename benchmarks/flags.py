"""What it costs to flag submissions and to find those that are alike: `python benchmarks/flags.py`.

Each of the course's accepted answers and mistakes is a submission, with a variable of its own so
that no two are byte for byte alike. Times are CPU seconds of this process.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from grader.course.catalog import all_rubrics
from grader.grading.flags import flags_in
from grader.grading.flags.similarity import clusters

VARIANTS = Path(__file__).resolve().parent.parent / "tests" / "variants"
CLASS_SIZES = (100, 1_000, 10_000)


def main() -> None:
    times = []
    for rubric in all_rubrics():
        text = (VARIANTS / f"{rubric.stem}.py").read_text(encoding="utf-8")
        flags_in(text, rubric)  # reads the solution once
        for _ in range(5):
            began = time.process_time()
            flags_in(text, rubric)
            times.append((time.process_time() - began) / len(text) * 2000)
    print(f"flags    {1000 * statistics.median(times):8.2f} ms for 2,000 characters")
    (capstone,) = (rubric for rubric in all_rubrics() if rubric.number == "13")
    text = (VARIANTS.parent.parent / "solutions" / f"{capstone.stem}.py").read_text("utf-8")
    for size in CLASS_SIZES:
        answers = [(number, changed(text, number)) for number in range(size)]
        began = time.process_time()
        found = clusters(answers, capstone)
        taken = time.process_time() - began
        print(f"likeness {taken:8.2f} s for {size:6,} answers to 13: {len(found)} clusters")


def changed(text: str, number: int) -> str:
    """An answer with ten statements of its own; every hundredth copies that of the one before."""
    own = number - 1 if number % 100 == 1 else number
    lines = "".join(f"        self.note_{own}_{i} = hidden + {own * 10 + i}\n" for i in range(10))
    return text.replace("        self.brightness", f"{lines}        self.brightness", 1)


if __name__ == "__main__":
    main()
