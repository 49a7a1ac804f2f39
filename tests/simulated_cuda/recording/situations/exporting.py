"""torch.export, make_fx, and modes that see every call of PyTorch."""

import io
import warnings

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from ._make import c, g, g1, leaf, net, reload


class _Functions(TorchFunctionMode):
    """Notes the functions that it sees."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(torch.overrides.resolve_name(func) or getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


class _Operators(TorchDispatchMode):
    """Notes the operators that it sees."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


def _seen(call):
    """What each kind of mode sees of a call."""

    def run(mode):
        with mode:
            call()
        return mode.seen

    return {"functions": lambda: run(_Functions()), "operators": lambda: run(_Operators())}


class _Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(3, 4), nn.Linear(4, 2)
        self.register_buffer("shift", torch.zeros(4))

    def forward(self, x):
        return self.two(torch.relu(self.one(x) + self.shift))


class _Making(nn.Module):
    """Makes tensors inside."""

    def forward(self, x):
        return x + torch.zeros(3, device=x.device) + torch.arange(3, device="cuda")


class _Moving(nn.Module):
    def forward(self, x):
        return x.cuda() * 2


class _Asking(nn.Module):
    """Asks which device there is."""

    def forward(self, x):
        return x * 2 if torch.cuda.is_available() and x.is_cuda else x


class _Current(nn.Module):
    def forward(self, x):
        return x + torch.cuda.current_device()


class _Block(nn.Module):
    def forward(self, x):
        with torch.cuda.device(0):
            return x + torch.ones(3, device="cuda")


class _Cast(nn.Module):
    def forward(self, x):
        with torch.autocast("cuda", dtype=torch.float16):
            return torch.mm(x, x.t())


def _lines(exported):
    return [line.strip() for line in exported.graph_module.code.strip().splitlines()]


def _exported(net, *inputs, strict, **how):
    """The code of an exported module, and the device of what it computes."""
    program = torch.export.export(net, inputs, strict=strict, **how)
    return {"code": _lines(program), "result": program.module()(*inputs)}


def _both(make, *inputs):
    return {
        f"strict={strict}": (lambda strict=strict: _exported(make(), *inputs, strict=strict))
        for strict in (True, False)
    }


def linear():
    return _both(lambda: _Net().cuda(), g(2, 3))


def making():
    return _both(_Making, g(3))


def moving():
    return _both(_Moving, c(3))


def asking():
    return _both(_Asking, g(3))


def current():
    return _both(_Current, g(3))


def block():
    return _both(_Block, g(3))


def cast():
    return _both(_Cast, g(2, 3))


def convolution():
    return _both(lambda: nn.Conv2d(3, 4, 3).cuda(), g(2, 3, 8, 8))


def batch_norm():
    return _both(lambda: nn.BatchNorm1d(3).cuda(), g(2, 3))


def attention():
    class Attention(nn.Module):
        def forward(self, x):
            return nn.functional.scaled_dot_product_attention(x, x, x)

    return _both(Attention, g(2, 2, 4, 8))


def recurrent():
    return _both(lambda: nn.GRU(3, 4).cuda(), g(5, 2, 3))


def dropout():
    return _both(lambda: nn.Dropout(0.5), g(3))


def of_mixed_devices():
    return _both(lambda: _Net().cuda(), c(2, 3))


def on_the_second_device():
    return _both(lambda: _Net().to("cuda:1"), g1(2, 3))


def _decomposed(make, *inputs, table=None):
    program = torch.export.export(make(), inputs, strict=False)
    program = program.run_decompositions({} if table is None else table())
    return {"code": _lines(program), "result": program.module()(*inputs)}


def decompositions():
    core = torch.export.default_decompositions
    return {
        "linear": lambda: _decomposed(lambda: _Net().cuda(), g(2, 3)),
        "linear, core": lambda: _decomposed(lambda: _Net().cuda(), g(2, 3), table=core),
        "making": lambda: _decomposed(_Making, g(3)),
        "moving": lambda: _decomposed(_Moving, c(3)),
        "convolution": lambda: _decomposed(lambda: nn.Conv2d(3, 4, 3).cuda(), g(2, 3, 8, 8)),
        "batch norm": lambda: _decomposed(lambda: nn.BatchNorm1d(3).cuda(), g(2, 3), table=core),
        "dropout": lambda: _decomposed(lambda: nn.Dropout(0.5), g(3)),
    }


def saved_programs():
    program = torch.export.export(_Net().cuda(), (g(2, 3),))
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    loaded = torch.export.load(file)
    return {
        "result": loaded.module()(g(2, 3)),
        "state": {k: str(v.device) for k, v in loaded.state_dict.items()},
        "input on the CPU": lambda: loaded.module()(c(2, 3)),
        "moved": lambda: torch.export.passes.move_to_device_pass(loaded, "cpu").module()(c(2, 3)),
    }


