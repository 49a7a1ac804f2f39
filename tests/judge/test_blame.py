"""Messages that blame what is at fault, on answers that were once told something else."""

from grader.course.catalog import find
from grader.grading.grade import grade_file

NORMALIZER = """\
import torch
from torch import nn


class Normalizer(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        {mean}
        {std}

    {method}

    def forward(self, x):
        return (x - self.mean) / self.std
"""
PLAIN = {"mean": "self.mean = torch.tensor(mean)", "std": "self.std = torch.tensor(std)"}
BUFFERS = {
    "mean": 'self.register_buffer("mean", torch.tensor(mean))',
    "std": 'self.register_buffer("std", torch.tensor(std))',
}
BY_HAND = """def to(self, *args):
        super().to(*args)
        self.mean, self.std = self.mean.to(*args), self.std.to(*args)
        return self

    def cuda(self):
        return self.to("cuda")"""
FORGETFUL = """def to(self, device):
        self.mean.to(device)
        return self"""
HARMLESS = """def to(self, *args, **kwargs):
        self.moves = 1
        return super().to(*args, **kwargs)"""


def graded(tmp_path, number, text):
    path = tmp_path / f"{find(number).stem}.py"
    path.write_text(text)
    return grade_file(find(number), path, "simulated")


def normalizer(tmp_path, parts, method="pass"):
    return graded(tmp_path, "03", NORMALIZER.format(**parts, method=method))


def codes(report):
    return [finding.code for finding in report.findings]


def message(report, name):
    return next(check.message for check in report.checks if check.name == name)


def test_an_override_that_moves_plain_tensors_is_named(tmp_path):
    report = normalizer(tmp_path, PLAIN, BY_HAND)

    assert codes(report) == ["to-override"]
    assert "`to` is overridden, and moves `self.mean`, `self.std`" in report.findings[0].message


def test_an_override_that_leaves_buffers_behind_is_named_and_the_buffers_are_not(tmp_path):
    report = normalizer(tmp_path, BUFFERS, FORGETFUL)

    assert codes(report) == ["to-override"]
    assert "leaves `self.mean`, `self.std` on the CPU" in report.findings[0].message


def test_an_override_that_does_no_harm_is_no_fault(tmp_path):
    report = normalizer(tmp_path, BUFFERS, HARMLESS)

    assert (report.verdict, report.findings) == ("passed", ())


def test_a_buffer_under_a_second_name_is_to_get_a_tensor_of_its_own(tmp_path):
    report = normalizer(tmp_path, BUFFERS | {"std": "self.std = self.mean"})

    assert "`self.std` is a second name for `self.mean`" in report.findings[0].message
    assert report.findings[0].fix == "Give it a tensor of its own, and register that."


CENTER_SCALE = """\
import torch
from torch import nn


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        {weight}
        {mean}

    def forward(self, x):
        return (x - self.running_mean) * self.weight
"""


def test_one_parameter_under_two_names_is_told_as_that(tmp_path):
    text = CENTER_SCALE.format(
        weight="self.weight = nn.Parameter(torch.ones(features))",
        mean="self.running_mean = self.weight",
    )

    report = graded(tmp_path, "04", text)

    assert message(report, "buffers").startswith("`running_mean` is a second name for `weight`")
    assert codes(report) == ["parameter-or-buffer"]
    assert report.findings[0].edits == ()


def test_a_buffer_that_requires_a_gradient_is_not_said_to_be_unused(tmp_path):
    text = CENTER_SCALE.format(
        weight='self.register_buffer("weight", torch.ones(features, requires_grad=True))',
        mean='self.register_buffer("running_mean", torch.zeros(features))',
    )

    report = graded(tmp_path, "04", text)

    assert message(report, "training").startswith("there is nothing to train")


RARE_CELLS = """\
import torch
from torch import nn


class RareCells(nn.Module):
    def __init__(self, pixels, counts):
        super().__init__()
        self.hidden = nn.Linear(pixels, 5)
        self.scores = nn.Linear(5, len(counts))
        rarity = [sum(counts) / (len(counts) * count) for count in counts]
        self.register_buffer("rarity", torch.tensor(rarity))

    def forward(self, images, kinds):
        scores = self.scores(torch.relu(self.hidden(images)))
        return scores, nn.functional.cross_entropy(scores, kinds)
"""


def test_of_two_ways_to_pair_by_shape_the_one_that_explains_more_counts(tmp_path):
    report = graded(tmp_path, "10b", RARE_CELLS)

    assert "output[1]" in message(report, "forward")
    assert "output[0]" not in message(report, "forward")


KEYPOINTS = """\
import torch
from torch import nn


class KeypointFinder(nn.Module):
    def __init__(self, sharpness):
        super().__init__()
        self.sharpness = sharpness
        {first}

    def forward(self, heat):
        {then}
        height, width = heat.shape[-2:]
        y, x = torch.linspace(-1, 1, height), torch.linspace(-1, 1, width)
        weights = (self.sharpness * heat.flatten(-2)).softmax(dim=-1).view_as(heat)
        across = (weights.sum(dim=-2) * x).sum(dim=-1)
        down = (weights.sum(dim=-1) * y).sum(dim=-1)
        return torch.stack([across, down], dim=-1)
"""
SET = 'torch.set_default_device("cuda")'


def test_a_default_device_is_blamed_and_not_the_tensors_that_follow_it(tmp_path):
    for parts, line in (({"first": SET, "then": "pass"}, 9), ({"first": "pass", "then": SET}, 12)):
        report = graded(tmp_path, "01", KEYPOINTS.format(**parts))

        (found,) = report.findings
        assert (found.code, found.where, found.line) == (
            "hard-coded-device",
            "torch.set_default_device",
            line,
        )
        assert "for the whole program" in found.message
        assert "Take that call out" in found.fix
