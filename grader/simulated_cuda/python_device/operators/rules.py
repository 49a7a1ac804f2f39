"""What may be mixed and what CUDA says when it may not: the differences between operators, as data.

CUDA checks devices in four ways. Most kernels ask that all tensors share one device (`SAME`, the
rule for whatever is not named here). Elementwise ones leave it to TensorIterator, which lets one
0-dim CPU tensor in (`ELEMENTWISE`) or none (`ITERATED`). A few have a rule of their own (`OWN`).
The rest are composites of other operators, and the first of those to mind is the one that speaks.

The sets follow PyTorch's native_functions.yaml: `device_check: NoCheck` and `structured`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .. import backend
from ..devices import CPU, CUDA
from ..tensors.tensor import CudaTensor

Operands = list[tuple[str, Tensor]]


def _names(text: str) -> set[str]:
    return set(text.split())


# TensorIterator with `allow_cpu_scalars`.
ELEMENTWISE = _names("""
    __ilshift__ __irshift__ __lshift__ __rshift__ add addcdiv addcmul atan2 bitwise_and
    bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign div eq floor_divide
    fmax fmin fmod ge gt heaviside hypot le lerp logical_and logical_or logical_xor lt maximum
    minimum mse_loss mul ne pow remainder rsub smooth_l1_loss special_chebyshev_polynomial_t
    special_chebyshev_polynomial_u special_chebyshev_polynomial_v
    special_chebyshev_polynomial_w special_hermite_polynomial_h special_hermite_polynomial_he
    special_laguerre_polynomial_l special_legendre_polynomial_p
    special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u
    special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w
    special_xlog1py special_zeta sub xlogy
""")

# TensorIterator without.
ITERATED = _names("""
    abs acos all aminmax angle any asin atan binary_cross_entropy bitwise_not ceil cos cosh
    cumprod cumsum digamma elu erf erfc erfinv exp expm1 floor frac gelu hardshrink hardsigmoid
    hardswish hardtanh index_fill leaky_relu lgamma log log10 log1p log2 logical_not max mean
    min neg norm polygamma prod reciprocal renorm round rsqrt sigmoid sign sin sinh softplus
    softshrink sqrt std sum tan tanh threshold trunc var
""")

# Kernels whose checks are generated under `wrapper_CUDA_name_overload`; the others' are under
# `wrapper_CUDA_overload_name`.
STRUCTURED = _names("""
    _addmm_activation _convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo
    _linalg_det _linalg_eigh _linalg_slogdet _linalg_solve_ex _linalg_svd _log_softmax
    _log_softmax_backward_data _softmax _softmax_backward_data _upsample_bicubic2d_aa
    _upsample_bicubic2d_aa_backward _upsample_bilinear2d_aa _upsample_bilinear2d_aa_backward
    _upsample_nearest_exact1d _upsample_nearest_exact1d_backward _upsample_nearest_exact2d
    _upsample_nearest_exact2d_backward _upsample_nearest_exact3d
    _upsample_nearest_exact3d_backward acosh adaptive_max_pool2d adaptive_max_pool2d_backward
    adaptive_max_pool3d adaptive_max_pool3d_backward addmm addmv amax amin argmax argmin asinh
    atanh avg_pool2d avg_pool2d_backward avg_pool3d avg_pool3d_backward baddbmm bmm cat clamp
    clamp_max clamp_min elu_backward exp2 fractional_max_pool2d fractional_max_pool2d_backward
    fractional_max_pool3d gather gcd gelu_backward glu hardshrink_backward hardsigmoid_backward
    hash_tensor i0 igamma igammac index_add index_copy index_reduce isin isneginf isposinf lcm
    leaky_relu_backward linalg_cholesky_ex linalg_cross linalg_inv_ex linalg_ldl_factor_ex
    linalg_ldl_solve linalg_lu linalg_lu_factor_ex linalg_lu_solve linalg_qr linalg_vector_norm
    logaddexp logaddexp2 logit_backward lu_unpack max_pool2d_with_indices
    max_pool2d_with_indices_backward mish mm nextafter nll_loss_backward nll_loss_forward
    reflection_pad1d reflection_pad1d_backward reflection_pad3d reflection_pad3d_backward
    replication_pad1d replication_pad1d_backward replication_pad2d replication_pad3d scatter
    scatter_add scatter_reduce sgn sigmoid_backward signbit silu silu_backward sinc
    slow_conv_transpose2d softplus_backward softshrink_backward sort special_airy_ai
    special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_entr
    special_erfcx special_i0e special_i1 special_i1e special_log_ndtr
    special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0
    special_modified_bessel_k1 special_ndtri special_scaled_modified_bessel_k0
    special_scaled_modified_bessel_k1 special_spherical_bessel_j0 tanh_backward
    threshold_backward topk triangular_solve tril triu upsample_bicubic2d
    upsample_bicubic2d_backward upsample_bilinear2d upsample_bilinear2d_backward
    upsample_linear1d upsample_linear1d_backward upsample_nearest1d upsample_nearest1d_backward
    upsample_nearest2d upsample_nearest2d_backward upsample_nearest3d
    upsample_nearest3d_backward upsample_trilinear3d upsample_trilinear3d_backward
