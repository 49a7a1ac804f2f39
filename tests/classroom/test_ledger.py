"""The ledger keeps what was written, whatever happens to its end."""

import pytest
from entries import entry, write
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.classroom.results.ledger import (
    LEDGER_NAME,
    Ledger,
    LedgerError,
    latest,
    read_at,
    read_ledger,
    read_with_offsets,
)


def test_what_is_written_is_read_in_its_order(tmp_path):
    entries = [
        entry(learner="Ada"),
        entry(learner="Zoë Ünal"),
        entry(learner="王小明", seconds=1.5),
    ]

    write(tmp_path, *entries[:2])
    write(tmp_path, entries[2])

    assert list(read_ledger(tmp_path)) == entries


def test_a_folder_without_a_ledger_has_no_results(tmp_path):
    assert list(read_ledger(tmp_path)) == []


def test_a_line_is_there_before_the_ledger_is_closed(tmp_path):
    with Ledger(tmp_path) as ledger:
        ledger.append(entry())

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


def test_a_torn_line_longer_than_a_block_is_cut_off_too(tmp_path):
    write(tmp_path, entry())
    with (tmp_path / LEDGER_NAME).open("ab") as file:
        file.write(b"x" * 200_000)

    assert write(tmp_path, entry(learner="Bo")).cut_off == 200_000
    assert [entry.learner for entry in read_ledger(tmp_path)] == ["Ada Lovelace", "Bo"]


def test_a_broken_line_in_the_middle_is_named(tmp_path):
    write(tmp_path, entry())
    with (tmp_path / LEDGER_NAME).open("a") as file:
        file.write('{"learner": "Ada"}\n')
    write(tmp_path, entry())

    with pytest.raises(LedgerError, match=r"ledger\.jsonl, line 2 is not a result"):
        list(read_ledger(tmp_path))


def test_the_last_line_about_a_learner_and_exercise_counts(tmp_path):
    again = entry(submission="7a" * 32)
    other = entry(exercise="04")

    write(tmp_path, entry(), other, again)

    assert latest(read_ledger(tmp_path)) == {
        ("Ada Lovelace", "03"): again,
        ("Ada Lovelace", "04"): other,
    }


def test_a_result_is_found_again_by_its_place(tmp_path):
    write(tmp_path, entry(learner="Ö"), entry(learner="Bo"))

    assert [read_at(tmp_path, offset) for offset, _ in read_with_offsets(tmp_path)] == list(
        read_ledger(tmp_path)
    )
