"""A new exercise: its four files, which work before their author has changed a word."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template

from grader.catalog import PACKAGE, STARTERS, stems

SKELETON = PACKAGE / "skeleton"
STEM = re.compile(r"(?P<number>\d\d[a-z]?)_(?P<topic>[a-z][a-z0-9]*(_[a-z0-9]+)*)")


class NotAStemError(ValueError):
    """An exercise cannot be called that."""


def new_exercise(stem: str) -> list[Path]:
    """Write the starter, the solution, the rubric and the variants of a new exercise.

    Args:
        stem: what all of them are called: `13_gamma_correction`, or `05c_...` for a third one in
            notebook 05.

    Returns:
        What was written.

    Raises:
        NotAStemError: the name has another form, or its number is taken.
        OSError: there is no repository to write to.
    """
    matched = STEM.fullmatch(stem)
    if not matched:
        raise NotAStemError(
            f"An exercise cannot be called {stem}. It is called by its number and its topic, such "
            "as 13_gamma_correction, or 05c_gamma_correction for a third one in notebook 05."
        )
    if taken := [each for each in stems() if each.split("_")[0] == matched["number"]]:
        raise NotAStemError(f"The number is taken, by {taken[0]}. Take another.")
    root = _repository()
    words = {"stem": stem, "number": matched["number"], "class_name": _class_name(matched["topic"])}
    files = {
        root / "exercises" / f"{stem}.py": "exercise",
        root / "solutions" / f"{stem}.py": "solution",
        PACKAGE / "rubrics" / f"{stem}.py": "rubric",
        root / "tests" / "variants" / f"{stem}.py": "variants",
    }
    for path, skeleton in files.items():
        template = Template((SKELETON / f"{skeleton}.py.txt").read_text(encoding="utf-8"))
        path.write_text(template.substitute(words), encoding="utf-8")
    known = json.loads(STARTERS.read_text(encoding="utf-8"))
    write_starters({**known, stem: (root / "exercises" / f"{stem}.py").read_text(encoding="utf-8")})
    return list(files)


def _repository() -> Path:
    root = PACKAGE.parent
    if not (root / "tests" / "variants").is_dir():
        raise OSError(
            f"{root} is an installed copy, not the repository: an exercise also needs its tests. "
            "Clone the repository and install it with `pip install -e .` to add one."
        )
    return root


def _class_name(topic: str) -> str:
    return "".join(word.capitalize() for word in topic.split("_"))


def write_starters(starters: Mapping[str, str]) -> None:
    """Write down every exercise as a learner first finds it.

    Args:
        starters: by stem, what it says.
    """
    text = json.dumps(dict(sorted(starters.items())), indent=1, ensure_ascii=False)
    STARTERS.write_text(text + "\n", encoding="utf-8")
