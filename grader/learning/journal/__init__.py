"""What a learner did, in a file of their own: checks, hints, predictions, reviews.

Nothing here raises because of that file. Whatever is the matter with it comes back as a notice, a
sentence for the learner, and the verdict that was to be kept is shown all the same.
"""

from grader.learning.journal.file import is_kept, journal_path, keep, peek, read_journal
from grader.learning.journal.model import (
    Attempt,
    Card,
    Exam,
    Help,
    Journal,
    Look,
    Prediction,
    Reading,
    SolvedPuzzle,
    now,
)
from grader.learning.journal.noting import (
    SOLUTION,
    note_attempt,
    note_help,
)
from grader.learning.journal.summary import Progress

__all__ = [
    "SOLUTION",
    "Attempt",
    "Card",
    "Exam",
    "Help",
    "Journal",
    "Look",
    "Prediction",
    "Progress",
    "Reading",
    "SolvedPuzzle",
    "is_kept",
    "journal_path",
    "keep",
    "note_attempt",
    "note_help",
    "now",
    "peek",
    "read_journal",
]
