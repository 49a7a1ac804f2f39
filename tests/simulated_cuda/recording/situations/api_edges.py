"""torch.cuda and torch.accelerator with wrong arguments, and details that libraries read."""

import contextlib
import copy
import pickle
import warnings

import torch
from torch import nn

from ..outcomes import outcome, warned
from ._make import c, g, g1


def errors_of_cuda():
    error = torch.cuda.CudaError

    def raised():
        raise error(2)

    return {
        "2": lambda: str(error(2)),
        "repr": lambda: repr(error(2)).split("(")[0],
        "raised": raised,
        "bases": lambda: [base.__name__ for base in error.__mro__],
        "0": lambda: str(error(0)),
        "1": lambda: str(error(1)),
        "101": lambda: str(error(101)),
        "a string": lambda: str(error("2")),
        "no code": lambda: error(),
        "check_error(0)": lambda: torch.cuda.check_error(0),
        "check_error(2)": lambda: torch.cuda.check_error(2),
        "check_error(101)": lambda: torch.cuda.check_error(101),
        "DeferredCudaCallError": lambda: [
            b.__name__ for b in torch.cuda.DeferredCudaCallError.__mro__
        ],
    }


def runtime():
    rt = torch.cuda.cudart()
    return {
        "success": lambda: int(rt.cudaError.success),
        "class": lambda: type(rt.cudaError.success).__name__,
        "repr": lambda: repr(rt.cudaError.success),
        "equal": lambda: rt.cudaError.success == rt.cudaError(0),
        "of a number": lambda: repr(rt.cudaError(2)),
        "as a number": lambda: int(rt.cudaError(2)),
        "string of 0": lambda: rt.cudaGetErrorString(rt.cudaError.success),
        "string of a number": lambda: rt.cudaGetErrorString(0),
        "name": lambda: rt.__name__,
        "start": lambda: int(rt.cudaProfilerStart()),
        "stop": lambda: int(rt.cudaProfilerStop()),
        "memory": lambda: len(rt.cudaMemGetInfo(0)),
        "memory of 7": lambda: rt.cudaMemGetInfo(7),
        "names": lambda: sorted(n for n in dir(rt) if n[0] != "_"),
        "register": lambda: [int(rt.cudaHostRegister(x.data_ptr(), 8, 0)) for x in [c(4)]],
    }


def memory_of_others():
    torch.cuda.init()
    a = torch.accelerator
    names = (
        "memory_allocated",
        "max_memory_allocated",
        "memory_reserved",
        "max_memory_reserved",
        "memory_stats",
        "reset_accumulated_memory_stats",
        "reset_peak_memory_stats",
        "get_memory_info",
    )
    found = {}
    for name in names:
        for device in (1, 5, -1, "cuda:1", "cuda:7", "cpu", None):

            def ask(name=name, device=device):
                result = getattr(a, name)(device)
                return result if isinstance(result, int | None) else type(result).__name__

            found[f"{name}({device!r})"] = ask
    return found


def memory_of_others_before_the_start():
    a = torch.accelerator
    return {
        "allocated": lambda: a.memory_allocated(5),
        "stats": lambda: len(a.memory_stats(5)),
        "reset": lambda: a.reset_peak_memory_stats(5),
        "cuda": lambda: torch.cuda.memory_allocated(5),
        "empty_cache": lambda: a.empty_cache(),
        "statistics": lambda: len(torch.cuda.memory_stats(5)),
        "initialized": lambda: torch.cuda.is_initialized(),
    }


def memory_of_cuda():
    torch.cuda.init()
    names = (
        "memory_allocated",
        "max_memory_allocated",
        "memory_reserved",
        "max_memory_reserved",
        "memory_stats_as_nested_dict",
        "reset_accumulated_memory_stats",
        "mem_get_info",
        "reset_peak_memory_stats",
        "memory_summary",
        "list_gpu_processes",
    )
    found = {}
    for name in names:
        for device in (1, 5, -1, "cuda:7", "cpu", 1.5, None):

            def ask(name=name, device=device):
                result = getattr(torch.cuda, name)(device)
                return result if isinstance(result, int | None) else type(result).__name__

            found[f"{name}({device!r})"] = ask
    return found


