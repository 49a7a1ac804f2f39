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
