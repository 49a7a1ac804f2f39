"""To and from NumPy, numbers, DLPack, legacy constructors, types, defaults."""

import numpy as np
import torch
from torch import nn

from ..outcomes import describe
from ._make import c, g, g1, index, leaf


def to_numpy():
    return {
        "numpy": lambda: str(g(2).numpy()),
        "asarray": lambda: str(np.asarray(g(2))),
        "array": lambda: str(np.array(g(2))),
        "sin": lambda: str(np.sin(g(2))),
        "force": lambda: g(2).numpy(force=True).shape,
        "cpu first": lambda: g(2).cpu().numpy().shape,
        "add": lambda: str(np.ones(2) + g(2)),
        "radd": lambda: g(2) + np.ones(2),
        "mean": lambda: str(np.mean(g(2))),
        "array of numbers": lambda: str(np.array([g(1)[0], g(1)[0]]).dtype),
        "half": lambda: str(g(2).half().numpy()),
    }


def to_numpy_with_grad():
    return {
        "numpy": lambda: str(leaf(2).numpy()),
        "loss": lambda: str(leaf(2).sum().numpy()),
        "asarray": lambda: str(np.asarray(leaf(2))),
        "array": lambda: str(np.array(leaf(2))),
        "sin": lambda: str(np.sin(leaf(2))),
        "cpu": lambda: str(leaf(2).cpu().numpy()),
        "detach": lambda: str(leaf(2).detach().numpy()),
        "force": lambda: leaf(2).numpy(force=True).shape,
        "cpu leaf": lambda: str(leaf(2, device="cpu").numpy()),
    }


def from_numpy():
    array = np.zeros(2, dtype=np.float32)
    return {
        "from_numpy": lambda: torch.from_numpy(array).cuda(),
        "tensor": lambda: torch.tensor(array, device="cuda"),
        "as_tensor": lambda: torch.as_tensor(array, device="cuda"),
        "asarray": lambda: torch.asarray(array, device="cuda"),
        "from_numpy of a tensor": lambda: torch.from_numpy(g(2)),
    }


def to_numbers():
    x = index(3)
    return {
        "item": lambda: x.item(),
        "tolist": lambda: x.tolist(),
        "int": lambda: int(x),
        "float": lambda: float(x),
        "bool": lambda: bool(x[0]),
        "index": [1, 2, 3, 4][x[0]],
        "len": lambda: len(x),
        "iteration": [str(v.device) for v in x],
        "item of two": lambda: g(2).item(),
        "bool of two": lambda: bool(g(2)),
        "in a list": lambda: 3 in x.tolist(),
        "round": lambda: round(float(x)),
        "format": lambda: f"{x.item():d}",
    }


def tensors_of_tensors():
    one, two = leaf(2).sum(), g1(2).sum()
    return {
        "losses": lambda: torch.tensor([one, one]),
        "mixed with floats": lambda: torch.tensor([one, 1.0]),
        "two GPUs": lambda: torch.tensor([one, two]),
        "device": lambda: torch.tensor([one, one], device="cuda"),
        "as_tensor": lambda: torch.as_tensor([one, one]),
        "nested": lambda: torch.tensor([[one], [one]]),
        "of vectors": lambda: torch.tensor([g(2), g(2)]),
        "of a tensor": lambda: torch.tensor(g(2)),
        "as_tensor of a tensor": lambda: torch.as_tensor(g(2)),
        "as_tensor to cpu": lambda: torch.as_tensor(g(2), device="cpu"),
        "asarray copy": lambda: torch.asarray(g(2), copy=True),
        "stack": lambda: torch.stack([one, one]),
        "FloatTensor": lambda: torch.FloatTensor([one, one]),
    }


def legacy_constructors():
    return {
        "Tensor(cuda)": lambda: torch.Tensor(g(2)),
        "FloatTensor(cuda)": lambda: torch.FloatTensor(g(2)),
        "cuda.FloatTensor()": lambda: torch.cuda.FloatTensor(),
        "cuda.FloatTensor(2)": lambda: torch.cuda.FloatTensor(2),
        "cuda.FloatTensor(list)": lambda: torch.cuda.FloatTensor([1.0]),
        "cuda.FloatTensor(cpu)": lambda: torch.cuda.FloatTensor(c(2)),
        "cuda.LongTensor(list)": lambda: torch.cuda.LongTensor([1]),
        "cuda.HalfTensor": lambda: torch.cuda.HalfTensor(2),
        "new": lambda: g(1).new(2),
        "new of cpu": lambda: g(1).new([1.0]),
        "Tensor(device=)": lambda: torch.Tensor(2, device="cuda"),
        "Variable": lambda: torch.autograd.Variable(g(2)),
        "isinstance": lambda: isinstance(g(1), torch.cuda.FloatTensor),
        "isinstance, half": lambda: isinstance(g(1).half(), torch.cuda.FloatTensor),
        "isinstance, cpu": lambda: isinstance(c(1), torch.cuda.FloatTensor),
        "isinstance, FloatTensor": lambda: isinstance(g(1), torch.FloatTensor),
    }