""")

# Operators that are composites elsewhere and have a kernel on CUDA.
KERNELS = {"addr", "convolution_backward", "native_group_norm", "native_layer_norm"}

# Arguments that may be on any device: CUDA reads or copies them.
ANYWHERE = {
    "fill_": {"value"},
    "fill": {"value"},
    "is_set_to": {"tensor"},
    "_pack_padded_sequence": {"lengths"},
    "_pad_packed_sequence": {"batch_sizes"},
    "resize_as_": {"the_template"},
    "_has_same_storage_numel": {"other"},
    "is_same_size": {"other"},
    "allclose": {"other"},
    "record_stream": set(),
}

# The kernel that CUDA runs where the backend's own name differs, if its first tensor is on CUDA.
ON_CUDA = {"native_batch_norm": "cudnn_batch_norm"}


def place(tensor: Tensor) -> torch.device:
    """Where a tensor is, in CUDA's words even inside PyTorch's own code."""
    return CUDA[tensor.index] if isinstance(tensor, CudaTensor) else tensor.device


def check(plan: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Raise what CUDA raises if these tensors may not be mixed.

    True means that the operator is to be run step by step, so that the right step raises.
    """
    name = plan.func._schema.name.removeprefix("aten::")
    base = name if name.startswith("__") else name.rstrip("_")
    operands = _operands(plan, args, kwargs, ANYWHERE.get(name, set()))
    if base in OWN:
        OWN[base](plan, args, operands)
    elif base.startswith("_foreach_"):
        _foreach(operands)
    elif base in ELEMENTWISE:
        _iterator(operands, outputs=_outputs(plan), scalars=1)
    elif base in ITERATED:
        _iterator(operands, outputs=_outputs(plan), scalars=0)
    elif name not in KERNELS and backend.is_composite(plan.func.name()):
        return True
    else:
        _same(plan, name, operands)
    return False


def _operands(plan: Any, args: Any, kwargs: Any, anywhere: set[str]) -> Operands:
    """Every tensor with its argument's name, outputs first, as the generated checks go."""
    given = {**dict(zip(plan.names, args, strict=False)), **kwargs}
    outputs = _outputs(plan) & set(kwargs)
    ordered = [n for n in given if n in outputs] + [n for n in given if n not in outputs]
    return [
        (name, tensor)
        for name in ordered
        if name not in anywhere
        for tensor in (given[name] if isinstance(given[name], (list, tuple)) else [given[name]])
        if isinstance(tensor, Tensor)
    ]


def _outputs(plan: Any) -> set[str]:
    return {plan.names[position] for position in plan.written}


def _same(plan: Any, name: str, operands: Operands) -> None:
    common = place(operands[0][1])
    for argument, tensor in operands:
        if place(tensor) != common:
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but got {argument} is on "
                f"{place(tensor)}, different from other tensors on {common} "
                f"(when checking argument in method wrapper_CUDA_{_method(plan, name, common)})"
            )


def _method(plan: Any, name: str, common: torch.device) -> str:
    overload = plan.func._overloadname.replace("default", "")
    if name.rstrip("_") in STRUCTURED:
        return f"{name}_{overload}" if overload else name
    if common.type == "cuda":
        name = ON_CUDA.get(name, name)
    return f"{overload}_{name}"


