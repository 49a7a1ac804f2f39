"""Networks learn on the simulated device what they learn on the CPU, with the same values."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from grader.simulated_cuda import simulated_cuda

pytestmark = pytest.mark.usefixtures("cuda")

OPTIMIZERS = [
    "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop",
    "SGD",
]  # fmt: skip


def train(optimizer: str, device: str) -> list[Tensor]:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 3)).to(device)
    steps = getattr(torch.optim, optimizer)(net.parameters(), lr=0.01)
    x, y = torch.randn(6, 4).to(device), torch.tensor([0, 1, 2, 0, 1, 2], device=device)
    for _ in range(3):
        steps.zero_grad()
        F.cross_entropy(net(x), y).backward()
        steps.step()
    return [p.detach().cpu() for p in net.parameters()]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_training_gives_the_cpus_values(optimizer: str) -> None:
    torch.testing.assert_close(train(optimizer, "cuda"), train(optimizer, "cpu"))


@settings(max_examples=15)
@given(
    rows=st.integers(1, 4),
    columns=st.integers(1, 4),
    dtype=st.sampled_from([torch.float32, torch.float64, torch.int64, torch.bool]),
    index=st.integers(0, 1),
)
def test_a_round_trip_changes_nothing(
    rows: int, columns: int, dtype: torch.dtype, index: int
) -> None:
    with simulated_cuda(devices=2):
        x = (torch.randn(rows, columns) * 9).to(dtype)
        there = x.to(f"cuda:{index}").t()
        assert there.device == torch.device("cuda", index)
        assert (there.shape, there.stride()) == (x.t().shape, x.t().stride())
        assert torch.equal(there.t().cpu(), x)


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
@pytest.mark.parametrize(
    "options",
    [{}, {"bidirectional": True, "num_layers": 2, "batch_first": True}, {"bias": False}],
    ids=str,
)
def test_recurrent_networks(kind: Any, options: dict[str, Any]) -> None:
    net, x = kind(3, 4, **options), torch.randn(2, 5, 3)
    here = net(x)[0]
    grads = torch.autograd.grad(here.sum(), list(net.parameters()))
    net.cuda()
    there = net(x.cuda())[0]
    torch.testing.assert_close(there.cpu(), here)
    for a, b in zip(torch.autograd.grad(there.sum(), list(net.parameters())), grads, strict=True):
        torch.testing.assert_close(a.cpu(), b)


def test_packed_sequences_keep_their_lengths_on_the_cpu() -> None:
    net, x = nn.LSTM(3, 4, batch_first=True).cuda(), torch.randn(2, 5, 3, device="cuda")
    packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([5, 3]), batch_first=True)
    out, lengths = nn.utils.rnn.pad_packed_sequence(net(packed)[0], batch_first=True)
    assert packed.is_cuda
    assert out.is_cuda
    assert lengths.device.type == "cpu"


def test_autocast_and_scaler() -> None:
    net = nn.Linear(3, 4).cuda()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cuda", init_scale=2.0)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        out = net(torch.randn(2, 3, device="cuda"))
        assert out.dtype is torch.bfloat16
        assert F.softmax(out, -1).dtype is torch.float32
        assert (out + torch.ones(2, 4, device="cuda")).dtype is torch.float32
        with pytest.raises(RuntimeError, match="unsafe to autocast"):
            F.binary_cross_entropy(out.sigmoid(), torch.ones_like(out))
    assert net(torch.randn(2, 3, device="cuda")).dtype is torch.float32
    scaler.scale(out.float().sum()).backward()
    before = net.weight.detach().clone()
    scaler.step(optimizer)
    scaler.update()
    assert not torch.equal(net.weight, before)


def test_custom_functions_and_double_backward() -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.save_for_backward(x)
            return x * torch.full((3,), 2.0, device="cuda")

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Tensor:
            assert ctx.saved_tensors[0].is_cuda
            return grad * torch.full((3,), 2.0, device="cuda")

    x = torch.randn(3, device="cuda", requires_grad=True)
    Twice.apply(x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2, 2, 2]
    (grad,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(grad.sum(), x)
    torch.testing.assert_close(second, 6 * x.detach())


def test_hooks_see_cuda_and_may_make_tensors_there() -> None:
    seen = []
    x = torch.randn(3, device="cuda", requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: seen.append((grad.device, torch.ones(1, device="cuda").device)))
    y.sum().backward()
    assert seen == [(torch.device("cuda:0"), torch.device("cuda:0"))]


def failing(*_: Any) -> None:
    raise KeyError("mine")


@pytest.mark.parametrize("where", ["tensor", "leaf", "accumulated", "module", "operator"])
def test_an_error_in_backward_is_an_exception_and_not_the_end(where: str) -> None:
    x = torch.randn(3, 3, device="cuda", requires_grad=True)
    y, net = x * 2, nn.Linear(3, 3).cuda()
    if where == "tensor":
        y.register_hook(failing)
    elif where == "leaf":
        x.register_hook(failing)
    elif where == "accumulated":
        x.register_post_accumulate_grad_hook(failing)
    elif where == "module":
        net.register_full_backward_hook(failing)
    else:
        y.register_hook(lambda grad: failing())
    with pytest.raises(KeyError, match="mine"):
        net(y).sum().backward()
    z = torch.ones(2, device="cuda", requires_grad=True)
    z.sum().backward()
    assert z.grad is not None


def test_data_parallel_over_two_devices() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh()).cuda()
    seen = []
    net[1].register_forward_hook(lambda module, args, out: seen.append(str(out.device)))
    x = torch.randn(6, 3)
    out = nn.DataParallel(net, device_ids=[0, 1])(x.cuda())
    assert sorted(seen) == ["cuda:0", "cuda:1"]
    torch.testing.assert_close(out, net(x.cuda()))
    out.sum().backward()
    assert net[0].weight.grad.is_cuda
    with pytest.raises(RuntimeError, match="must have its parameters and buffers on device cuda:0"):
        nn.DataParallel(net.cpu(), device_ids=[0, 1])(x)


@pytest.mark.filterwarnings("ignore:Sparse")
def test_sparse() -> None:
    pairs, values = torch.tensor([[0, 1], [1, 0]]), torch.tensor([3.0, 4.0])
    coo = torch.sparse_coo_tensor(pairs, values, (2, 2), device="cuda", check_invariants=False)
    assert coo.to_dense().tolist() == [[0, 3], [4, 0]]
    assert (coo @ torch.eye(2, device="cuda")).tolist() == [[0, 3], [4, 0]]
    csr = torch.eye(3).to_sparse_csr().cuda()
    assert csr.layout is torch.sparse_csr
    assert (csr @ torch.ones(3, 1, device="cuda")).tolist() == [[1], [1], [1]]
    assert csr.cpu().to_dense().equal(torch.eye(3))
    table = nn.Embedding(5, 3, sparse=True).cuda()
    table(torch.tensor([1, 2], device="cuda")).sum().backward()
    assert table.weight.grad is not None
    assert table.weight.grad.is_sparse
    torch.optim.SparseAdam(table.parameters()).step()


class Scripted(nn.Module):
    """TorchScript keeps these tensors in C++."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) + torch.ones_like(x)


