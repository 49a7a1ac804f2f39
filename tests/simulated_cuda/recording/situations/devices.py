"""torch.cuda and torch.accelerator: counts, ordinals, streams, warnings."""

import torch

from ..outcomes import warned
from ._make import c, g, g1


def counts():
    return {
        "available": lambda: torch.cuda.is_available(),
        "count": lambda: torch.cuda.device_count(),
        "current": lambda: torch.cuda.current_device(),
        "bf16": lambda: torch.cuda.is_bf16_supported(),
        "initialized": lambda: torch.cuda.is_initialized(),
        "built": lambda: torch.backends.cuda.is_built(),
        "version": torch.version.cuda is not None,
        "device": lambda: type(torch.cuda.device(0)),
        "arch list": lambda: len(torch.cuda.get_arch_list()) > 0,
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
        "after": lambda: torch.cuda.current_stream() == torch.cuda.default_stream(),
        "is a torch.Stream": lambda: isinstance(s, torch.Stream),
        "device": s.device,
        "query": lambda: s.query(),
        "synchronize": lambda: s.synchronize(),
        "wait": lambda: s.wait_stream(torch.cuda.current_stream()),
        "default": lambda: str(torch.cuda.default_stream()).split(" cuda_stream")[0],
        "with": lambda: str(torch.cuda.StreamContext(s).stream == s),
        "none": lambda: torch.cuda.stream(None).__enter__(),
        "other device": lambda: str(torch.cuda.Stream("cuda:1").device),
    }


def generic_streams():
    s = torch.Stream("cuda")
    return {
        "device": s.device,
        "type": lambda: type(torch.cuda.Stream()),
        "id of the default": lambda: torch.cuda.default_stream().stream_id,
        "event": lambda: str(s.record_event().device),
        "cpu": lambda: str(torch.Stream("cpu").device),
    }


def events():
    a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    a.record()
    b.record()
    torch.cuda.synchronize()
    return {
        "elapsed is a float": lambda: isinstance(a.elapsed_time(b), float),
        "query": lambda: a.query(),
        "is a torch.Event": lambda: isinstance(a, torch.Event),
        "wait": lambda: a.wait(),
        "not recorded": lambda: torch.cuda.Event(enable_timing=True).elapsed_time(b),
        "without timing": lambda: torch.cuda.Event().elapsed_time(b),
    }


def synchronizing():
    return {
        "synchronize": lambda: torch.cuda.synchronize(),
        "a device": lambda: torch.cuda.synchronize(1),
        "a name": lambda: torch.cuda.synchronize("cuda:1"),
        "accelerator": lambda: torch.accelerator.synchronize(),
        "debug mode": lambda: torch.cuda.set_sync_debug_mode("default"),
        "get": lambda: torch.cuda.get_sync_debug_mode(),
        "ipc_collect": lambda: torch.cuda.ipc_collect(),
    }


def accelerator():
    a = torch.accelerator
    return {
        "available": lambda: a.is_available(),
        "count": lambda: a.device_count(),
        "current": lambda: a.current_accelerator(),
        "index": lambda: a.current_device_index(),
        "set": lambda: a.set_device_index(1),
        "then": lambda: a.current_device_index(),
        "cuda follows": lambda: torch.cuda.current_device(),
        "stream": lambda: str(a.current_stream().device),
        "module": lambda: torch.get_device_module() is torch.cuda,
        "named module": lambda: torch.get_device_module("cuda") is torch.cuda,
        "far": lambda: a.set_device_index(7),
        "block": lambda: a.device_index(0).__enter__(),
    }


def properties():
    p = torch.cuda.get_device_properties(0)
    return {
        "name": lambda: p.name == torch.cuda.get_device_name(),
        "capability": (p.major, p.minor) == torch.cuda.get_device_capability(),
        "total_memory": p.total_memory > 0,
        "multi_processor_count": p.multi_processor_count > 0,
        "repr": repr(p).split("(")[0],
        "same for both": lambda: torch.cuda.get_device_name(0) == torch.cuda.get_device_name(1),
    }


def libraries():
    return {
        "cudnn": lambda: torch.backends.cudnn.is_available(),
        "cudnn enabled": torch.backends.cudnn.enabled,
        "benchmark": torch.backends.cudnn.benchmark,
        "tf32": torch.backends.cuda.matmul.allow_tf32,
        "precision": lambda: torch.get_float32_matmul_precision(),
        "acceptable": lambda: torch.backends.cudnn.is_acceptable(g(2)),
        "acceptable on the CPU": lambda: torch.backends.cudnn.is_acceptable(c(2)),
        "flash": lambda: torch.backends.cuda.flash_sdp_enabled(),
        "nvtx": lambda: torch.cuda.nvtx.range_push("a") is not None,
        "nvtx pop": lambda: torch.cuda.nvtx.range_pop() is not None,
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
