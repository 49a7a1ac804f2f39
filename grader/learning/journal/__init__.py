"""What a learner did, in a file of their own: checks, hints, predictions, reviews.

Nothing here raises because of that file. Whatever is the matter with it comes back as a notice, a
sentence for the learner, and the verdict that was to be kept is shown all the same.
"""

from .file import SOLUTION as SOLUTION
from .file import is_kept as is_kept
from .file import journal_path as journal_path
from .file import keep as keep
from .file import note_attempt as note_attempt
from .file import note_help as note_help
from .file import peek as peek
from .file import read_journal as read_journal
from .model import Attempt as Attempt
from .model import Card as Card
from .model import Exam as Exam
from .model import Help as Help
from .model import Journal as Journal
from .model import Look as Look
from .model import Prediction as Prediction
from .model import Reading as Reading
from .model import SolvedPuzzle as SolvedPuzzle
from .model import now as now
from .summary import Progress as Progress
