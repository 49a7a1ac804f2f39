"""meta, TorchScript, subclasses, torch.func, sparse and nested tensors."""

import io

import torch
from torch import nn

from ._make import c, g, g1, leaf, net, places


def meta():
    x = g(2)
    module = net().cuda()
    return {
        "to": lambda: x.to("meta"),
        "module": lambda: places(module.to("meta")),
        "empty_like": lambda: torch.empty_like(x, device="meta"),
        "add": lambda: x + torch.zeros(2, device="meta"),
        "add of cpu": lambda: c(2) + torch.zeros(2, device="meta"),
        "matmul": lambda: g(2, 2) @ torch.zeros(2, 2, device="meta"),
        "meta to cuda": lambda: torch.zeros(2, device="meta").cuda(),
        "module from meta": lambda: places(nn.Linear(1, 1, device="meta").cuda()),
        "to_empty": lambda: places(nn.Linear(1, 1, device="meta").to_empty(device="cuda")),
        "copy_": lambda: x.copy_(torch.zeros(2, device="meta")),
        "linear": lambda: nn.Linear(2, 2, device="meta")(g(1, 2)),
    }


def fake_tensors():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        x = torch.zeros(2, device="cuda")
        return {"device": x.device, "sum": (x + 1).device, "mixed": lambda: x + torch.zeros(2)}


def scripted():
    @torch.jit.script
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2 + torch.zeros(x.shape, device=x.device)

    @torch.jit.script
    def make() -> torch.Tensor:
        return torch.zeros(2, device="cuda")

    return {"device of x": double(g(2)), "name": make, "mixed": lambda: double(g(2)) + c(2)}


def scripted_modules():
    module = torch.jit.script(net().eval()).cuda()
    file = io.BytesIO()
    torch.jit.save(module, file)
    file.seek(0)
    loaded = torch.jit.load(file)
    file.seek(0)
    return {
        "forward": lambda: module(g(2, 3)),
        "places": lambda: places(module),
        "loaded": lambda: places(loaded),
        "mapped": lambda: places(torch.jit.load(file, map_location="cpu")),
        "loaded forward": lambda: loaded(g(2, 3)),
        "back": lambda: places(module.cpu()),
    }


def traced():
    module = torch.jit.trace(nn.Linear(3, 2).cuda(), g(1, 3))
    return {"forward": module(g(2, 3)), "places": places(module), "cpu": places(module.cpu())}


def scripted_errors():
    @torch.jit.script
    def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x + y

    def last_line():
        try:
            add(g(2), c(2))
        except Exception as error:
            return [type(error).__name__, str(error).strip().splitlines()[-1]]

    return last_line


class Sub(torch.Tensor):
    pass


class _Named(torch.Tensor):
    @staticmethod
    def __new__(cls, data, name="x"):
        made = torch.Tensor._make_subclass(cls, data)
        made.name_ = name
        return made


def subclasses():
    x = g(2).as_subclass(Sub)
    return {
        "as_subclass": x,
        "result": x + 1,
        "moved": lambda: c(2).as_subclass(Sub).cuda(),
        "back": lambda: x.cpu(),
        "mixed": lambda: x + c(2),
        "_make_subclass": _Named(g(2)),
        "type": lambda: type(x).__name__,
        "parameter": lambda: nn.Parameter(g(2).as_subclass(Sub)),
        "to": lambda: c(2).as_subclass(Sub).to("cuda:1"),
    }


def torch_functions():
    seen = []

    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append(getattr(function, "__name__", "?"))
            return super().__torch_function__(function, types, args, kwargs or {})

    y = g(2).as_subclass(Logged) * 2
    return {"result": str(y.device), "names": [name for name in seen if name != "__get__"]}


def dispatch_modes():
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    with Log():
        nn.functional.linear(g(1, 2), g(2, 2), g(2)).relu()
        c(2).cuda()
    return seen


