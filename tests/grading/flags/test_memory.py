"""A file that could remember something is probed again; one that cannot is not."""

import pytest

from grader.course.catalog import all_rubrics, solution_file
from grader.grading.flags.memory import remembers

NET = """
import torch
from torch import nn
{top}

class Net(nn.Module):
    {body}

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x{default}):
        {forward}
        return x * self.weight
"""


def net(top="", body="", default="", forward="pass"):
    return NET.format(top=top, body=body, default=default, forward=forward)


def test_few_solutions_could_remember():
    texts = {r.stem: solution_file(r.stem).read_text(encoding="utf-8") for r in all_rubrics()}

    # NumPy and `device_count`; registers that the class keeps itself; `next`; a tensor of the
    # module's, counted once.
    expected = [
        "01b_spectrum_plot",
        "02b_module_in_forty_lines",
        "09c_replicas",
        "10b_class_weights",
        "12b_training_script",
    ]
    assert [stem for stem, text in texts.items() if remembers(text)] == expected


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"top": "EPSILON = 1e-5\nSHAPE = (3, -1)"},
        {"body": '"""A layer."""\n    features: int = 3'},
        {"default": ", scale=2.0"},
        {"forward": "self.calls = x"},
        {"top": "if __name__ == '__main__':\n    print(1)"},
    ],
)
def test_plain_code_does_not(parts):
    assert not remembers(net(**parts))


@pytest.mark.parametrize(
    "parts",
    [
        {"top": "CALLS = []"},
        {"top": "import itertools"},
        {"top": "import random"},
        {"top": "print(torch.rand(1))"},
        {"body": "made = []"},
        {"body": "made = {}"},
        {"default": ", seen=[]"},
        {"forward": "global CALLS; CALLS = 1"},
        {"forward": "Net.calls = 1"},
        {"forward": "type(self).calls = 1"},
        {"forward": "self.__class__.calls = 1"},
        {"forward": "setattr(Net, 'calls', 1)"},
        {"forward": "torch.calls = 1"},
        {"forward": "self.forward.__func__.calls = 1"},
        {"forward": "torch.set_num_threads(torch.get_num_threads() + 1)"},
        {"forward": "id(self)"},
        {"forward": "torch.initial_seed()"},
        {"forward": "torch.cuda.memory_allocated()"},
        {"body": "def __new__(cls, *a):\n        return super().__new__(cls)"},
        {"body": "def __getattr__(self, name):\n        return 1"},
        {"top": "def once(f, seen=[]):\n    return f"},
        {"top": "from functools import lru_cache"},
        {"top": "class("},
    ],
)
def test_what_could_remember_does(parts):
    text = net(**parts)
    expected = "lru_cache" not in text  # importing it is not using it

    assert remembers(text) is expected
