"""Arguments for an operator, drawn from its schema: mostly such that fit, some that cannot."""

from __future__ import annotations

import contextlib
import random
import warnings
from typing import Any

import torch

SHAPES = (
    (2, 3),
    (3, 3),
    (4,),
    (),
    (0,),
    (1, 2, 4, 4),
    (2, 3, 4),
    (1, 1),
    (2, 0, 3),
    (1, 2, 3, 4, 4),
)
DTYPES = (
    torch.float32, torch.float32, torch.float32, torch.float64, torch.int64, torch.int64,
    torch.int32, torch.bool, torch.uint8, torch.float16, torch.bfloat16, torch.complex64,
)  # fmt: skip
FLOATS = (0.0, 0.5, 1.0, -1.0, 2.0, 1e-5, float("inf"), float("nan"))
INTEGERS = (0, 1, 1, 2, 2, 3, 4, -1, -2, 8, 100)
STRINGS = ("none", "mean", "sum", "reflect", "linear", "floor", "trunc", "ij", "L", "U", "backward")
STRINGS += ("prod", "amax", "amin", "left", "right", "reduced", "complete")
LAYOUTS = (torch.strided, torch.strided, torch.sparse_coo, torch.sparse_csr)
FORMATS = (torch.contiguous_format, torch.preserve_format, torch.channels_last)


class Arguments:
    """One call's arguments; with `device="cpu"` the same ones, all on the CPU."""

    def __init__(self, draw: random.Random, device: str) -> None:
        self.draw, self.device = draw, device
        # What most tensors of this call are, so that some calls come past the checks.
        self.shape, self.dtype = draw.choice(SHAPES), draw.choice(DTYPES)
        self.kind = draw.choice(("plain",) * 6 + KINDS)
        self.faithful = draw.choice((1.0, 0.8, 0.5))
        self.placed = draw.choice((1.0, 1.0, 0.8))
        self.tracked = draw.random() < 0.3

    def of(self, schema: Any) -> tuple[list[Any], dict[str, Any]]:
        """Positional and named arguments."""
        args, named = [], {}
        for argument in schema.arguments:
            left_out = argument.has_default_value() and self.draw.random() < 0.4
            kind = str(argument.real_type)  # `type` says int for a dtype
            value = argument.default_value if left_out else self.value(kind, argument)
            if argument.kwarg_only:
                named[argument.name] = value
            else:
                args.append(value)
        return args, named

    def mode(self) -> Any:
        """What the call is made under."""
        modes = (torch.no_grad, torch.enable_grad, torch.inference_mode, contextlib.nullcontext)
        return self.draw.choice(modes)()

    def value(self, kind: str, argument: Any) -> Any:
        """A value for a type of the schema's language, such as `Optional[List[int]]`."""
        if kind.startswith("Optional["):
            return None if self.draw.random() < 0.4 else self.value(kind[9:-1], argument)
        if kind.startswith("List["):
            count = argument.N or self.draw.choice((1, 2, 2, 3, 4, 0))
            return [self.value(kind[5:-1], _NoLength) for _ in range(count)]
        drawers = {
            "Tensor": self.tensor,
            "int": lambda: self.draw.choice(INTEGERS),
            "SymInt": lambda: self.draw.choice(INTEGERS),
            "float": lambda: self.draw.choice(FLOATS),
            "ScalarType": lambda: self.draw.choice(DTYPES),
            "Layout": lambda: self.draw.choice(LAYOUTS),
            "MemoryFormat": lambda: self.draw.choice(FORMATS),
            "bool": lambda: self.draw.random() < 0.5,
            "number": lambda: self.draw.choice(FLOATS + INTEGERS),
            "str": lambda: self.draw.choice(STRINGS),
            "Device": lambda: torch.device(self.place()),
            "Generator": lambda: torch.Generator(self.place()),
            "Storage": lambda: self.tensor().untyped_storage(),
            "Stream": lambda: torch.Stream(torch.device(self.place())),
        }
        if kind in drawers:
            return drawers[kind]()
        raise NotImplementedError(kind)

    def place(self) -> str:
        """A device, which on the CPU's side is always the CPU."""
        other = self.draw.choice(("cpu", "cuda:1", "cuda:0"))
        chosen = "cuda:0" if self.draw.random() < self.placed else other
        return "cpu" if self.device == "cpu" else chosen

    def tensor(self) -> torch.Tensor:
        """A tensor, mostly of this call's shape, dtype and kind."""
        same = self.draw.random() < self.faithful
        shape = self.shape if same else self.draw.choice(SHAPES)
        dtype = self.dtype if same else self.draw.choice(DTYPES)
        kind = self.kind if same or self.draw.random() < 0.5 else self.draw.choice(KINDS)
        device, few = self.place(), self.draw.random() < 0.7
        values = torch.randint(0, 3 if few else 9, shape)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = (
                _of_kind(kind, values.to(dtype)).to(device) if kind != "meta" else values.to("meta")
            )
        if self.tracked and (made.is_floating_point() or made.is_complex()):
            made.requires_grad_()
        return made


class _NoLength:
    N = None


def _of_kind(kind: str, plain: torch.Tensor) -> torch.Tensor:
    """The values as another kind of tensor; as they are, where there is none of that kind."""
    with contextlib.suppress(RuntimeError, NotImplementedError):
        return _KINDS[kind](plain)
    return plain


def _quantized(plain: torch.Tensor) -> torch.Tensor:
    return torch.quantize_per_tensor(plain.float(), 0.5, 1, torch.quint8)


_KINDS: dict[str, Any] = {
    "plain": lambda t: t,
    "transposed": lambda t: t.transpose(0, -1),
    "strided": lambda t: t.repeat_interleave(2, -1)[..., ::2],
    "expanded": lambda t: t[..., :1].expand(t.shape),
    "coo": lambda t: t.to_sparse(),
    "uncoalesced": lambda t: t.to_sparse() + t.to_sparse(),
    "csr": lambda t: t.to_sparse_csr(),
    "csc": lambda t: t.to_sparse_csc(),
    "bsr": lambda t: t.to_sparse_bsr((1, 1)),
    "nested": lambda t: torch.nested.nested_tensor([t, t]),
    "jagged": lambda t: torch.nested.nested_tensor([t, t], layout=torch.jagged),
    "quantized": _quantized,
    "conjugate": lambda t: t.to(torch.complex64).conj(),
    "negative": lambda t: torch.view_as_real(t.to(torch.complex64).conj())[..., 1],
    "zero": lambda t: torch._efficientzerotensor(t.shape, dtype=t.dtype),
    "mkldnn": lambda t: t.to_mkldnn(),
}
KINDS = (*_KINDS, "meta")


def warm_up() -> None:
    """Make and print a tensor of each kind: PyTorch imports what a kind needs at its first use."""
    for kind in _KINDS:
        with contextlib.suppress(NotImplementedError):  # there is no mkldnn on CUDA
            repr(_of_kind(kind, torch.ones(2, 3)).to("cuda"))
