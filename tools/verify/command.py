"""Hold the course to itself: every starter, solution, accepted answer and mistake as declared.

    python tools/verify 04 [--mutants [--every 10]] [--device cuda]
    python tools/verify 04 --seeds 200

Without a number it takes the whole course. With --mutants, small changes to the right answers are
graded too, and each must be refused; and so are other forms of the solutions, which must pass in
full. With --seeds, it judges each declared answer under that many seeds instead, on the simulated
device; with --puzzles, it tries the levels of `grader puzzles`.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from grader.course import all_rubrics, find
from grader.errors import GraderError
from verify.puzzles import verify_puzzles
from verify.try_mutants import Outcome
from verify.verify import (
    totals_line,
    verify_exercise,
    verify_mutants,
    verify_rewrites,
    verify_seeds,
)


def main(words: list[str] | None = None) -> int:
    """Print one line for each thing verified; 1 if one of them is not as declared."""
    arguments = _arguments(words)
    outcomes: Counter[Outcome] = Counter()
    problems = 0
    for line, is_right in verify_puzzles() if arguments.puzzles else _verified(arguments, outcomes):
        problems += not is_right
        print(line, flush=True)
    if arguments.mutants:
        print(f"In all: {totals_line(outcomes)}")
    print(f"{problems} problem{'s' * (problems > 1)}" if problems else "All behave as declared.")
    return int(bool(problems))


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("verify", description=__doc__.splitlines()[0])
    parser.add_argument("exercises", nargs="*", metavar="NN", help="all, unless given")
    parser.add_argument("--puzzles", action="store_true", help="the levels instead")
    parser.add_argument("--mutants", action="store_true", help="try changed answers as well")
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="only each N-th mutant, for a sample"
    )
    parser.add_argument("--seeds", type=int, metavar="N", help="N draws of the inputs instead")
    parser.add_argument("--device", choices=("auto", "cuda", "simulated"), default="auto")
    return parser.parse_args(words)


def _verified(
    arguments: argparse.Namespace, outcomes: Counter[Outcome]
) -> Iterator[tuple[str, bool]]:
    for rubric in [find(number) for number in arguments.exercises] or all_rubrics():
        if arguments.seeds:
            yield from verify_seeds(rubric, arguments.seeds)
            continue
        yield from verify_exercise(rubric, arguments.device)
        if arguments.mutants:
            yield from chain(
                verify_rewrites(rubric, arguments.device),
                verify_mutants(rubric, arguments.device, arguments.every, outcomes),
            )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except GraderError as error:
        sys.exit(f"verify: {error}")
