"""Single kernels take, refuse and give back what CUDA's do."""

from typing import Any

import kernel_facts
import pytest

pytestmark = [
    pytest.mark.usefixtures("cuda"),
    pytest.mark.filterwarnings("ignore:.*(beta|prototype|deprecated):UserWarning"),
    pytest.mark.filterwarnings("ignore:Sparse"),
    pytest.mark.filterwarnings("ignore:`torch.distributed:FutureWarning"),
]


@pytest.mark.parametrize(("expression", "outcome"), kernel_facts.FACTS.items())
def test_what_a_kernel_does(expression: str, outcome: Any) -> None:
    assert kernel_facts.asked(expression) == outcome
