"""Errors of mixed devices that learners meet: arithmetic, indexing, losses, `out=`."""

import torch
from torch.nn import functional as F  # noqa: N812

from ._make import c, g, g1, index, leaf


def arithmetic():
    return {
        "cuda + cpu": lambda: g(3) + c(3),
        "cpu + cuda": lambda: c(3) + g(3),
        "two GPUs": lambda: g(3) + g1(3),
        "cuda + number of the CPU": lambda: g(3) + c(),
        "cpu + number of the GPU": lambda: c(3) + g(),
        "numbers": lambda: c() + g(),
        "number of another GPU": lambda: g(3) + g1(),
        "in place": lambda: g(3).add_(c(3)),
        "in place on the CPU": lambda: c(3).add_(g(3)),
        "in place of another shape": lambda: g(3).add_(c(4)),
        "other shape": lambda: g(3) + c(4),
        "python number": lambda: g(3) + 1,
        "comparison": lambda: g(3) > c(3),
        "equality": lambda: g(3) == c(3),
        "equal": lambda: torch.equal(g(3), c(3)),
        "allclose": lambda: torch.allclose(g(3), c(3)),
        "rsub": lambda: torch.rsub(g(3), c(3)),
        "pow": lambda: g(3) ** c(3),
        "lerp": lambda: torch.lerp(g(3), c(3), 0.5),
        "addcmul": lambda: torch.addcmul(g(3), c(3), g(3)),
        "maximum": lambda: torch.maximum(g(3), c(3)),
    }


def products():
    return {
        "matmul": lambda: g(2, 2) @ c(2, 2),
        "matmul, reversed": lambda: c(2, 2) @ g(2, 2),
        "matmul, vectors": lambda: g(2) @ c(2),
        "matmul, matrix and vector": lambda: g(2, 2) @ c(2),
        "bmm": lambda: torch.bmm(g(1, 2, 2), c(1, 2, 2)),
        "einsum": lambda: torch.einsum("ij,jk->ik", g(2, 2), c(2, 2)),
        "linear": lambda: F.linear(g(1, 2), c(2, 2)),
        "linear, bias": lambda: F.linear(g(1, 2), g(2, 2), c(2)),
        "addmm": lambda: torch.addmm(g(2), c(2, 2), g(2, 2)),
        "baddbmm": lambda: torch.baddbmm(g(1, 2, 2), g(1, 2, 2), c(1, 2, 2)),
        "outer": lambda: torch.outer(g(2), c(2)),
        "cdist": lambda: torch.cdist(g(2, 2), c(2, 2)),
        "bilinear": lambda: F.bilinear(g(1, 2), g(1, 2), c(2, 2, 2)),
        "two GPUs": lambda: g(2, 2) @ g1(2, 2),
        "int64": lambda: g(2, 2).long() @ g(2, 2).long(),
        "int64 linear": lambda: F.linear(g(2, 2).long(), g(2, 2).long()),
        "other dtypes": lambda: g(2, 2) @ g(2, 2).half(),
        "wrong shapes": lambda: g(2, 3) @ g(2, 3),
    }


def joins():
    return {
        "cat": lambda: torch.cat([g(2), c(2)]),
        "cat, cpu first": lambda: torch.cat([c(2), g(2)]),
        "cat of an empty one": lambda: torch.cat([g(2), c(0)]),
        "stack": lambda: torch.stack([g(2), c(2)]),
        "stack of numbers": lambda: torch.stack([g(), c()]),
        "two GPUs": lambda: torch.cat([g(2), g1(2)]),
        "hstack": lambda: torch.hstack([g(2), c(2)]),
        "block_diag": lambda: torch.block_diag(g(2, 2), c(2, 2)),
        "meshgrid": lambda: torch.meshgrid(g(2), c(2), indexing="ij"),
        "broadcast_tensors": lambda: torch.broadcast_tensors(g(2), c(1)),
        "where": lambda: torch.where(g(2) > 0, g(2), c(2)),
        "where, condition": lambda: torch.where(c(2) > 0, g(2), g(2)),
        "where, number": lambda: torch.where(g(2) > 0, g(2), c()),
        "where, number of another GPU": lambda: torch.where(g(2) > 0, g(2), g1()),
        "pad_sequence": lambda: torch.nn.utils.rnn.pad_sequence([g(2, 1), c(1, 1)]),
    }


