"""What stands in a ledger need not be graded again, if it was reached as is asked for now."""

import pytest
from entries import entry

from grader.classroom.ledger import Ledger
from grader.classroom.record import Record
from grader.classroom.sandbox import Level


@pytest.mark.parametrize(
    ("reached", "least", "stands"),
    [
        ("process", Level.PROCESS, True),
        ("full", Level.PROCESS, True),
        ("full", Level.FULL, True),
        ("process", Level.FILESYSTEM, False),
        ("filesystem", Level.FULL, False),
        ("none", Level.FULL, True),  # as where the class is not defined: nothing was run
    ],
)
def test_a_result_of_a_weaker_isolation_is_reached_again(tmp_path, reached, least, stands):
    known = entry(isolation=reached)
    with Ledger(tmp_path) as ledger:
        ledger.append(known)

    with Record(tmp_path, least) as record:
        assert record.holds(known) is stands
        assert (record.graded(known) == known) is stands
        assert record.read(record.counted["Ada Lovelace", "03"]) == known