def accelerator_functions():
    a = torch.accelerator
    return {
        "set_device_index(7)": lambda: a.set_device_index(7),
        "set_device_index(-1)": lambda: a.set_device_index(-1),
        "set_device_index('cuda:1')": lambda: a.set_device_index("cuda:1"),
        "set_device_index('cpu')": lambda: a.set_device_index("cpu"),
        "set_device_index(1.5)": lambda: a.set_device_index(1.5),
        "index": lambda: a.current_device_index(),
        "set_device_idx": warned(lambda: a.set_device_idx(0)),
        "current_stream(7)": lambda: str(a.current_stream(7).device),
        "current_stream('cpu')": lambda: str(a.current_stream("cpu").device),
        "synchronize(7)": lambda: a.synchronize(7),
        "synchronize('cpu')": lambda: a.synchronize("cpu"),
        "set_stream": lambda: a.set_stream(torch.Stream("cuda:1")),
        "then": lambda: a.current_device_index(),
        "device_index(7)": lambda: a.device_index(7).__enter__(),
        "device_index(None)": lambda: a.device_index(None).__enter__(),
        "current_accelerator": lambda: a.current_accelerator(check_available=True),
        "get_device_capability": lambda: sorted(a.get_device_capability(0)),
        "get_device_capability(7)": lambda: a.get_device_capability(7),
        "get_device_module": lambda: torch.get_device_module("cuda:1") is torch.cuda,
        "get_device_module of a wrong one": lambda: torch.get_device_module("wrong"),
    }


def sync_debug_modes():
    def then(mode):
        torch.cuda.set_sync_debug_mode(mode)
        try:
            return torch.cuda.get_sync_debug_mode()
        finally:
            torch.cuda.set_sync_debug_mode(0)

    modes = (0, 1, 2, 3, 7, -1, "default", "warn", "error", "wrong", None, 1.0, True)
    return {f"{mode!r}": (lambda mode=mode: then(mode)) for mode in modes} | {
        "warning": warned(lambda: torch.cuda.set_sync_debug_mode(1)),
        "at item": warned(lambda: g().item()),
        "at cpu": warned(lambda: g(2).cpu()),
        "back": warned(lambda: torch.cuda.set_sync_debug_mode(0)),
    }


def generators():
    def made(device="cuda"):
        return torch.Generator(device)

    def after(call):
        one = made()
        one.manual_seed(5)
        call(one)
        return [one.initial_seed(), one.get_offset()]

    return {
        "offset": lambda: made().get_offset(),
        "set_offset(4)": lambda: after(lambda x: x.set_offset(4)),
        "set_offset(3)": lambda: after(lambda x: x.set_offset(3)),
        "set_offset(0)": lambda: after(lambda x: x.set_offset(0)),
        "set_offset(-4)": lambda: after(lambda x: x.set_offset(-4)),
        "set_offset('a')": lambda: after(lambda x: x.set_offset("a")),
        "CPU set_offset": lambda: torch.Generator().set_offset(4),
        "CPU get_offset": lambda: torch.Generator().get_offset(),
        "seed -1": lambda: after(lambda x: x.manual_seed(-1)),
        "seed 2**64": lambda: after(lambda x: x.manual_seed(2**64)),
        "seed 1.5": lambda: after(lambda x: x.manual_seed(1.5)),
        "state": lambda: made().get_state(),
        "set_state of the CPU's": lambda: made().set_state(torch.Generator().get_state()),
        "set_state, short": lambda: made().set_state(torch.zeros(3, dtype=torch.uint8)),
        "set_state, float": lambda: made().set_state(torch.zeros(16)),
        "set_state, on the device": lambda: made().set_state(made().get_state().cuda()),
        "set_state": lambda: made().set_state(made().get_state()).initial_seed() >= 0,
        "round trip": lambda: after(lambda x: x.set_state(x.get_state())),
        "graphsafe": lambda: type(made().graphsafe_get_state()).__name__,
        "clone_state": lambda: made().clone_state().device,
        "clone of the CPU's": lambda: torch.Generator().clone_state().device,
        "copy": lambda: copy.copy(made()).device,
        "deepcopy": lambda: copy.deepcopy(made()).device,
        "pickle": lambda: pickle.loads(pickle.dumps(made())).device,
        "repr": lambda: repr(made()).split("0x")[0],
        "device 1": lambda: made("cuda:1").device,
        "device 7": lambda: made("cuda:7").device,
        "seed of the default": lambda: torch.cuda.default_generators[1].device,
        "initial_seed": lambda: torch.cuda.initial_seed() >= 0,
        "used": lambda: after(lambda x: torch.rand(4, device="cuda", generator=x)),
        "used twice": lambda: after(
            lambda x: [torch.rand(4, device="cuda", generator=x) for _ in "ab"]
        ),
    }