@pytest.mark.filterwarnings("ignore:.*torch.jit", "ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("how", [torch.jit.script, lambda net: torch.jit.trace(net, X)])
def test_torchscript(how: Any) -> None:
    scripted = how(Scripted())
    weight, here = scripted.norm.weight, scripted(X)
    scripted.cuda()
    assert scripted.norm.weight is weight
    for _ in range(3):  # the first runs only watch
        torch.testing.assert_close(scripted(X.cuda()).cpu(), here)
    scripted(X.cuda()).sum().backward()
    assert weight.grad.is_cuda
    with pytest.raises(RuntimeError, match=r"RuntimeError: Expected all .*wrapper_CUDA_addmm\)"):
        scripted(X)
    torch.testing.assert_close(scripted.cpu()(X), here)
    assert torch.jit.script(Scripted().cuda())(X.cuda()).is_cuda


X = torch.linspace(-1, 1, 12).view(4, 3)


def test_inference_mode() -> None:
    with torch.inference_mode():
        net, x = nn.Linear(3, 3).cuda(), torch.ones(2, 3, device="cuda")
        assert net(x).is_cuda
        assert x.cuda(1).get_device() == 1
        with pytest.raises(RuntimeError, match="wrapper_CUDA_addmm"):
            net(x.cpu())
