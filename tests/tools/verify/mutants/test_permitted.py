"""What a rubric permits by itself: nobody has to list it as equivalent."""

import pytest

from grader.course.catalog import all_rubrics, find
from verify.mutants import Mutant, permitted
from verify.try_mutants import equivalents

BUFFER = 'self.register_buffer("mean", torch.tensor(mean))'
FROZEN = "self.mean = nn.Parameter(torch.tensor(mean), requires_grad=False)"
UNSAVED = 'self.register_buffer("powers", powers, persistent=False)'
COUNT = 'self.register_buffer("batches", torch.tensor(0))'


def changed(before: str, after: str) -> Mutant:
    return Mutant("none", 1, before, after, "", ("__init__", before, "->", after))


@pytest.mark.parametrize(
    ("number", "before", "after"),
    [
        ("03", BUFFER, FROZEN),
        ("03", FROZEN, "self.mean = nn.Buffer(torch.tensor(mean))"),
        ("04", BUFFER.replace("))", "), persistent=True)"), BUFFER),
        ("10", COUNT, "self.batches = nn.Parameter(torch.tensor(0), requires_grad=False)"),
        ("10", COUNT, COUNT.replace("(0)", "(0, dtype=torch.int32)")),
        ("10", BUFFER, FROZEN),
        ("10b", BUFFER, FROZEN),
        ("12", UNSAVED, "self.register_buffer('powers', powers)"),
        ("12", UNSAVED, "self.powers = nn.Parameter(powers, requires_grad=False)"),
    ],
)
def test_another_way_to_register_what_may_be_registered_so(number, before, after):
    assert permitted(find(number), changed(before, after))
    assert permitted(find(number), changed(after, before))


@pytest.mark.parametrize(
    ("number", "before", "after"),
    [
        ("03", BUFFER, "self.mean = nn.Parameter(torch.tensor(mean))"),
        ("03", BUFFER, "self.mean = torch.tensor(mean)"),
        ("03", BUFFER, BUFFER.replace('"mean"', '"std"')),
        ("03", BUFFER, BUFFER.replace("mean)", "std)")),
        ("03", BUFFER, BUFFER.replace("))", "), persistent=False)")),
        ("03", BUFFER, BUFFER.replace("mean)", "mean, dtype=torch.float64)")),
        ("03", "if mean:", "if not mean:"),
    ],
)
def test_what_a_rubric_refuses_or_does_not_speak_of(number, before, after):
    assert not permitted(find(number), changed(before, after))


def test_a_change_of_several_lines_is_no_registration():
    mutant = Mutant("none", 1, BUFFER, FROZEN, "", ("__init__", BUFFER, "pass", "->", FROZEN))

    assert not permitted(find("03"), mutant)


@pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.number)
def test_no_author_lists_what_the_rubric_permits(rubric):
    listed = [*equivalents(rubric), *equivalents(rubric, "either")]

    assert [pair for pair in listed if permitted(rubric, changed(*pair))] == []
