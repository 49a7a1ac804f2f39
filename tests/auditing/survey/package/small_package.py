"""A package with what a survey meets, written into a folder by the tests."""

from pathlib import Path

FILES = {
    "__init__.py": "from nets.layers import Masked, Scaled\n",
    "layers.py": '''
import torch
from torch import nn


class Masked(nn.Module):
    """A tensor that stays behind: an error, once it is called."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.mask = torch.tensor([True, False, False])

    def forward(self, x):
        return self.linear(x).masked_fill(self.mask, 0.0)


class Scaled(nn.Module):
    def __init__(self, dim: int, bias: bool, eps=1e-5):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * self.scale


class Untold(nn.Module):
    def __init__(self, schedule):
        super().__init__()
        self.register_buffer("betas", torch.tensor(schedule.betas))

    def forward(self, x):
        return x + self.betas


class Shown(nn.Module):
    """Needs more than annotations tell.

    >>> shown = Shown({"sizes": [2, 3]})
    >>> shown(torch.zeros(2), torch.zeros(3)).shape
    torch.Size([5])
    """

    def __init__(self, config):
        super().__init__()
        self.sizes = config["sizes"]

    def forward(self, first, second):
        assert [len(first), len(second)] == self.sizes
        return torch.cat([first, second])


class Stage(nn.Module):
    """Only `Staged` knows what a plan is."""

    def __init__(self, plan):
        super().__init__()
        self.scale = torch.full((plan["width"],), 0.5)

    def forward(self, x, gain):
        return x * self.scale * gain


class Staged(nn.Module):
    def __init__(self):
        super().__init__()
        self.stage = Stage({"width": 8})
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        return self.out(self.stage(x, gain=2.0))


class Odd(nn.Module):
    """No guess fits its inputs."""

    def __init__(self):
        super().__init__()
        self.table = torch.ones(3)

    def forward(self, graph):
        return self.table * graph.nodes
''',
    "fatal.py": '''
import os
import socket
from torch import nn


class Exits(nn.Module):
    def __init__(self):
        os._exit(3)


class Downloads(nn.Module):
    def __init__(self):
        super().__init__()
        socket.create_connection(("example.com", 80))


class Served(nn.Module):
    """Skipped by its recipe."""
''',
    "broken.py": "import no_such_package\n",
    "ends.py": "import os\nos._exit(1)\n",
    "tests/__init__.py": "raise AssertionError('tests are no part of the package')\n",
}
PYPROJECT = """
[tool.grader.audit.recipes."nets.layers.Untold"]
arguments = "__import__('types').SimpleNamespace(betas=[0.1, 0.2])"
inputs = "torch.zeros(4, 2)"

[tool.grader.audit.recipes."nets.fatal.S*"]
skip = "needs a server"
"""


def write_package(folder: Path) -> Path:
    """Write the package into `folder`, with its pyproject.toml."""
    for name, text in FILES.items():
        path = folder / "nets" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    return folder
