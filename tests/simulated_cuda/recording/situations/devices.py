"""torch.cuda and torch.accelerator: counts, ordinals, streams, generators."""

import torch

from ..outcomes import warned
from ._make import c, g, g1


def counts():
    return {
        "available": torch.cuda.is_available(),
        "count": torch.cuda.device_count(),
        "current": torch.cuda.current_device(),
        "bf16": torch.cuda.is_bf16_supported(),
        "initialized": torch.cuda.is_initialized(),
        "built": torch.backends.cuda.is_built(),
        "version": torch.version.cuda is not None,
        "device": type(torch.cuda.device(0)),
        "arch list": len(torch.cuda.get_arch_list()) > 0,
        "can access peer": lambda: torch.cuda.can_device_access_peer(0, 1),
    }


def initialized():
    before = torch.cuda.is_initialized()
    g(1)
    return {"before": before, "after": torch.cuda.is_initialized(), "init": torch.cuda.init()}


def ordinals_of_moves():
    return {
        "cuda(7)": lambda: c(1).cuda(7),
        "to('cuda:7')": lambda: c(1).to("cuda:7"),
        "zeros": lambda: torch.zeros(1, device="cuda:7"),
        "module": lambda: torch.nn.Linear(1, 1).cuda(7).weight,
        "cuda(-1)": lambda: c(1).cuda(-1),
        "to(7)": lambda: c(1).to(7),
        "from cuda": lambda: g(1).to("cuda:2"),
        "cuda:2": lambda: torch.ones(1, device="cuda:2"),
        "tensor": lambda: torch.tensor([1.0], device="cuda:2"),
        "randn": lambda: torch.randn(1, device="cuda:2"),
    }


def ordinals_of_calls():
    return {
        "get_device_name": lambda: torch.cuda.get_device_name(7),
        "get_device_properties": lambda: torch.cuda.get_device_properties(7).name,
        "get_device_capability": lambda: torch.cuda.get_device_capability(7),
        "set_device": lambda: torch.cuda.set_device(7),
        "synchronize": lambda: torch.cuda.synchronize(5),
        "Generator": lambda: str(torch.Generator("cuda:5").device),
        "manual_seed": lambda: torch.cuda.manual_seed(1),
        "get_rng_state": lambda: torch.cuda.get_rng_state(5),
        "Stream": lambda: str(torch.cuda.Stream(5).device),
        "current_stream": lambda: str(torch.cuda.current_stream(5).device),
        "mem_get_info": lambda: torch.cuda.mem_get_info(5)[0],
    }


def ordinals_of_blocks():
    def inside():
        with torch.cuda.device(7):
            return torch.cuda.current_device()

    def negative():
        with torch.cuda.device(-1):
            return torch.cuda.current_device()

    return {"7": inside, "-1": negative, "then": torch.cuda.current_device}


def not_cuda():
    return {
        "synchronize('cpu')": lambda: torch.cuda.synchronize("cpu"),
        "set_device('cpu')": lambda: torch.cuda.set_device("cpu"),
        "device('cpu')": lambda: torch.cuda.device("cpu").idx,
        "get_device_name('cpu')": lambda: torch.cuda.get_device_name("cpu"),
        "Stream('cpu')": lambda: str(torch.cuda.Stream("cpu").device),
        "current_stream('cpu')": lambda: str(torch.cuda.current_stream("cpu").device),
    }


def streams():
    s = torch.cuda.Stream()
    with torch.cuda.stream(s):
        inside = torch.cuda.current_stream() == s
        made = g(2)
    made.record_stream(s)
    return {
        "current": inside,
        "after": torch.cuda.current_stream() == torch.cuda.default_stream(),
        "is a torch.Stream": isinstance(s, torch.Stream),
        "device": s.device,
        "query": s.query(),
        "synchronize": s.synchronize(),
        "wait": s.wait_stream(torch.cuda.current_stream()),
        "priority": torch.cuda.Stream(priority=-1).priority,
        "default": str(torch.cuda.default_stream()).split(" cuda_stream")[0],
        "with": str(torch.cuda.StreamContext(s).stream == s),
        "none": lambda: torch.cuda.stream(None).__enter__(),
        "other device": str(torch.cuda.Stream("cuda:1").device),
    }


def generic_streams():
    s = torch.Stream("cuda")
    return {
        "device": s.device,
        "type": type(torch.cuda.Stream()),
        "id of the default": torch.cuda.default_stream().stream_id,
        "event": lambda: str(s.record_event().device),
        "cpu": lambda: str(torch.Stream("cpu").device),
    }


def events():
    a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    a.record()
    b.record()
    torch.cuda.synchronize()
    return {
        "elapsed is a float": isinstance(a.elapsed_time(b), float),
        "query": a.query(),
        "is a torch.Event": isinstance(a, torch.Event),
        "wait": a.wait(),
        "not recorded": lambda: torch.cuda.Event(enable_timing=True).elapsed_time(b),
        "without timing": lambda: torch.cuda.Event().elapsed_time(b),
    }


def synchronizing():
    return {
        "synchronize": torch.cuda.synchronize(),
        "a device": torch.cuda.synchronize(1),
        "a name": torch.cuda.synchronize("cuda:1"),
        "accelerator": torch.accelerator.synchronize(),
        "debug mode": torch.cuda.set_sync_debug_mode("default"),
        "get": torch.cuda.get_sync_debug_mode(),
        "ipc_collect": torch.cuda.ipc_collect(),
    }


