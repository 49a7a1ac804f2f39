from .check_cell import audit as audit
