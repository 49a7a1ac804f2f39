"""Fixes as code in the styles of public repositories, from whose bugs these modules are shortened.

Most are in the class of an inner module, which calls its attributes otherwise than the whole does.
"""

import pytest
from pasting import loaded, pasted

from grader.auditing.one_module import audit

HEAD = "import torch\nfrom torch import nn\n\n\n"
PRIOR = """class Prior(nn.Module):
    def __init__(self, rho):
        super().__init__()
        self.register_buffer("rho", rho)
        self.modes = self.rho[None] / 5

    def forward(self, u):
        return (u[:, None] - self.modes).pow(2).sum(-1)


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.logit = nn.Parameter(torch.zeros(3))
        self.prior = Prior(torch.eye(3))

    def forward(self, x):
        return torch.logsumexp(self.prior(x) + self.logit, dim=1)


MAKE, INPUTS = Mixture, (torch.randn(4, 3),)
"""
STREAM = """class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 4)

    def begin(self, batch):
        return torch.zeros(batch, 4)

    def forward(self, x):
        return self.project(x) + self.begin(len(x))


class Stream(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Attention(), Attention()])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


MAKE, INPUTS = Stream, (torch.randn(2, 4),)
"""
DESCRIPTORS = """class Distances(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.register_buffer("cell", torch.tensor(cell))

    def forward(self, x):
        return x - torch.round(x / self.cell) * self.cell


class Descriptors(nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.parts = parts

    def forward(self, x):
        return torch.cat([part(x) for part in self.parts], 1)


MAKE = lambda: nn.Sequential(Descriptors([Distances([3.0]), Distances([2.0])]), nn.Linear(8, 1))
INPUTS = (torch.rand(2, 4),)
"""
BLOCKS = """class Blocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.opacity = nn.Parameter(torch.linspace(-6, 3, 6))

    def forward(self, light):
        values = torch.linspace(0, 1, 7)[1:]
        values = values[self.opacity > 0]
        return light.sum() + values.sum()


MAKE, INPUTS = Blocks, (torch.rand(2, 3),)
"""
ENCODING = """class Encoding(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("inv_freq", torch.tensor([1.0, 0.1]))
        self.cached = None

    def forward(self, x):
        if self.cached is not None and self.cached.shape == x.shape:
            return self.cached
        self.cached = None
        angles = torch.arange(x.shape[1], device=x.device)[:, None] * self.inv_freq
        self.cached = torch.cat((angles.sin(), angles.cos()), -1).expand(x.shape)
        return self.cached


class Summer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.encoding = nn.Linear(4, 4), Encoding()

    def forward(self, x):
        x = self.embed(x)
        return x + self.encoding(x)


MAKE, INPUTS = Summer, (torch.randn(2, 5, 4),)
"""
KERNEL = """class Kernel(nn.Module):
    def __init__(self):
        super().__init__()
        self.index = None

    def prepare(self, device):
        if self.index is None:
            self.index = torch.arange(5).to(device)

    def forward(self, weight):
        self.prepare(weight.device)
        return weight * self.index


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.kernel = nn.Parameter(torch.randn(5)), Kernel()

    def forward(self, x):
        return x * self.kernel(self.weight)


MAKE, INPUTS = Convolution, (torch.randn(2, 5),)
"""
STABLE = """class Biquad(nn.Module):
    def __init__(self):
        super().__init__()
        self.param = nn.Parameter(torch.rand(3, 2))
        self.set_map()

    def set_map(self):
        self.map = lambda p: torch.minimum(p[:, 0], torch.tensor([1.0]).expand(3))

    def forward(self, x):
        return x * self.map(self.param)


MAKE, INPUTS = Biquad, (torch.randn(2, 3),)
"""
RULES = """class Rules(nn.Module):
    def __init__(self):
        super().__init__()
        self.conditions = nn.Linear(3, 2).double()

    def forward(self, x):
        return self.conditions(x.type(torch.DoubleTensor))


MAKE, INPUTS = Rules, (torch.randn(2, 3),)
"""
SPLINE = """class Spline(nn.Module):
    table = torch.tensor([[1.0, 4.0], [-3.0, 3.0]])

    def __init__(self):
        super().__init__()
        self.data = nn.Parameter(torch.randn(2, 2))
        self.register_buffer("matrix", self.table)

    def forward(self, u):
        weights = torch.stack([u**0, u], -1) @ self.table
        for row in self.table:
            weights = weights + row.sum()
        return weights @ self.data


MAKE, INPUTS = Spline, (torch.rand(5),)
"""
LOSS = """class Perceptual(nn.Module):
    def __init__(self, device="cpu"):
        super().__init__()
        self.device = device
        self.set_network()

    def set_network(self):
        self.network = nn.Conv2d(3, 4, 1).to(self.device)

    def forward(self, x, y):
        loss = torch.tensor([0.0]).to(self.device)
        assert x.shape == y.shape
        return loss + (self.network(x) - self.network(y)).abs().mean()


MAKE, INPUTS = Perceptual, (torch.rand(2, 3, 4, 4), torch.rand(2, 3, 4, 4))
"""
IDENTITY = """class Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *args):
        return args[0].cpu().clamp(0, 1) * args[1]

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x):
        return Step.apply(x, self.scale)


MAKE, INPUTS = Steps, (torch.randn(2, 3),)
"""
SCORER = """def predict(model, batch, device):
    for key in ["words", "mask"]:
        batch[key] = torch.as_tensor(batch[key])
        batch[key].to(device)
    return model(batch["words"]) * batch["mask"][..., None]


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(9, 4)

    def forward(self, words):
        batch = {"words": words, "mask": [[1] * words.shape[1]] * len(words)}
        return predict(self.embedding, batch, words.device)


MAKE, INPUTS = Scorer, (torch.randint(0, 9, (2, 5)),)
"""
PARTS = """class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 4)

    def forward(self, x):
        return self.embedding(x)


class Diffusion(nn.Module):
    def __init__(self):
        super().__init__()
        self.transformer = Transformer()

    @property
    def device(self):
        return next(self.transformer.parameters()).device

    def forward(self, x):
        return self.transformer(x.to(self.device))


MAKE, INPUTS = Diffusion, (torch.randint(0, 5, (2, 3)),)
"""
WAVELET = """class Wavelet(nn.Module):
    def __init__(self, device="cpu"):
        super().__init__()
        self.w1 = nn.Parameter(torch.ones(1)).to(device)
        self.w2 = nn.Parameter(torch.ones(1)).to(self.w1.dtype)

    def forward(self, x):
        return self.w1 * torch.sin(x) + self.w2


MAKE, INPUTS = (lambda: nn.Sequential(Wavelet(), Wavelet())), (torch.randn(2, 3),)
"""