def reading_by_index():
    return {
        "cuda by cpu": lambda: g(3)[index(0, device="cpu")],
        "cpu by cuda": lambda: c(3)[index(0)],
        "cuda by cuda:1": lambda: g(3)[index(0, device="cuda:1")],
        "by number of the CPU": lambda: g(3)[torch.tensor(1)],
        "by number of the GPU": lambda: c(3)[index(1)[0]],
        "by a list of numbers": lambda: g(3)[[index(1)[0], index(0)[0]]],
        "by a list, with ...": lambda: g(2, 3)[..., [index(1)[0]]],
        "cpu mask": lambda: g(3)[c(3) > 1],
        "cuda mask of cpu": lambda: c(3)[g(3) > 1],
        "gather": lambda: g(3).gather(0, index(0, device="cpu")),
        "index_select": lambda: g(3).index_select(0, index(0, device="cpu")),
        "index_select of cpu": lambda: c(3).index_select(0, index(0)),
        "take": lambda: g(3).take(index(0, device="cpu")),
        "take_along_dim": lambda: g(3).take_along_dim(index(0, device="cpu")),
        "masked_select": lambda: g(3).masked_select(c(3) > 1),
        "embedding": lambda: F.embedding(index(0, device="cpu"), g(3, 2)),
        "embedding of cpu": lambda: F.embedding(index(0), c(3, 2)),
        "one_hot": lambda: F.one_hot(index(0, device="cpu"), 3),
        "list": lambda: g(3)[[0, 1]],
        "None": lambda: g(3)[None],
        "out of range": lambda: g(3)[5],
    }


def writing_by_index():
    def put(target, where, value):
        target[where] = value
        return target

    return {
        "cuda, value of the CPU": lambda: put(g(3), index(0, 1), c(2)),
        "cuda, number of the CPU": lambda: put(g(3), index(0, 1), c()),
        "cuda, index of the CPU": lambda: put(g(3), index(0, device="cpu"), 1.0),
        "cpu by cuda index": lambda: put(c(3), index(0), 1.0),
        "cpu by cuda index, value of the GPU": lambda: put(c(3), index(0), g(1)),
        "cpu by cuda mask": lambda: put(c(3), g(3) > 1, 1.0),
        "cuda by cpu mask": lambda: put(g(3), c(3) > 1, 1.0),
        "slice of the CPU": lambda: put(g(3), slice(2), c(2)),
        "cpu slice of the GPU": lambda: put(c(3), slice(2), g(2)),
        "row": lambda: put(g(2, 2), 0, c(2)),
        "index_put": lambda: c(3).index_put((index(0),), g(1)),
        "index_put, values": lambda: c(3).index_put((index(0),), c(1)),
        "index_fill": lambda: g(3).index_fill(0, index(0), c()),
        "index_fill, index": lambda: g(3).index_fill(0, index(0, device="cpu"), 1.0),
        "index_add": lambda: g(3).index_add(0, index(0), c(1)),
        "index_copy": lambda: g(3).index_copy(0, index(0, device="cpu"), g(1)),
        "scatter": lambda: g(3).scatter(0, index(0, device="cpu"), 1.0),
        "scatter, source": lambda: g(3).scatter(0, index(0), c(1)),
        "scatter_add": lambda: g(3).scatter_add(0, index(0), c(1)),
        "masked_fill": lambda: g(3).masked_fill(c(3) > 0, 1.0),
        "masked_fill, value": lambda: g(3).masked_fill(g(3) > 0, c()),
        "masked_fill, value of another GPU": lambda: g(3).masked_fill(g(3) > 0, g1()),
        "masked_fill of cpu, value": lambda: c(3).masked_fill(c(3) > 0, g()),
        "masked_scatter": lambda: g(3).masked_scatter(c(3) > 0, g(3)),
        "slice_scatter": lambda: g(3).slice_scatter(c(1), end=1),
        "select_scatter": lambda: g(3, 2).select_scatter(c(2), 0, 0),
        "diagonal_scatter": lambda: g(2, 2).diagonal_scatter(c(2)),
        "fill_": lambda: g(3).fill_(c()),
    }


