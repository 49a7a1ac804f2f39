"""Faults of the native device that other people's tests found (benchmarks/others_tests.py)."""

import pytest
import torch
from torch import nn

pytestmark = pytest.mark.usefixtures("cuda")


@pytest.fixture
def _deterministic():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.usefixtures("_deterministic")
def test_new_memory_is_filled_where_deterministic_algorithms_are_asked_for():
    assert torch.empty(3, device="cuda").isnan().all()
    assert torch.empty_strided((2,), (1,), dtype=torch.int8, device="cuda").tolist() == [127, 127]


@pytest.mark.usefixtures("_deterministic")
@pytest.mark.parametrize(
    ("call", "kernel"),
    [
        (lambda x: torch.bincount(x.long(), weights=x), "_bincount_cuda"),
        (lambda x: torch.median(x, 0, out=(x[0], x[0].long())), "median CUDA with indices output"),
    ],
)
def test_kernels_that_are_not_deterministic(call, kernel):
    with pytest.raises(RuntimeError, match=f"{kernel} does not have a deterministic"):
        call(torch.ones(3, device="cuda"))
    torch.ones(3, device="cuda").cumsum(0)
    torch.ones(3, device="cuda").kthvalue(1)


def test_cudnn_flags():
    with torch.backends.cudnn.flags(enabled=True, benchmark_limit=3):
        nn.Linear(2, 2).cuda()(torch.ones(2, device="cuda"))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@torch.no_grad()
def test_an_encoder_with_padding_uses_nested_tensors():
    layer = nn.TransformerEncoderLayer(4, 2, 16, 0.0, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2).eval()
    x, padding = torch.rand(2, 3, 4), torch.tensor([[False, False, True], [False, True, True]])
    expected = encoder(x, src_key_padding_mask=padding)

    result = encoder.cuda()(x.cuda(), src_key_padding_mask=padding.cuda())

    torch.testing.assert_close(result.cpu(), expected)


def test_sparse_mask():
    pattern = torch.eye(2).to_sparse().cuda()

    assert torch.ones(2, 2, device="cuda").sparse_mask(pattern).to_dense().tolist() == [
        [1, 0],
        [0, 1],
    ]
    assert pattern.sparse_mask(pattern).device.type == "cuda"


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support", "ignore:Sparse invariant checks")
def test_sparse_tensors_of_a_device_that_is_not_the_current_one():
    dense = torch.eye(2, device="cuda:1")
    sparse = torch.sparse_coo_tensor(torch.ones(1, 1).long(), torch.ones(1), (2,)).to("cuda:1")

    for made in (
        sparse,
        sparse + sparse,
        sparse * 2,
        sparse / 2,
        sparse.pow(2),
        dense.to_sparse(),
        dense.to_sparse_csr(),
    ):
        assert made.device == made.to_dense().device == torch.device("cuda:1")


def test_memory_is_not_shared_between_processes():
    with pytest.raises(RuntimeError, match="_share_cuda_: only available on CUDA"):
        torch.UntypedStorage(3)._share_cuda_()
    with pytest.raises(NotImplementedError, match="need a real CUDA device"):
        torch.ones(3, device="cuda").untyped_storage()._share_cuda_()


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize(("one", "other"), [("csr", "csc"), ("csc", "csr"), ("bsr", "bsc")])
def test_conversions_between_compressed_layouts(one, other):
    dense = torch.arange(16.0, device="cuda").reshape(4, 4)
    block = (2, 2) if one == "bsr" else None
    first = dense.to_sparse(layout=getattr(torch, f"sparse_{one}"), blocksize=block)

    second = first.to_sparse(layout=getattr(torch, f"sparse_{other}"), blocksize=block)

    assert second.device == dense.device
    assert torch.equal(second.to_dense(), dense)


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_half_precision_ffts_want_powers_of_two():
    half = torch.ones(12, dtype=torch.half, device="cuda")
    with pytest.raises(
        RuntimeError, match=r"cuFFT only supports .* but got a signal size of\[12\]"
    ):
        torch.fft.fft(half)
    assert torch.fft.fft(half[:8])[0].item() == 8


def test_dlpack_between_streams():
    stream = torch.cuda.Stream()
    assert torch.cuda.ExternalStream(stream.cuda_stream) == stream
    x = torch.arange(3.0, device="cuda")
    with torch.cuda.stream(stream):
        y = torch.from_dlpack(x)
    y += 1
    assert (x.tolist(), y.device) == ([1, 2, 3], x.device)


