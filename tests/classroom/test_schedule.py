"""Submissions that take long, such as endless loops, are graded last; they cost nobody a mark."""

from functools import partial

import pytest
from handing_in import NORMALIZER, hand_in, solution

from grader.classroom.batch import BatchOptions, run_batch
from grader.classroom.grading import grade, schedule
from grader.classroom.grading.marking import GradingJob, refused
from grader.classroom.grading.schedule import FIRST_SECONDS, Schedule
from grader.classroom.results.ledger import Outcome, read_ledger

WHOLE = 60.0
LOOP = "\nwhile True:\n    pass\n"
SLOW = "\nimport time\n\ntime.sleep(1)\n"
HANDED_IN = {
    "ada": (LOOP, "timeout"),
    "bob": (SLOW, "passed"),
    "cyd": ("", "passed"),  # nothing waits any more, so it may take the whole limit at once
}


def jobs(names):
    return [GradingJob(NORMALIZER, name, name) for name in names]


def result(timed_out):
    report = refused(GradingJob(NORMALIZER, "", ""), "").report
    return Outcome(report, timed_out=timed_out)


def taken(plan):
    """The next task, as its name and its limit."""
    job = plan.take()
    return job and (job.path, job.limit or job.seconds)


def test_what_runs_into_the_short_limit_comes_after_all_others_with_the_whole_one():
    plan = Schedule(jobs("abcd"))
    loop, another = plan.take(), plan.take()

    assert plan.sets_aside(loop, result(True))
    assert plan.sets_aside(another, result(True))

    assert taken(plan) == ("c", FIRST_SECONDS)
    assert [taken(plan) for _ in range(4)] == [("d", WHOLE), ("a", WHOLE), ("b", WHOLE), None]


def test_what_ends_within_the_short_limit_stands():
    plan = Schedule(jobs("ab"))

    assert not plan.sets_aside(plan.take(), result(False))
    assert [taken(plan), taken(plan)] == [("b", WHOLE), None]


def test_what_runs_into_the_whole_limit_stands():
    plan = Schedule(jobs("a"))
    alone = plan.take()

    assert not alone.limit
    assert not plan.sets_aside(alone, result(True))
    assert taken(plan) is None


def test_a_limit_below_the_short_one_is_not_raised():
    plan = Schedule([GradingJob(NORMALIZER, name, name, seconds=1.0) for name in "ab"])
    first = plan.take()

    assert first.limit == 1.0
    assert not plan.sets_aside(first, result(True))


def test_a_lost_worker_costs_no_try_of_those_set_aside():
    plan = Schedule(jobs("ab"))
    plan.put_back(plan.take())
    again = plan.take()
    assert (again.path, again.tries) == ("a", 2)

    assert plan.sets_aside(again, result(True))

    assert [plan.take().tries for _ in range(2)] == [1, 1]


@pytest.fixture
def batch(tmp_path, monkeypatch):
    """Grades the class with one worker and shorter limits; gives the ledger's verdicts in order."""
    monkeypatch.setattr(schedule, "FIRST_SECONDS", 0.2)
    monkeypatch.setattr(grade, "GradingJob", partial(GradingJob, seconds=8.0))
    files = {f"{name}/{NORMALIZER}.py": solution() + more for name, (more, _) in HANDED_IN.items()}
    given, out = hand_in(tmp_path / "in", files), tmp_path / "out"

    def run(tell=lambda: None):
        run_batch(given, out, BatchOptions(1, device="simulated"), lambda _: tell)
        return [(entry.learner, entry.report.verdict) for entry in read_ledger(out)]

    return run


def verdicts(names):
    return [(name, HANDED_IN[name][1]) for name in names]


def test_in_a_batch_loops_and_slow_answers_are_graded_last_and_justly(batch):
    assert batch() == verdicts(["cyd", "ada", "bob"])


def test_a_batch_interrupted_before_its_loops_has_the_others_and_goes_on(batch):
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch(interrupt)

    told = []
    # No other waits when bob's turn comes: he may take the whole limit, before ada comes again.
    assert batch(lambda: told.append(1)) == verdicts(["cyd", "bob", "ada"])
    assert len(told) == len(HANDED_IN)
