"""A new exercise or finding: four files, which work before their author has changed a word."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from string import Template

from grader.course.catalog import COURSE, PACKAGE, STARTERS, stems

SKELETON = COURSE / "skeleton"
STEM = re.compile(r"(?P<number>\d\d[a-z]?)_(?P<topic>[a-z][a-z0-9]*(_[a-z0-9]+)*)")
CODE = re.compile(r"[a-z]+(-[a-z]+)*")


class BadNameError(ValueError):
    """An exercise or a finding cannot be called that."""


def new_exercise(stem: str) -> list[Path]:
    """Write the starter, the solution, the rubric and the variants of a new exercise.

    Args:
        stem: what all of them are called: `16_gamma_correction`, or `05c_...` for a third one in
            notebook 05.

    Returns:
        What was written.

    Raises:
        BadNameError: the name has another form, or its number is taken.
        OSError: there is no repository to write to.
    """
    matched = STEM.fullmatch(stem)
    if not matched:
        raise BadNameError(
            f"An exercise cannot be called {stem}. It is called by its number and its topic, such "
            "as 16_gamma_correction, or 05c_gamma_correction for a third one in notebook 05."
        )
    if taken := [stem for stem in stems() if stem.split("_")[0] == matched["number"]]:
        raise BadNameError(f"The number is taken, by {taken[0]}. Take another.")
    root = _repository()
    words = {"stem": stem, "number": matched["number"], "class_name": _class_name(matched["topic"])}
    files = {
        root / "exercises" / f"{stem}.py": "exercise.py",
        root / "solutions" / f"{stem}.py": "solution.py",
        COURSE / "rubrics" / f"{stem}.py": "rubric.py",
        root / "tests" / "variants" / f"{stem}.py": "variants.py",
    }
    _write(files, words)
    known = json.loads(STARTERS.read_text(encoding="utf-8"))
    write_starters({**known, stem: (root / "exercises" / f"{stem}.py").read_text(encoding="utf-8")})
    return list(files)


def new_finding(name: str) -> list[Path]:
    """Write the rule, the page, the test and the case of a new finding, and enter it as the last.

    Args:
        name: its code, such as `gradient-detached`. `99_gradient_detached`, in the manner of
            exercises, gives the same code.

    Returns:
        What was written, then what was changed.

    Raises:
        BadNameError: the name has another form, or is taken.
        OSError: there is no repository to write to.
        subprocess.CalledProcessError: the index of findings could not be written.
    """
    code = re.sub(r"^\d\d[a-z]?_", "", name).replace("_", "-")
    if not CODE.fullmatch(code):
        raise BadNameError(
            f"A finding cannot be called {name}. Its code is made of words of small letters with "
            "hyphens between them, such as gradient-detached."
        )
    root, module = _repository(), code.replace("-", "_")
    files = {
        PACKAGE / "judge" / "findings" / f"{module}.py": "finding_rule.py",
        root / "docs" / "findings" / f"{code}.md": "finding_page.md",
        root / "tests" / "judge" / f"test_{module}.py": "finding_test.py",
        root / "tests" / "auditing" / "cases" / f"{module}_example.py": "finding_case.py",
    }
    if taken := [path for path in files if path.exists()]:
        raise BadNameError(f"The code {code} is taken, by {taken[0]}. Take another.")
    constant, class_name = module.upper(), _class_name(module)
    _write(files, {"code": code, "module": module, "constant": constant, "class_name": class_name})
    codes = PACKAGE / "judge" / "codes.py"
    with codes.open("a", encoding="utf-8") as file:
        file.write(f'    {constant} = "{code}"  # why it stands here\n')
    subprocess.run([sys.executable, root / "tools" / "refresh_findings.py"], check=True)
    return [*files, codes, root / "docs" / "findings" / "index.md"]


def _write(files: Mapping[Path, str], words: Mapping[str, str]) -> None:
    """Fill `words` into the skeleton that each file is made from."""
    for path, skeleton in files.items():
        template = Template((SKELETON / f"{skeleton}.txt").read_text(encoding="utf-8"))
        path.write_text(template.substitute(words), encoding="utf-8")


def _repository() -> Path:
    root = PACKAGE.parent
    if not (root / "tests" / "variants").is_dir():
        raise OSError(
            f"{root} is an installed copy, not the repository, where the tests belong. "
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
