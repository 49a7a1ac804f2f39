"""What only the native device does as CUDA does."""

import multiprocessing
import re
import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import nn

pytestmark = pytest.mark.usefixtures("cuda")


def test_compiled_functions_run_as_they_are() -> None:
    with pytest.warns(UserWarning, match="torch.compile does nothing"):
        double = torch.compile(lambda x: x * 2)
    assert double(torch.ones(1, device="cuda")).tolist() == [2]
    with pytest.warns(UserWarning, match="torch.compile does nothing"):

        @torch.compile(fullgraph=True)
        def triple(x: torch.Tensor) -> torch.Tensor:
            return x * 3

    assert triple(torch.ones(1, device="cuda")).tolist() == [3]


def test_a_gradient_does_not_hide_where_a_tensor_is() -> None:
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
        torch.ones(2, device="cuda", requires_grad=True).numpy()


def test_tensors_are_plain_tensors() -> None:
    assert type(torch.ones(1).cuda()) is torch.Tensor
    assert type(nn.Linear(1, 1).cuda().weight) is nn.Parameter


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("options", [{}, {"bias": False, "num_layers": 2, "bidirectional": True}])
def test_autocast_runs_recurrent_networks_in_half_precision(kind: Any, options: Any) -> None:
    net = kind(2, 3, **options).cuda()
    x = torch.randn(4, 1, 2, device="cuda", requires_grad=True)
    expected = net(x)[0]
    for dtype in (torch.half, torch.bfloat16):  # cuDNN's autocast knows the former alone
        with torch.autocast("cuda", dtype=dtype):
            out = net(x)[0]
        assert (out.dtype, out.grad_fn.name()) == (torch.half, "CudnnRnnBackward0")
        torch.testing.assert_close(out.float(), expected, atol=2e-3, rtol=0)
        gradients = (torch.autograd.grad(y.sum(), [x, *net.parameters()]) for y in (out, expected))
        torch.testing.assert_close(*gradients, atol=2e-2, rtol=1e-2)
        expected = net(x)[0]
    with torch.autocast("cpu"):
        assert net(x)[0].dtype == torch.float


def test_dropout_between_layers_is_the_same_in_the_backward() -> None:
    """Where the mask dropped a unit in the forward, its gradient is zero."""
    net = nn.LSTM(2, 3, num_layers=2, dropout=0.9).cuda()
    x = torch.randn(4, 1, 2, dtype=torch.float64, device="cuda", requires_grad=True)
    net.double()

    def run(x: torch.Tensor) -> torch.Tensor:
        torch.cuda.manual_seed(0)
        return net(x)[0].sum()  # type: ignore[no-any-return]

    assert torch.autograd.gradcheck(run, (x,))


def _uses_cuda(queue: Any) -> None:
    try:
        torch.ones(1, device="cuda")
        queue.put("it worked")
    except RuntimeError as error:
        queue.put(str(error))


@pytest.mark.skipif(sys.platform != "linux", reason="forks are of Linux")
def test_a_forked_child_gets_cudas_error() -> None:
    (torch.ones(1, device="cuda", requires_grad=True) * 2).backward()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_uses_cuda, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == (
        "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you "
        "must use the 'spawn' start method"
    )
    child.join()


@pytest.mark.skipif(sys.platform != "linux", reason="forks are of Linux")
def test_the_first_backward_of_a_fork_may_run_in_several_threads() -> None:
    code = """
import os
from concurrent.futures import ThreadPoolExecutor
import torch
from grader.simulated_cuda import adopt_fork, simulated_cuda

def train(_):
    for _ in range(20):
        w = torch.ones(2, device="cuda:1", requires_grad=True)
        (w * w).sum().backward()
    return w.grad.tolist()

with simulated_cuda(devices=2):
    torch.ones(1, device="cuda")
    for _ in range(60):
        if not (child := os.fork()):
            adopt_fork()
            with ThreadPoolExecutor(8) as threads:
                right = list(threads.map(train, range(8))) == [[2, 2]] * 8
            os._exit(not right)
        assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_backward_before_the_device_is_on_does_no_harm(moment: str) -> None:
    first = "torch.ones(1, requires_grad=True).backward()" if moment == "before" else ""
    code = f"""