def function_modes():
    from torch.overrides import TorchFunctionMode

    seen = []

    class Log(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            seen.append(getattr(function, "__name__", "?"))
            return function(*args, **(kwargs or {}))

    with Log():
        x = torch.zeros(2, device="cuda")
        (x + 1).cpu()
        c(1).cuda()
    return seen


def functional_transforms():
    from torch import func

    seen, module = [], nn.Linear(2, 2).cuda()
    x = g(3, 2)
    func.grad(lambda v: (seen.append(str(v.device)), v.sum())[1])(g(2))
    parameters = dict(module.named_parameters())
    return {
        "inside grad": seen,
        "grad": lambda: func.grad(lambda v: (v * v).sum())(g(2)),
        "vmap": lambda: func.vmap(lambda v: v * 2)(x),
        "vmap of a module": lambda: func.vmap(module)(x),
        "jacrev": lambda: func.jacrev(lambda v: v * 2)(g(2)),
        "jacfwd": lambda: func.jacfwd(lambda v: v * 2)(g(2)),
        "hessian": lambda: func.hessian(lambda v: (v * v).sum())(g(2)),
        "functional_call": lambda: func.functional_call(module, parameters, (x,)),
        "functional_call, cpu input": lambda: func.functional_call(module, parameters, (c(3, 2),)),
        "vmap, mixed": lambda: func.vmap(lambda v: v + c(2))(x),
        "stack_module_state": lambda: func.stack_module_state([module, module])[0]["weight"],
        "jvp": lambda: func.jvp(lambda v: v * 2, (g(2),), (g(2),))[1],
        "jvp, tangent on the CPU": lambda: func.jvp(lambda v: v * 2, (g(2),), (c(2),))[1],
        "vjp": lambda: func.vjp(lambda v: v * 2, g(2))[1](g(2)),
        "per-sample gradients": lambda: func.vmap(func.grad(lambda v: v.sum()))(x),
    }


def sparse():
    x = torch.zeros(2, 2).to_sparse().cuda()
    return {
        "layout": x.layout,
        "values": lambda: x.values() if x.is_coalesced() else x._values(),
        "indices": lambda: x._indices(),
        "dense": lambda: x.to_dense(),
        "product": lambda: torch.sparse.mm(x, g(2, 2)),
        "cpu product": lambda: torch.sparse.mm(x, c(2, 2)),
        "add": lambda: x + torch.zeros(2, 2).to_sparse(),
        "made": lambda: torch.sparse_coo_tensor(
            torch.zeros(2, 0).long(), c(0), (2, 2), device="cuda"
        ),
        "indices elsewhere": lambda: torch.sparse_coo_tensor(
            torch.zeros(2, 0).long(), g(0), (2, 2), check_invariants=True
        ),
        "csr": lambda: torch.zeros(2, 2).to_sparse_csr().cuda(),
        "csr to dense": lambda: torch.zeros(2, 2).to_sparse_csr().cuda().to_dense().layout,
        "embedding": lambda: nn.Embedding(3, 2, sparse=True).cuda()(torch.tensor([1]).cuda()),
    }


def nested():
    x = torch.nested.nested_tensor([c(2), c(3)], device="cuda")
    return {
        "is_cuda": x.is_cuda,
        "parts": [str(part.device) for part in x.unbind()],
        "of cuda": lambda: torch.nested.nested_tensor([g(2), g(3)]).is_cuda,
        "mixed": lambda: torch.nested.as_nested_tensor([g(2), c(3)]).device,
        "jagged": lambda: (
            torch.nested.nested_tensor([c(2), c(3)], layout=torch.jagged, device="cuda").device
        ),
    }


def compiled():
    return {"returns a function": callable(torch.compile(torch.sin))}


def quantized():
    x = lambda: torch.quantize_per_tensor(g(2), 0.1, 0, torch.qint8)  # noqa: E731
    return {"tensor": lambda: x().device, "dense": lambda: x().dequantize()}


def views_across():
    x, y = leaf(4), g(4)
    return {
        "view": lambda: x.view(2, 2),
        "_base is x": y[1:]._base is y,
        "is_view": lambda: y[1:]._is_view(),
        "expand": lambda: y.expand(2, 4),
        "transposed": lambda: g(2, 3).t().is_contiguous(),
        "wrong view": lambda: y.view(3),
        "as_strided": lambda: y.as_strided((2,), (2,)),
        "two GPUs": lambda: g(2).view_as(g1(2)),
        "unfold": lambda: y.unfold(0, 2, 1),
        "version": y._version,
    }
