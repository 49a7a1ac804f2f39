"""`torch.cuda.FloatTensor` and the other classes from before `dtype=` and `device=`."""

import copy
import pickle

import numpy as np
import torch

from ..outcomes import warned
from ._make import c, g, g1, reload

NAMES = ("Byte", "Char", "Short", "Int", "Long", "Half", "BFloat16", "Float", "Double", "Bool")


def _all(call):
    """A fact for each class of torch.cuda."""
    classes = {name: getattr(torch.cuda, f"{name}Tensor") for name in NAMES}
    return {name: (lambda cls=cls: call(cls)) for name, cls in classes.items()}


def empty():
    return _all(lambda cls: cls())


def of_sizes():
    cls = torch.cuda.FloatTensor
    return {
        "one": lambda: cls(2),
        "two": lambda: cls(2, 3),
        "zero": lambda: cls(0),
        "Size": lambda: cls(torch.Size([2])),
        "Size of two": lambda: cls(torch.Size([2, 3])),
        "empty Size": lambda: cls(torch.Size([])),
        "shape of a tensor": lambda: cls(c(2, 3).shape),
        "size=": lambda: cls(size=(2, 3)),
        "negative": lambda: cls(-1),
        "a float": lambda: cls(2.5),
        "a string": lambda: cls("2"),
        "None": lambda: cls(None),
        "a bool": lambda: cls(True),
        "a numpy integer": lambda: cls(np.int64(2)),
        "a 0-dim tensor": lambda: cls(torch.tensor(2)),
    }


def of_sizes_in_each_class():
    return _all(lambda cls: cls(torch.Size([2, 1])))


def of_data():
    cls = torch.cuda.FloatTensor
    return {
        "list": lambda: cls([1.0, 2.0]),
        "tuple": lambda: cls((1.0, 2.0)),
        "nested": lambda: cls([[1.0], [2.0]]),
        "empty list": lambda: cls([]),
        "range": lambda: cls(range(3)),
        "numpy": lambda: cls(np.ones(2)),
        "numpy, two dimensions": lambda: cls(np.ones((2, 3), dtype=np.float32)),
        "numpy number": lambda: cls(np.float32(2)),
        "list of tensors": lambda: cls([g(1), g(1)]),
        "list of numbers on the device": lambda: cls([g(), g()]),
        "uneven": lambda: cls([[1.0], [2.0, 3.0]]),
        "words": lambda: cls(["a"]),
        "bytes": lambda: cls(b"ab"),
        "values": lambda: cls([1.5, 2.5]).tolist(),
        "numpy values": lambda: cls(np.array([1.5, 2.5])).tolist(),
    }


def of_data_in_each_class():
    return _all(lambda cls: cls([1, 0])) | {"values": lambda: torch.cuda.LongTensor([3]).tolist()}


def of_tensors():
    cls = torch.cuda.FloatTensor
    x = g(2)
    return {
        "itself": lambda: cls(x),
        "shares memory": lambda: cls(x).data_ptr() == x.data_ptr(),
        "same object": lambda: cls(x) is x,
        "on cuda:1": lambda: cls(g1(2)),
        "half": lambda: cls(x.half()),
        "double": lambda: cls(x.double()),
        "integers": lambda: cls(x.long()),
        "on the CPU": lambda: cls(c(2)),
        "half on the CPU": lambda: cls(c(2).half()),
        "requires grad": lambda: cls(g(2).requires_grad_()),
        "Parameter": lambda: cls(torch.nn.Parameter(x)),
        "half of half": lambda: torch.cuda.HalfTensor(x.half()),
        "long of float": lambda: torch.cuda.LongTensor(x),
        "sparse": lambda: cls(x.to_sparse()),
    }


def of_storages():
    cls = torch.cuda.FloatTensor
    return {
        "untyped": lambda: cls(g(2).untyped_storage()),
        "typed": lambda: cls(g(2).storage()),
        "of the CPU": lambda: cls(c(2).untyped_storage()),
        "of another dtype": lambda: cls(g(2).half().storage()),
        "half of untyped": lambda: torch.cuda.HalfTensor(g(2).untyped_storage()),
        "FloatStorage": lambda: cls(torch.cuda.FloatStorage(3)),
    }


