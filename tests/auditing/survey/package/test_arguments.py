"""Which arguments a constructor's signature tells."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Literal, Optional

import pytest
import torch
from torch import nn

from grader.auditing.survey.package.arguments import arguments_of, value_for
from grader.auditing.survey.package.written_calls import arguments_from


class Norm(Enum):
    BATCH = "batch"
    LAYER = "layer"


class Annotated(nn.Module):
    def __init__(
        self,
        size: int,
        rate: float,
        norm: Norm,
        mode: Literal["sum", "mean"],
        sizes: Sequence[int],
        inner: nn.Module,
        device,
        *,
        act: type[nn.Module],
        bias: bool,
        depth=3,
    ):
        super().__init__()


class ByName(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, config):
        super().__init__()


def test_annotations_tell():
    source, untold = arguments_of(Annotated)
    args, kwargs = arguments_from(source, Annotated)

    assert (args, untold) == ((), [])
    assert isinstance(kwargs.pop("inner"), nn.Linear)
    assert kwargs == {
        "size": 8,
        "rate": 0.5,
        "norm": Norm.BATCH,
        "mode": "sum",
        "sizes": [8, 8],
        "act": nn.ReLU,
        "bias": False,
    }


def test_usual_names_tell_and_others_do_not():
    assert arguments_of(ByName) == ("in_channels=8, out_channels=8, kernel_size=3", ["config"])


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Optional[int], "8"),  # noqa: UP045
        (int | None, "8"),
        (dict[str, int] | None, "None"),
        (tuple[int, ...], "(8, 8,)"),
        (tuple[int, float], "(8, 0.5,)"),
        (Callable[[torch.Tensor], torch.Tensor], "torch.relu"),
        (str, None),
        (torch.Tensor, None),
        (dict[str, Any], None),
        (list[str], None),
    ],
)
def test_other_hints(hint, value):
    assert value_for("size", hint) == value
