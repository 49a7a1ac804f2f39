from . import figures as figures
from .check_cell import audit as audit