@pytest.mark.parametrize(
    ("body", "code", "fix"),
    [
        pytest.param(body, code, fix, id=fix.partition("(")[0])
        for body, code, fix in (
            (PRIOR, "member-tensor", 'self.register_buffer("modes", self.rho[None] / 5, pers'),
            (
                STREAM,
                "made-in-forward",
                "return torch.zeros(batch, 4, device=self.project.weight.d",
            ),
            (DESCRIPTORS, "python-container", "self.parts = nn.ModuleList(parts)"),
            (
                BLOCKS,
                "index-device",
                "values = torch.linspace(0, 1, 7, device=self.opacity.device)",
            ),
            (ENCODING, "stale-device", ".shape == x.shape and self.cached.device == x.device:"),
            (KERNEL, "stale-device", "if self.index is None or self.index.device != device:"),
            (STABLE, "made-in-forward", "torch.tensor([1.0], device=p.device)"),
            (RULES, "made-in-forward", "return self.conditions(x.double())"),
            (SPLINE, "member-tensor", "weights = torch.stack([u**0, u], -1) @ self.matrix"),
            (LOSS, "stale-device", "loss = torch.tensor([0.0]).to(x.device)"),
            (IDENTITY, "hard-coded-device", "return args[0].clamp(0, 1) * args[1]"),
            (SCORER, "to-result-dropped", "batch[key] = batch[key].to(device)"),
            (PARTS, "replica", "return self.transformer.embedding.weight.device"),
            (
                WAVELET,
                "moved-before-registration",
                "self.w1 = nn.Parameter(torch.ones(1).to(device))",
            ),
        )
    ],
)
def test_the_fix_is_code_and_leads_home(body, code, fix, tmp_path):
    def judge(text):
        module = loaded(text, tmp_path)
        return audit(module.MAKE, module.INPUTS, "simulated")

    report = judge(HEAD + body)
    found = [finding for finding in report.findings if finding.code == code]

    assert [fix in finding.fix for finding in found] == [True]
    assert [str(trial) for trial in pasted(HEAD + body, report, judge) if trial.problem] == []


BEFORE = """class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.param = nn.Parameter(torch.rand(3))


class Early(Base):
    def __init__(self):
        self.decay = 0.9 ** torch.arange(3)
        super().__init__()

    def forward(self, x):
        return x * self.decay * self.param


MAKE, INPUTS = Early, (torch.randn(2, 3),)
"""
OPTION = """class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.last, self.index, self.is_relative = -1, None, True

    def forward(self, x):
        if len(x) != self.last:
            if self.is_relative:
                self.index = torch.arange(x.shape[1], device=x.device)
            self.last = len(x)
        return x + self.index if self.is_relative else x


MAKE, INPUTS = Masked, (torch.randn(2, 3),)
"""


NOISE = """class Noise:
    def __init__(self):
        self.weight = 0.1

    def draw(self):
        return self.weight * torch.randn(3)


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.noise = nn.PReLU(3), Noise()

    def forward(self, x):
        return self.layer(x) + self.noise.draw()


MAKE, INPUTS = Noisy, (torch.randn(2, 3),)
"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(BEFORE, id="before super().__init__()"),
        pytest.param(OPTION, id="an option"),
        pytest.param(NOISE, id="no module"),
    ],
)
def test_the_fix_is_in_words_where_code_would_go_wrong(body, tmp_path):
    module = loaded(HEAD + body, tmp_path)

    (finding,) = audit(module.MAKE, module.INPUTS, "simulated").findings

    assert not finding.edits
