"""Write grader/course/starters.json: every exercise as a learner first finds it.

`grader reset` puts these back, and a file that still says the same reads `not_attempted`.
"""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Copy exercises/ as it is now, so run it on a tree where nobody has solved any."""
    exercises = sorted((ROOT / "exercises").glob("[0-9]*.py"))
    starters = {path.stem: path.read_text(encoding="utf-8") for path in exercises}
    text = json.dumps(starters, indent=1, ensure_ascii=False)
    path = ROOT / "grader" / "course" / "starters.json"
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