def types():
    x = g(2)
    return {
        "type()": lambda: x.type(),
        "half": lambda: x.half().type(),
        "long": lambda: x.long().type(),
        "sparse": lambda: torch.zeros(2, 2).to_sparse().cuda().type(),
        "type(name)": lambda: x.type("torch.FloatTensor"),
        "type(cuda name)": lambda: c(2).type("torch.cuda.HalfTensor"),
        "type(class)": lambda: c(2).type(torch.cuda.FloatTensor),
        "type(dtype)": lambda: x.type(torch.half),
        "type_as": lambda: c(2).type_as(x),
        "class": lambda: type(x),
        "parameter": lambda: type(nn.Parameter(x)),
        "moved parameter": lambda: type(nn.Linear(1, 1).cuda().weight),
        "is_tensor": lambda: torch.is_tensor(x),
        "isinstance": lambda: isinstance(x, torch.Tensor),
        "result": lambda: type(nn.Parameter(x) * 2),
        "dtype": x.dtype,
        "typename": lambda: torch.typename(x),
        "built again": lambda: type(nn.Parameter(x))(c(2), requires_grad=False),
    }


def default_device():
    torch.set_default_device("cuda")
    found = {
        "zeros": lambda: torch.zeros(1),
        "tensor": lambda: torch.tensor([1]),
        "as_tensor": lambda: torch.as_tensor([1]),
        "as_tensor of numpy": lambda: torch.as_tensor(np.zeros(1)),
        "asarray": lambda: torch.asarray([1.0]),
        "from_numpy": lambda: torch.from_numpy(np.zeros(1)),
        "module": lambda: nn.Linear(1, 1).weight,
        "explicit": lambda: torch.zeros(1, device="cpu"),
        "arange": lambda: torch.arange(3),
        "randperm": lambda: torch.randperm(3),
        "generator": lambda: torch.Generator().device,
        "get_default_device": lambda: torch.get_default_device(),
        "Tensor": lambda: torch.Tensor(2),
        "linear": lambda: nn.Linear(1, 1)(torch.zeros(1)),
    }
    found = describe(found)
    torch.set_default_device(None)
    return found | {"after": torch.zeros(1), "default": torch.get_default_device()}


def default_device_block():
    with torch.device("cuda:1"):
        inside = torch.zeros(1)
        with torch.device("cpu"):
            nested = torch.zeros(1)
    return {"inside": inside, "nested": nested, "after": torch.zeros(1)}


def default_tensor_type():
    torch.set_default_tensor_type(torch.cuda.FloatTensor)
    made = torch.zeros(1), torch.tensor([1.0]), torch.Tensor(1)
    torch.set_default_tensor_type("torch.FloatTensor")
    return {"made": made, "after": torch.zeros(1)}


def dlpack():
    x = g(2)
    kind, number = x.__dlpack_device__()
    return {
        "device": [kind.name, number],
        "round trip": lambda: torch.from_dlpack(x),
        "same memory": lambda: torch.from_dlpack(x).data_ptr() == x.data_ptr(),
        "numpy": lambda: np.from_dlpack(x).shape,
        "capsule": lambda: torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x)),
        "requires grad": lambda: torch.from_dlpack(leaf(2)),
        "cuda array interface": lambda: sorted(x.__cuda_array_interface__),
        "of the CPU": lambda: c(2).__cuda_array_interface__,
        "with grad": lambda: leaf(2).__cuda_array_interface__,
    }


def storages():
    x = g(2)
    s = x.untyped_storage()
    return {
        "device": s.device,
        "is_cuda": s.is_cuda,
        "nbytes": lambda: s.nbytes(),
        "cpu": lambda: s.cpu().device,
        "cuda of cpu": lambda: c(2).untyped_storage().cuda().device,
        "typed": lambda: type(x.storage()).__name__,
        "typed type": lambda: x.storage().type(),
        "clone": lambda: s.clone().device,
        "is_shared": lambda: s.is_shared(),
        "is_pinned": lambda: c(1).untyped_storage().is_pinned(),
        "share_memory_": lambda: x.share_memory_() is x,
        "get_device": lambda: s.get_device(),
        "tolist": lambda: len(s.tolist()),
        "set from storage": lambda: torch.empty(0, device="cuda").set_(s),
        "UntypedStorage": lambda: torch.UntypedStorage(2, device="cuda").device,
        "data pointers": lambda: x[1:].data_ptr() - x.data_ptr(),
    }


def complex_and_conjugates():
    x = torch.zeros(2, dtype=torch.cfloat).cuda()
    return {
        "conj": lambda: x.conj().is_conj(),
        "resolve": lambda: x.conj().resolve_conj(),
        "real": x.real,
        "view_as_real": lambda: torch.view_as_real(x),
        "imaginary of floats": lambda: g(1).imag,
        "mixed": lambda: x + torch.zeros(2, dtype=torch.cfloat),
        "fft of half": lambda: torch.fft.fft(g(4).half()),
        "fft": lambda: torch.fft.fft(g(4)),
    }


def dtypes_refused():
    return {
        "conv of integers": lambda: nn.functional.conv1d(g(1, 1, 3).long(), g(1, 1, 1).long()),
        "mean of integers": lambda: g(2).long().mean(),
        "half on cuda": lambda: g(2, 2).half() @ g(2, 2).half(),
        "softmax of integers": lambda: g(2).long().softmax(0),
        "cross entropy of int targets": lambda: nn.functional.cross_entropy(
            g(2, 3), torch.zeros(2, dtype=torch.int).cuda()
        ),
        "embedding of floats": lambda: nn.functional.embedding(g(2), g(3, 2)),
        "index of floats": lambda: g(3)[g(1)],
        "int requires grad": lambda: index(1).requires_grad_(),
        "result type": lambda: g(2).long().add_(1.5),
        "cholesky of half": lambda: torch.linalg.cholesky(g(2, 2).half()),
        "bool minus": lambda: g(2).bool() - g(2).bool(),
    }