def states_of_generators():
    return {
        "get(7)": lambda: torch.cuda.get_rng_state(7),
        "set, short": lambda: torch.cuda.set_rng_state(torch.zeros(3, dtype=torch.uint8)),
        "set, float": lambda: torch.cuda.set_rng_state(torch.zeros(16)),
        "set, on the device": lambda: torch.cuda.set_rng_state(torch.cuda.get_rng_state().cuda()),
        "set, of the CPU": lambda: torch.cuda.set_rng_state(torch.get_rng_state()),
        "set(7)": lambda: torch.cuda.set_rng_state(torch.cuda.get_rng_state(), 7),
        "all": lambda: torch.cuda.get_rng_state_all(),
        "set all": lambda: torch.cuda.set_rng_state_all(torch.cuda.get_rng_state_all()),
        "offset": lambda: torch.cuda.random._get_rng_state_offset(),
        "set offset": lambda: torch.cuda.random._set_rng_state_offset(8),
        "set offset 3": lambda: torch.cuda.random._set_rng_state_offset(3),
        "then": lambda: torch.cuda.random._get_rng_state_offset(),
    }


def properties():
    p = torch.cuda.get_device_properties(0)

    def changed(name, value):
        setattr(p, name, value)

    return {
        "class": lambda: type(p),
        "names": lambda: sorted(n for n in dir(p) if n[0] != "_"),
        "set": lambda: changed("name", "mine"),
        "set a new one": lambda: changed("mine", 1),
        "delete": lambda: delattr(p, "name"),
        "pickled": lambda: pickle.loads(pickle.dumps(p)) is not None,
        "copied": lambda: copy.copy(p) is not None,
        "deepcopied": lambda: copy.deepcopy(p) is not None,
        "made": lambda: type(p)() and None,
        "unknown": lambda: p.unknown,
        "equal": lambda: torch.cuda.get_device_properties(0) == p,
        "hashable": lambda: isinstance(hash(p), int),
        "dict": lambda: p.__dict__,
        "types": lambda: {n: type(getattr(p, n)).__name__ for n in dir(p) if n[0] != "_"},
        "uuid": lambda: len(str(p.uuid)),
        "class of the uuid": lambda: type(p.uuid),
        "bytes of the uuid": lambda: len(p.uuid.bytes),
        "device as text": lambda: type(torch.cuda.get_device_properties("cuda:1")).__name__,
        "device 7": lambda: torch.cuda.get_device_properties(7),
        "device -1": lambda: type(torch.cuda.get_device_properties(-1)).__name__,
        "device 'cpu'": lambda: torch.cuda.get_device_properties("cpu"),
        "repr": lambda: [part.split("=")[0] for part in repr(p).split(", ") if "=" in part],
        "exported": lambda: torch.cuda._CudaDeviceProperties is type(p),
        "in torch._C": lambda: torch._C._CudaDeviceProperties is type(p),
    }


