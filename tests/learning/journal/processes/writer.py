"""Takes hints, one after the other: `writer.py EXERCISE HOW_MANY`."""

import sys

from grader.learning.journal import Help, keep

exercise, how_many = sys.argv[1], int(sys.argv[2])
for number in range(how_many):
    notice = keep(lambda journal, number=number: journal.add_help(Help(exercise, number)))
    assert notice == "", notice