def with_device():
    cls = torch.cuda.FloatTensor
    return {
        "cuda:1": lambda: cls(2, device="cuda:1"),
        "index": lambda: cls(2, device=1),
        "cuda": lambda: cls(2, device="cuda"),
        "cpu": lambda: cls(2, device="cpu"),
        "too far": lambda: cls(2, device="cuda:7"),
        "data": lambda: cls([1.0], device="cuda:1"),
        "data on the CPU": lambda: cls([1.0], device="cpu"),
        "nothing else": lambda: cls(device="cuda:1"),
        "Size": lambda: cls(torch.Size([2]), device="cuda:1"),
        "torch.device": lambda: cls(2, device=torch.device("cuda", 1)),
        "CPU class": lambda: torch.FloatTensor(2, device="cuda"),
        "meta": lambda: cls(2, device="meta"),
    }


def in_a_block():
    with torch.cuda.device(1):
        return {
            "sizes": torch.cuda.FloatTensor(2),
            "data": torch.cuda.FloatTensor([1.0]),
            "numpy": torch.cuda.DoubleTensor(np.ones(2)),
        }


def other_arguments():
    cls = torch.cuda.FloatTensor
    return {
        "dtype=": lambda: cls(2, dtype=torch.half),
        "requires_grad=": lambda: cls(2, requires_grad=True),
        "two lists": lambda: cls([1.0], [2.0]),
        "size and list": lambda: cls(2, [2.0]),
        "unknown": lambda: cls(wrong=1),
        "data=": lambda: cls(data=[1.0]),
        "a dict": lambda: cls({}),
        "an object": lambda: cls(object()),
    }


def attributes():
    cls = torch.cuda.FloatTensor
    return {
        "dtype": lambda: cls.dtype,
        "layout": lambda: cls.layout,
        "is_cuda": lambda: cls.is_cuda,
        "is_sparse": lambda: cls.is_sparse,
        "is_xpu": lambda: cls.is_xpu,
        "__name__": lambda: cls.__name__,
        "__qualname__": lambda: cls.__qualname__,
        "__module__": lambda: cls.__module__,
        "__doc__": lambda: cls.__doc__,
        "repr": lambda: repr(cls),
        "str": lambda: str(cls),
        "class": lambda: repr(type(cls)),
        "bases": lambda: [base.__name__ for base in cls.__mro__],
        "equal": lambda: cls == torch.cuda.FloatTensor,
        "not equal": lambda: cls == torch.FloatTensor,
        "hashed": lambda: {cls: 1}[torch.cuda.FloatTensor],
        "setattr": lambda: setattr(cls, "wrong", 1),
        "subclass": lambda: type("Mine", (cls,), {}).__name__,
    }


def dtypes():
    return _all(lambda cls: [str(cls.dtype), cls.is_cuda, repr(cls)])


def instances():
    cls = torch.cuda.FloatTensor
    return {
        "float": lambda: isinstance(g(1), cls),
        "half": lambda: isinstance(g(1).half(), cls),
        "on the CPU": lambda: isinstance(c(1), cls),
        "on cuda:1": lambda: isinstance(g1(1), cls),
        "Parameter": lambda: isinstance(torch.nn.Parameter(g(1)), cls),
        "a number": lambda: isinstance(1.0, cls),
        "one of two": lambda: isinstance(g(1), (torch.FloatTensor, cls)),
        "sparse": lambda: isinstance(g(1).to_sparse(), cls),
        "sparse class": lambda: isinstance(g(1).to_sparse(), torch.cuda.sparse.FloatTensor),
        "a meta tensor": lambda: isinstance(torch.ones(1, device="meta"), cls),
        "issubclass": lambda: issubclass(cls, torch.Tensor),
        "of itself": lambda: issubclass(cls, cls),
        "type of a tensor": lambda: type(cls(1)) is torch.Tensor,
    }


def names_of_types():
    return {
        "type()": lambda: g(1).type(),
        "half": lambda: g(1).half().type(),
        "bool": lambda: g(1).bool().type(),
        "bfloat16": lambda: g(1).bfloat16().type(),
        "complex": lambda: g(1).to(torch.complex64).type(),
        "sparse": lambda: g(1).to_sparse().type(),
        "to a class": lambda: c(1).type(torch.cuda.FloatTensor),
        "to another class": lambda: c(1).type(torch.cuda.HalfTensor),
        "to a CPU class": lambda: g(1).type(torch.DoubleTensor),
        "by name": lambda: c(1).type("torch.cuda.LongTensor"),
        "by a wrong name": lambda: c(1).type("torch.cuda.WrongTensor"),
        "dtype=": lambda: g(1).type(torch.int32),
        "unchanged": lambda: (lambda x: x.type(torch.cuda.FloatTensor) is x)(g(1)),
        "type_as": lambda: c(1).type_as(g(1).half()),
        "module": lambda: torch.nn.Linear(1, 1).type(torch.cuda.DoubleTensor).weight,
        "from cuda:1": lambda: g1(1).type(torch.cuda.HalfTensor),
    }


