"""The rest of the faults that other projects' tests found (docs/simulated_cuda.md)."""

import pytest
import torch
from torch import nn

pytestmark = pytest.mark.usefixtures("cuda")


def test_cudnn_flags():
    with torch.backends.cudnn.flags(enabled=True, benchmark_limit=3):
        nn.Linear(2, 2).cuda()(torch.ones(2, device="cuda"))


def test_dlpack_between_streams():
    stream = torch.cuda.Stream()
    assert torch.cuda.ExternalStream(stream.cuda_stream) == stream
    x = torch.arange(3.0, device="cuda")
    with torch.cuda.stream(stream):
        y = torch.from_dlpack(x)
    y += 1
    assert (x.tolist(), y.device) == ([1, 2, 3], x.device)


def test_a_lazy_clone_is_copied_when_it_is_written_to():
    x = torch.arange(3.0, device="cuda:1")
    clone = x._lazy_clone()
    assert torch._C._is_cow_tensor(x)
    assert torch._C._data_address(x) == torch._C._data_address(clone)

    x += 1

    assert (x.tolist(), clone.tolist()) == ([1, 2, 3], [0, 1, 2])
    clone.copy_(x)  # the last that has this memory: it keeps it
    assert (clone.tolist(), clone.device) == ([1, 2, 3], x.device)
    assert not torch._C._is_cow_tensor(clone)


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_torchscript_indexes():
    class Rows(nn.Module):
        def forward(self, x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
            return x[rows]

    x = torch.arange(4.0, device="cuda")
    assert torch.jit.script(Rows())(x, torch.tensor([2, 0], device="cuda")).tolist() == [2, 0]


@pytest.mark.filterwarnings("ignore:Synchronization debug mode")
@pytest.mark.parametrize("mode", ["warn", "error"])
def test_sync_debug_mode_finds_what_waits_for_the_device(mode):
    x = torch.ones(3, device="cuda")
    finds = (
        pytest.warns(UserWarning, match="called a synchronizing CUDA operation")
        if mode == "warn"
        else pytest.raises(RuntimeError, match="called a synchronizing CUDA operation")
    )
    torch.cuda.set_sync_debug_mode(mode)
    try:
        (x + 1).sum()
        x[x > 0] = 1.0
        for waits in (x[0].item, x.cpu, x.nonzero, lambda: x[x > 0]):
            with finds:
                waits()
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_the_number_of_ffts_plans():
    plans = torch.backends.cuda.cufft_plan_cache
    plans.max_size, plans[1].max_size = 10, 11
    assert (plans.max_size, plans[1].max_size) == (10, 11)
    with pytest.raises(RuntimeError, match="must be non-negative"):
        plans.max_size = -1


def test_settings_without_effect():
    torch.cuda.tunable.set_max_tuning_iterations(7)
    assert torch.cuda.tunable.get_max_tuning_iterations() == 7
    assert not torch.cuda.tunable.is_enabled()
    with torch.autograd.profiler.emit_nvtx():
        assert torch.ones(2, device="cuda").sum().item() == 2


@pytest.mark.skipif(not torch.distributed.is_available(), reason="PyTorch without distributed")
def test_gloo_and_distributed_data_parallel(tmp_path):
    torch.distributed.init_process_group(
        "gloo", init_method=(tmp_path / "rendezvous").as_uri(), rank=0, world_size=1
    )
    try:
        x = torch.ones(3, device="cuda")
        torch.distributed.all_reduce(x, async_op=True).wait()
        torch.distributed.all_gather(gathered := [torch.empty_like(x)], x)
        assert torch.equal(gathered[0], x)
        for as_views in (False, True):
            model = nn.parallel.DistributedDataParallel(
                nn.Linear(3, 2).cuda(), gradient_as_bucket_view=as_views
            )
            model(x).sum().backward()
            assert model.module.weight.grad.device == x.device
            assert model.module.weight.grad.tolist() == [[1, 1, 1]] * 2
    finally:
        torch.distributed.destroy_process_group()
