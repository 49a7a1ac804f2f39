"""What counts of a ledger, and what of it need not be graded again."""

import pytest
from entries import entry, write

from grader.classroom.results.ledger import latest
from grader.classroom.results.record import Record
from grader.probe.containment.sandbox import Level


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
    write(tmp_path, known)

    with Record(tmp_path, least) as record:
        assert record.holds(known) is stands
        assert (record.graded(known) == known) is stands
        assert record.read(record.counted["Ada Lovelace", "03"]) == known


@pytest.mark.parametrize(
    ("names", "count"),
    [
        (("Ada", "Ada (7)"), ["Ada (7)"]),  # a namesake came
        (("Ada (7)", "Ada"), ["Ada"]),  # and went
        (("Ada", "Ada (7)", "Ada"), ["Ada"]),
    ],
)
def test_a_learner_who_is_told_from_a_namesake_counts_once(tmp_path, names, count):
    entries = [entry(learner=name, learner_id="7") for name in names]
    write(tmp_path, *entries)

    with Record(tmp_path) as record:
        assert [learner for learner, _ in record.counted] == count
    assert [learner for learner, _ in latest(entries)] == count


def test_learners_with_one_name_stay_two(tmp_path):
    entries = [entry(learner="Ada", learner_id="9"), entry(learner="Ada (7)", learner_id="7")]
    write(tmp_path, *entries)

    with Record(tmp_path) as record:
        assert {learner for learner, _ in record.counted} == {"Ada", "Ada (7)"}
    assert len(latest(entries)) == 2
