"""Keeps a hint where no file may grow to the size that it needs; prints what is said of it."""

import resource
import signal

from grader.learning.journal import Help, journal_path, keep

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = journal_path().stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
print(keep(lambda journal: journal.add_help(Help("03", 2))))
