"""`torch.use_deterministic_algorithms`: which operators refuse, and with which words."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from ..outcomes import message, outcome, warned
from ._make import c, g, index, leaf


def _under(call, warn_only=False):
    """What a call gives while deterministic algorithms are asked for."""
    torch.use_deterministic_algorithms(True, warn_only=warn_only)
    try:
        return warned(call) if warn_only else outcome(lambda: (call(), "works")[1])
    finally:
        torch.use_deterministic_algorithms(False)


def _facts(calls):
    """Each call as an error and as a warning."""
    return {
        "raises": {name: (lambda call=call: _under(call)) for name, call in calls.items()},
        "warns": {
            name: (lambda call=call: _under(call, warn_only=True)) for name, call in calls.items()
        },
    }


def _backward(make):
    """The gradient of the sum of what `make` gives."""

    def run():
        made = make()
        made = made[0] if isinstance(made, tuple) else made
        made.sum().backward()

    return run


def scatter():
    i = index(0, 1, 1)
    return _facts(
        {
            "scatter_": lambda: g(3).scatter_(0, i, g(3)),
            "scatter_ a number": lambda: g(3).scatter_(0, i, 1.0),
            "scatter_ add": lambda: g(3).scatter_(0, i, g(3), reduce="add"),
            "scatter_ multiply": lambda: g(3).scatter_(0, i, g(3), reduce="multiply"),
            "scatter_ number, add": lambda: g(3).scatter_(0, i, 1.0, reduce="add"),
            "scatter_ number, multiply": lambda: g(3).scatter_(0, i, 2.0, reduce="multiply"),
            "scatter": lambda: g(3).scatter(0, i, g(3)),
            "scatter multiply": lambda: torch.scatter(g(3), 0, i, g(3), reduce="multiply"),
            "scatter_add_": lambda: g(3).scatter_add_(0, i, g(3)),
            "scatter_add": lambda: torch.scatter_add(g(3), 0, i, g(3)),
            "two dimensions": lambda: g(3, 3).scatter_add_(0, index(0, 1, 1)[None], g(1, 3)),
            "scatter, two dimensions": lambda: g(3, 3).scatter_(0, index(0, 1, 1)[None], g(1, 3)),
            "integers": lambda: g(3).long().scatter_add_(0, i, g(3).long()),
            "half": lambda: g(3).half().scatter_(0, i, g(3).half(), reduce="multiply"),
            "bool": lambda: g(3).bool().scatter_(0, i, g(3).bool()),
            "on the CPU": lambda: c(3).scatter_(0, i.cpu(), c(3), reduce="multiply"),
        }
    )


def scatter_reduce():
    i = index(0, 1, 1)

    def reduced(kind, **how):
        return lambda: g(3).scatter_reduce(0, i, g(3), kind, **how)

    kinds = {kind: reduced(kind) for kind in ("sum", "prod", "mean", "amax", "amin")}
    return _facts(
        kinds
        | {
            "sum without self": reduced("sum", include_self=False),
            "prod without self": reduced("prod", include_self=False),
            "mean without self": reduced("mean", include_self=False),
            "in place, prod": lambda: g(3).scatter_reduce_(0, i, g(3), "prod"),
            "in place, sum": lambda: g(3).scatter_reduce_(0, i, g(3), "sum"),
            "integers, prod": lambda: g(3).long().scatter_reduce(0, i, g(3).long(), "prod"),
            "two dimensions, sum": lambda: g(3, 2).scatter_reduce(
                0, torch.zeros(2, 2, device="cuda").long(), g(2, 2), "sum"
            ),
            "out, prod": lambda: torch.scatter_reduce(g(3), 0, i, g(3), "prod", out=g(3)),
            "unknown": reduced("median"),
        }
    )


def scatter_backward():
    i = index(0, 1, 1)
    return _facts(
        {
            "gather": _backward(lambda: leaf(3).gather(0, i)),
            "scatter": _backward(lambda: g(3).scatter(0, i, leaf(3))),
            "scatter_add": _backward(lambda: g(3).scatter_add(0, i, leaf(3))),
            "scatter_reduce sum": _backward(lambda: leaf(3).scatter_reduce(0, i, leaf(3), "sum")),
            "take": _backward(lambda: leaf(3).take(i)),
            "take_along_dim": _backward(lambda: leaf(3).take_along_dim(i)),
            "index_select": _backward(lambda: leaf(3).index_select(0, i)),
            "index": _backward(lambda: leaf(3)[i]),
            "mask": _backward(lambda: leaf(3)[g(3).bool()]),
        }
    )


def index_operators():
    i = index(0, 1)
    calls = {
        "index_add_": lambda: g(3).index_add_(0, i, g(2)),
        "index_add": lambda: torch.index_add(g(3), 0, i, g(2)),
        "index_add, two dimensions": lambda: g(3, 2).index_add_(0, i, g(2, 2)),
        "index_copy_": lambda: g(3).index_copy_(0, i, g(2)),
        "index_copy": lambda: torch.index_copy(g(3), 0, i, g(2)),
        "index_fill_": lambda: g(3).index_fill_(0, i, 1.0),
        "index_put_": lambda: g(3).index_put_((i,), g(2)),
        "index_put_, accumulate": lambda: g(3).index_put_((i,), g(2), accumulate=True),
        "index_put": lambda: torch.index_put(g(3), (i,), g(2)),
        "setitem": lambda: g(3).__setitem__(i, g(2)),
        "setitem mask": lambda: g(3).__setitem__(g(3).bool(), 1.0),
        "getitem": lambda: g(3)[i],
        "put_": lambda: g(3).put_(i, g(2)),
        "put_, accumulate": lambda: g(3).put_(i, g(2), accumulate=True),
        "put": lambda: torch.put(g(3), i, g(2)),
        "put, accumulate": lambda: torch.put(g(3), i, g(2), accumulate=True),
        "masked_scatter_": lambda: g(3).masked_scatter_(g(3).bool(), g(3)),
        "masked_fill_": lambda: g(3).masked_fill_(g(3).bool(), 1.0),
        "index_select": lambda: g(3).index_select(0, i),
        "gather": lambda: g(3).gather(0, i),
        "take": lambda: g(3).take(i),
    }
    return _facts(calls)


def index_reduce():
    i = index(0, 1)
    g(3).index_reduce(0, i, g(2), "prod")  # warns once that it is in beta

    def reduced(kind, **how):
        return lambda: g(3).index_reduce(0, i, g(2), kind, **how)

    return _facts(
        {kind: reduced(kind) for kind in ("prod", "mean", "amax", "amin")}
        | {
            "in place, prod": lambda: g(3).index_reduce_(0, i, g(2), "prod"),
            "in place, mean": lambda: g(3).index_reduce_(0, i, g(2), "mean"),
            "in place, amax": lambda: g(3).index_reduce_(0, i, g(2), "amax"),
            "without self": reduced("prod", include_self=False),
            "out": lambda: torch.index_reduce(g(3), 0, i, g(2), "prod", out=g(3)),
            "two dimensions": lambda: g(3, 2).index_reduce(0, i, g(2, 2), "mean"),
        }
    )


def sums():
    return _facts(
        {
            "cumsum": lambda: g(3).cumsum(0),
            "cumsum of integers": lambda: g(3).long().cumsum(0),
            "cumsum of half": lambda: g(3).half().cumsum(0),
            "cumsum of bool": lambda: g(3).bool().cumsum(0),
            "cumsum of int32": lambda: g(3).int().cumsum(0),
            "cumsum, complex": lambda: g(3).to(torch.complex64).cumsum(0),
            "cumsum_": lambda: g(3).cumsum_(0),
            "cumsum out": lambda: torch.cumsum(g(3), 0, out=g(3)),
            "cumsum, two dimensions": lambda: g(3, 3).cumsum(1),
            "cumsum of one": lambda: g().cumsum(0),
            "cumsum of nothing": lambda: g(0).cumsum(0),
            "cumprod": lambda: g(3).cumprod(0),
            "logcumsumexp": lambda: g(3).logcumsumexp(0),
            "cummax": lambda: g(3).cummax(0),
            "cumprod backward": _backward(lambda: leaf(3).cumprod(0)),
            "cumsum backward": _backward(lambda: leaf(3).cumsum(0)),
            "sum": lambda: g(3).sum(),
            "trapezoid": lambda: torch.cumulative_trapezoid(g(3)),
            "diff": lambda: g(3).diff(),
        }
    )


def counts():
    i = index(0, 1, 1)
    return _facts(
        {
            "bincount": lambda: i.bincount(),
            "bincount, weights": lambda: i.bincount(g(3)),
            "bincount, double weights": lambda: i.bincount(g(3).double()),
            "histc": lambda: g(3).histc(3),
            "histc of integers": lambda: i.histc(3),
            "histc out": lambda: torch.histc(g(3), 3, out=g(3)),
            "unique": lambda: torch.unique(i),
            "kthvalue": lambda: g(3).kthvalue(1),
            "kthvalue out": lambda: torch.kthvalue(g(3), 1, out=(g(), index(0)[0].clone())),
            "median": lambda: g(3).median(),
            "median of a dimension": lambda: g(3).median(0),
            "nanmedian of a dimension": lambda: g(3).nanmedian(0),
            "mode": lambda: g(3).mode(),
            "sort": lambda: g(3).sort(),
            "topk": lambda: g(3).topk(1),
            "quantile": lambda: g(3).quantile(0.5),
        }
    )


def embeddings():
    table, i = nn.Embedding(4, 3).cuda(), index(0, 1, 1)

    def bag(mode, **how):
        weight = leaf(4, 3)
        return lambda: F.embedding_bag(i, weight, index(0, 2), mode=mode, **how)

    return _facts(
        {
            "embedding": lambda: table(i),
            "embedding backward": _backward(lambda: table(i)),
            "sparse backward": _backward(lambda: F.embedding(i, leaf(4, 3), sparse=True)),
            "scaled backward": _backward(
                lambda: F.embedding(i, leaf(4, 3), scale_grad_by_freq=True)
            ),
            "bag, sum": bag("sum"),
            "bag, max": bag("max"),
            "bag, sum, backward": _backward(bag("sum")),
            "bag, mean, backward": _backward(bag("mean")),
            "bag, max, backward": _backward(bag("max")),
            "bag, weights, backward": _backward(bag("sum", per_sample_weights=leaf(3))),
            "bag, fixed weights, backward": _backward(bag("sum", per_sample_weights=g(3))),
            "bag, padding, backward": _backward(bag("sum", padding_idx=0)),
            "bag, scaled, backward": _backward(bag("sum", scale_grad_by_freq=True)),
            "bag, max, padding, backward": _backward(bag("max", padding_idx=0)),
            "max_norm": lambda: F.embedding(i, g(4, 3), max_norm=1.0),
        }
    )


def pools():
    x, y = leaf(1, 1, 4), leaf(1, 1, 4, 4)
    z = leaf(1, 1, 4, 4, 4)
    return _facts(
        {
            "max_pool1d": _backward(lambda: F.max_pool1d(x, 2)),
            "max_pool2d": _backward(lambda: F.max_pool2d(y, 2)),
            "max_pool3d": _backward(lambda: F.max_pool3d(z, 2)),
            "avg_pool1d": _backward(lambda: F.avg_pool1d(x, 2)),
            "avg_pool2d": _backward(lambda: F.avg_pool2d(y, 2)),
            "avg_pool3d": _backward(lambda: F.avg_pool3d(z, 2)),
            "adaptive_avg_pool1d": _backward(lambda: F.adaptive_avg_pool1d(x, 3)),
            "adaptive_avg_pool2d": _backward(lambda: F.adaptive_avg_pool2d(y, 3)),
            "adaptive_avg_pool3d": _backward(lambda: F.adaptive_avg_pool3d(z, 3)),
            "adaptive_avg_pool2d to 1": _backward(lambda: F.adaptive_avg_pool2d(y, 1)),
            "adaptive_max_pool1d": _backward(lambda: F.adaptive_max_pool1d(x, 3)),
            "adaptive_max_pool2d": _backward(lambda: F.adaptive_max_pool2d(y, 3)),
            "adaptive_max_pool3d": _backward(lambda: F.adaptive_max_pool3d(z, 3)),
            "fractional_max_pool2d": _backward(lambda: F.fractional_max_pool2d(y, 2, 2)),
            "fractional_max_pool3d": _backward(lambda: F.fractional_max_pool3d(z, 2, 2)),
            "max_unpool1d": lambda: F.max_unpool1d(g(1, 1, 2), index(0, 2)[None, None], 2),
            "max_unpool2d": lambda: F.max_unpool2d(
                g(1, 1, 1, 1), torch.zeros(1, 1, 1, 1, device="cuda").long(), 2
            ),
            "max_unpool3d": lambda: F.max_unpool3d(
                g(1, 1, 1, 1, 1), torch.zeros(1, 1, 1, 1, 1, device="cuda").long(), 2
            ),
            "lp_pool2d": _backward(lambda: F.lp_pool2d(y + 1, 2, 2)),
        }
    )


def resizing():
    x, y, z = leaf(1, 1, 4), leaf(1, 1, 4, 4), leaf(1, 1, 4, 4, 4)

    def sized(t, mode, **how):
        return _backward(lambda: F.interpolate(t, scale_factor=2, mode=mode, **how))

    return _facts(
        {
            "nearest, 1 dimension": sized(x, "nearest"),
            "nearest, 2 dimensions": sized(y, "nearest"),
            "nearest, 3 dimensions": sized(z, "nearest"),
            "nearest-exact": sized(y, "nearest-exact"),
            "linear": sized(x, "linear"),
            "bilinear": sized(y, "bilinear"),
            "bicubic": sized(y, "bicubic"),
            "trilinear": sized(z, "trilinear"),
            "area": sized(y, "area"),
            "antialias": sized(y, "bilinear", antialias=True),
            "bicubic, antialias": sized(y, "bicubic", antialias=True),
            "forward": lambda: F.interpolate(y.detach(), scale_factor=2, mode="bilinear"),
            "grid_sample": _backward(
                lambda: F.grid_sample(y, leaf(1, 2, 2, 2), align_corners=True)
            ),
            "grid_sample, nearest": _backward(
                lambda: F.grid_sample(y, leaf(1, 2, 2, 2), mode="nearest", align_corners=False)
            ),
            "grid_sample, 3 dimensions": _backward(
                lambda: F.grid_sample(z, leaf(1, 2, 2, 2, 3), align_corners=False)
            ),
            "affine_grid": _backward(
                lambda: F.affine_grid(leaf(1, 2, 3), (1, 1, 2, 2), align_corners=True)
            ),
        }
    )


def padding():
    x, y, z = leaf(1, 1, 4), leaf(1, 1, 4, 4), leaf(1, 1, 4, 4, 4)

    def padded(t, mode):
        return _backward(lambda: F.pad(t, (1, 1) * (t.dim() - 2), mode=mode))

    return _facts(
        {
            f"{mode}, {t.dim() - 2}": padded(t, mode)
            for mode in ("reflect", "replicate", "circular", "constant")
            for t in (x, y, z)
        }
    )


def losses():
    i = index(0, 1)
    image, classes = leaf(1, 2, 2, 2), torch.zeros(1, 2, 2, device="cuda").long()
    return _facts(
        {
            "nll_loss": _backward(lambda: F.nll_loss(leaf(2, 2), i)),
            "nll_loss of images": _backward(lambda: F.nll_loss(image, classes)),
            "cross_entropy": _backward(lambda: F.cross_entropy(leaf(2, 2), i)),
            "cross_entropy of images": _backward(lambda: F.cross_entropy(image, classes)),
            "not reduced": _backward(lambda: F.cross_entropy(image, classes, reduction="none")),
            "NLLLoss2d, weights": _backward(lambda: F.nll_loss(image, classes, weight=g(2))),
            "ctc_loss": _backward(
                lambda: F.ctc_loss(
                    leaf(4, 1, 3).log_softmax(2),
                    index(1)[None].cpu(),
                    torch.tensor([4]),
                    torch.tensor([1]),
                )
            ),
            "multi_margin_loss": _backward(lambda: F.multi_margin_loss(leaf(2, 2), i)),
            "multilabel_margin_loss": _backward(
                lambda: F.multilabel_margin_loss(
                    leaf(2, 2), torch.zeros(2, 2, device="cuda").long()
                )
            ),
            "bce": _backward(lambda: F.binary_cross_entropy_with_logits(leaf(2), g(2))),
            "mse": _backward(lambda: F.mse_loss(leaf(2), g(2))),
        }
    )


def layers():
    return _facts(
        {
            "linear": _backward(lambda: nn.Linear(3, 2).cuda()(g(1, 3))),
            "conv2d": _backward(lambda: nn.Conv2d(1, 1, 2).cuda()(g(1, 1, 3, 3))),
            "conv_transpose2d": _backward(
                lambda: nn.ConvTranspose2d(1, 1, 2).cuda()(g(1, 1, 3, 3))
            ),
            "batch_norm": _backward(lambda: nn.BatchNorm1d(3).cuda()(g(2, 3))),
            "layer_norm": _backward(lambda: nn.LayerNorm(3).cuda()(g(2, 3))),
            "lstm": _backward(lambda: nn.LSTM(3, 2).cuda()(g(2, 1, 3))),
            "gru": _backward(lambda: nn.GRU(3, 2).cuda()(g(2, 1, 3))),
            "multihead": _backward(lambda: nn.MultiheadAttention(4, 2).cuda()(*[g(2, 1, 4)] * 3)),
            "dropout": _backward(lambda: F.dropout(leaf(3))),
            "rrelu": _backward(lambda: F.rrelu(leaf(3), training=True)),
            "fold": _backward(lambda: F.fold(leaf(1, 4, 4), (3, 3), 2)),
            "unfold": _backward(lambda: F.unfold(leaf(1, 1, 3, 3), 2)),
            "bilinear": _backward(lambda: nn.Bilinear(2, 2, 2).cuda()(g(1, 2), g(1, 2))),
        }
    )


def products():
    sparse = torch.eye(2).to_sparse().cuda()
    return _facts(
        {
            "mm": lambda: g(2, 2) @ g(2, 2),
            "bmm": lambda: torch.bmm(g(1, 2, 2), g(1, 2, 2)),
            "addmm": lambda: torch.addmm(g(2), g(2, 2), g(2, 2)),
            "sparse mm": lambda: torch.sparse.mm(sparse, g(2, 2)),
            "sparse bmm": lambda: torch.bmm(
                torch.stack([torch.eye(2)]).to_sparse().cuda(), g(1, 2, 2)
            ),
            "sparse sum": lambda: torch.sparse.sum(sparse),
            "coalesce": lambda: sparse.coalesce().is_coalesced(),
            "mv": lambda: g(2, 2).mv(g(2)),
            "einsum": lambda: torch.einsum("ij,jk", g(2, 2), g(2, 2)),
            "svd": lambda: torch.linalg.svdvals(torch.eye(2).cuda()).shape,
            "fft": lambda: torch.fft.fft(g(4)),
        }
    )


def memory():
    def filled(make):
        return lambda: _under(make)

    return {
        "empty": filled(lambda: torch.empty(2, device="cuda")),
        "resize_": filled(lambda: g(1).resize_(3)),
        "empty_strided": filled(lambda: torch.empty_strided((2,), (1,), device="cuda")),
        "new_empty": filled(lambda: g(1).new_empty(3)),
    }


def settings():
    def mode(value):
        torch.set_deterministic_debug_mode(value)
        try:
            return [
                torch.get_deterministic_debug_mode(),
                torch.are_deterministic_algorithms_enabled(),
                torch.is_deterministic_algorithms_warn_only_enabled(),
            ]
        finally:
            torch.set_deterministic_debug_mode(0)

    def error(call):
        try:
            call()
        except Exception as raised:
            return message(raised)
        return None

    return {
        "default": lambda: mode("default"),
        "warn": lambda: mode("warn"),
        "error": lambda: mode("error"),
        "wrong": lambda: error(lambda: mode("wrong")),
        "3": lambda: error(lambda: mode(3)),
        "cudnn": lambda: torch.backends.cudnn.deterministic,
        "fill": lambda: torch.utils.deterministic.fill_uninitialized_memory,
        "not a bool": lambda: error(lambda: torch.use_deterministic_algorithms("yes")),
    }