def dynamic():
    shapes = {"x": {0: torch.export.Dim("batch")}}
    program = torch.export.export(_Net().cuda(), (g(2, 3),), dynamic_shapes=shapes)
    return {"result": program.module()(g(5, 3)), "code": len(_lines(program)) > 3}


def _code(function, *inputs, **how):
    from torch.fx.experimental.proxy_tensor import make_fx

    made = make_fx(function, **how)(*inputs)
    return [line.strip() for line in made.code.strip().splitlines()]


def traced_by_make_fx():
    def step(x):
        return (x.cuda() @ torch.ones(3, 2, device="cuda")).relu()

    return {
        "real": lambda: _code(step, g(2, 3)),
        "fake": lambda: _code(step, g(2, 3), tracing_mode="fake"),
        "symbolic": lambda: _code(step, g(2, 3), tracing_mode="symbolic"),
        "pre-dispatch": lambda: _code(step, g(2, 3), pre_dispatch=True),
        "from the CPU": lambda: _code(step, c(2, 3)),
        "second device": lambda: _code(lambda x: x.to("cuda:1") + 1, g(2)),
        "seeded": lambda: _code(lambda x: (torch.manual_seed(0), torch.rand_like(x))[1], g(2)),
        "block": lambda: _code(_Block(), g(3)),
        "current": lambda: _code(_Current(), g(3)),
    }


def functional():
    from torch.func import functionalize, grad, jvp, vmap

    return {
        "functionalize": lambda: functionalize(lambda x: x.cuda().add_(1))(g(2)),
        "code": lambda: _code(functionalize(lambda x: x.cuda().add_(1)), g(2)),
        "vmap": lambda: vmap(lambda x: x.cuda() + torch.cuda.current_device())(c(2, 3)),
        "grad": lambda: grad(lambda x: x.cuda().sum())(c(2)),
        "jvp": lambda: jvp(lambda x: x.to("cuda:1") * 2, (c(2),), (c(2),)),
        "vmap, set_device": lambda: vmap(lambda x: (torch.cuda.set_device(0), x * 2)[1])(g(2, 3)),
        "block": lambda: vmap(lambda x: _Block()(x))(g(2, 3)),
        "randomness": lambda: vmap(torch.rand_like, randomness="different")(g(2, 3)),
        "seed": lambda: vmap(lambda x: (torch.cuda.manual_seed(0), x)[1])(g(2, 3)),
    }


def traced_by_fx():
    traced = torch.fx.symbolic_trace(_Moving())
    return {
        "code": [line.strip() for line in traced.code.strip().splitlines()],
        "result": traced(c(2)),
        "net": lambda: torch.fx.symbolic_trace(net().cuda().eval())(g(2, 3)),
    }


def traced_by_jit():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "moving": lambda: str(torch.jit.trace(_Moving(), c(3)).graph.kind()),
            "graph": lambda: [n.kind() for n in torch.jit.trace(_Moving(), c(3)).graph.nodes()],
            "block": lambda: [n.kind() for n in torch.jit.trace(_Block(), g(3)).graph.nodes()],
            "result": lambda: torch.jit.trace(_Moving(), c(3))(c(3)),
        }


def modes_while_loading():
    state = {"x": g(2), "y": g1(2), "z": c(2)}
    return {
        "tensor": _seen(lambda: reload(state)),
        "map_location": _seen(lambda: reload(state, map_location="cuda:1")),
        "to the CPU": _seen(lambda: reload(state, map_location="cpu")),
        "module": _seen(lambda: reload(net().cuda().state_dict())),
        "sparse": _seen(lambda: reload(torch.sparse_coo_tensor([[0]], [1.0], (2,)).cuda())),
        "Parameter": _seen(lambda: reload(nn.Parameter(g(2)))),
        "mmap": _seen(lambda: reload(state, mmap=False)),
        "whole module": _seen(lambda: reload(nn.Linear(1, 1).cuda(), weights_only=False)),
    }


def modes_while_saving():
    return {"save": _seen(lambda: torch.save({"x": g(2)}, io.BytesIO()))}


def modes_while_moving():
    layer = nn.Linear(2, 2)
    return {
        "cuda()": _seen(lambda: c(2).cuda()),
        "to": _seen(lambda: c(2).to("cuda:1")),
        "cpu()": _seen(lambda: g(2).cpu()),
        "module": _seen(lambda: layer.cuda()),
        "module back": _seen(lambda: layer.cpu()),
        "pin": _seen(lambda: c(2).pin_memory()),
        "item": _seen(lambda: g().item()),
        "tolist": _seen(lambda: g(2).tolist()),
        "numpy": _seen(lambda: g(2).cpu().numpy()),
        "factory": _seen(lambda: torch.zeros(2, device="cuda")),
        "tensor": _seen(lambda: torch.tensor([1.0], device="cuda")),
    }


