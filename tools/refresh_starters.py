"""Write grader/course/starters.json: every exercise as a learner first finds it.

`grader reset` puts these back, and a file that still says the same reads `not_attempted`.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.course.new import write_starters  # noqa: E402


def main() -> None:
    """Copy exercises/ as it is now, so run it on a tree where nobody has solved any."""
    exercises = (ROOT / "exercises").glob("[0-9]*.py")
    write_starters({path.stem: path.read_text(encoding="utf-8") for path in exercises})


if __name__ == "__main__":
    main()