def losses():
    target = torch.zeros(2, dtype=torch.long)
    return {
        "cross_entropy": lambda: F.cross_entropy(g(2, 3), target),
        "cross_entropy of cpu": lambda: F.cross_entropy(c(2, 3), target.cuda()),
        "cross_entropy, weight": lambda: F.cross_entropy(g(2, 3), target.cuda(), weight=c(3)),
        "cross_entropy, probabilities": lambda: F.cross_entropy(g(2, 3), c(2, 3)),
        "nll_loss": lambda: F.nll_loss(g(2, 3), target),
        "nll_loss 2d": lambda: F.nll_loss(g(2, 3, 1, 1), target.view(2, 1, 1)),
        "mse_loss": lambda: F.mse_loss(g(3), c(3)),
        "mse_loss of numbers": lambda: F.mse_loss(g(), c()),
        "mse_loss, cpu first": lambda: F.mse_loss(c(), g()),
        "l1_loss": lambda: F.l1_loss(g(3), c(3)),
        "smooth_l1_loss": lambda: F.smooth_l1_loss(g(3), c(3)),
        "smooth_l1_loss of numbers": lambda: F.smooth_l1_loss(g(), c()),
        "huber_loss": lambda: F.huber_loss(g(3), c(3)),
        "binary_cross_entropy": lambda: F.binary_cross_entropy(g(3), c(3)),
        "binary_cross_entropy, weight": lambda: F.binary_cross_entropy(g(3), g(3), c(3)),
        "with logits": lambda: F.binary_cross_entropy_with_logits(g(3), c(3)),
        "with logits, pos_weight": lambda: F.binary_cross_entropy_with_logits(
            g(3), g(3), pos_weight=c(3)
        ),
        "kl_div": lambda: F.kl_div(g(2, 3), c(2, 3), reduction="batchmean"),
        "hinge": lambda: F.hinge_embedding_loss(g(3), c(3)),
        "margin": lambda: F.margin_ranking_loss(g(3), g(3), c(3)),
        "cosine": lambda: F.cosine_embedding_loss(g(2, 3), g(2, 3), c(2)),
        "triplet": lambda: F.triplet_margin_loss(g(2, 3), g(2, 3), c(2, 3)),
        "multi margin": lambda: F.multi_margin_loss(g(2, 3), target),
        "gaussian": lambda: F.gaussian_nll_loss(g(3), g(3), c(3)),
    }


def ctc_loss():
    log, targets = g(4, 1, 3), torch.ones(1, 2, dtype=torch.long)
    four, two = torch.tensor([4]), torch.tensor([2])
    return {
        "lengths of the CPU": lambda: F.ctc_loss(log, targets.cuda(), four, two),
        "targets of the CPU": lambda: F.ctc_loss(log, targets, four, two),
        "one length on cuda": lambda: F.ctc_loss(log, targets.cuda(), four.cuda(), two),
    }


def out():
    return {
        "add": lambda: torch.add(g(2), g(2), out=c(2)),
        "mm": lambda: torch.mm(g(2, 2), g(2, 2), out=c(2, 2)),
        "matmul": lambda: torch.matmul(g(2, 2), g(2, 2), out=c(2, 2)),
        "matmul under grad": lambda: torch.matmul(leaf(2), leaf(2), out=g()),
        "cat": lambda: torch.cat([g(2), g(2)], out=c(4)),
        "gather": lambda: torch.gather(g(2), 0, index(0), out=c(1)),
        "index_select": lambda: torch.index_select(g(2), 0, index(0), out=c(1)),
        "sum": lambda: torch.sum(g(2), 0, out=c()),
        "max": lambda: torch.max(g(2), 0, out=(c(), index(0, device="cpu")[0])),
        "sort": lambda: torch.sort(g(2), out=(c(2), torch.zeros(2, dtype=torch.long))),
        "arange": lambda: torch.arange(2, out=g(2)),
        "clamp": lambda: torch.clamp(g(2), 0, 1, out=c(2)),
        "complex": lambda: torch.complex(g(2), g(2), out=torch.zeros(2, dtype=torch.cfloat)),
        "other GPU": lambda: torch.add(g(2), g(2), out=g1(2)),
        "linear": lambda: torch._C._nn.linear(g(2, 2), g(2, 2), out=c(2, 2)),
    }


def functions_of_several_tensors():
    return {
        "clamp": lambda: g(3).clamp(min=c(3)),
        "clamp, number": lambda: g(3).clamp(min=c()),
        "searchsorted": lambda: torch.searchsorted(g(3), c(2)),
        "bucketize": lambda: torch.bucketize(g(3), c(2)),
        "isin": lambda: torch.isin(g(3), c(2)),
        "grid_sample": lambda: F.grid_sample(g(1, 1, 2, 2), c(1, 2, 2, 2), align_corners=False),
        "prelu": lambda: F.prelu(g(1, 2), c(2)),
        "cosine_similarity": lambda: F.cosine_similarity(g(2, 3), c(2, 3)),
        "layer_norm": lambda: F.layer_norm(g(2, 3), (3,), c(3)),
        "repeat_interleave": lambda: torch.repeat_interleave(g(2), index(1, 2, device="cpu")),
        "tensor_split": lambda: torch.tensor_split(g(4), index(2)),
        "solve": lambda: torch.linalg.solve(g(2, 2), c(2)),
        "lstsq": lambda: torch.linalg.lstsq(g(2, 2), c(2, 2)),
        "cross": lambda: torch.linalg.cross(g(3), c(3)),
        "quantile": lambda: torch.quantile(g(3), c(1)),
        "histc": lambda: torch.histc(g(3)),
        "bincount": lambda: torch.bincount(index(1), c(1)),
        "multinomial": lambda: torch.multinomial(c(3), 1, generator=torch.Generator("cuda")),
        "foreach_add": lambda: torch._foreach_add([g(2)], [c(2)]),
        "foreach_mul": lambda: torch._foreach_mul([g(2), g1(2)], 2.0),
    }