def questions():
    return {
        "capability(7)": lambda: torch.cuda.get_device_capability(7),
        "name(None)": lambda: len(torch.cuda.get_device_name(None)) > 0,
        "name('cuda')": lambda: len(torch.cuda.get_device_name("cuda")) > 0,
        "name('wrong')": lambda: torch.cuda.get_device_name("wrong"),
        "set_device(-1)": lambda: torch.cuda.set_device(-1),
        "set_device(None)": lambda: torch.cuda.set_device(None),
        "set_device('cuda')": lambda: torch.cuda.set_device("cuda"),
        "set_device('1')": lambda: torch.cuda.set_device("1"),
        "set_device(1.0)": lambda: torch.cuda.set_device(1.0),
        "set_device(True)": lambda: torch.cuda.set_device(True),
        "then": lambda: torch.cuda.current_device(),
        "peer(0, 7)": lambda: torch.cuda.can_device_access_peer(0, 7),
        "peer(7, 0)": lambda: torch.cuda.can_device_access_peer(7, 0),
        "peer('cuda:0', 'cuda:1')": lambda: torch.cuda.can_device_access_peer("cuda:0", "cuda:1"),
        "arch list": lambda: all(
            a.startswith(("sm_", "compute_")) for a in torch.cuda.get_arch_list()
        ),
        "gencode": lambda: torch.cuda.get_gencode_flags().startswith("-gencode"),
        "device('wrong')": lambda: torch.cuda.device("wrong").idx,
        "device(1.5)": lambda: torch.cuda.device(1.5).idx,
        "device_of": lambda: torch.cuda.device_of(g1(1)).idx,
        "device_of the CPU": lambda: torch.cuda.device_of(c(1)).idx,
        "bf16": lambda: torch.cuda.is_bf16_supported(including_emulation=False),
        "tf32": lambda: torch.cuda.is_tf32_supported(),
        "utilization": lambda: torch.cuda.utilization(),
        "temperature": lambda: torch.cuda.temperature(),
        "memory_usage": lambda: torch.cuda.memory_usage(),
        "power_draw": lambda: torch.cuda.power_draw(),
        "clock_rate": lambda: torch.cuda.clock_rate(),
        "sleep": lambda: torch.cuda._sleep(10),
        "sleep('a')": lambda: torch.cuda._sleep("a"),
        "stream capturing": lambda: torch.cuda.is_current_stream_capturing(),
        "blas handle": lambda: isinstance(torch.cuda.current_blas_handle(), int),
        "compiled version": lambda: torch._C._cuda_getCompiledVersion() > 12000,
        "synchronize(-1)": lambda: torch.cuda.synchronize(-1),
        "synchronize(1.5)": lambda: torch.cuda.synchronize(1.5),
        "ipc_collect": lambda: torch.cuda.ipc_collect(),
        "allocator": lambda: torch.cuda.get_allocator_backend(),
        "fraction -1": lambda: torch.cuda.set_per_process_memory_fraction(-1.0),
        "fraction '1'": lambda: torch.cuda.set_per_process_memory_fraction("1"),
        "fraction 1": lambda: torch.cuda.set_per_process_memory_fraction(1),
        "fraction, device 7": lambda: torch.cuda.set_per_process_memory_fraction(0.5, 7),
        "raw alloc(-1)": lambda: torch.cuda.caching_allocator_alloc(-1),
    }


def events():
    def make(**how):
        return torch.cuda.Event(**how)

    def recorded_elsewhere():
        event = make()
        event.record(torch.cuda.Stream("cuda:1"))
        event.record(torch.cuda.Stream("cuda:0"))

    def two_devices():
        a, b = make(enable_timing=True), make(enable_timing=True)
        a.record(torch.cuda.Stream("cuda:0"))
        b.record(torch.cuda.Stream("cuda:1"))
        return a.elapsed_time(b)

    def in_a_block():
        event = make()
        with torch.cuda.device(1):
            event.record()
        return event.device

    def twice():
        event = make()
        event.record()
        event.record()
        return event.device

    def after_a_move():
        event = make()
        event.record()
        with torch.cuda.device(1):
            event.record()

    def waited(index):
        event = make()
        event.record()
        torch.cuda.Stream(index).wait_event(event)

    def recorded():
        event = make()
        event.record()
        return event

    return {
        "other device": recorded_elsewhere,
        "elapsed between devices": lambda: isinstance(two_devices(), float),
        "in a block": in_a_block,
        "twice": twice,
        "after a move": after_a_move,
        "wait": lambda: waited(0),
        "wait elsewhere": lambda: waited(1),
        "device": lambda: make().device,
        "device when recorded": lambda: recorded().device,
        "of a stream": lambda: torch.cuda.Stream("cuda:1").record_event().device,
        "repr": lambda: repr(make()).split("0x")[0],
        "repr, recorded": lambda: repr(recorded()).split("0x")[0],
        "query": lambda: make().query(),
        "handle": lambda: make().cuda_event,
        "handle, recorded": lambda: recorded().cuda_event != 0,
        "record a string": lambda: make().record("a"),
        "record of the CPU": lambda: make().record(torch.Stream("cpu")),
        "record a torch.Stream": lambda: make().record(torch.Stream("cuda")),
        "record None": lambda: make().record(None),
        "wait a string": lambda: make().wait("a"),
        "elapsed of itself": lambda: make(enable_timing=True).elapsed_time(
            make(enable_timing=True)
        ),
        "elapsed, no event": lambda: make(enable_timing=True).elapsed_time(3),
        "interprocess and timing": lambda: make(enable_timing=True, interprocess=True).query(),
        "interprocess": lambda: make(interprocess=True).query(),
        "external": lambda: make(external=True).query(),
        "wrong argument": lambda: make(wrong=True),
        "positional": lambda: torch.cuda.Event(True).query(),
        "equal": lambda: (lambda e: e == e)(make()),
        "hash": lambda: isinstance(hash(make()), int),
        "event_id": lambda: make().event_id,
        "pickled": lambda: pickle.dumps(make()) and None,
        "copied": lambda: copy.copy(make()) and None,
        "synchronize": lambda: make().synchronize(),
        "timing": lambda: recorded().elapsed_time(recorded()),
    }