def test_grid_sample_with_aligned_corners():
    image, grid = torch.rand(1, 2, 4, 4), torch.rand(1, 3, 3, 2) * 2 - 1
    results = []
    for device in ("cpu", "cuda"):
        inputs = [t.to(device).requires_grad_() for t in (image, grid)]
        out = nn.functional.grid_sample(*inputs, align_corners=True)
        results.append([t.cpu() for t in (out, *torch.autograd.grad(out.sum(), inputs))])
    torch.testing.assert_close(*results)


def test_products_of_half_precision_kept_in_single():
    x = torch.ones(2, 2, dtype=torch.bfloat16, device="cuda")
    product = torch.mm(x, x, out_dtype=torch.float32)
    assert (product.dtype, product.tolist()) == (torch.float32, [[2, 2], [2, 2]])
    assert torch.addmm(product, x, x, out_dtype=torch.float32).tolist() == [[4, 4], [4, 4]]


@pytest.mark.filterwarnings("ignore:Sparse")
def test_a_compressed_result_that_is_written_to_an_argument():
    one, two, three = (torch.rand(*size, device="cuda") for size in ((4, 5), (4, 6), (6, 5)))
    compressed = [tensor.to_sparse_csr() for tensor in (one, two, three)]

    result = torch.addmm(*compressed)

    torch.testing.assert_close(result.to_dense(), torch.addmm(one, two, three))


def test_dropout_of_fused_kernels_is_another_at_each_call():
    torch.cuda.manual_seed(0)
    q = torch.rand(1, 2, 8, 8, device="cuda")
    attention = [nn.functional.scaled_dot_product_attention(q, q, q, dropout_p=0.5) for _ in "12"]
    assert not torch.equal(*attention)
    lstm = nn.LSTM(8, 8, num_layers=2, dropout=0.5).cuda()
    x = torch.rand(3, 2, 8, device="cuda")
    assert not torch.equal(lstm(x)[0], lstm(x)[0])


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


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_nested_tensors_with_padding_and_with_rows():
    parts = [torch.ones(2, 4, device="cuda", requires_grad=True), torch.ones(3, 4, device="cuda")]
    nested = torch.nested.as_nested_tensor(parts)
    nested.to_padded_tensor(0).sum().backward()
    assert parts[0].grad.tolist() == [[1] * 4] * 2

    rows = torch.tensor([1.0, 2.0], device="cuda").reshape(2, 1, 1).expand(2, 1, 4)
    assert [part.sum().item() for part in (nested + rows).unbind()] == [16, 36]


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
@pytest.mark.parametrize("dtype", [torch.float, torch.half])
def test_sums_of_sparse_tensors_have_the_entries_of_both(dtype):
    entries = torch.ones(2, dtype=dtype)
    x, y = (torch.sparse_coo_tensor(torch.tensor([[7, 1]]), entries, (9,)).cuda() for _ in range(2))
    assert (x + y)._indices().tolist() == [[7, 1, 7, 1]]
    x += y
    assert x._nnz() == 4
    assert (x - y).to_dense().tolist() == [0, 1, 0, 0, 0, 0, 0, 1, 0]
    for _ in range(3):
        x += y
    assert x._nnz() <= 9  # no more entries than elements


def test_complex_sums_without_nan():
    x = torch.tensor([1 + 1j, complex("nan")], device="cuda")
    assert x.nansum().item() == x.nanmean().item() == 1 + 1j


def test_cudnn_wants_a_contiguous_state():
    with pytest.raises(RuntimeError, match="rnn: hx is not contiguous"):
        nn.GRU(3, 4).cuda()(torch.ones(2, 2, 3, device="cuda"), torch.ones(1, 4, 2).cuda().mT)


def test_embedding_bag_names_the_dtypes():
    bag = nn.EmbeddingBag(5, 2, mode="sum").cuda()
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        bag(
            torch.tensor([[1, 2]], device="cuda"),
            per_sample_weights=torch.ones(1, 2, device="cuda").double(),
        )


@pytest.mark.parametrize("dtype", [torch.float, torch.bfloat16])
def test_cholesky_solve_checks_shapes_before_it_reads(dtype):
    right, factor = (torch.ones(size, device="cuda", dtype=dtype) for size in ((3, 2), (5, 5)))
    with pytest.raises(RuntimeError, match="cholesky_solve: expected batches"):
        torch.ops.aten._cholesky_solve_helper(right, factor, False)


