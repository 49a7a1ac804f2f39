"""What a constructor computes is judged: by its values, and by what `forward` makes of them."""

import pytest

from grader.course.catalog import find, solution_file
from grader.grading.grade import grade_file

CHANGED = {
    "mean and std exchanged": (
        "03",
        'register_buffer("mean", torch.tensor(mean))',
        'register_buffer("mean", torch.tensor(std))',
        "buffers",
    ),
    "a mask that hides the past": (
        "03b",
        "places[:, None] < places",
        "places[:, None] > places",
        "forward",
    ),
    "a count that starts at one": ("10", "torch.tensor(0)", "torch.tensor(1)", "buffers"),
    "a mean that weighs the last batch": (
        "10",
        "self.batches += 1",
        "self.batches.fill_(1)",
        "forward",
    ),
    "weights the wrong way up": (
        "10b",
        "sum(counts) / (len(counts) * count)",
        "count / sum(counts)",
        "forward",
    ),
    "a mask without a frame": ("13", "inside[0] = inside[-1] = False", "pass", "forward"),
    "centres in another order": (
        "08",
        "torch.eye(classes, features, device=device)",
        "torch.eye(classes, features, device=device).flip(0)",
        "parameters",
    ),
    "a statistic that autograd tracks": (
        "10",
        "self.update(x.detach())",
        "self.update(x)",
        "forward",
    ),
    "an output cut off from the input": (
        "01",
        "return torch.stack([across, down], dim=-1)",
        "return torch.stack([across, down], dim=-1).detach()",
        "forward",
    ),
    "a mask that is too short for a later input": (
        "09",
        "kept is None or len(kept) < length or",
        "kept is None or",
        "forward",
    ),
    "an output that is fetched to the CPU": (
        "07b",
        "return counts, loss",
        "return counts.cpu(), loss",
        "forward",
    ),
    "Parameters that share their memory": (
        "05b",
        "nn.ParameterDict({task: torch.zeros(features) for task in tasks})",
        "nn.ParameterDict(dict.fromkeys(tasks, torch.zeros(features)))",
        "parameters",
    ),
    "gains that start at zero": ("05b", "task: torch.ones", "task: torch.zeros", "forward"),
    "factors that start at zero": (
        "05b",
        "0.1 * torch.randn(shape)",
        "torch.zeros(shape)",
        "forward",
    ),
}
EQUALLY_RIGHT = {
    "another shape": ("03", "torch.tensor(mean)", "torch.tensor(mean).view(1, -1)"),
    "another initialisation": (
        "05b",
        "0.1 * torch.randn(shape)",
        "torch.nn.init.xavier_uniform_(torch.empty(shape))",
    ),
    "the same table by another road": (
        "03b",
        "places[:, None] < places",
        "torch.ones(longest, longest).triu(1).bool()",
    ),
}


def graded(tmp_path, number, old, new):
    """The report on the solution with one piece of its text exchanged."""
    rubric = find(number)
    text = solution_file(rubric.stem).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / f"{rubric.stem}.py"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return grade_file(rubric, path, "simulated")


@pytest.mark.parametrize(("number", "old", "new", "check"), CHANGED.values(), ids=CHANGED)
def test_a_constructor_that_computes_something_else_fails(tmp_path, number, old, new, check):
    report = graded(tmp_path, number, old, new)

    assert report.verdict == "failed"
    assert check in [check.name for check in report.checks if not check.passed]


@pytest.mark.parametrize(("number", "old", "new"), EQUALLY_RIGHT.values(), ids=EQUALLY_RIGHT)
def test_another_form_of_the_same_passes(tmp_path, number, old, new):
    report = graded(tmp_path, number, old, new)

    assert report.verdict == "passed", report.checks