def pickled():
    cls = torch.cuda.FloatTensor
    return {
        "class": lambda: pickle.loads(pickle.dumps(cls)) is cls,
        "in a dict": lambda: pickle.loads(pickle.dumps({"type": cls}))["type"] is cls,
        "names": lambda: b"torch.cuda" in pickle.dumps(cls) and b"FloatTensor" in pickle.dumps(cls),
        "copy": lambda: copy.copy(cls) is cls,
        "deepcopy": lambda: copy.deepcopy(cls) is cls,
        "torch.save": lambda: reload(cls, weights_only=False) is cls,
        "weights only": lambda: reload({"type": torch.cuda.HalfTensor}),
        "every class": lambda: {
            n: pickle.loads(pickle.dumps(getattr(torch.cuda, f"{n}Tensor")))
            is getattr(torch.cuda, f"{n}Tensor")
            for n in NAMES
        },
        "tensor": lambda: reload(cls([1.0])),
    }


def new():
    x = g(2)
    return {
        "nothing": lambda: x.new(),
        "sizes": lambda: x.new(2, 3),
        "Size": lambda: x.new(torch.Size([3])),
        "list": lambda: x.new([1.0, 2.0]),
        "numpy": lambda: x.new(np.ones(2)),
        "tensor": lambda: x.new(x),
        "half tensor": lambda: x.new(x.half()),
        "storage": lambda: x.new(x.untyped_storage()),
        "device": lambda: x.new(2, device="cuda:1"),
        "on the CPU": lambda: x.new(2, device="cpu"),
        "of cuda:1": lambda: g1(2).new(2),
        "Tensor": lambda: torch.Tensor(x),
        "FloatTensor": lambda: torch.FloatTensor(x),
        "Tensor, device": lambda: torch.Tensor(2, device="cuda"),
    }


def storages():
    cls = torch.cuda.FloatStorage
    return {
        "sizes": lambda: str(cls(2).device),
        "length": lambda: len(cls(2)),
        "list": lambda: cls([1.0, 2.0]).tolist(),
        "dtype": lambda: cls(2).dtype,
        "class": lambda: type(g(1).storage()),
        "is_cuda": lambda: cls(1).is_cuda,
        "type": lambda: g(1).storage().type(),
        "instance": lambda: isinstance(g(1).storage(), cls),
        "repr": lambda: repr(cls),
        "to the CPU": lambda: cls([1.0]).cpu().type(),
        "pickled": lambda: pickle.loads(pickle.dumps(cls)) is cls,
        "half": lambda: torch.cuda.HalfStorage(2).dtype,
        "cuda()": lambda: c(2).storage().cuda().type(),
        "untyped": lambda: str(torch.UntypedStorage(4, device="cuda").device),
        "from_buffer": lambda: cls.from_buffer(b"abcd", "native"),
    }


def sparse_classes():
    cls = torch.cuda.sparse.FloatTensor
    return {
        "empty": lambda: cls(),
        "sizes": lambda: cls(2, 3),
        "indices": lambda: cls(torch.zeros(1, 1, device="cuda").long(), g(1), torch.Size([2])),
        "on the CPU": lambda: cls(c(1, 1).long(), c(1)),
        "repr": lambda: repr(cls),
        "is_cuda": lambda: cls.is_cuda,
        "is_sparse": lambda: cls.is_sparse,
        "layout": lambda: cls.layout,
        "pickled": lambda: pickle.loads(pickle.dumps(cls)) is cls,
    }


def warnings():
    return {
        "first": warned(lambda: torch.cuda.FloatTensor(2)),
        "second": warned(lambda: torch.cuda.FloatTensor(2)),
        "another class": warned(lambda: torch.cuda.LongTensor(2)),
        "isinstance": warned(lambda: isinstance(g(1), torch.cuda.FloatTensor)),
        "type()": warned(lambda: c(1).type(torch.cuda.FloatTensor)),
        "CPU class": warned(lambda: torch.FloatTensor(2)),
    }


def starts_cuda():
    before = torch.cuda.is_initialized()
    name = repr(torch.cuda.FloatTensor)
    after_repr = torch.cuda.is_initialized()
    torch.cuda.FloatTensor()
    return {
        "before": before,
        "repr": name,
        "then": after_repr,
        "after": torch.cuda.is_initialized(),
    }
