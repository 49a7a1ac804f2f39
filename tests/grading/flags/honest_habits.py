"""Code that honest learners write, and that no course text shows them: each is one habit."""

HABITS = {
    "type hints": """
from __future__ import annotations
from typing import Any, Final, TypeAlias, overload
Batch: TypeAlias = "dict[str, Any]"
class Net(nn.Module):
    __constants__ = ["scale"]
    scale: Final[int] = 2
""",
    "dataclass options": """
from dataclasses import dataclass, field
@dataclass
class Options:
    sizes: list[int] = field(default_factory=list)
    eps: float = 1e-5
""",
    "frozen dataclass": """
import dataclasses
@dataclasses.dataclass(frozen=True)
class Options:
    rate: float = 0.1
    def __post_init__(self):
        object.__setattr__(self, "rate", float(self.rate))
""",
    "einops": """
from einops import rearrange, repeat
from einops.layers.torch import Rearrange
def split(x):
    return rearrange(x, "b (h d) -> b h d", h=2)
""",
    "own rearrange helper": """
def rearrange(x, *sizes):
    return x.reshape(*sizes).transpose(1, 2).contiguous()
""",
    "logging": """
import logging
logger = logging.getLogger(__name__)
logging.basicConfig(level=logging.INFO)
logger.info("built %s", __name__)
""",
    "warnings": """
import warnings
warnings.filterwarnings("ignore", category=UserWarning)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
""",
    "os environment": """
import os
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
os.environ.setdefault("KMP_DUPLICATE_LIB_OK", "TRUE")
DEBUG = bool(int(os.getenv("DEBUG", "0")))
""",
    "os path": """
import os
CHECKPOINTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "checkpoints")
os.makedirs(CHECKPOINTS, exist_ok=True)
""",
    "pathlib": """
from pathlib import Path
HERE = Path(__file__).resolve().parent
CONFIG = HERE / "config" / "model.json"
""",
    "contextlib": """
from contextlib import contextmanager, nullcontext, suppress
@contextmanager
def evaluating(model):
    was = model.training
    model.eval()
    try:
        yield model
    finally:
        model.train(was)
""",
    "abstract base": """
from abc import ABC, abstractmethod
class Base(nn.Module, ABC):
    @abstractmethod
    def forward(self, x): ...
""",
    "enum": """
from enum import Enum, auto
class Mode(Enum):
    TRAIN = auto()
    EVAL = auto()
MODES = list(Mode.__members__)
""",
    "collections.abc": """
from collections.abc import Callable, Iterable, Mapping
from collections import OrderedDict, defaultdict, namedtuple
Shape = namedtuple("Shape", "batch features")
wider = Shape(1, 2)._replace(batch=3)._asdict()
""",
    "time": """
import time
started = time.perf_counter()
print(f"took {time.perf_counter() - started:.3f} s")
""",
    "seeds": """
import random
import numpy as np
random.seed(0)
np.random.seed(0)
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
torch.backends.cudnn.benchmark = False
torch.backends.cuda.matmul.allow_tf32 = True
""",
    "string and operator": """
import operator
import string
ALPHABET = string.ascii_lowercase + string.digits
by_size = operator.attrgetter("shape")
first = operator.itemgetter(0)
product = operator.mul(2, 3)
""",
    "json config": """
import json
CONFIG = json.loads('{"features": 5, "eps": 1e-5, "name": "small"}')
print(json.dumps(CONFIG, indent=2))
""",
    "inspect.signature": """
import inspect
def arguments(cls):
    return list(inspect.signature(cls.__init__).parameters)
""",
    "super setattr": """
class Net(nn.Module):
    def __setattr__(self, name, value):
        if isinstance(value, torch.Tensor) and not isinstance(value, nn.Parameter):
            self.register_buffer(name, value)
        else:
            super().__setattr__(name, value)
""",
    "getattr fallback": """
class Net(nn.Module):
    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self._modules["inner"], name)
""",
    "private members": """
class Net(nn.Module):
    def __init__(self, features):
        super().__init__()
        self._features = features
        self._cache = None
        self.register_buffer("_mask", torch.ones(features))
    def _compute(self, x):
        return x * self._mask
    def forward(self, x):
        return self._compute(x)
    def same_as(self, other):
        return self._features == other._features
""",
    "property for device": """
class Net(nn.Module):
    @property
    def device(self):
        return next(self.parameters()).device
    @property
    def dtype(self) -> torch.dtype:
        return next(self.parameters()).dtype
""",
    "property with setter": """
class Net(nn.Module):
    @property
    def rate(self):
        return self._rate
    @rate.setter
    def rate(self, value):
        self._rate = float(value)
""",
    "parametrize": """
from torch.nn.utils import parametrize
class Positive(nn.Module):
    def forward(self, x):
        return nn.functional.softplus(x)
layer = nn.Linear(3, 3)
parametrize.register_parametrization(layer, "weight", Positive())
""",
    "weight norm": """
from torch.nn.utils.parametrizations import orthogonal, spectral_norm, weight_norm
from torch.nn.utils import clip_grad_norm_, parameters_to_vector
layer = weight_norm(nn.Linear(3, 3))
""",
    "own autograd function": """
class Clamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)
    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * (x > 0)
""",
    "hooks": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_forward_hook(lambda module, inputs, output: None)
        self._register_load_state_dict_pre_hook(self._rename)
        self.fc = nn.Linear(2, 2)
        self.fc.weight.register_hook(lambda gradient: gradient * 2)
    def _rename(self, state, prefix, *rest):
        state.pop(prefix + "old", None)
""",
    "override _apply": """
class Net(nn.Module):
    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.table = fn(self.table)
        return self
""",
    "override state dict hooks": """
class Net(nn.Module):
    def _load_from_state_dict(self, state, prefix, *args):
        super()._load_from_state_dict(state, prefix, *args)
    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
    def get_extra_state(self):
        return {"version": 2}
    def set_extra_state(self, state):
        self.version = state["version"]
""",
    "override state_dict": """
class Net(nn.Module):
    def state_dict(self, *args, **kwargs):
        return {k: v.cpu() for k, v in super().state_dict(*args, **kwargs).items()}
""",
    "override to and cuda": """
class Net(nn.Module):
    def to(self, *args, **kwargs):
        module = super().to(*args, **kwargs)
        module.mask = module.mask.to(*args, **kwargs)
        return module
""",
    "activation by name": """
def activation(name="relu"):
    return getattr(torch, name, None) or getattr(nn.functional, name)
def layer(name):
    return getattr(nn, name)()
""",
    "numbered attributes": """
class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        for i in range(depth):
            setattr(self, f"layer_{i}", nn.Linear(2, 2))
            setattr(self, "norm" + str(i), nn.LayerNorm(2))
    def forward(self, x):
        for i in range(3):
            x = getattr(self, f"layer_{i}")(getattr(self, "norm" + str(i))(x))
        return x
""",
    "rnn weights by name": """
lstm = nn.LSTM(2, 2, num_layers=2)
for layer in range(2):
    nn.init.orthogonal_(getattr(lstm, f"weight_hh_l{layer}"))
for name, parameter in lstm.named_parameters():
    if "bias" in name:
        nn.init.zeros_(parameter)
""",
    "weights tied": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(3, 2)
        self.out = nn.Linear(2, 3, bias=False)
        self.out.weight = self.embed.weight
        self.out.bias = None
""",
    "parameter data": """
class Net(nn.Module):
    def reset(self):
        self.fc.weight.data.normal_(0, 0.02)
        self.fc.bias.data = torch.zeros(3)
        self.fc.weight.grad = None
""",
    "registration table": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self._buffers["mean"] = torch.zeros(3)
        self._parameters["weight"] = nn.Parameter(torch.ones(3))
        self._modules["inner"] = nn.Linear(3, 3)
        self._non_persistent_buffers_set.add("mean")
""",
    "class counter": """
class Net(nn.Module):
    built = 0
    def __init__(self):
        super().__init__()
        Net.built += 1
        self.__class__.built += 1
        type(self).built += 1
        self.name = f"{self.__class__.__name__}-{self.built}"
""",
    "registry decorator": """
REGISTRY = {}
def register(name):
    def add(cls):
        REGISTRY[name] = cls
        cls._registered_as = name
        return cls
    return add
@register("net")
class Net(nn.Module):
    pass
""",
    "registry by init_subclass": """
class Base(nn.Module):
    kinds = {}
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Base.kinds[cls.__name__] = cls
""",
    "functools": """
import functools
from functools import cached_property, lru_cache, partial, reduce, wraps
def timed(function):
    @wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner
@functools.lru_cache(maxsize=None)
def grid(size):
    return torch.arange(size)
original = grid.__wrapped__
""",
    "itertools and math": """
import itertools
import math
pairs = list(itertools.pairwise([1, 2, 3]))
scale = 1 / math.sqrt(math.prod([2, 3]))
""",
    "copies": """
import copy
teacher = copy.deepcopy(nn.Linear(2, 2))
for parameter in teacher.parameters():
    parameter.requires_grad_(False)
""",
    "main guard with a run": """
def main():
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    loss = model(torch.randn(4, 3)).square().mean()
    loss.backward()
    optimizer.step()
if __name__ == "__main__":
    main()
""",
    "check at the end": """
from grader import check, ensure_cuda
if __name__ == "__main__":
    ensure_cuda()
    check("03", object)
""",
    "simulated cuda": """
import grader
from grader import simulated_cuda
simulated_cuda.enable(devices=2)
print(grader.simulated_cuda.is_enabled())
""",
    "assertions with a test": """
import unittest
class Shapes(unittest.TestCase):
    def test_shape(self):
        self.assertEqual(nn.Linear(3, 2)(torch.ones(1, 3)).shape, (1, 2))
""",
    "pytest fixture": """
import pytest
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_moves(device):
    torch.testing.assert_close(torch.ones(2), torch.ones(2))
""",
    "doctest": '''
def double(x):
    """Twice as much.

    >>> import torch
    >>> exec("print(1)")
    1
    """
    return 2 * x
''',
    "argparse": """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
""",
    "plot": """
import matplotlib.pyplot as plt
plt.rcParams["figure.figsize"] = (8, 4)
def show(losses):
    plt.plot(losses)
    plt.savefig("losses.png")
""",
    "progress bar": """
from tqdm.auto import tqdm
for _ in tqdm(range(1), disable=True):
    pass
""",
    "save and load": """
def save(model, path="model.pt"):
    torch.save(model.state_dict(), path)
    return torch.load(path, map_location="cpu", weights_only=True)
""",
    "in-memory round trip": """
import io
def copy_of(model):
    buffer = io.BytesIO()
    torch.save(model.state_dict(), buffer)
    buffer.seek(0)
    return torch.load(buffer)
""",
    "temporary folder": """
import tempfile
with tempfile.TemporaryDirectory() as folder:
    torch.save(torch.ones(3), f"{folder}/data/ones.pt")
""",
    "writes a log file": """
def note(line):
    with open("training.log", "a", encoding="utf-8") as file:
        file.write(line + "\\n")
""",
    "prints to stderr": """
import sys
print("loaded", file=sys.stderr)
if sys.version_info < (3, 10):
    raise RuntimeError("Python 3.10 is needed")
sys.path.insert(0, "..")
""",
    "traceback of a caught error": """
import traceback
def careful(function):
    try:
        return function()
    except RuntimeError as error:
        traceback.print_exc()
        raise ValueError("see above") from error
""",
    "amp": """
from torch.amp import GradScaler, autocast
def step(model, x):
    with torch.autocast(device_type=x.device.type, enabled=False), torch.no_grad():
        return model(x)
""",
    "torchscript": """
from torch import jit
class Net(nn.Module):
    @torch.jit.export
    def twice(self, x):
        return x * 2
    @torch.jit.ignore
    def debug(self, x):
        print(x)
scripted = torch.jit.script(nn.Linear(2, 2))
""",
    "compiled": """
import re
model = torch.compile(nn.Linear(2, 2), disable=True)
model.eval()
LAYER = re.compile(r"layers\\.(\\d+)")
""",
    "functional calls": """
from torch.func import functional_call, vmap, grad
from torch.utils.checkpoint import checkpoint
from torch.utils._pytree import tree_map
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.utils import _pair
def moved(batch, device):
    return tree_map(lambda x: x.to(device), batch)
""",
    "distributions": """
from torch.distributions import Normal, kl_divergence
from torch.distributions.transforms import TanhTransform
def sample(mean, std):
    return Normal(mean, std).rsample()
""",
    "data set": """
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torch.nn.utils.rnn import pad_sequence
class Rows(Dataset):
    def __len__(self):
        return 3
    def __getitem__(self, i):
        return torch.ones(2) * i
""",
    "buffer object": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Buffer(torch.zeros(3))
        self.std = nn.Parameter(torch.ones(3), requires_grad=False)
""",
    "named tuple output": """
from typing import NamedTuple
class Output(NamedTuple):
    scores: torch.Tensor
    loss: torch.Tensor
print(Output._fields, Output(torch.ones(1), torch.ones(1))._asdict())
""",
    "typed with jaxtyping": """
from jaxtyping import Float, jaxtyped
from torch import Tensor
def scale(x: Float[Tensor, "batch features"]) -> Float[Tensor, "batch features"]:
    return x * 2
""",
    "protocol and generics": """
from typing import Generic, Protocol, TypeVar, cast, get_type_hints
T = TypeVar("T")
class Scores(Protocol):
    def __call__(self, x: torch.Tensor) -> torch.Tensor: ...
class Box(Generic[T]):
    def __class_getitem__(cls, item):
        return super().__class_getitem__(item)
""",
    "context manager class": """
class Frozen:
    def __init__(self, module):
        self.module = module
    def __enter__(self):
        self.module.requires_grad_(False)
        return self.module
    def __exit__(self, *error):
        self.module.requires_grad_(True)
""",
    "value equality": """
class Net(nn.Module):
    def __eq__(self, other):
        return isinstance(other, Net) and self.features == other.features
    def __hash__(self):
        return hash(self.features)
    def __repr__(self):
        return f"{type(self).__name__}({self.features})"
""",
    "module dictionary": """
class Net(nn.Module):
    def configured(self, **options):
        self.__dict__.update(options)
        vars(self).update(options)
        return self
""",
    "weak reference to a parent": """
import weakref
class Child(nn.Module):
    def __init__(self, parent):
        super().__init__()
        self.parent = weakref.ref(parent)
""",
    "thread lock": """
import threading
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()
""",
    "thread pool": """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    print(sum(pool.map(abs, [1, -2])))
""",
    "memory freed": """
import gc
def free():
    gc.collect()
    torch.cuda.empty_cache()
""",
    "notebook display": """
from IPython.display import display
display("done")
""",
    "long docstring": '''
class Net(nn.Module):
    """Adds two features.

    Example::

        import torch
        for name, value in vars(torch).items():
            exec(name)
    """
    CITATION = """Vaswani et al. (2017), Attention Is All You Need. In: Advances in Neural
    Information Processing Systems 30 (NIPS 2017), pages 5998-6008, Long Beach, CA, USA."""
    URL = "https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.apply"
''',
    "commented-out code in a string": '''
def forward(x):
    """
    x = x.cuda()
    for layer in layers:
        x = layer(x)
    """
    return x
''',
    "token list": """
WORDS = "the quick brown fox jumps over the lazy dog and runs away from the hunter".split()
CODES = [104, 101, 108, 108, 111, 32, 119, 111, 114, 108, 100, 33, 104, 101, 108, 108, 111, 32]
MEAN = [0.485, 0.456, 0.406]
""",
    "optional dependency": """
import importlib.util
try:
    import torchvision
except ImportError:
    torchvision = None
HAS_SCIPY = importlib.util.find_spec("scipy") is not None
""",
    "walrus and match": """
def kind(value):
    match value:
        case torch.Tensor():
            return "tensor"
        case {"x": x} if (n := len(x)) > 1:
            return n
        case [*rest]:
            return rest
    return None
""",
    "imports shadowed": """
def shuffle(random, copy, operator, sys):
    random.state = 3
    copy.data = operator._inner = sys.modules
    return random
""",
    # Honest, and rare enough that a person may look: at most one in ten of all.
    "custom parameter class": """
class Scale(nn.Parameter):
    pass
""",
    "pickled copy": """
import pickle
def copy_of(model):
    return pickle.loads(pickle.dumps(model))
""",
    "profiler timer in a thread": """
import threading
def later(function):
    threading.Timer(1.0, function).start()
""",
    "global hook for shapes": """
from torch.nn.modules.module import register_module_forward_hook
handle = register_module_forward_hook(lambda module, inputs, output: None)
handle.remove()
""",
    "default patched for speed": """
nn.Linear.reset_parameters = lambda self: None
""",
    "removes its own checkpoint": """
import os
if os.path.exists("checkpoint.pt"):
    os.remove("checkpoint.pt")
""",
    "tracks its runs": """
try:
    import wandb
except ImportError:
    wandb = None
""",
    "a helper that is not handed in": """
try:
    from my_helpers import seed_everything
except ModuleNotFoundError:
    def seed_everything(seed): torch.manual_seed(seed)
""",
    "prints which GPU it has": """
if __name__ == "__main__":
    print(torch.cuda.get_device_name(0) if torch.cuda.is_available() else "no GPU")
""",
    "matches on a layer": """
def width(layer):
    match layer:
        case nn.Linear(out_features=width) | nn.Conv2d(out_channels=width):
            return width
    return 0
""",
    "times itself": """
import timeit
print(timeit.timeit("net(x)", setup="x = torch.ones(2, 3)", globals=globals(), number=3))
""",
}
