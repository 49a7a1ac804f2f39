"""From a learner's class to a report, in a file or in this process."""

from dataclasses import dataclass, replace

import pytest
import torch
from msgspec import structs
from torch import nn

from grader.course.catalog import find, solution_file, starter
from grader.grading.grade import grade_class, grade_file
from grader.loading import execute
from grader.probe import fresh_seed, probe_in_child
from grader.probe.steps.other_placements import WITHOUT_GPU

RUBRIC = find("04")


class CenterScale(nn.Module):
    """A right answer."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight


@dataclass
class AsData(CenterScale):
    """It compares by value, so it has no hash."""

    def __init__(self, features):
        super().__init__(features)


class PlainMean(CenterScale):
    def __init__(self, features):
        super().__init__(features)
        del self.running_mean
        self.running_mean = torch.zeros(features)


class FrozenMean(CenterScale):
    def __init__(self, features):
        super().__init__(features)
        del self.running_mean
        self.running_mean = nn.Parameter(torch.zeros(features), requires_grad=False)


def loaded(path, source, name):
    """The class of a file, in this process."""
    path.write_text(source, encoding="utf-8")
    return getattr(execute(source, path), name)


def test_a_file_and_a_class_are_judged_alike(tmp_path):
    source = solution_file(RUBRIC.stem).read_text(encoding="utf-8")
    cls = loaded(tmp_path / "answer.py", source, "CenterScale")

    of_class = grade_class(RUBRIC, cls, "simulated")
    of_file = grade_file(RUBRIC, tmp_path / "answer.py", "simulated")

    assert of_class.verdict == of_file.verdict == "passed"
    assert of_class.checks == of_file.checks
    assert (of_class.source, of_file.source) == ("", str(tmp_path / "answer.py"))


def test_a_class_of_this_process_is_judged_with_its_own_lines():
    report = grade_class(RUBRIC, PlainMean, "simulated")

    (finding,) = report.findings
    assert report.verdict == "failed"
    assert (finding.code, finding.where) == ("member-tensor", "self.running_mean")
    assert finding.line == PlainMean.__init__.__code__.co_firstlineno + 3


def test_a_module_that_is_a_dataclass_is_told_why_pytorch_cannot_list_it():
    report = grade_class(RUBRIC, AsData, "simulated")

    assert report.verdict == "failed"
    assert "`@dataclass(eq=False)`" in report.message


def test_an_untouched_class_is_not_attempted(tmp_path):
    cls = loaded(tmp_path / "cell.py", starter(RUBRIC.stem), "CenterScale")

    assert grade_class(RUBRIC, cls).verdict == "not_attempted"


def test_a_class_with_a_comment_more_is_untouched_and_with_a_change_is_not(tmp_path):
    source = starter(RUBRIC.stem)
    commented = source.replace("super().__init__()", "super().__init__()  # why?")
    changed = source.replace("torch.ones", "torch.zeros")

    assert grade_class(RUBRIC, loaded(tmp_path / "a.py", commented, "CenterScale")).score == 0
    assert grade_class(RUBRIC, loaded(tmp_path / "b.py", changed, "CenterScale")).score > 0


@pytest.mark.parametrize("answer", [CenterScale(5), CenterScale.forward, "CenterScale()", None])
def test_what_is_no_class_is_asked_for_as_one(answer):
    report = grade_class(RUBRIC, answer)

    assert (report.verdict, report.exit_code) == ("not_defined", 2)
    assert 'check("04", CenterScale)' in report.message


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is here")
def test_a_device_that_is_not_there_grades_nothing():
    report = grade_class(RUBRIC, CenterScale, "cuda")

    assert (report.verdict, report.device, report.checks) == ("cannot_grade", "none", ())


def test_another_class_of_the_file_may_be_named(tmp_path):
    path = tmp_path / "answer.py"
    source = solution_file(RUBRIC.stem).read_text(encoding="utf-8")
    path.write_text(source.replace("CenterScale", "MyScale"), encoding="utf-8")

    assert grade_file(RUBRIC, path).verdict == "not_defined"
    assert grade_file(RUBRIC, path, class_name="MyScale").verdict == "passed"


def test_grading_leaves_this_process_as_it_was(tmp_path):
    state = torch.random.get_rng_state()

    grade_class(RUBRIC, CenterScale)

    assert torch.equal(torch.random.get_rng_state(), state)


def test_where_the_gpu_is_real_another_process_plays_the_machine_without_one(tmp_path):
    rubric, tasks = find("12"), []
    source = solution_file(rubric.stem).read_text(encoding="utf-8")
    answer = tmp_path / "answer.py"
    answer.write_text(source.replace("decay =", "torch.cuda.synchronize(); decay ="))

    def probe(task):  # the first answer is as if from a GPU, which has no such call
        tasks.append(task)
        evidence = probe_in_child(replace(task, device="simulated"))
        if len(tasks) > 1:
            return evidence
        seen = tuple(call for call in evidence.elsewhere if call.how != WITHOUT_GPU)
        return structs.replace(evidence, device="cuda:0 (H100)", elsewhere=seen)

    report = grade_file(rubric, answer, "auto", probe=probe)

    assert [task.device for task in tasks] == ["auto", "simulated"]
    (failed,) = [check for check in report.checks if not check.passed]
    assert failed.message.startswith(f"{WITHOUT_GPU}, it raised RuntimeError")


def test_no_seed_is_like_another():
    assert len({fresh_seed() for _ in range(50)}) == 50


@pytest.mark.parametrize(
    ("answer", "said"), [(CenterScale, []), (FrozenMean, ["`self.running_mean`: as a frozen"])]
)
def test_a_passing_answer_is_told_what_one_would_usually_write(answer, said):
    report = grade_class(RUBRIC, answer, "simulated")

    assert report.verdict == "passed"
    assert [note[: len(said[0])] for note in report.notes] == said


EACH_CALL = "[:length, :length]", "[:length, :length].to(x.device)", "asks for a move in each call"
LAYERS = "nn.ModuleDict(", "nn.ParameterDict(", "usually go into an `nn.ModuleDict`"
NOT_WAITING = ".cpu()", '.to("cpu", non_blocking=True)', "does not wait for the GPU"


@pytest.mark.parametrize(
    ("number", "change", "is_told"),
    [
        ("09", EACH_CALL, True),
        ("07", EACH_CALL, False),
        ("01b", NOT_WAITING, True),
        ("05", LAYERS, True),
    ],
)
def test_a_right_answer_is_told_what_is_usually_written(number, change, is_told, tmp_path):
    rubric, (before, after, told) = find(number), change
    source = solution_file(rubric.stem).read_text(encoding="utf-8")
    path = tmp_path / f"{rubric.stem}.py"
    path.write_text(source.replace(before, after))
    report = grade_file(rubric, path, "simulated")

    assert report.verdict == "passed"
    assert any(told in note for note in report.notes) == is_told
