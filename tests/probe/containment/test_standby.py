"""A child that stands by gives the same evidence, and each task a process of its own."""

from multiprocessing import Pipe

import pytest

from grader.course.catalog import find, solution_file, starter
from grader.probe.containment.limits import Limits
from grader.probe.containment.standby import Standby
from grader.probe.containment.supervisor import RefusedError, SupersededError, probe_in_child
from grader.probe.tasks import Exercise

RUBRIC = find("03")


def task(path, device="simulated", seed=7):
    return Exercise(path, RUBRIC.class_name, seed, device, RUBRIC.recipe)


@pytest.fixture(scope="module")
def standby():
    ready = Standby(task(solution_file(RUBRIC.stem)))
    yield ready
    ready.close()


@pytest.fixture
def answer(tmp_path):
    def write(text):
        path = tmp_path / f"{RUBRIC.stem}.py"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_its_evidence_is_that_of_a_new_child(standby, answer):
    path = answer(starter(RUBRIC.stem))

    assert standby.probe(task(path)) == probe_in_child(task(path))


def test_a_file_sees_nothing_of_the_one_before(standby, answer):
    leaves = "import torch, builtins\nbuiltins.leftover = True\ntorch.left = True\n"
    looks = "import torch, builtins\nprint(hasattr(builtins, 'leftover'), hasattr(torch, 'left'))\n"
    standby.probe(task(answer(leaves + starter(RUBRIC.stem))))

    evidence = standby.probe(task(answer(looks + starter(RUBRIC.stem))))

    assert evidence.printed == "False False\n"


@pytest.mark.parametrize(
    ("text", "ending"),
    [("import os\nos._exit(3)\n", "crashed"), ("while True:\n    pass\n", "timeout")],
)
def test_what_ends_its_child_does_not_end_the_next(standby, answer, text, ending):
    assert standby.probe(task(answer(text)), limits=Limits(seconds=2)).ending == ending
    assert standby.probe(task(answer(starter(RUBRIC.stem)))).ending == "complete"


def test_an_interrupt_ends_the_waiting_for_a_loop(standby, answer):
    reader, writer = Pipe(duplex=False)
    writer.send("a newer save")

    with pytest.raises(SupersededError):
        standby.probe(task(answer("while True:\n    pass\n")), interrupt=reader)
    assert standby.probe(task(answer(starter(RUBRIC.stem)))).ending == "complete"


def test_a_rehearsal_that_cannot_be_is_no_fault_of_the_task(tmp_path, answer):
    unready = Standby(task(tmp_path / "missing.py"))
    try:
        assert unready.probe(task(answer(starter(RUBRIC.stem)))).ending == "complete"
    finally:
        unready.close()


def test_a_device_that_is_not_there_is_refused(answer, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)  # a fork has it, too
    unready = Standby(task(solution_file(RUBRIC.stem), device="cuda"))
    try:
        with pytest.raises(RefusedError, match="grade with --device simulated"):
            unready.probe(task(answer(starter(RUBRIC.stem)), device="cuda"))
    finally:
        unready.close()
