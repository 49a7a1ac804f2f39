"""The modules that answers need, and of modules that can also look into the grader the safe parts.

Gathered from the course's solutions and accepted answers, the published modules in tests/auditing,
and habits of honest code: logging, progress bars, plots, a check at the end of the file. Looking at
the stack, profiling and hooks are among them: the probe's frames are out of reach
(docs/isolation.md).
"""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """The words of a text that is laid out over several lines."""
    return frozenset(text.split())


# Everything public in these.
WHOLE = words(
    """
    __future__ abc argparse array asyncio atexit beartype bisect cProfile calendar cmath
    collections colorsys concurrent contextlib contextvars copy csv dataclasses datetime decimal
    difflib doctest einops einx enum errno fancy_einsum faulthandler fnmatch fractions functools
    graphlib hashlib heapq html inspect IPython itertools jaxtyping json keyword lightning
    locale logging math matplotlib mlflow numbers numpy opt_einsum pandas pathlib PIL plotly
    pprint profile pstats pytest pytorch_lightning queue random re reprlib rich safetensors
    scipy seaborn secrets sklearn statistics string struct tabulate tempfile tensorboard
    tensorboardX textwrap time timeit torch torchaudio torchinfo torchmetrics torchsummary
    torchvision tqdm traceback tracemalloc typing typing_extensions unicodedata unittest uuid
    wandb warnings weakref zoneinfo
    """
)
# Only these in these.
PARTS = {
    "gc": {"callbacks", "collect", "disable", "enable", "freeze", "isenabled", "set_threshold"},
    "grader": {
        "GraderError", "__version__", "audit", "check", "device_map", "ensure_cuda", "exam",
        "expected_error", "figures", "hint", "predict", "progress", "puzzle", "reset",
        "review", "simulated_cuda",
    },
    "importlib": {"import_module", "metadata", "reload", "util"},
    "io": {"BytesIO", "StringIO"},
    "multiprocessing": {"cpu_count", "current_process"},
    "operator": {
        "add", "and_", "attrgetter", "contains", "eq", "floordiv", "ge", "getitem", "gt",
        "index", "inv", "invert", "itemgetter", "le", "lt", "matmul", "methodcaller", "mod", "mul",
        "ne", "neg", "not_", "or_", "pow", "sub", "truediv", "truth", "xor",
    },
    "os": {
        "PathLike", "cpu_count", "curdir", "environ", "extsep", "fspath", "getcwd", "getenv",
        "linesep", "makedirs", "mkdir", "name", "path", "sched_getaffinity", "sep",
    },
    "pdb": {"set_trace"},
    "platform": {
        "machine", "node", "platform", "processor", "python_version", "release", "system", "uname",
    },
    "sys": {
        "argv", "byteorder", "executable", "exit", "float_info", "getsizeof", "hexversion",
        "implementation", "maxsize", "platform", "prefix", "stderr", "stdout", "version",
        "version_info", "path", "setrecursionlimit", "__stderr__", "__stdout__", "_getframe",
        "displayhook", "exc_info", "excepthook", "exception", "getrecursionlimit", "setprofile",
        "setswitchinterval", "settrace",
    },
    "signal": {"SIGALRM", "SIGINT", "SIGTERM", "SIG_DFL", "SIG_IGN", "alarm", "signal"},
    "threading": {
        "Event", "Lock", "RLock", "Thread", "current_thread", "get_ident", "local", "main_thread",
    },
    "types": {
        "EllipsisType", "GenericAlias", "MappingProxyType", "MethodType", "NoneType",
        "NotImplementedType", "SimpleNamespace", "TracebackType", "UnionType",
    },
}  # fmt: skip
# Except these, and what is in them: they change, load or hide code, or reach memory and files.
NEVER = words(
    """
    importlib.util.module_from_spec importlib.util.spec_from_file_location numpy.core
    numpy.ctypeslib numpy.f2py numpy.lib.stride_tricks torch.classes torch.hub
    torch.jit.CompilationUnit torch.ops.load_library torch.package torch.utils.cpp_extension
    torch.utils.dlpack torch.utils.model_zoo
    """
)
_CUDA_SWITCHES = {"enable", "disable", "is_enabled"}  # of grader.simulated_cuda
_ALWAYS = {"__doc__", "__name__", "__version__"}
# Private by their names, and yet what published modules import: base classes, pairs of numbers.
_USUAL_BASES = re.compile(
    r"torch\.utils\._(pytree|python_dispatch)(\.\w+)?|torch\.nn\.modules\.utils\._(single|pair|triple|ntuple)|"
    r"torch\.nn\.modules\.\w+\._[A-Z]\w+|torch\.optim\.lr_scheduler\._LRScheduler"
)


def is_needed(path: str) -> bool:
    """Whether an answer may need a dotted path such as `torch.nn.Linear`."""
    parts = path.split(".")
    root = parts[0]
    if root not in WHOLE and root not in PARTS:
        return False
    if any(path == never or path.startswith(f"{never}.") for never in NEVER):
        return False
    if root == "grader" and len(parts) > 2:
        return parts[1] == "simulated_cuda" and parts[2] in _CUDA_SWITCHES
    allowed = PARTS.get(root)
    return len(parts) == 1 or allowed is None or parts[1] in allowed | _ALWAYS


def is_limited(module: str) -> bool:
    """Whether an answer may need a module, but not all of it."""
    return module in PARTS


def is_usual_base(path: str) -> bool:
    """Whether a dotted path with a private name is one that published modules import."""
    return bool(_USUAL_BASES.fullmatch(path))


def is_private(module: str) -> bool:
    """Whether a module is a library's own business: `torch._jit_internal`."""
    is_hidden = any(part.startswith("_") and part != "__future__" for part in module.split("."))
    return is_hidden and not is_usual_base(module)