import torch
{first}
from grader.simulated_cuda import simulated_cuda
with simulated_cuda():
    w = torch.ones(2, device="cuda:1", requires_grad=True)
    (w * w).sum().backward()
    assert w.grad.tolist() == [2, 2]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_operators_of_all_devices_that_look_a_kernel_up_by_device() -> None:
    numbers = torch.tensor([1 + 2j, 3j], device="cuda")
    assert numbers.conj_physical_().tolist() == [1 - 2j, -3j]
    window = torch.kaiser_window(5, device="cuda:1")
    assert window.device.index == 1
    torch.testing.assert_close(window.cpu(), torch.kaiser_window(5))
    x, exponents = torch.ones(2, device="cuda"), torch.tensor([1, 2], device="cuda")
    assert torch.ldexp(x, exponents).tolist() == x.ldexp_(exponents).tolist() == [2, 4]


@pytest.mark.filterwarnings("ignore:`torch.jit.script")
def test_torchscript_does_not_fuse() -> None:
    @torch.jit.script
    def twice_and_one(x: torch.Tensor) -> torch.Tensor:
        return (x * 2 + 1).relu()

    for fuser in ("fuser0", "fuser1"):
        with torch.jit.fuser(fuser):
            for _ in range(4):  # the first runs are profiled
                assert twice_and_one(torch.ones(2, device="cuda")).tolist() == [3, 3]


def test_no_operator_leads_to_cuda() -> None:
    kernel = re.compile(r"^\w*CUDA: (.*)", re.MULTILINE)
    foreign = {
        (name, found)
        for name in torch._C._dispatch_get_all_op_names()
        for found in kernel.findall(torch._C._dispatch_dump(name))
        # Python's, autocast's and autograd's run others in the end; gloo has no sparse collective,
        # and says so.
        if not re.search(r"simulated|\.py:|autocast_mode\.cpp|/VariableType_", found)
        and name != "c10d::allreduce_"
    }
    assert not foreign


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")  # since PyTorch 2.14
@pytest.mark.skipif(not torch.version.cuda, reason="a CPU build has no such operators for CUDA")
def test_quantised_operators_of_a_cuda_build() -> None:
    x = torch.quantize_per_tensor(torch.ones(2, device="cuda"), 0.5, 0, torch.quint8)
    assert torch.ops.quantized.add(x, x, 0.5, 0).dequantize().tolist() == [2, 2]


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.cuda.MemPool(),
        lambda: torch.cuda._compile_kernel("", ""),
        lambda: torch.cuda.nccl.all_reduce([torch.ones(1, device="cuda")]),
    ],
)
@pytest.mark.skipif(not torch.version.cuda, reason="a CPU build has no such functions")
def test_what_needs_nvidias_libraries_is_refused(call: Any) -> None:
    with pytest.raises(NotImplementedError, match="a real CUDA device"):
        call()


def test_an_operator_outlives_the_device_and_a_tensor_that_does_is_refused() -> None:
    code = """
import threading, time, torch
from grader.simulated_cuda import disable, enable, simulated_cuda
results = []
for _ in range(3):
    enable()
    x = torch.ones(1500, 1500, device="cuda")
    thread = threading.Thread(target=lambda: results.append(x @ x))
    thread.start()
    time.sleep(0.02)
    disable()
    thread.join()
assert [result.device.type for result in results] == ["cuda"] * 3
for _ in range(2):  # the kernels of the second time are those of the first
    with simulated_cuda():
        left = torch.ones(2, device="cuda")
        assert (left + left).tolist() == [2.0, 2.0]
    for call in (lambda: left + left, lambda: left + torch.ones(2)):
        try:
            call()
        except NotImplementedError as error:
            assert "Could not run 'aten::add" in str(error), error
        else:
            raise AssertionError("it was computed")
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


def test_copies_are_copies_and_views_are_views() -> None:
    """Values, which a recording without a GPU does not have."""
    x, z = torch.ones(3, device="cuda"), torch.randn(2, 2, dtype=torch.cfloat, device="cuda")
    torch.asarray(x, copy=True)[0] = 5
    assert x.tolist() == [1, 1, 1]
    z.conj()[0, 0] = 7
    assert z[0, 0].item() == 7
    assert torch.tensor([x[0], x[1]]).tolist() == [1, 1]
    assert x[..., [torch.tensor(1, device="cuda")]].tolist() == [1]
    assert torch.device(0) == torch.device("cuda:0")