def generic_events():
    event = torch.Event("cuda", enable_timing=True)

    def recorded_elsewhere():
        one = torch.Event("cuda")
        one.record(torch.Stream("cuda:1"))
        return str(one.device)

    return {
        "device": lambda: str(event.device),
        "query": lambda: event.query(),
        "record": lambda: event.record(),
        "elapsed": lambda: event.elapsed_time(torch.Event("cuda", enable_timing=True)),
        "other device": recorded_elsewhere,
        "of the CPU": lambda: torch.Event("cpu").record(),
        "device 7": lambda: torch.Event("cuda:7").query(),
        "wait": lambda: event.wait(),
        "cuda's": lambda: isinstance(torch.cuda.Event(), torch.Event),
        "wrong": lambda: torch.Event("wrong"),
        "interprocess": lambda: torch.Event("cuda", interprocess=True).query(),
        "elapsed with cuda's": lambda: event.elapsed_time(torch.cuda.Event(enable_timing=True)),
    }


def streams():
    a, b = torch.cuda.Stream(), torch.cuda.Stream("cuda:1")

    def inside(stream):
        with torch.cuda.stream(stream):
            return [torch.cuda.current_device(), torch.cuda.current_stream() == stream]

    def both():
        with torch.cuda.stream(b):
            return torch.zeros(1, device="cuda")

    return {
        "other device": lambda: inside(b),
        "afterwards": lambda: [
            torch.cuda.current_device(),
            str(torch.cuda.current_stream().device),
        ],
        "made there": both,
        "wait_stream": lambda: a.wait_stream(b),
        "wait_event": lambda: a.wait_event(b.record_event()),
        "equal": lambda: a == a,
        "not equal": lambda: a == torch.cuda.Stream(),
        "equal to another": lambda: a == 3,
        "hash": lambda: hash(a) == hash(a),
        "repr": lambda: repr(a).split("cuda_stream")[0],
        "priority 'a'": lambda: torch.cuda.Stream(priority="a"),
        "device 7": lambda: torch.cuda.Stream(7),
        "device 'cpu'": lambda: torch.cuda.Stream("cpu"),
        "device -1": lambda: torch.cuda.Stream(-1).device,
        "external": lambda: torch.cuda.ExternalStream(a.cuda_stream).device,
        "external, equal": lambda: (
            torch.cuda.ExternalStream(a.cuda_stream).cuda_stream == a.cuda_stream
        ),
        "external, device 1": lambda: torch.cuda.ExternalStream(b.cuda_stream, device=1).device,
        "get_stream_from_external": lambda: (
            torch.cuda.get_stream_from_external(a.cuda_stream, 0).device
        ),
        "default of 1": lambda: torch.cuda.default_stream(1).device,
        "default of 7": lambda: torch.cuda.default_stream(7).device,
        "current of 7": lambda: torch.cuda.current_stream(7).device,
        "set_stream(None)": lambda: torch.cuda.set_stream(None),
        "set_stream": lambda: (torch.cuda.set_stream(b), torch.cuda.current_device())[1],
        "set back": lambda: (
            torch.cuda.set_stream(torch.cuda.default_stream(0)),
            torch.cuda.current_device(),
        )[1],
        "set of the CPU": lambda: torch.cuda.set_stream(torch.Stream("cpu")),
        "pickled": lambda: pickle.dumps(a) and None,
        "copied": lambda: copy.copy(a) and None,
        "record_stream of the CPU": lambda: c(1).record_stream(a),
        "record_stream elsewhere": lambda: g(1).record_stream(b),
        "record_stream of torch.Stream": lambda: g(1).record_stream(torch.Stream("cuda")),
        "record_stream of the CPU's": lambda: g(1).record_stream(torch.Stream("cpu")),
        "torch.Stream, device 7": lambda: torch.Stream("cuda:7").device,
        "torch.Stream, with": lambda: inside(torch.Stream("cuda")),
        "a string": lambda: torch.cuda.stream("a").__enter__(),
        "device_type": lambda: a.device_type,
        "device_index": lambda: b.device_index,
        "is native": lambda: a.native_handle == a.cuda_stream,
    }


