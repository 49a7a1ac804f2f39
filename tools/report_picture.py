"""Draw the terminal's pictures in the README: the report on half an answer to 03, and a puzzle."""

import io
import os
import re
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from grader.course import edited, find, find_puzzle, starter
from grader.grading import grade_file
from grader.learning import judge, puzzle_board, puzzle_heading, puzzle_verdict
from grader.render.text import render_text

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
WIDTH = 100
# One of the two tensors that the starter of 03 leaves behind.
FIXED = ("self.mean = torch.tensor(mean)", 'self.register_buffer("mean", torch.tensor(mean))')

# A window of its own, so that it reads the same on a light page and on a dark one.
THEME = TerminalTheme(
    background=(13, 17, 23),
    foreground=(230, 237, 243),
    normal=[
        (110, 118, 129),
        (255, 123, 114),
        (86, 211, 100),
        (227, 179, 65),
        (121, 192, 255),
        (210, 168, 255),
        (121, 220, 230),
        (230, 237, 243),
    ],
)


def svg_format() -> str:
    """Rich's drawing without its fonts, which it would fetch from elsewhere."""
    before, _, rest = CONSOLE_SVG_FORMAT.partition("@font-face")
    after = rest.rpartition("@font-face")[2].partition("}}")[2]
    fonts = "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace"
    return before + after.replace("Fira Code, monospace", fonts).replace("arial", "sans-serif")


# The command is typed, then the report is printed line by line. All of it is there at once for
# whoever asks their system for less motion, or looks without CSS.
MOTION = """
@keyframes report-type { from { clip-path: inset(0 100% 0 0) } to { clip-path: inset(0) } }
@keyframes report-print { from { opacity: 0 } }
@media (prefers-reduced-motion: no-preference) {
  .report-matrix text { animation: report-print 1ms backwards }
  .report-matrix text[clip-path="url(#report-line-0)"] { animation: report-type 1s steps(16) }
"""
SECONDS = 20  # that somebody might need for the puzzle
TYPED, JUDGED, A_LINE = 1.0, 0.6, 0.12  # seconds


def in_motion(svg: str) -> str:
    """The report with an animation, in CSS alone: GitHub shows no script of a picture."""
    last = max(int(number) for number in re.findall(r"#report-line-(\d+)", svg))
    delays = (
        f'  .report-matrix text[clip-path="url(#report-line-{line})"] '
        f"{{ animation-delay: {TYPED + JUDGED + line * A_LINE:.2f}s }}\n"
        for line in range(1, last + 1)
    )
    return svg.replace("</style>", f"{MOTION}{''.join(delays)}}}\n    </style>", 1)


def report_picture() -> str:
    """The report as it is now."""
    rubric = find("03")
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        path = Path("exercises", f"{rubric.stem}.py")
        os.chdir(folder)
        try:
            path.parent.mkdir()
            half = starter(rubric.stem).replace(*FIXED)
            path.write_text(half, encoding="utf-8")
            report = grade_file(rubric, path, "simulated")
        finally:
            os.chdir(here)
    console = terminal()
    console.print(Text("$ grader check 03", style="bold"))
    console.print(render_text(report), crop=False)
    console.print()
    return in_motion(drawn(console, "report"))


def puzzle_picture() -> str:
    """The first puzzle as it is met, and solved."""
    puzzle = find_puzzle("1")
    console = terminal()
    console.print(Text("$ grader puzzles", style="bold"))
    console.print(puzzle_heading(puzzle))
    console.print(puzzle_board(puzzle, puzzle.code, judge(puzzle, puzzle.code)))
    console.print(Text(f"1> {puzzle.fixes[0]}\n", style="bold"))
    solved = edited(puzzle.code, puzzle.fixes[0])
    verdict = judge(puzzle, solved)
    console.print(puzzle_board(puzzle, solved, verdict))
    console.print(puzzle_verdict(puzzle, verdict, SECONDS))
    return drawn(console, "puzzle")


def terminal() -> Console:
    """A terminal that remembers what it shows."""
    return Console(
        record=True,
        width=WIDTH,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        highlight=False,
        legacy_windows=False,
    )


def drawn(console: Console, name: str) -> str:
    return console.export_svg(
        title="Where's My Tensor?", theme=THEME, code_format=svg_format(), unique_id=name
    )


def main() -> None:
    """Store them."""
    for name, picture in (("report", report_picture), ("puzzle", puzzle_picture)):
        (IMAGES / f"{name}.svg").write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
