"""The learner's file: nothing that happens to it loses what stood there, or goes unsaid."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.learning.journal import Attempt, Help, journal_path, keep, read_journal

HERE = Path(__file__).parent
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX's signals and limits")
same_file = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def take(exercise: str, number: int = 1) -> str:
    return keep(lambda journal: journal.add_help(Help(exercise, number)))


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(HERE / "processes" / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def test_what_is_kept_is_read_again(journal):
    attempt = Attempt("03", "failed", 1, 6, "cuda:0 (simulated)")

    assert keep(lambda kept: kept.add_attempt(attempt)) == ""
    assert take("03", 2) == ""

    kept, notice = read_journal()
    assert notice == ""
    assert kept.attempts == [attempt]
    assert kept.hints_taken("03") == 2


def test_reading_where_nothing_was_kept_makes_no_file(journal):
    assert read_journal()[1] == ""
    assert not journal.parent.exists()


def test_without_the_variable_it_is_at_the_usual_place_of_a_person(monkeypatch, tmp_path):
    monkeypatch.delenv("GRADER_JOURNAL")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    assert journal_path().name == "journal.json"
    assert journal_path().parent.name == "wheres-my-tensor"
    assert tmp_path.resolve() in journal_path().parents


def test_a_machine_that_tests_is_no_learner(monkeypatch, tmp_path):
    monkeypatch.setenv("CI", "true")
    take("03")
    assert read_journal()[0].hints_taken("03") == 1, "the file was named"

    monkeypatch.delenv("GRADER_JOURNAL")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert take("03") == ""
    assert not journal_path().exists()


def test_a_link_to_the_file_stays_a_link(journal, tmp_path):
    journal.parent.mkdir()
    journal.symlink_to(tmp_path / "synchronised.json")

    assert take("03") == ""
    assert journal.is_symlink()
    assert read_journal()[0].hints_taken("03") == 1


@POSIX
def test_a_kill_in_the_middle_of_writing_loses_nothing(journal):
    printed = json.loads(run("killed.py", "40").stdout)

    assert printed["landed_while_writing"] >= 3, "hardly a kill met a half-written file"
    assert printed["lost"] == []
    assert {path.name for path in journal.parent.iterdir()} <= {
        "journal.json",
        "journal.lock",
        "journal.new",
    }


def test_two_processes_at_once_lose_nothing(journal):
    take("01")
    command = [sys.executable, str(HERE / "processes" / "writer.py")]
    writers = [subprocess.Popen([*command, name, "25"]) for name in ("03", "04")]

    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    taken = [(hint.exercise, hint.number) for hint in read_journal()[0].help]
    assert sorted(taken) == sorted(
        [("01", 1), *((name, number) for name in ("03", "04") for number in range(25))]
    )


@POSIX
def test_a_full_disk_is_said_and_the_old_file_is_whole(journal):
    take("03")
    before = journal.read_bytes()
    printed = run("full_disk.py").stdout

    assert printed.startswith(f"This is not kept in your progress, {journal}: file too large.")
    assert "What stood there is unchanged." in printed
    assert journal.read_bytes() == before
    assert not journal.with_suffix(".new").exists()


def test_a_place_where_nothing_can_be_written_is_said(monkeypatch, tmp_path):
    (tmp_path / "notes").write_text("a file, where a folder should be")
    monkeypatch.setenv("GRADER_JOURNAL", str(tmp_path / "notes" / "journal.json"))

    assert "is not kept" in take("03")
    assert read_journal()[0].help == []


def test_a_broken_file_or_a_newer_one_is_set_aside_and_said(journal):
    journal.parent.mkdir()
    for number, broken in enumerate([b"", b'{"version": 1, "attempts": [', b'{"version": 2}'], 1):
        journal.write_bytes(broken)
        notice = take("03", number)

        aside = journal.with_suffix(f".broken-{number}.json")
        assert str(aside) in notice
        assert aside.read_bytes() == broken
        assert read_journal() == (read_journal()[0], "")
        assert read_journal()[0].hints_taken("03") == number


def nearly_a_journal(text: str) -> st.SearchStrategy[bytes]:
    """A journal with a piece of it cut out, and something else put there."""
    places = st.tuples(st.integers(0, len(text)), st.integers(0, 30), st.text(max_size=5))
    return places.map(lambda cut: (text[: cut[0]] + cut[2] + text[cut[0] + cut[1] :]).encode())


@same_file
@given(text=st.binary() | nearly_a_journal((HERE / "journal.json").read_text()))
def test_whatever_is_in_the_file_nothing_is_lost_or_raised(journal, text):
    journal.parent.mkdir(exist_ok=True)
    for left_over in journal.parent.iterdir():
        left_over.unlink()
    journal.write_bytes(text)

    kept, notice = read_journal()
    aside = [path.read_bytes() for path in journal.parent.glob("*.broken-*.json")]
    assert aside == ([text] if "set aside" in notice else [])
    if not notice:
        assert take("12", 7) == ""
        assert read_journal()[0].help == [*kept.help, *read_journal()[0].help[len(kept.help) :]]
        assert read_journal()[0].hints_taken("12") >= 7
