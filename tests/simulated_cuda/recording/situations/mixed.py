"""What learners meet and PyTorch's list lacks, of mixed devices; `mixing` has each operator."""

import torch
from torch.nn import functional as F  # noqa: N812

from ._make import c, g, g1, index, leaf


def joins():
    return {
        "cat of an empty one": lambda: torch.cat([g(2), c(0)]),
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


def out():
    return {
        "matmul under grad": lambda: torch.matmul(leaf(2), leaf(2), out=g()),
        "max": lambda: torch.max(g(2), 0, out=(c(), index(0, device="cpu")[0])),
        "sort": lambda: torch.sort(g(2), out=(c(2), torch.zeros(2, dtype=torch.long))),
        "other GPU": lambda: torch.add(g(2), g(2), out=g1(2)),
        "linear": lambda: torch._C._nn.linear(g(2, 2), g(2, 2), out=c(2, 2)),
    }


def functions_of_several_tensors():
    return {
        "foreach_add": lambda: torch._foreach_add([g(2)], [c(2)]),
        "foreach_mul": lambda: torch._foreach_mul([g(2), g1(2)], 2.0),
    }
