"""What a report says of a plain tensor, by how it came to light."""

import pytest

from grader.judge.attribution import Cause, Shown
from grader.judge.codes import Code
from grader.judge.findings.member_tensor import MemberTensor

PLAIN = "`.cuda()` leaves it on the CPU"


@pytest.mark.parametrize(
    ("seen", "message"),
    [
        ({}, f"{PLAIN}, and `state_dict()` does not save it."),
        ({"saved": False}, f"{PLAIN}."),
        (
            {"used_line": 7, "operation": "torch.Tensor.mul"},
            f"{PLAIN}, and line 7 mixes it with a CUDA tensor (`mul`), and",
        ),
        ({"result": "`output`"}, f"{PLAIN}, and `output` is there too, and"),
        ({"shown": Shown.GRADIENT, "used_line": 7}, f"{PLAIN}, it gets a gradient that no"),
    ],
)
def test_a_plain_tensor_is_told_with_what_showed_it(seen, message):
    found = MemberTensor().explain(Cause(Code.MEMBER_TENSOR, "self.mask", 4, **seen))

    assert message in found.message
