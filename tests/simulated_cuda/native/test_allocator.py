"""What `torch.cuda` says of memory, and does with it, by the functions of PyTorch's allocator."""

import pytest
import torch

pytestmark = pytest.mark.usefixtures("cuda")
MIB = 1 << 20


def test_a_snapshot_has_a_block_for_each_tensor() -> None:
    held = torch.zeros(3 * MIB + 7, dtype=torch.uint8, device="cuda")

    blocks = [block for segment in torch.cuda.memory_snapshot() for block in segment["blocks"]]

    (block,) = (block for block in blocks if block["requested_size"] == held.nbytes)
    assert block["size"] == 3 * MIB + 512
    assert block["state"] == "active_allocated"


def test_a_snapshot_adds_up_to_the_statistics() -> None:
    held = [torch.zeros(n * 1000, device="cuda") for n in (1, 2, 700)]
    del held[1]

    segments = torch.cuda.memory_snapshot()

    on_first = [segment for segment in segments if segment["device"] == 0]
    assert sum(s["allocated_size"] for s in on_first) == torch.cuda.memory_allocated()
    assert sum(s["total_size"] for s in on_first) == torch.cuda.memory_reserved()
    for segment in on_first:
        assert sum(block["size"] for block in segment["blocks"]) == segment["total_size"]


def test_memory_of_the_allocator_counts_until_it_is_deleted() -> None:
    torch.cuda.init()  # until then, it says 0, whatever an earlier test has left
    torch.cuda.empty_cache()  # a free block that is a little larger would be taken whole
    before = torch.cuda.memory_allocated()

    address = torch.cuda.caching_allocator_alloc(4 * MIB)
    held = torch.cuda.memory_allocated()
    torch.cuda.caching_allocator_delete(address)

    assert held == before + 4 * MIB
    assert torch.cuda.memory_allocated() == before


def test_a_fraction_limits_what_a_process_gets() -> None:
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total

    torch.cuda.set_per_process_memory_fraction(16 * MIB / total)
    try:
        with pytest.raises(torch.cuda.OutOfMemoryError, match=r"Tried to allocate 64\.00 MiB"):
            torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert torch.cuda.memory_stats()["num_ooms"] >= 1