def test_affine_grid_by_cudnn():
    theta = torch.rand(1, 2, 3)
    grids = []
    for device in ("cpu", "cuda"):
        inputs = theta.to(device).requires_grad_()
        if device == "cuda":
            grid = torch.ops.aten.cudnn_affine_grid_generator(inputs, 1, 1, 2, 4)
        else:
            grid = nn.functional.affine_grid(inputs, (1, 1, 2, 4), align_corners=True)
        grids.append([t.cpu() for t in (grid, *torch.autograd.grad(grid.sum(), inputs))])
    torch.testing.assert_close(*grids)


def test_the_parts_of_synchronized_batch_norm():
    norm = nn.BatchNorm2d(3).double()
    nn.init.uniform_(norm.weight)
    x = torch.rand(4, 3, 2, 2, dtype=torch.double, requires_grad=True)
    grad = torch.rand_like(x)
    y = norm(x)
    expected = [y, *torch.autograd.grad(y, (x, norm.weight, norm.bias), grad)]

    aten = torch.ops.aten
    x, grad, weight, bias = (t.detach().cuda() for t in (x, grad, norm.weight, norm.bias))
    each = [aten.batch_norm_stats(half, norm.eps) for half in x.chunk(2)]  # two processes
    means, scales = (torch.stack(t) for t in zip(*each, strict=True))
    counts = torch.full((2, 1), 8.0, device="cuda")
    running = torch.zeros(3, device="cuda").double(), torch.ones(3, device="cuda").double()
    mean, scale = aten.batch_norm_gather_stats_with_counts(
        x, means, scales, *running, norm.momentum, norm.eps, counts
    )
    y = aten.batch_norm_elemt(x, weight, bias, mean, scale, norm.eps)
    sums = aten.batch_norm_backward_reduce(grad, x, mean, scale, weight, True, True, True)
    of_x = aten.batch_norm_backward_elemt(grad, x, mean, scale, weight, *sums[:2], counts)

    torch.testing.assert_close([t.cpu() for t in (y, of_x, *sums[2:])], expected)
    torch.testing.assert_close([t.cpu() for t in running], [norm.running_mean, norm.running_var])


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


def test_flash_attention():
    q, k, v = (torch.rand(2, 2, 5, 8, dtype=torch.half) for _ in "qkv")
    with nn.attention.sdpa_kernel(nn.attention.SDPBackend.FLASH_ATTENTION):
        inputs = [t.cuda().requires_grad_() for t in (q, k, v)]
        out = nn.functional.scaled_dot_product_attention(*inputs, is_causal=True)
        assert out.grad_fn.name() == "ScaledDotProductFlashAttentionBackward0"
        found = out, *torch.autograd.grad(out.sum(), inputs)
        with pytest.raises(RuntimeError, match="No available kernel"):
            nn.functional.scaled_dot_product_attention(*(t.float() for t in inputs))
    inputs = [t.float().requires_grad_() for t in (q, k, v)]
    out = nn.functional.scaled_dot_product_attention(*inputs, is_causal=True)
    expected = out, *torch.autograd.grad(out.sum(), inputs)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one.cpu().float(), other, atol=2e-3, rtol=2e-3)


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


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_layer_norm_of_nested_tensors_has_gradients():
    norm = nn.LayerNorm(4).cuda()
    x = torch.rand(2, 4, device="cuda", requires_grad=True)
    nested = torch.nested.as_nested_tensor([x, torch.rand(3, 4, device="cuda")])
    (found,) = torch.autograd.grad(norm(nested).unbind()[0].square().sum(), x)
    (expected,) = torch.autograd.grad(norm(x).square().sum(), x)
    torch.testing.assert_close(found, expected)


@pytest.mark.filterwarnings("ignore:Sparse invariant checks", "ignore:The PyTorch API of Masked")
def test_masked_reductions_with_a_sparse_mask_that_is_broadcast():
    x = torch.arange(6.0, device="cuda").reshape(2, 3).to_sparse()
    mask = torch.tensor([[True], [False]], device="cuda").to_sparse()
    largest = torch.masked.amax(x, 1, mask=mask)
    assert largest.to_dense().tolist()[0] == 2


def test_flash_attention_shows_what_dropout_drops():
    q = torch.rand(1, 2, 16, 8, dtype=torch.half, device="cuda")
    v = torch.eye(16, dtype=torch.half, device="cuda").expand(1, 2, 16, 16)
    out, *_, shown = torch.ops.aten._scaled_dot_product_flash_attention(q, q, v, 0.5, False, True)
    assert torch.equal(out == 0, shown < 0)
