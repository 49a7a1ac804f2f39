"""CUDA_VISIBLE_DEVICES, and processes that are forked."""

import multiprocessing
import os
import signal

import torch

from ..outcomes import outcome
from ._make import c, g


def _visible(value):
    """What PyTorch makes of the variable before it has asked CUDA for anything."""
    os.environ["CUDA_VISIBLE_DEVICES"] = value
    return torch.cuda._parse_visible_devices()


def _none(value):
    os.environ["CUDA_VISIBLE_DEVICES"] = value
    return {
        "available": lambda: torch.cuda.is_available(),
        "count": lambda: torch.cuda.device_count(),
        "accelerator": lambda: torch.accelerator.device_count(),
        "accelerator is available": lambda: torch.accelerator.is_available(),
        "get_arch_list": lambda: torch.cuda.get_arch_list(),
        "initialized": lambda: torch.cuda.is_initialized(),
        "manual_seed": lambda: torch.cuda.manual_seed_all(1),
    }


def hidden_by_nothing():
    return _none("")


def hidden_by_minus_one():
    return _none("-1")


def set_after_the_start():
    g(1)
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    return {
        "available": lambda: torch.cuda.is_available(),
        "count": lambda: torch.cuda.device_count(),
    }


def parsed():
    values = ("", "-1", "0", "1", "0,1", "1,0", "0,0", "0,-1,1", " 1", "1, 0", "a", "0,a", "1a")
    return {value: (lambda value=value: _visible(value)) for value in values}


def _in_a_child(call):
    """What a call gives in a forked child, which says it through a pipe."""
    reader, writer = multiprocessing.Pipe(duplex=False)
    pid = os.fork()
    if not pid:
        try:
            writer.send(outcome(call))
        finally:
            os._exit(0)
    writer.close()
    try:
        return reader.recv() if reader.poll(60) else "silent"
    except EOFError:
        return "died"
    finally:
        os.kill(pid, signal.SIGKILL)  # one that is silent may wait for ever
        os.waitpid(pid, 0)


def _asked():
    return {
        "zeros": lambda: torch.zeros(1, device="cuda"),
        "cuda()": lambda: c(1).cuda(),
        "is_available": lambda: torch.cuda.is_available(),
        "initialized": lambda: torch.cuda.is_initialized(),
        "init": lambda: torch.cuda.init(),
        "current_device": lambda: torch.cuda.current_device(),
        "set_device": lambda: torch.cuda.set_device(0),
        "manual_seed": lambda: str(torch.manual_seed(0).device),
        "cuda.manual_seed": lambda: torch.cuda.manual_seed(0),
        "synchronize": lambda: torch.cuda.synchronize(),
        "name": lambda: len(torch.cuda.get_device_name()) > 0,
        "bad fork": lambda: torch.cuda._is_in_bad_fork(),
        "module": lambda: torch.nn.Linear(1, 1).cuda().weight,
        "CPU": lambda: c(2) + 1,
        "CPU backward": lambda: c(2).requires_grad_().sum().backward(),
        "memory": lambda: torch.cuda.memory_allocated(),
        "empty_cache": lambda: torch.cuda.empty_cache(),
        "Stream": lambda: str(torch.cuda.Stream().device),
        "Event": lambda: torch.cuda.Event().query(),
        "Generator": lambda: str(torch.Generator("cuda").device),
    }


def forked_unused():
    return _in_a_child(_asked)


def forked_after_is_available():
    torch.cuda.is_available()
    return _in_a_child(_asked)


def forked_after_init():
    torch.cuda.init()
    return _in_a_child(_asked)


def forked_after_a_tensor():
    x = g(2)
    return {"child": _in_a_child(_asked), "parent": x + 1}


def forked_after_current_device():
    torch.cuda.current_device()
    return _in_a_child(_asked)


def forked_after_a_seed():
    torch.cuda.manual_seed(0)
    torch.manual_seed(0)
    return _in_a_child(_asked)


def forked_after_questions():
    """None of these asks CUDA."""
    torch.cuda.is_initialized()
    torch.backends.cuda.is_built()
    torch.device("cuda:1")
    repr(torch.cuda.FloatTensor)
    return _in_a_child(_asked)


def forked_after_accelerator():
    torch.accelerator.current_accelerator()
    return _in_a_child(_asked)


def forked_after_bf16():
    torch.cuda.is_bf16_supported()
    return _in_a_child(_asked)


def forked_twice():
    torch.cuda.is_available()
    return _in_a_child(lambda: {"grandchild": lambda: _in_a_child(lambda: g(1))})


def used_in_the_child_first():
    return {
        "child": _in_a_child(lambda: g(2)),
        "parent": lambda: g(2),
        "then a child": lambda: _in_a_child(lambda: g(2)),
    }


def multiprocessing_after_is_available():
    torch.cuda.is_available()
    queue = multiprocessing.get_context("fork").SimpleQueue()
    child = multiprocessing.get_context("fork").Process(
        target=lambda: queue.put(outcome(lambda: g(1)))
    )
    child.start()
    said = queue.get()
    child.join()
    return {"said": said, "status": child.exitcode}


class _OnTheDevice(torch.utils.data.Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return torch.zeros(2, device="cuda")


def workers():
    """A DataLoader's workers are forked."""
    torch.cuda.is_available()
    loader = torch.utils.data.DataLoader(_OnTheDevice(), num_workers=1)
    cpu = torch.utils.data.DataLoader(list(torch.zeros(4)), num_workers=1)
    return {"cuda": lambda: next(iter(loader)), "cpu": lambda: [x.cuda() for x in cpu]}


def nvml():
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "0"
    return {"available": torch.cuda.is_available(), "initialized": torch.cuda.is_initialized()}