def _fused(make, lr=0.1, grads="cuda", **how):
    """One step of an optimizer whose steps are one kernel."""

    def run():
        p = nn.Parameter(make())
        optimizer = how["kind"]([p], lr=lr() if callable(lr) else lr, fused=True)
        p.grad = torch.zeros_like(p)
        optimizer.step()
        return {k: v for k, v in optimizer.state[p].items() if isinstance(v, torch.Tensor)}

    return run


def fused_optimizers():
    kinds = {k: getattr(torch.optim, k) for k in ("SGD", "Adam", "AdamW", "Adagrad")}
    found = {}
    for name, kind in kinds.items():
        found[name] = {
            "cuda": _fused(lambda: g(2), kind=kind),
            "cpu": _fused(lambda: c(2), kind=kind),
            "rate on the CPU": _fused(lambda: g(2), lambda: torch.tensor(0.1), kind=kind),
            "integers": _fused(lambda: g(2).double(), kind=kind),
            "half": _fused(lambda: g(2).half(), kind=kind),
            "meta": _fused(lambda: torch.zeros(2, device="meta"), kind=kind),
        }

    # The others compare a rate, which a kernel would have to compute.
    def sgd(make, rate):
        return _fused(make, rate, kind=torch.optim.SGD)

    found["rates"] = {
        "cuda": sgd(lambda: g(2), lambda: torch.tensor(0.1).cuda()),
        "cpu, rate on cuda": sgd(lambda: c(2), lambda: torch.tensor(0.1).cuda()),
        "cuda:1": sgd(lambda: g(2), lambda: torch.tensor(0.1).to("cuda:1")),
        "of one": sgd(lambda: g(2), lambda: torch.tensor([0.1]).cuda()),
    }
    return found


def optimizer_flags():
    p = [nn.Parameter(g(2))]
    q = [nn.Parameter(c(2))]

    def make(kind, given, **how):
        return lambda: type(getattr(torch.optim, kind)(given, lr=0.1, **how)).__name__

    def stepped(kind, given, **how):
        def run():
            optimizer = getattr(torch.optim, kind)(given, **how)
            for x in given:
                x.grad = torch.zeros_like(x)
            optimizer.step()

        return run

    return {
        "fused and foreach": make("Adam", p, fused=True, foreach=True),
        "capturable": make("Adam", p, capturable=True),
        "capturable on the CPU": stepped("Adam", q, capturable=True),
        "capturable, step": stepped("Adam", p, capturable=True),
        "foreach, tensor rate": make("Adam", p, foreach=True),
        "tensor rate, foreach": stepped("Adam", p, lr=torch.tensor(0.1), foreach=True),
        "differentiable and fused": make("Adam", p, fused=True, differentiable=True),
        "RMSprop, capturable": stepped("RMSprop", p, capturable=True),
        "ASGD, capturable": stepped("ASGD", p, capturable=True),
        "mixed": stepped("Adam", p + q, fused=True),
        "integers, fused": lambda: (
            type(torch.optim.Adam([torch.zeros(2, device="cuda").long()], fused=True)).__name__
        ),
    }


