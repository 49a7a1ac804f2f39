"""Begin an exercise or a kind of finding: four files, which work before a word of them is changed.

    python tools/new.py 16_gamma_correction
    python tools/new.py gradient-detached

What begins with a number is an exercise. `05c_...` would be a third one in notebook 05.
"""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from string import Template

from grader.course import PACKAGE, stems
from grader.loading import shortest
from refresh_starters import main as refresh_starters

ROOT = Path(__file__).resolve().parent.parent
SKELETON = ROOT / "tools" / "skeleton"
STEM = re.compile(r"(?P<number>\d\d[a-z]?)_(?P<topic>[a-z][a-z0-9]*(_[a-z0-9]+)*)")
CODE = re.compile(r"[a-z]+(-[a-z]+)*")


class BadNameError(ValueError):
    """An exercise or a finding cannot be called that."""


def new_exercise(stem: str) -> list[Path]:
    """Write an exercise's starter, solution, rubric and variants; what was written.

    Raises:
        BadNameError: the name has another form, or its number is taken.
    """
    matched = STEM.fullmatch(stem)
    if not matched:
        raise BadNameError(
            f"An exercise cannot be called {stem}. It is called by its number and its topic, such "
            "as 16_gamma_correction, or 05c_gamma_correction for a third one in notebook 05."
        )
    if taken := [stem for stem in stems() if stem.split("_")[0] == matched["number"]]:
        raise BadNameError(f"The number is taken, by {taken[0]}. Take another.")
    words = {"stem": stem, "number": matched["number"], "class_name": _class_name(matched["topic"])}
    files = {
        ROOT / "exercises" / f"{stem}.py": "exercise.py",
        ROOT / "solutions" / f"{stem}.py": "solution.py",
        PACKAGE / "course" / "rubrics" / f"{stem}.py": "rubric.py",
        ROOT / "tests" / "variants" / f"{stem}.py": "variants.py",
    }
    _write(files, words)
    refresh_starters()
    return list(files)


def new_finding(code: str) -> list[Path]:
    """Write the rule, the page, the test and the case of a finding, and enter it as the last.

    Gives what was written, then what was changed.

    Raises:
        BadNameError: the name has another form, or is taken.
        subprocess.CalledProcessError: the index of findings could not be written.
    """
    if not CODE.fullmatch(code):
        raise BadNameError(
            f"A finding cannot be called {code}. Its code is made of words of small letters with "
            "hyphens between them, such as gradient-detached; what begins with a number, such as "
            "16_gamma_correction, is an exercise."
        )
    module = code.replace("-", "_")
    files = {
        PACKAGE / "judge" / "findings" / f"{module}.py": "finding_rule.py",
        ROOT / "docs" / "findings" / f"{code}.md": "finding_page.md",
        ROOT / "tests" / "judge" / f"test_{module}.py": "finding_test.py",
        ROOT / "tests" / "auditing" / "cases" / f"{module}_example.py": "finding_case.py",
    }
    if taken := [path for path in files if path.exists()]:
        raise BadNameError(f"The code {code} is taken, by {taken[0]}. Take another.")
    constant, class_name = module.upper(), _class_name(module)
    _write(files, {"code": code, "module": module, "constant": constant, "class_name": class_name})
    codes = PACKAGE / "judge" / "codes.py"
    with codes.open("a", encoding="utf-8") as file:
        file.write(f'    {constant} = "{code}"  # why it stands here\n')
    subprocess.run([sys.executable, ROOT / "tools" / "refresh_findings.py"], check=True)
    return [*files, codes, ROOT / "docs" / "findings" / "index.md"]


def _write(files: Mapping[Path, str], words: Mapping[str, str]) -> None:
    """Fill `words` into the skeleton that each file is made from."""
    for path, skeleton in files.items():
        template = Template((SKELETON / f"{skeleton}.txt").read_text(encoding="utf-8"))
        path.write_text(template.substitute(words), encoding="utf-8")


def _class_name(topic: str) -> str:
    return "".join(word.capitalize() for word in topic.split("_"))


EXERCISE = """
It works as it is: python tools/verify {number}. Now make it yours; docs/authoring.md
says what each file is for. After a change of the starter: make starters."""
FINDING = """
The tests pass as it is. Now make the first four yours, and move its line in
codes.py to where it belongs; docs/authoring.md says how. Then: make outputs"""


def main(name: str) -> None:
    """Begin it, and print which files there are to make one's own."""
    is_exercise = name[:1].isdigit()
    for path in (new_exercise if is_exercise else new_finding)(name):
        print(shortest(path))
    print(EXERCISE.format(number=name.partition("_")[0]) if is_exercise else FINDING)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (BadNameError, TypeError) as error:
        sys.exit(str(error) if isinstance(error, BadNameError) else __doc__)
