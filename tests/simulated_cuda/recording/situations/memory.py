"""The figures of the caching allocator, and memory that is not enough."""

import contextlib
import gc
import re

import torch
from torch import nn

from ._make import g, g1

MIB = 1 << 20


def _figures():
    return {
        "allocated": torch.cuda.memory_allocated(),
        "reserved": torch.cuda.memory_reserved(),
        "peak": torch.cuda.max_memory_allocated(),
    }


def nothing():
    return _figures()


def one_number():
    x = g(1)
    return _figures() | {"bytes": x.nbytes}


def sizes():
    found = {}
    for dtype in (torch.float, torch.half, torch.bool, torch.double, torch.int8):
        before = torch.cuda.memory_allocated()
        x = torch.zeros(1000, device="cuda", dtype=dtype)
        found[str(dtype)] = torch.cuda.memory_allocated() - before
        del x
    return found


def a_layer():
    layer = nn.Linear(100, 100).cuda()
    first = _figures()
    x = g(8, 100)
    return {"layer": first, "batch": _figures(), "x": x, "weight": layer.weight}


def freed():
    x = g(1000)
    with_it = _figures()
    del x
    without = _figures()
    torch.cuda.empty_cache()
    return {"with": with_it, "without": without, "emptied": _figures()}


def views_cost_nothing():
    x = g(1000)
    before = _figures()
    views = [x[1:], x.view(10, 100), x.t() if x.dim() == 2 else x, x.detach()]
    return {"same": _figures() == before, "views": len(views)}


def segments():
    kept = [g(MIB // 4)]
    first = torch.cuda.memory_reserved()
    kept.append(g(2 * MIB // 4))
    second = torch.cuda.memory_reserved()
    kept.append(g(30 * MIB // 4))
    return {"1 MiB": first, "2 MiB more": second, "30 MiB more": torch.cuda.memory_reserved()}


def second_device():
    x = g1(1000)
    return {
        "first": torch.cuda.memory_allocated(0),
        "second": torch.cuda.memory_allocated(1),
        "by device": torch.cuda.memory_allocated(torch.device("cuda:1")),
        "by name": torch.cuda.memory_allocated("cuda:1"),
        "x": x,
    }


def peaks():
    x = g(10000)
    del x
    peak = torch.cuda.max_memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    return {"peak": peak, "after reset": torch.cuda.max_memory_allocated()}


def moves():
    x = torch.zeros(1000)
    y = x.cuda()
    moved = torch.cuda.memory_allocated()
    back = y.cpu()
    del y
    return {"moved": moved, "back": torch.cuda.memory_allocated(), "on": back}


def a_training_step():
    layer = nn.Linear(100, 100).cuda()
    optimizer = torch.optim.Adam(layer.parameters())
    before = torch.cuda.memory_allocated()
    layer.weight.grad, layer.bias.grad = g(100, 100), g(100)
    gradients = torch.cuda.memory_allocated()
    optimizer.step()
    gc.collect()
    return {
        "parameters": before,
        "gradients": gradients,
        "state": torch.cuda.memory_allocated(),
    }


def statistics():
    x = g(1000)
    stats = torch.cuda.memory_stats()
    names = (
        "allocated_bytes.all.current",
        "allocated_bytes.all.peak",
        "reserved_bytes.all.current",
        "allocation.all.current",
        "segment.all.current",
        "num_ooms",
        "num_alloc_retries",
        "requested_bytes.all.current",
        "inactive_split_bytes.all.current",
    )
    return {key: stats.get(key) for key in names} | {"x": x}


def summary():
    x = g(1000)
    lines = torch.cuda.memory_summary().splitlines()
    return {"title": [line.strip("| ") for line in lines[1:5:2]], "lines": len(lines), "x": x}


def snapshot():
    x = g(1000)
    (segment,) = torch.cuda.memory_snapshot()
    keys = ("device", "total_size", "allocated_size", "segment_type")
    return {key: segment[key] for key in keys} | {"blocks": len(segment["blocks"]), "x": x}


def information():
    free, total = torch.cuda.mem_get_info()
    properties = torch.cuda.get_device_properties(0)
    return {"free is less": free <= total, "total": total == properties.total_memory}


def caching_allocator():
    address = torch.cuda.caching_allocator_alloc(1000)
    with_it = torch.cuda.memory_allocated()
    torch.cuda.caching_allocator_delete(address)
    return {"with": with_it, "without": torch.cuda.memory_allocated()}


def backend():
    return torch.cuda.get_allocator_backend()


def _first_sentences(call):
    """The type and the first two sentences: the others say how much memory there is."""

    def run():
        try:
            call()
        except Exception as error:
            text = " ".join(str(error).split(". ")[:2])
            bases = [base.__name__ for base in type(error).__mro__[:3]]
            return [*bases, re.sub(r"GPU 0 has a total.*", "GPU 0 has ...", text)]
        return "passes"

    return run


def too_much():
    return {
        "float": _first_sentences(lambda: torch.empty(10**11, device="cuda")),
        "bytes": _first_sentences(lambda: torch.empty(2**50, dtype=torch.int8, device="cuda")),
        "zeros": _first_sentences(lambda: torch.zeros(10**6, 10**6, device="cuda")),
        "expanded": _first_sentences(lambda: g(1).expand(10**12) + 1),
        "caught": _first_sentences(lambda: torch.empty(2**62, dtype=torch.int8, device="cuda")),
    }


def after_too_much():
    with contextlib.suppress(torch.OutOfMemoryError):
        torch.empty(10**11, device="cuda")
    stats = torch.cuda.memory_stats()
    return {"still works": g(2), "num_ooms": stats["num_ooms"], "figures": _figures()}


def a_limit():
    torch.cuda.set_per_process_memory_fraction(0.0001)
    return {
        "too much": _first_sentences(lambda: torch.empty(10**8, device="cuda")),
        "little": g(1),
        "bad fraction": lambda: torch.cuda.set_per_process_memory_fraction(2.0),
    }


def names_of_the_error():
    return {
        "same": torch.cuda.OutOfMemoryError is torch.OutOfMemoryError,
        "bases": [base.__name__ for base in torch.OutOfMemoryError.__mro__],
        "accelerator": [base.__name__ for base in torch.AcceleratorError.__mro__],
    }


def other_devices():
    torch.cuda.init()  # before, the figures are 0 whatever the device
    return {
        "memory_allocated(5)": lambda: torch.cuda.memory_allocated(5),
        "memory_allocated('cpu')": lambda: torch.cuda.memory_allocated("cpu"),
        "mem_get_info(5)": lambda: torch.cuda.mem_get_info(5),
        "reset_peak_memory_stats(5)": lambda: torch.cuda.reset_peak_memory_stats(5),
    }


def accelerator():
    x = g(1000)
    return {
        "allocated": torch.accelerator.memory_allocated(),
        "reserved": torch.accelerator.memory_reserved(),
        "peak": torch.accelerator.max_memory_allocated(),
        "emptied": torch.accelerator.empty_cache(),
        "x": x,
    }


def pinned():
    x = torch.zeros(1000).pin_memory()
    return _figures() | {"x": x}


def storages():
    x = g(1000)
    x.untyped_storage().resize_(0)
    return _figures() | {"x": x}