@contextlib.contextmanager
def _group():
    """A process group of one process, over gloo."""
    import torch.distributed as dist

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        yield dist
    finally:
        dist.destroy_process_group()


def collectives():
    if not torch.distributed.is_available():
        return {}
    with _group() as dist:
        calls = {
            "all_gather": lambda: dist.all_gather([g(2)], g(2)),
            "all_gather into the CPU": lambda: dist.all_gather([c(2)], g(2)),
            "all_gather of the CPU": lambda: dist.all_gather([g(2)], c(2)),
            "gather": lambda: dist.gather(g(2), [g(2)]),
            "gather into the CPU": lambda: dist.gather(g(2), [c(2)]),
            "scatter": lambda: dist.scatter(g(2), [g(2)]),
            "scatter of the CPU": lambda: dist.scatter(g(2), [c(2)]),
            "all_gather_into_tensor": lambda: dist.all_gather_into_tensor(g(2), g(2)),
            "into a tensor of the CPU": lambda: dist.all_gather_into_tensor(c(2), g(2)),
            "reduce_scatter": lambda: dist.reduce_scatter(g(2), [g(2)]),
            "reduce_scatter of the CPU": lambda: dist.reduce_scatter(g(2), [c(2)]),
            "all_reduce": lambda: dist.all_reduce(g(2)),
            "broadcast": lambda: dist.broadcast(g(2), 0),
            "reduce": lambda: dist.reduce(g(2), 0),
            "all_to_all": lambda: dist.all_to_all([g(2)], [g(2)]),
            "all_to_all into the CPU": lambda: dist.all_to_all([c(2)], [g(2)]),
            "all_to_all_single": lambda: dist.all_to_all_single(g(2), g(2)),
            "single into the CPU": lambda: dist.all_to_all_single(c(2), g(2)),
            "all_gather, two devices": lambda: dist.all_gather([g1(2)], g(2)),
            "all_gather, sizes": lambda: dist.all_gather([g(3)], g(2)),
            "all_gather, dtypes": lambda: dist.all_gather([g(2).half()], g(2)),
            "barrier": lambda: dist.barrier(),
            "objects": lambda: dist.all_gather_object([None], {"x": 1}),
        }
        return {
            name: outcome(lambda call=call: (call(), "works")[1]) for name, call in calls.items()
        }


def compiling():
    def double(x):
        return x * 2

    def run(**how):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.compile(double, **how)(g(2))

    return {
        "unknown backend": lambda: run(backend="unknown"),
        "unknown, module": lambda: torch.compile(nn.Linear(1, 1), backend="wrong"),
        "eager": lambda: run(backend="eager"),
        "aot_eager": lambda: run(backend="aot_eager"),
        "a function": lambda: run(backend=lambda module, inputs: module.forward),
        "not callable": lambda: run(backend=3),
        "unknown mode": lambda: run(mode="wrong"),
        "mode and options": lambda: run(mode="default", options={"trace.enabled": False}),
        "unknown option": lambda: run(options={"wrong": True}),
        "decorator": lambda: torch.compile(backend="eager")(double)(g(2)),
        "decorator, unknown": lambda: torch.compile(backend="unknown")(double),
        "disabled": lambda: run(disable=True),
        "not a function": lambda: torch.compile(3)(g(2)),
        "dynamic='a'": lambda: run(backend="eager", dynamic="a"),
        "module.compile": lambda: nn.Linear(1, 1).compile(backend="unknown"),
        "list": lambda: "inductor" in torch._dynamo.list_backends(),
        "unknown keyword": lambda: torch.compile(double, wrong=1),
        "module": lambda: type(torch.compile(nn.Linear(1, 1), backend="eager")).__name__,
        "is compiling": lambda: torch.compiler.is_compiling(),
    }


