"""`progress()`: where a learner stands."""

from __future__ import annotations

import sys

from grader.course import find_notebook
from grader.learning.help import current_progress
from grader.learning.journal import now
from grader.learning.journal.progress import progress_text, to_html
from grader.learning.notebook.display import running_shell
from grader.learning.notebook.widgets import show_bundle


def progress(notebook: str | int = "") -> None:
    """Show how far you are: exercises, predictions, how sure and how right, what is due again.

    Args:
        notebook: show only what is in this one, such as "03"; otherwise the whole course.

    Raises:
        UnknownItemError: there is none of that number.
    """
    reached, notice = current_progress(find_notebook(notebook) if notebook != "" else "")
    faces = reached, now(), "review()"
    if running_shell() is None:
        print(progress_text(*faces))
    else:
        show_bundle({"text/html": to_html(*faces), "text/plain": progress_text(*faces)})
    if notice:
        print(notice, file=sys.stderr)
