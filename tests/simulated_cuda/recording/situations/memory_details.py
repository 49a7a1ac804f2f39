"""Snapshots and the history of CUDA's caching allocator."""

import torch

from ._make import g


def snapshots():
    x = g(1000)
    s = torch.cuda.memory._snapshot()
    segment = next(s_ for s_ in s["segments"] if s_["active_size"])
    return {
        "keys": lambda: list(s),
        "traces": lambda: [type(t).__name__ for t in s["device_traces"]],
        "settings": lambda: sorted(s["allocator_settings"]),
        "values": lambda: {k: str(v) for k, v in s["allocator_settings"].items()},
        "segment": lambda: sorted(segment),
        "block": lambda: sorted(segment["blocks"][0]),
        "external": lambda: s["external_annotations"],
        "states": lambda: [b["state"] for b in segment["blocks"]],
        "memory_snapshot": lambda: sorted(torch.cuda.memory_snapshot()[0]),
        "other keys": lambda: {k: type(v).__name__ for k, v in s.items()},
        "of a pool": lambda: torch.cuda.memory_snapshot((0, 1)),
        "x": x,
    }


def histories():
    record = torch.cuda.memory._record_memory_history
    return {
        "wrong": lambda: record(enabled="wrong"),
        "True": lambda: record(True),
        "None": lambda: record(enabled=None),
        "state": lambda: record(enabled="state"),
        "all": lambda: record(enabled="all"),
        "context": lambda: record(enabled="all", context="wrong"),
        "stacks": lambda: record(enabled="all", stacks="wrong"),
        "context of state": lambda: record(enabled="state", context="all"),
        "off with context": lambda: record(enabled=None, context="all"),
        "clear": lambda: record(enabled="all", clear_history=True),
        "device 7": lambda: record(enabled="all", device=7),
        "off": lambda: record(enabled=None),
        "old style": lambda: record(True, trace_alloc_record_context=True),
        "off again": lambda: record(None),
    }


def recorded_history():
    torch.cuda.memory._record_memory_history(enabled="all", context=None)
    x = g(1000)
    del x
    y = g(2000)
    s = torch.cuda.memory._snapshot()
    torch.cuda.memory._record_memory_history(enabled=None)
    return {
        "traces": [len(t) > 0 for t in s["device_traces"]],
        "actions": lambda: [e["action"] for e in s["device_traces"][0]],
        "entry": lambda: sorted(s["device_traces"][0][0]),
        "sizes": lambda: [e["size"] for e in s["device_traces"][0]],
        "off": lambda: len(torch.cuda.memory._snapshot()["device_traces"]),
        "y": y,
    }
