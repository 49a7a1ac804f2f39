"""Printed forms. Values are integers that were copied to the device, or nothing at all."""

import torch
from torch import nn

from ._make import c, g, g1, index, leaf, net


def integers():
    return {"tensor": repr(index(1, 2, 3)), "on cuda:1": repr(index(1, device="cuda:1"))}


def a_number():
    x = index(7)[0]
    return {"repr": repr(x), "str": str(x), "format": f"{x}", "item": x.item(), "int": int(x)}


def a_number_that_requires_grad():
    return {"format": f"{leaf().sum():.1f}", "repr": repr(leaf())}


def zeros():
    return {"float": repr(g(3)), "half": repr(g(2).half()), "double": repr(g(2).double())}


def booleans():
    return repr(torch.tensor([True, False]).cuda())


def complex_numbers():
    return {"dtype": str(g(2).cfloat().dtype), "repr": repr(torch.zeros(0).cfloat().cuda())}


def empty():
    return {"vector": repr(g(0)), "matrix": repr(g(0, 3)), "integers": repr(g(0, 3).long())}


def many():
    return repr(torch.arange(2000).cuda())


def requires_grad():
    return {"leaf": repr(leaf(2)), "integers": repr(nn.Parameter(index(1), requires_grad=False))}


def results():
    x = leaf(1)
    return {
        "mul": repr(x * 2),
        "sum": repr(x.sum()),
        "moved": repr(torch.zeros(1, requires_grad=True).cuda()),
        "between GPUs": repr(x.to("cuda:1")),
        "view": repr(x.view(1, 1)),
        "slice": repr(x[:1]),
        "select": repr(x[0]),
        "linear": repr(nn.Linear(1, 1, bias=False).cuda()(g(1, 1)).grad_fn.name()),
    }


def parameters():
    return {
        "parameter": repr(nn.Parameter(g(2))),
        "on cuda:1": repr(nn.Parameter(g1(2))),
        "buffer": repr(nn.Buffer(g(2))),
    }


def parameter_lists():
    held = nn.ParameterList([nn.Parameter(g(2)), nn.Parameter(c(1, 2))])
    return {"list": repr(held), "dict": repr(nn.ParameterDict({"w": nn.Parameter(g(2))}))}


def modules():
    return {"same": repr(net().cuda()) == repr(net()), "text": repr(nn.Linear(2, 3).cuda())}


def state_dict():
    tensors = nn.BatchNorm1d(1, affine=False).cuda().state_dict()
    return f"OrderedDict({list(tensors.items())})"  # as before Python 3.12, which writes a {}


def devices():
    x = g(1)
    return {
        "repr": repr(x.device),
        "str": str(x.device),
        "index": x.device.index,
        "type": x.device.type,
        "cuda:1": repr(g1(1).device),
        "get_device": x.get_device(),
        "of the CPU": c(1).get_device(),
    }


def device_constructor():
    return {
        "cuda": repr(torch.device("cuda")),
        "cuda, 1": repr(torch.device("cuda", 1)),
        "number": repr(torch.device(1)),
        "far": repr(torch.device(7)),
        "named": repr(torch.device(type="cuda", index=0)),
        "cuda == cuda:0": torch.device("cuda") == torch.device("cuda:0"),
        "bad": lambda: str(torch.device("cuda:x")),
        "negative": lambda: str(torch.device("cuda:-1")),
        "misspelt": lambda: str(torch.device("gpu")),
        "upper case": lambda: str(torch.device("CUDA")),
        "hash": hash(torch.device("cuda", 0)) == hash(torch.device("cuda:0")),
    }


def sparse():
    x = torch.zeros(2, 2).to_sparse().cuda()
    return {"coo": repr(x), "csr": repr(torch.zeros(2, 2).to_sparse_csr().cuda())}


def on_meta():
    return repr(g(2, 3).to("meta"))


def optimizers():
    return repr(torch.optim.SGD(net().cuda().parameters(), lr=0.1))


def generators():
    torch.cuda.init()  # makes the default generators
    return {
        "cuda": str(torch.Generator("cuda").device),
        "cuda:1": str(torch.Generator("cuda:1").device),
        "default": str(torch.cuda.default_generators[0].device),
    }


def print_options():
    torch.set_printoptions(precision=2, threshold=2)
    return repr(torch.arange(9).cuda())


def a_list():
    return repr([index(1), index(2)[0]])


def quantized_and_float8():
    return {
        "float8": repr(torch.zeros(0).cuda().to(torch.float8_e4m3fn)),
        "bfloat16": repr(torch.zeros(0).bfloat16().cuda()),
    }


def storages():
    lines = str(index(1, 2).untyped_storage()).splitlines()
    return {"last line": lines[-1], "typed": str(index(1).storage()).splitlines()[-1]}
