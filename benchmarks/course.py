"""What a learner reads: `python benchmarks/course.py` prints a table with a row for each notebook.

- **Words** are those of the Markdown cells and of the questions, with their choices and reasons,
  each once: an answer folded into a notebook repeats a question's reasons. Code and the addresses
  of links are left out. A word stands between spaces and has a letter or a digit.
- **Minutes** are an honest reading: words, each line of code and of what it shows, and a minute for
  each prediction. Code that draws is folded away, and working at the exercises is extra.
- **Facts** are the tags of cells, `F01` to `F53`.
- **Levels** are those of `grader puzzles`.
- **Bytes** are those of the largest pages in `build/site`, without what all pages share, once
  `make site` has built it.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from notebook_text import notebooks  # noqa: E402

from grader.course import all_puzzles  # noqa: E402


def main() -> None:
    course = notebooks()
    print(
        f"{'notebook':<26} {'words':>6} {'minutes':>7} {'predictions':>11} {'exercises':>9}  facts"
    )
    for notebook in course:
        counts = f"{notebook.words:6,} {notebook.minutes:7.1f} {len(notebook.questions):11}"
        shown = " ".join(sorted(notebook.facts))
        print(f"{notebook.path.stem:<26} {counts} {notebook.exercises:9}  {shown}")
    facts = set().union(*(notebook.facts for notebook in course))
    totals = (
        f"{sum(notebook.words for notebook in course):6,}",
        f"{sum(notebook.minutes for notebook in course):7.1f}",
        f"{sum(len(notebook.questions) for notebook in course):11}",
        f"{sum(notebook.exercises for notebook in course):9}",
    )
    print(f"{'in all':<26} {' '.join(totals)}  {len(facts)} of 53")
    right = Counter(question.right for notebook in course for question in notebook.questions)
    print("right answers:", ", ".join(f"{letter} {right[letter]}" for letter in sorted(right)))
    print("levels:", len(all_puzzles()))
    pages = {page: page.stat().st_size for page in (ROOT / "build/site").rglob("*.html")}
    for page in sorted(pages, key=pages.__getitem__)[-3:]:
        print(f"{pages[page]:9,} bytes  {page.relative_to(ROOT / 'build/site')}")


if __name__ == "__main__":
    main()
