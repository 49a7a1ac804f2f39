"""`torch.autocast("cuda")`: which operators run in half precision, which in float32.

The lists are those of PyTorch's "Automatic Mixed Precision" page for CUDA. PyTorch registers its
own for the names of its devices; ours go to the backend's autocast key, at the first use.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ...common.patches import Patch
from .. import backend
from ..tensors.tensor import CudaTensor


def _names(text: str) -> list[str]:
    return text.split()


HALF = _names("""
    matmul addbmm addmm addmv addr baddbmm bmm chain_matmul linalg_multi_dot mm mv linear prelu
    conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution
    scaled_dot_product_attention lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell
    _thnn_fused_lstm_cell _thnn_fused_gru_cell
""")
FLOAT32 = _names("""
    __pow__ __rdiv__ __rpow__ __rtruediv__ acos asin binary_cross_entropy_with_logits cosh
    cosine_embedding_loss cdist cosine_similarity cross_entropy_loss cumprod cumsum dist erfinv exp
    expm1 group_norm hinge_embedding_loss huber_loss kl_div l1_loss layer_norm log log10 log_softmax
    log1p log2 margin_ranking_loss mse_loss multilabel_margin_loss multi_margin_loss nll_loss norm
    nuclear_norm frobenius_norm pdist poisson_nll_loss pow prod reciprocal renorm rsqrt sinh
    smooth_l1_loss soft_margin_loss softmax softmin softplus sum tan triplet_margin_loss nll_loss2d
""")
WIDEST = _names("""
    addcdiv addcmul atan2 bilinear cross dot grid_sampler index_put scatter_add tensordot cat stack
""")
REFUSED = {
    "binary_cross_entropy": (
        "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
        "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
        "In this case, combine the two layers using "
        "torch.nn.functional.binary_cross_entropy_with_logits\n"
        "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
        "safe to autocast."
    )
}


def _eligible(value: Any) -> bool:
    return (
        type(value) is CudaTensor and value.is_floating_point() and value.dtype is not torch.float64
    )


def cast(value: Any, dtype: torch.dtype) -> Any:
    """`value`, or each tensor in a list, in `dtype`, if it is a float of at most 32 bits."""
    if isinstance(value, (list, tuple)):
        return [cast(item, dtype) for item in value]
    return value.to(dtype) if _eligible(value) else value


def _dtypes(value: Any) -> list[torch.dtype]:
    if isinstance(value, (list, tuple)):
        return [dtype for item in value for dtype in _dtypes(item)]
    return [value.dtype] if _eligible(value) else []


def _half(*_: Any) -> torch.dtype:
    return torch.get_autocast_dtype("cuda")


def _float32(*_: Any) -> torch.dtype:
    return torch.float32


def _widest(args: Any) -> torch.dtype:
    return torch.float32 if torch.float32 in _dtypes(args) else torch.get_autocast_dtype("cuda")


def _casting(op: Any, choose: Callable[[Any], torch.dtype]) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Any:
        dtype = choose(args)
        with backend.without_autocast():
            return op(*[cast(a, dtype) for a in args], **kwargs)

    return run


def _refusing(message: str) -> Callable[..., Any]:
    def run(*_: Any, **__: Any) -> Any:
        raise RuntimeError(message)

    return run


def register() -> Any:
    """Register a casting kernel for each operator of the lists; `_destroy` takes them out."""
    library = backend.Library("aten", "IMPL")
    for choose, names in ((_half, HALF), (_float32, FLOAT32), (_widest, WIDEST)):
        for name in names:
            for op in _overloads(name):
                library.impl(op, _casting(op, choose), backend.AUTOCAST)
    for name, message in REFUSED.items():
        for op in _overloads(name):
            library.impl(op, _refusing(message), backend.AUTOCAST)
    return library


def _overloads(name: str) -> list[Any]:
    packet = getattr(torch.ops.aten, name, None)
    overloads = [getattr(packet, o) for o in packet.overloads()] if packet else []
    return [
        op
        for op in overloads
        if "out" not in op._overloadname and not any(a.is_out for a in op._schema.arguments)
    ]


class _Switch:
    """`torch.set_autocast_enabled`, for both names of the device."""

    def __init__(self) -> None:
        self.library: Any = None
        self.lock = threading.Lock()
        self.set_enabled = torch.set_autocast_enabled

    def enabled(self, *args: Any) -> None:
        """Turn autocast on or off; called as `(on)` or `(device, on)`. Registers the lists once."""
        if len(args) == 1 or args[0] == "cuda":
            with self.lock:
                if args[-1] and self.library is None:
                    self.library = register()
            self.set_enabled(backend.NAME, args[-1])
        self.set_enabled(*args)

    def off(self) -> None:
        """Take the lists out again."""
        if self.library is not None:
            self.library._destroy()
            self.library = None


SWITCH = _Switch()


def patches() -> Iterator[Patch]:
    """The function with which `torch.autocast` turns itself on and off."""
    why = "autocast for cuda must act on the backend, by CUDA's lists"
    yield Patch(torch, "set_autocast_enabled", SWITCH.enabled, why)