def _iterator(operands: Operands, outputs: set[str], scalars: int) -> None:
    common = next((place(t) for _, t in operands if place(t) != CPU), CPU)
    taken = 0
    for name, tensor in operands:
        if scalars and place(tensor) == CPU and tensor.dim() == 0 and name not in outputs:
            taken += 1
            if taken > scalars:
                raise RuntimeError("Trying to pass too many CPU scalars to non-CPU kernel!")
        elif place(tensor) != common:
            raise RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                f"{common} and {place(tensor)}!"
            )


def _foreach(operands: Operands) -> None:
    """Lists go tensor by tensor: the n-th of one with the n-th of the others."""
    lists: dict[str, list[Tensor]] = {}
    for name, tensor in operands:
        lists.setdefault(name, []).append(tensor)
    longest = max(map(len, lists.values()))
    for n in range(longest):
        row = [(name, ts[n]) for name, ts in lists.items() if n < len(ts)]
        if len({place(t) for _, t in row}) > 1:
            _iterator(row, outputs={"self"}, scalars=1)


def _index(plan: Any, args: Any, operands: Operands) -> None:
    home = place(args[0])
    for index in args[1]:
        if index is not None and place(index) not in (CPU, home):
            raise RuntimeError(
                "indices should be either on cpu or on the same device as the indexed tensor "
                f"({home})"
            )


def _index_put(plan: Any, args: Any, operands: Operands) -> None:
    """Indices may be anywhere: CUDA moves them to the tensor that is written to."""
    home = place(args[0])
    values = [(n, t) for n, t in operands if n == "values" and t.dim() > 0]
    if any(place(t) != home for _, t in values):
        if home != CPU and len(args) > 3 and args[3]:  # accumulate: not an iterator's kernel
            found = next(place(t) for _, t in values)
            raise RuntimeError(f"expected device {home} but got device {found} for value tensor")
        _iterator([("self", args[0]), *values], outputs={"self"}, scalars=0)


def _where(plan: Any, args: Any, operands: Operands) -> None:
    """CPU numbers are moved first, however many; the rest is an iterator's."""
    _iterator(
        [(n, t) for n, t in operands if t.dim() > 0 or place(t) != CPU],
        outputs=_outputs(plan),
        scalars=0,
    )


def _masked_fill(plan: Any, args: Any, operands: Operands) -> None:
    self, mask = place(args[0]), place(args[1])
    if self != mask:
        raise RuntimeError(
            "expected self and mask to be on the same device, but got mask on "
            f"{mask} and self on {self}"
        )
    if self == CPU:
        raise RuntimeError("masked_fill_: Expected inputs to be on same device")


def _convolution(plan: Any, args: Any, operands: Operands) -> None:
    """Types of tensors are compared, so a difference in dtype says the same."""
    given = args[0].type()
    for name, tensor in operands[1:]:
        if tensor.type() != given:
            raise RuntimeError(
                f"Input type ({given}) and {name} type ({tensor.type()}) should be the same"
                f"{_or_mkldnn(args)}"
            )


def _or_mkldnn(args: Any) -> str:
    """The CPU's fast convolutions add a hint, if one of them would have been chosen."""
    if place(args[0]) != CPU:
        return ""
    hosts = [getattr(a, "host", a) for a in args]
    if "Mkldnn" not in str(torch._C._select_conv_backend(*hosts)):
        return ""
    return MKLDNN


MKLDNN = " or input should be a MKLDNN tensor and weight is a dense tensor"


def reword(error: RuntimeError) -> None:
    """What the CPU said of the hosts, as CUDA says it of their wrappers."""
    if error.args and isinstance(error.args[0], str):
        text = re.sub(r"\btorch\.(\w+Tensor)\b", r"torch.cuda.\1", error.args[0])
        error.args = (text.replace(MKLDNN, ""), *error.args[1:])


OWN: dict[str, Callable[[Any, Any, Operands], None]] = {
    "index": _index,
    "_unsafe_index": _index,
    "_index_put_impl": _index_put,
    "_unsafe_index_put": _index_put,
    "where": _where,
    "masked_fill": _masked_fill,
    "convolution": _convolution,
}
