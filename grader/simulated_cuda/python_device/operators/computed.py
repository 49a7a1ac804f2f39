"""Operators that are not just run on the hosts: each stands in for one of PyTorch's kernels."""

from __future__ import annotations

from typing import Any

import torch

from ..devices import CUDA
from ..tensors.hosts import sync_metadata, take_device, wrap_all
from ..tensors.tensor import CudaTensor, wrap

aten = torch.ops.aten


def _host(value: Any) -> Any:
    return value.host if type(value) is CudaTensor else value


def _index(value: Any) -> int:
    return value.index if type(value) is CudaTensor else -1


def to_copy(func: Any, args: Any, kwargs: Any) -> Any:
    """`aten::_to_copy` (`Tensor.to`): a copy on another device or of another dtype."""
    source, kwargs = args[0], {k: v for k, v in kwargs.items() if k != "layout"}
    index = take_device(kwargs, _index(source))
    out = func(_host(source), **kwargs)
    return wrap(out, index) if index >= 0 else out


def copy_(func: Any, args: Any, kwargs: Any) -> Any:
    """`aten::copy_`: the source may be on any device."""
    func(*map(_host, args), **kwargs)
    return args[0]


def read(func: Any, args: Any, kwargs: Any) -> Any:
    """`aten::_local_scalar_dense` (`Tensor.item`): a number, so nothing is wrapped."""
    return func(*map(_host, args), **kwargs)


def resolved(func: Any, args: Any, kwargs: Any) -> Any:
    """`aten::_conj` and `_neg_view`, computed: a wrapper cannot carry their dispatch keys."""
    return wrap(func(args[0].host).resolve_conj().resolve_neg(), args[0].index)


def zero_tensor(func: Any, args: Any, kwargs: Any) -> Any:
    """`aten::_efficientzerotensor`, with memory: a wrapper cannot carry its dispatch key."""
    kwargs = dict(kwargs)
    index = take_device(kwargs, -1)
    return wrap_all(torch.zeros(*args, **kwargs), index)


def set_(func: Any, args: Any, kwargs: Any) -> Any:
    """`aten::set_`: give the tensor the memory of `source`.

    Raises:
        RuntimeError: the memory is on another device; in the words of PyTorch's `set_storage`.
    """
    tensor, source = args[0], args[1] if len(args) > 1 else None
    device = getattr(source, "device", tensor.device)
    if device != tensor.device:
        raise RuntimeError(
            f'Attempted to set the storage of a tensor on device "{tensor.device}" to a storage '
            f'on different device "{device}".  This is no longer allowed; the devices must match.'
        )
    func(*map(_host, args), **kwargs)
    sync_metadata(tensor)
    return tensor


def pack_padded(func: Any, args: Any, kwargs: Any) -> Any:
    """`aten::_pack_padded_sequence`: the lengths must be on the CPU; the batch sizes stay there."""
    data, lengths, *rest = args
    if type(lengths) is CudaTensor:
        raise RuntimeError(
            "'lengths' argument should be a 1D CPU int64 tensor, but got "
            f"{lengths.dim()}D {CUDA[lengths.index]} {lengths.type().split('.')[-1][:-6]} tensor"
        )
    packed, sizes = func(_host(data), lengths, *rest)
    return wrap_all(packed, _index(data)), sizes


def lstm_cell(func: Any, args: Any, kwargs: Any) -> Any:
    """`aten::_thnn_fused_lstm_cell`, which PyTorch calls for every device but the CPU."""
    inputs, hiddens, before, *biases = map(_host, args)
    gates = sum((bias for bias in biases if bias is not None), inputs + hiddens)
    i, f, g, o = gates.chunk(4, 1)
    cell = f.sigmoid() * before + i.sigmoid() * g.tanh()
    return wrap_all((o.sigmoid() * cell.tanh(), cell, gates), args[0].index)


def lstm_cell_backward(func: Any, args: Any, kwargs: Any) -> Any:
    """The derivatives, by PyTorch's own formula, from the gates in the workspace."""
    grad_h, grad_c, before, after, gates, has_bias = map(_host, args)
    found = aten._thnn_differentiable_lstm_cell_backward(
        grad_h, grad_c, gates, torch.zeros_like(gates), None, None, before, after
    )
    return wrap_all((found[0], found[2], found[0].sum(0) if has_bias else None), args[4].index)


def gru_cell(func: Any, args: Any, kwargs: Any) -> Any:
    """`aten::_thnn_fused_gru_cell`; the workspace is for the backward."""
    inputs, hiddens, before, in_bias, hidden_bias = map(_host, args[:5])
    in_r, in_z, in_n = (inputs if in_bias is None else inputs + in_bias).chunk(3, 1)
    h_r, h_z, h_n = (hiddens if hidden_bias is None else hiddens + hidden_bias).chunk(3, 1)
    r, z = (in_r + h_r).sigmoid(), (in_z + h_z).sigmoid()
    n = (in_n + r * h_n).tanh()
    workspace = torch.cat([r, z, n, before, h_n], 1)
    return wrap_all((n + z * (before - n), workspace), args[0].index)


def gru_cell_backward(func: Any, args: Any, kwargs: Any) -> Any:
    """The derivatives, from the gates in the workspace of the forward."""
    grad, workspace = map(_host, args[:2])
    r, z, n, before, h_n = workspace.chunk(5, 1)
    into_n = grad * (1 - z) * (1 - n * n)
    into_z = grad * (before - n) * z * (1 - z)
    into_r = into_n * h_n * r * (1 - r)
    inputs = torch.cat([into_r, into_z, into_n], 1)
    hiddens = torch.cat([into_r, into_z, into_n * r], 1)
    biases = (inputs.sum(0), hiddens.sum(0)) if args[2] else (None, None)
    return wrap_all((inputs, hiddens, grad * z, *biases), args[1].index)


def _calling(function: Any, func: Any) -> Any:
    """A plan (see `dispatch.Plan.run`) that calls one of the functions above."""
    return lambda args, kwargs: function(func, args, kwargs or {})


PLANS: dict[Any, Any] = {
    op: _calling(function, op)
    for function, ops in {
        to_copy: [aten._to_copy.default],
        copy_: [aten.copy_.default],
        read: [aten._local_scalar_dense.default],
        resolved: [aten._conj.default, aten._neg_view.default],
        zero_tensor: [aten._efficientzerotensor.default],
        set_: [
            aten.set_.source_Tensor,
            aten.set_.source_Storage,
            aten.set_.source_Storage_storage_offset,
            aten.set_.default,
        ],
        pack_padded: [aten._pack_padded_sequence.default],
        lstm_cell: [aten._thnn_fused_lstm_cell.default],
        lstm_cell_backward: [aten._thnn_fused_lstm_cell_backward_impl.default],
        gru_cell: [aten._thnn_fused_gru_cell.default],
        gru_cell_backward: [aten._thnn_fused_gru_cell_backward.default],
    }.items()
    for op in ops
}