def accelerator():
    a = torch.accelerator
    return {
        "available": a.is_available(),
        "count": a.device_count(),
        "current": a.current_accelerator(),
        "index": a.current_device_index(),
        "set": a.set_device_index(1),
        "then": a.current_device_index(),
        "cuda follows": torch.cuda.current_device(),
        "stream": str(a.current_stream().device),
        "module": torch.get_device_module() is torch.cuda,
        "named module": torch.get_device_module("cuda") is torch.cuda,
        "far": lambda: a.set_device_index(7),
        "block": lambda: a.device_index(0).__enter__(),
    }


def generators():
    return {
        "cuda": torch.Generator("cuda").device,
        "cuda:1": torch.Generator("cuda:1").device,
        "right": torch.randn(2, device="cuda", generator=torch.Generator("cuda")),
        "cpu generator": lambda: torch.randn(2, device="cuda", generator=torch.Generator()),
        "cuda generator": lambda: torch.randn(2, generator=torch.Generator("cuda")),
        "cuda:1 generator": lambda: g(2).normal_(generator=torch.Generator("cuda:1")),
        "randperm": lambda: torch.randperm(3, device="cuda", generator=torch.Generator()),
        "in place": lambda: c(2).uniform_(generator=torch.Generator("cuda")),
        "bernoulli": lambda: torch.bernoulli(g(2), generator=torch.Generator()),
        "dropout": torch.nn.functional.dropout(g(2)),
    }


def seeds():
    torch.manual_seed(5)
    first = torch.cuda.initial_seed()
    torch.cuda.manual_seed(6)
    second = torch.cuda.initial_seed()
    torch.cuda.manual_seed_all(7)
    generator = torch.Generator("cuda").manual_seed(8)
    return {
        "manual_seed": first,
        "cuda.manual_seed": second,
        "all": torch.cuda.initial_seed(),
        "generator": generator.initial_seed(),
        "default generators": len(torch.cuda.default_generators),
        "cpu": torch.initial_seed(),
    }


def states_of_generators():
    state = torch.cuda.get_rng_state()
    return {
        "state": state,
        "all": len(torch.cuda.get_rng_state_all()),
        "set": lambda: torch.cuda.set_rng_state(state),
        "set, on cuda": lambda: torch.cuda.set_rng_state(state.cuda()),
        "set, wrong size": lambda: torch.cuda.set_rng_state(state[:3]),
        "get_state": lambda: torch.Generator("cuda").get_state(),
        "clone": lambda: str(torch.Generator("cuda").clone_state().device),
        "fork_rng": lambda: torch.random.fork_rng(devices=[0]).__enter__(),
    }


def properties():
    p = torch.cuda.get_device_properties(0)
    return {
        "name": p.name == torch.cuda.get_device_name(),
        "capability": (p.major, p.minor) == torch.cuda.get_device_capability(),
        "total_memory": p.total_memory > 0,
        "multi_processor_count": p.multi_processor_count > 0,
        "repr": repr(p).split("(")[0],
        "same for both": torch.cuda.get_device_name(0) == torch.cuda.get_device_name(1),
    }


def libraries():
    return {
        "cudnn": torch.backends.cudnn.is_available(),
        "cudnn enabled": torch.backends.cudnn.enabled,
        "benchmark": torch.backends.cudnn.benchmark,
        "tf32": torch.backends.cuda.matmul.allow_tf32,
        "precision": torch.get_float32_matmul_precision(),
        "acceptable": torch.backends.cudnn.is_acceptable(g(2)),
        "acceptable on the CPU": torch.backends.cudnn.is_acceptable(c(2)),
        "flash": torch.backends.cuda.flash_sdp_enabled(),
        "nvtx": lambda: torch.cuda.nvtx.range_push("a"),
        "nvtx pop": lambda: torch.cuda.nvtx.range_pop(),
        "profiler": lambda: torch.cuda.profiler.start(),
        "nccl": lambda: torch.cuda.nccl.is_available([g(1), g1(1)]),
    }


def warnings():
    return {
        "pin_memory(device)": warned(lambda: c(1).pin_memory("cuda")),
        "FloatTensor": warned(lambda: torch.cuda.FloatTensor([1.0])),
        "new_tensor(tensor)": warned(lambda: g(1).new_tensor(g(1))),
        "tensor(tensor)": warned(lambda: torch.tensor(g(1))),
        "numpy copy": warned(lambda: __import__("numpy").asarray(g(1))),
        "non-leaf grad": warned(lambda: (g(1).requires_grad_() * 2).grad),
        "resize": warned(lambda: torch.add(g(2), g(2), out=g(3))),
        "memory_cached": warned(lambda: torch.cuda.memory_cached()),
        "default tensor type": warned(
            lambda: torch.set_default_tensor_type(torch.cuda.FloatTensor)
        ),
        "amp": warned(lambda: torch.cuda.amp.autocast()),
        "GradScaler": warned(lambda: torch.cuda.amp.GradScaler()),
        "storage": warned(lambda: g(1).storage().size()),
    }


def in_a_thread():
    import threading

    seen = []

    def work():
        seen.append(torch.cuda.current_device())
        torch.cuda.set_device(1)
        seen.append(str(g(1).device))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return {"in the thread": seen, "outside": torch.cuda.current_device()}
