"""Streams, events and functions of the device that are given numbers out of range."""

import torch

from grader.simulated_cuda import simulated_cuda

from ._make import ignoring, raises, situation


@situation
def streams_and_events() -> None:
    with simulated_cuda():
        x = torch.ones(3, device="cuda")
        stream = torch.cuda.Stream(1)
        x.record_stream(stream)
        with raises(Exception):
            torch.ones(3).record_stream(None)
        with torch.cuda.stream(stream):
            x + 1
        with raises(Exception):
            torch.cuda.Stream(9)
        torch.Stream("cuda:1").synchronize()
        event = torch.Event("cuda", enable_timing=True)
        ignoring(lambda: event.elapsed_time(torch.Event("cuda", enable_timing=True)))
        event.record()
        ignoring(lambda: event.elapsed_time(torch.cuda.Event()))
        ignoring(lambda: torch.cuda.current_stream(9))
        ignoring(lambda: torch.cuda.default_stream(9))
        ignoring(lambda: torch.cuda.set_stream(torch.Stream("cpu")))
        ignoring(lambda: torch.Stream(device_index=9, device_type=1, stream_id=7).query())
        for index in (9, -1, 100):
            for op in (torch.ops.simulated_cuda.figures, torch.ops.simulated_cuda.current_stream):
                ignoring(lambda op=op, index=index: op(index))
            ignoring(lambda index=index: torch.ops.simulated_cuda.set_stream(index, 1))
            ignoring(lambda index=index: torch.ops.simulated_cuda.generator(index))
            ignoring(lambda index=index: torch.cuda.synchronize(index))
            ignoring(lambda index=index: torch.cuda.mem_get_info(index))
            ignoring(lambda index=index: torch.cuda.get_device_properties(index))
            ignoring(lambda index=index: torch.accelerator.set_device_index(index))
            ignoring(lambda index=index: torch.accelerator.current_stream(index))
            ignoring(lambda index=index: torch.accelerator.memory_stats(index))


@situation
def calls_with_wrong_values() -> None:
    with simulated_cuda():
        x = torch.ones(2, 3, device="cuda")
        memory = torch.cuda.caching_allocator_alloc(100)
        torch.cuda.caching_allocator_delete(memory)
        ignoring(lambda: torch.cuda.caching_allocator_delete(memory))
        ignoring(lambda: torch.cuda.set_per_process_memory_fraction(-1.0))
        ignoring(lambda: torch.cuda.set_per_process_memory_fraction(0.5, 9))
        ignoring(lambda: torch.ops.simulated_cuda.resize_storage(torch.ones(2), 100))
        ignoring(lambda: torch.ops.simulated_cuda.resize_storage(x.to_sparse(), 100))
        ignoring(lambda: torch.ops.simulated_cuda.resize_storage(x, -5))
        ignoring(lambda: torch.ops.simulated_cuda.set_limit(99, 5))
        ignoring(lambda: torch.ops.simulated_cuda.set_device(300))
        ignoring(lambda: torch.ops.simulated_cuda.set_count(300))
        ignoring(lambda: torch.cuda.set_rng_state(torch.zeros(3, dtype=torch.uint8)))
        ignoring(lambda: torch.cuda.set_rng_state(torch.zeros(16)))
        ignoring(lambda: torch.cuda.set_rng_state(torch.zeros(16, dtype=torch.uint8).cuda()))
        ignoring(lambda: torch.randn(3, generator=torch.Generator(), device="cuda"))
        ignoring(lambda: torch.randn(3, generator=torch.Generator("cuda")))
        ignoring(lambda: torch.Generator("cuda:9"))
        ignoring(lambda: torch.Generator("cuda").graphsafe_set_state(torch.Generator()))
        ignoring(lambda: torch.index_select(x, 0, torch.tensor([9], device="cuda")))
        ignoring(lambda: x[torch.tensor([9], device="cuda")])
        ignoring(lambda: torch.nn.functional.embedding(torch.tensor([9]).cuda(), x))
        ignoring(lambda: torch.nn.functional.nll_loss(x, torch.tensor([9, 9]).cuda()))
        ignoring(lambda: x.scatter_(0, torch.full((2, 3), 9, device="cuda"), x.clone()))
        ignoring(lambda: x.gather(0, torch.full((2, 3), -9, device="cuda")))
        ignoring(lambda: torch.cuda.comm.scatter(x, [0, 9]))
        ignoring(lambda: torch.cuda.comm.gather([]))
        ignoring(lambda: torch.cuda.nccl.all_reduce([x]))
        ignoring(lambda: torch.nn.LSTM(3, 3).cuda()(x[None], (x, x)))
        ignoring(lambda: torch._C._cuda_setDevice(99))
        ignoring(lambda: torch._C._cuda_getCurrentStream(99))
    torch.ops.simulated_cuda.stop()
    torch.ops.simulated_cuda.stop()