def modes_while_printing():
    return {"repr": _seen(lambda: repr(g(2))), "str": _seen(lambda: str(g1(2)))}


def modes_around_devices():
    def block():
        with torch.cuda.device(1):
            torch.zeros(1, device="cuda")

    def streams():
        with torch.cuda.stream(torch.cuda.Stream()):
            torch.cuda.current_stream().synchronize()

    def events():
        event = torch.cuda.Event()
        event.record()
        event.synchronize()

    return {
        "set_device": _seen(lambda: torch.cuda.set_device(0)),
        "current_device": _seen(lambda: torch.cuda.current_device()),
        "count": _seen(lambda: torch.cuda.device_count()),
        "block": _seen(block),
        "streams": _seen(streams),
        "events": _seen(events),
        "memory": _seen(lambda: torch.cuda.memory_allocated()),
        "statistics": _seen(lambda: torch.cuda.memory_stats()),
        "empty_cache": _seen(lambda: torch.cuda.empty_cache()),
        "reset": _seen(lambda: torch.cuda.reset_peak_memory_stats()),
        "snapshot": _seen(lambda: torch.cuda.memory_snapshot()),
        "properties": _seen(lambda: torch.cuda.get_device_properties(0)),
        "synchronize": _seen(lambda: torch.cuda.synchronize()),
        "mem_get_info": _seen(lambda: torch.cuda.mem_get_info()),
        "accelerator": _seen(lambda: torch.accelerator.current_device_index()),
        "debug mode": _seen(lambda: torch.cuda.set_sync_debug_mode(0)),
        "seed": _seen(lambda: torch.cuda.manual_seed_all(0)),
        "state": _seen(lambda: torch.cuda.get_rng_state()),
        "set state": _seen(lambda: torch.cuda.set_rng_state(torch.cuda.get_rng_state())),
        "storage": _seen(lambda: g(2).untyped_storage().resize_(0)),
        "new storage": _seen(lambda: torch.UntypedStorage(4, device="cuda")),
        "legacy": _seen(lambda: torch.cuda.FloatTensor(2)),
        "raw": _seen(
            lambda: torch.cuda.caching_allocator_delete(torch.cuda.caching_allocator_alloc(64))
        ),
        "fraction": _seen(lambda: torch.cuda.set_per_process_memory_fraction(0.5)),
    }


def modes_while_training():
    layer, x = nn.Linear(2, 2).cuda(), g(1, 2)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)

    def step():
        layer(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    return {
        "step": _seen(step),
        "backward": _seen(lambda: leaf(2).sum().backward()),
        "grad": _seen(lambda: (lambda w: torch.autograd.grad(w.sum(), w))(leaf(2))),
        "checkpoint": _seen(
            lambda: torch.utils.checkpoint.checkpoint(torch.relu, leaf(2), use_reentrant=False)
        ),
        "dropout": _seen(lambda: nn.functional.dropout(x)),
        "convolution": _seen(lambda: nn.Conv2d(1, 1, 1).cuda()(g(1, 1, 2, 2))),
        "fork_rng": _seen(lambda: torch.random.fork_rng(["cuda:0"]).__enter__()),
    }


def fake_tensors():
    from torch._subclasses.fake_tensor import FakeTensorMode

    def loading():
        with FakeTensorMode():
            return str(reload({"x": torch.zeros(2, device="cuda")})["x"].device)

    def inside(call):
        def run():
            with FakeTensorMode():
                return call()

        return run

    return {
        "zeros": inside(lambda: str(torch.zeros(2, device="cuda").device)),
        "cuda()": inside(lambda: str(torch.zeros(2).cuda().device)),
        "current_device": inside(lambda: torch.cuda.current_device()),
        "block": inside(lambda: str(_Block()(torch.zeros(3, device="cuda")).device)),
        "memory": inside(lambda: torch.cuda.memory_allocated()),
        "module": inside(lambda: str(nn.Linear(1, 1).cuda().weight.device)),
        "seed": inside(lambda: torch.cuda.manual_seed(0)),
        "stream": inside(lambda: str(torch.cuda.current_stream().device)),
        "loading": loading,
    }


def device_as_a_mode():
    with torch.device("cuda"):
        made = torch.zeros(2)
        state = torch.cuda.get_rng_state()
        loaded = reload({"x": g(2)})["x"]
    return {"made": made, "state": state, "loaded": loaded}