def graphs_and_pools():
    return {
        "graph_pool_handle": lambda: len(torch.cuda.graph_pool_handle()),
        "is_capturing": lambda: torch.cuda.is_current_stream_capturing(),
        "use_mem_pool": lambda: torch.cuda.use_mem_pool(None).__enter__(),
        "MemPool": lambda: isinstance(torch.cuda.MemPool, type),
        "CUDAGraph": lambda: isinstance(torch.cuda.CUDAGraph, type),
        "change_current_allocator": lambda: torch.cuda.memory.change_current_allocator(None),
        "CUDAPluggableAllocator": lambda: torch.cuda.memory.CUDAPluggableAllocator(
            "/none", "a", "b"
        ),
    }


def tools():
    nvtx = torch.cuda.nvtx
    return {
        "range_push": lambda: nvtx.range_push("a"),
        "range_push, inner": lambda: nvtx.range_push("b"),
        "range_pop": lambda: nvtx.range_pop(),
        "range_pop, outer": lambda: nvtx.range_pop(),
        "mark": lambda: nvtx.mark("a"),
        "mark(3)": lambda: nvtx.mark(3),
        "range_push(3)": lambda: nvtx.range_push(3),
        "range": lambda: nvtx.range("a").__enter__(),
        "profiler": lambda: torch.cuda.profiler.start(),
        "profile": lambda: torch.cuda.profiler.profile().__enter__(),
        "tunable": lambda: torch.cuda.tunable.is_enabled(),
        "tunable.set_filename": lambda: torch.cuda.tunable.set_filename("a.csv"),
        "tunable.get_filename": lambda: torch.cuda.tunable.get_filename(),
        "tunable.set_max_tuning_duration('a')": lambda: torch.cuda.tunable.set_max_tuning_duration(
            "a"
        ),
        "tunable.enable('a')": lambda: torch.cuda.tunable.enable("a"),
        "plan cache": lambda: torch.backends.cuda.cufft_plan_cache.max_size,
        "plan cache of 7": lambda: torch.backends.cuda.cufft_plan_cache[7].max_size,
        "plan cache, negative": lambda: setattr(
            torch.backends.cuda.cufft_plan_cache, "max_size", -1
        ),
        "preferred linalg": lambda: str(torch.backends.cuda.preferred_linalg_library()),
        "preferred linalg, wrong": lambda: torch.backends.cuda.preferred_linalg_library("wrong"),
        "preferred blas": lambda: str(torch.backends.cuda.preferred_blas_library()),
        "cudnn flags": lambda: torch.backends.cudnn.flags(enabled=False).__enter__(),
        "matmul wrong": lambda: setattr(torch.backends.cuda.matmul, "wrong", 1),
        "precision wrong": lambda: torch.set_float32_matmul_precision("wrong"),
        "fp32_precision": lambda: torch.backends.cuda.matmul.fp32_precision,
        "fp32_precision wrong": lambda: setattr(torch.backends.cuda.matmul, "fp32_precision", "a"),
        "jiterator": lambda: torch.cuda.jiterator is not None,
    }


def arrays_for_others():
    x = g(2)
    return {
        "interface": lambda: sorted(x.__cuda_array_interface__),
        "typestr": lambda: x.__cuda_array_interface__["typestr"],
        "requires grad": lambda: g(2).requires_grad_().__cuda_array_interface__,
        "of the CPU": lambda: c(2).__cuda_array_interface__,
        "sparse": lambda: x.to_sparse().__cuda_array_interface__,
        "bfloat16": lambda: x.bfloat16().__cuda_array_interface__["typestr"],
        "dlpack device": lambda: [int(n) for n in x.__dlpack_device__()],
        "dlpack": lambda: torch.from_dlpack(x),
        "dlpack, stream": lambda: x.__dlpack__(stream=1) is not None,
        "dlpack, stream 0": lambda: x.__dlpack__(stream=0),
        "dlpack, stream 'a'": lambda: x.__dlpack__(stream="a"),
        "dlpack to the CPU": lambda: torch.from_dlpack(x, device="cpu"),
        "dlpack, copy": lambda: torch.from_dlpack(x, copy=True),
        "dlpack of a leaf": lambda: torch.from_dlpack(g(2).requires_grad_()),
        "share_memory_": lambda: x.share_memory_() is x,
        "is_shared": lambda: x.is_shared(),
        "as_tensor": lambda: torch.as_tensor(x, device="cuda"),
    }
