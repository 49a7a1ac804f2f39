"""Fixes of a draw by a generator of another device."""

import pytest
from fixed_code import HEAD, ask, edited, line_of

from grader.judge.fixes.generators import draw_there
from grader.schema.evidence import Raised, Run

NET = (
    HEAD
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rng = torch.Generator().manual_seed(0)

    def forward(self, x: torch.Tensor):
        {body}
        return x * z
"""
)


def fixed(body):
    source = NET.format(body=body)
    raised = Raised("RuntimeError", "", line_of(source, body))
    fix = ask(draw_there, source, "self.rng", "self.rng", runs=(Run("cuda", raised),))
    return fix and edited(fix, source)


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("z = torch.rand(3, generator=self.rng, device=x.device)",
         "z = torch.rand(3, generator=self.rng, device=self.rng.device).to(x.device)"),
        ("z = torch.randn(3, generator=rng).to(x.device)",
         "z = torch.randn(3, generator=rng, device=rng.device).to(x.device)"),
        ("z = torch.full_like(x, 0.5).bernoulli_(generator=self.rng)",
         "z = torch.full_like(x, 0.5).to(self.rng.device).bernoulli_(generator=self.rng)"
         ".to(x.device)"),
        ("z = torch.multinomial(x, 3, generator=self.rng)",
         "z = torch.multinomial(x.to(self.rng.device), 3, generator=self.rng).to(x.device)"),
        ("z = x.multinomial(3, generator=self.rng)",
         "z = x.to(self.rng.device).multinomial(3, generator=self.rng).to(x.device)"),
    ],
)  # fmt: skip
def test_it_draws_where_the_generator_is(body, after):
    assert fixed(body) == NET.format(body=after)


@pytest.mark.parametrize(
    "body",
    [
        "z = torch.rand(3)",
        "x.uniform_(generator=self.rng)",  # the tensor is used later, and must stay where it is
        "z = torch.rand(3, generator=made())",  # each would be another one
        "z = self.sample(3, generator=self.rng)",
    ],
)
def test_other_draws_are_left_to_words(body):
    assert fixed(body) is None
