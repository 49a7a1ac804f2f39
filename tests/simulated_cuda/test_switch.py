"""On, off, nested, in threads, in forked children; and nothing left afterwards."""

import multiprocessing
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim import optimizer
from torch.overrides import TorchFunctionMode

import grader
from grader.simulated_cuda import disable, enable, is_enabled, simulated_cuda


def namespaces() -> dict[str, Any]:
    spaces: list[Any] = [
        torch, torch._C, torch.cuda, torch.cuda.random, torch.cuda.memory, torch.accelerator,
        torch.Tensor, torch.UntypedStorage, torch.nn.Module, torch.autograd, torch.utils,
        optimizer, torch.utils.hooks.BackwardHook, threading.Thread,
        torch.autograd.graph.saved_tensors_hooks, torch.backends.cudnn.m, torch.cuda.nccl,
    ]  # fmt: skip
    return {str(space): dict(vars(space)) for space in spaces}


def test_nothing_is_left() -> None:
    with simulated_cuda():  # what happens once per process is not undone: registering, importing
        torch.ones(1, requires_grad=True).cuda().sum().backward()
    before = namespaces()
    flags = (torch.__future__.get_swap_module_params_on_conversion(), torch.is_grad_enabled())
    with simulated_cuda(devices=2):
        torch.ones(1, requires_grad=True).cuda().sum().backward()
        with torch.autocast("cuda"):
            nn.Linear(1, 1).cuda()(torch.ones(1, 1).cuda())
        torch.cuda.get_rng_state_all()
    assert not is_enabled()
    for space, names in namespaces().items():
        assert names.keys() == before[space].keys()
        for name, value in names.items():
            assert value is before[space][name], (space, name)
    assert flags[0] == torch.__future__.get_swap_module_params_on_conversion()
    assert not torch._C._is_torch_function_mode_enabled()


def test_a_fresh_process_gets_all_its_names_back() -> None:
    code = """
import torch
def look():
    return {s: set(dir(s)) for s in (torch, torch.cuda, torch.Tensor, torch.nn.Module, torch._C)}
before = look(), torch.accelerator.current_accelerator(), torch.cuda.is_available()
from grader.simulated_cuda import simulated_cuda
with simulated_cuda():
    assert torch.cuda.is_available()
    torch.ones(1).cuda()
after = look(), torch.accelerator.current_accelerator(), torch.cuda.is_available()
assert before == after, [a ^ b for a, b in zip(before[0].values(), after[0].values())]
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


def test_grader_exports_the_context_manager_and_its_functions() -> None:
    assert grader.simulated_cuda is simulated_cuda
    with grader.simulated_cuda(devices=3):
        assert grader.simulated_cuda.is_enabled()
        assert torch.cuda.device_count() == 3
    assert not grader.simulated_cuda.is_enabled()


@pytest.mark.parametrize("first", ["grader", "grader.simulated_cuda.environment"])
def test_the_name_is_the_context_manager_whatever_is_imported_first(first: str) -> None:
    code = (
        f"import sys, {first}; assert 'torch' not in sys.modules\n"
        "from grader import simulated_cuda; assert callable(simulated_cuda)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nested_and_repeated() -> None:
    for _ in range(3):
        with simulated_cuda(devices=1):
            assert torch.cuda.device_count() == 1
            with simulated_cuda(devices=3):
                assert torch.cuda.device_count() == 3
                kept = torch.ones(1).cuda(2)
            assert torch.cuda.device_count() == 1
            enable()
            disable()
            assert is_enabled()
        assert not is_enabled()
    disable()
    assert kept.get_device() == 2
    if not torch.cuda.is_available():
        with pytest.raises((AssertionError, RuntimeError)):
            torch.ones(1).cuda()


def test_an_error_inside_still_turns_it_off() -> None:
    with pytest.raises(KeyError), simulated_cuda():
        raise KeyError
    assert not is_enabled()


def work() -> str:
    x = torch.ones(2, device="cuda", requires_grad=True)
    (x * 2).sum().backward()
    assert x.grad is not None
    return str(x.grad.device)


@pytest.mark.usefixtures("cuda")
def test_threads() -> None:
    seen: list[str] = []
    thread = threading.Thread(target=lambda: seen.append(work()))
    thread.start()
    thread.join()
    with ThreadPoolExecutor(2) as pool:
        seen += pool.map(lambda _: work(), range(3))
    assert seen == ["cuda:0"] * 4


def _in_child(already: bool, queue: Any) -> None:
    if not already:
        enable()
    queue.put(work())


@pytest.mark.parametrize("already", [True, False])
def test_forked_children(already: bool) -> None:
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    if already:
        enable()
    try:
        child = context.Process(target=_in_child, args=(already, queue))
        child.start()
        assert queue.get(timeout=60) == "cuda:0"
        child.join()
    finally:
        disable()


@pytest.mark.usefixtures("cuda")
def test_another_function_mode_sees_the_calls_as_written() -> None:
    seen: list[Any] = []

    class Watch(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append((func, (kwargs or {}).get("device")))
            return func(*args, **(kwargs or {}))

    net = nn.Linear(3, 3)
    with Watch():
        net.cuda()
        net(torch.randn(2, 3, device="cuda")).sum().backward()
    assert (torch.randn, "cuda") in seen
    assert net.weight.grad is not None
    assert net.weight.grad.is_cuda


def test_none_is_a_machine_without_a_gpu() -> None:
    with simulated_cuda(devices=2), simulated_cuda(devices=0):
        assert not torch.cuda.is_available()
        assert not torch.accelerator.is_available()
        assert torch.cuda.device_count() == torch.accelerator.device_count() == 0
        with pytest.raises(RuntimeError):
            torch.ones(2).cuda()
