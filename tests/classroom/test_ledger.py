"""The ledger keeps what was written; what of it counts, and what need not be graded again."""

import pytest
from entries import entry, write
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.classroom.results.ledger import (
    LEDGER_NAME,
    LedgerError,
    Record,
    latest,
    read_ledger,
)
from grader.probe.containment.sandbox import Level


def test_a_line_is_there_before_the_ledger_is_closed(tmp_path):
    with Record(tmp_path) as record:
        record.write(entry())

        assert list(read_ledger(tmp_path)) == [entry()]


@settings(max_examples=60)
@given(data=st.data())
def test_a_torn_last_line_costs_that_line_only(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("torn")
    write(folder, *(entry(learner=f"learner {i}") for i in range(3)))
    path = folder / LEDGER_NAME
    whole = path.read_bytes()
    kept = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:kept])
    lines = whole[:kept].count(b"\n")

    assert len(list(read_ledger(folder))) == lines
    ledger = write(folder, entry(learner="after"))

    assert ledger.cut_off == len(whole[:kept].rpartition(b"\n")[2])
    names = [entry.learner for entry in read_ledger(folder)]
    assert names == [f"learner {i}" for i in range(lines)] + ["after"]


def test_a_broken_line_in_the_middle_is_named(tmp_path):
    write(tmp_path, entry())
    with (tmp_path / LEDGER_NAME).open("a") as file:
        file.write('{"format":2,"learner": "Ada"}\n')

    with pytest.raises(LedgerError, match=r"ledger\.jsonl, line 2 is not a result"):
        list(read_ledger(tmp_path))


@pytest.mark.parametrize("begin", ["", '"format":1,'])
def test_a_ledger_of_another_version_says_so_and_has_a_status_of_its_own(tmp_path, grader, begin):
    write(tmp_path, entry())
    path = tmp_path / LEDGER_NAME
    path.write_text(path.read_text().replace('"format":2,', f'{begin}"place":"x",'))

    ran = grader("export", tmp_path, "--to", "csv")

    assert (ran.status, "another version of the grader wrote it" in ran.err) == (3, True)


def test_the_last_line_about_a_learner_and_exercise_counts(tmp_path):
    again = entry(submission="7a" * 32)
    other = entry(exercise="04")

    write(tmp_path, entry(), other, again)

    assert latest(read_ledger(tmp_path)) == {
        ("Ada Lovelace", "03"): again,
        ("Ada Lovelace", "04"): other,
    }


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
        assert record.counted["Ada Lovelace", "03"] == known


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
