"""scaled_dot_product_attention: which kernel is chosen, why not another, and strides."""

import torch
from torch import nn
from torch.backends.cuda import SDPAParams, can_use_efficient_attention, can_use_flash_attention
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as attend

from ..outcomes import message, warned
from ._make import c, g, g1

MATH, FLASH = SDPBackend.MATH, SDPBackend.FLASH_ATTENTION
EFFICIENT = SDPBackend.EFFICIENT_ATTENTION


def _h(*shape, dtype=torch.half, grad=False):
    return torch.zeros(shape, device="cuda", dtype=dtype, requires_grad=grad)


def _form(x):
    """A tensor with its strides, or an exception."""
    node = x.grad_fn.name() if x.grad_fn is not None else None
    return [str(x.dtype), list(x.shape), list(x.stride()), str(x.device), node]


def _said(call):
    """The result or exception, and the warnings on the way."""

    def run():
        torch.backends.cuda.enable_cudnn_sdp(False)  # cuDNN cannot be asked without a GPU
        result = []

        def inner():
            try:
                result.append(_form(call()))
            except Exception as error:
                result.append(message(error))

        heard = warned(inner)
        return {"result": result[0], "warnings": heard}

    return run


def _only(*backends):
    """Facts of typical calls where only these backends may be used."""

    def attend_with(*given, **how):
        with sdpa_kernel(list(backends)):
            return attend(*given, **how)

    q, half, odd = g(2, 2, 4, 8), _h(2, 2, 4, 8), _h(2, 2, 4, 6)
    mask = torch.zeros(4, 4, device="cuda", dtype=torch.half)
    return {
        "float": _said(lambda: attend_with(q, q, q)),
        "double": _said(lambda: attend_with(q.double(), q.double(), q.double())),
        "half": _said(lambda: attend_with(half, half, half)),
        "width 6": _said(lambda: attend_with(odd, odd, odd)),
        "mask": _said(lambda: attend_with(half, half, half, attn_mask=mask)),
        "causal": _said(lambda: attend_with(half, half, half, is_causal=True)),
        "dropout": _said(lambda: attend_with(half, half, half, dropout_p=0.5)),
        "three dimensions": _said(lambda: attend_with(half[0], half[0], half[0])),
        "two dimensions": _said(lambda: attend_with(half[0, 0], half[0, 0], half[0, 0])),
        "grouped": _said(lambda: attend_with(_h(2, 4, 4, 8), half, half, enable_gqa=True)),
        "other heads": _said(lambda: attend_with(_h(2, 4, 4, 8), half, half)),
        "other lengths": _said(lambda: attend_with(half, _h(2, 2, 6, 8), _h(2, 2, 6, 8))),
        "other lengths, causal": _said(
            lambda: attend_with(half, _h(2, 2, 6, 8), _h(2, 2, 6, 8), is_causal=True)
        ),
        "other value width": _said(lambda: attend_with(half, half, _h(2, 2, 4, 16))),
        "wide": _said(lambda: attend_with(*[_h(2, 2, 4, 512)] * 3)),
        "gradient": _said(lambda: attend_with(*[_h(2, 2, 4, 8, grad=True)] * 3)),
        "transposed": _said(lambda: attend_with(*[_h(2, 4, 2, 8).transpose(1, 2)] * 3)),
        "last stride": _said(lambda: attend_with(*[_h(2, 2, 8, 8).transpose(2, 3)] * 3)),
        "empty": _said(lambda: attend_with(*[_h(2, 2, 0, 8)] * 3)),
        "no batch": _said(lambda: attend_with(*[_h(0, 2, 4, 8)] * 3)),
        "other dtypes": _said(lambda: attend_with(half, q, half)),
        "other batches": _said(lambda: attend_with(half, _h(1, 2, 4, 8), half)),
    }


def only_math():
    return _only(MATH)


def only_flash():
    return _only(FLASH)


def only_efficient():
    return _only(EFFICIENT)


def flash_and_efficient():
    return _only(FLASH, EFFICIENT)


def without_cudnn():
    return _only(FLASH, EFFICIENT, MATH)


def _switched_off(call):
    names = ("flash", "mem_efficient", "math", "cudnn")
    for name in names:
        getattr(torch.backends.cuda, f"enable_{name}_sdp")(False)
    try:
        return call()
    finally:
        for name in names:
            getattr(torch.backends.cuda, f"enable_{name}_sdp")(True)


def all_off():
    q, half = g(2, 2, 4, 8), _h(2, 2, 4, 8)
    return {
        "float": lambda: _switched_off(_said(lambda: attend(q, q, q))),
        "half": lambda: _switched_off(_said(lambda: attend(half, half, half))),
        "double": lambda: _switched_off(_said(lambda: attend(q.double(), q.double(), q.double()))),
        "gradient": lambda: _switched_off(_said(lambda: attend(*[_h(2, 2, 4, 8, grad=True)] * 3))),
        "causal": lambda: _switched_off(_said(lambda: attend(q, q, q, is_causal=True))),
        "module": lambda: _switched_off(
            _said(lambda: nn.MultiheadAttention(8, 2).cuda()(g(4, 2, 8), g(4, 2, 8), g(4, 2, 8))[0])
        ),
        "on the CPU": lambda: _switched_off(_said(lambda: attend(c(2, 4), c(2, 4), c(2, 4)))),
        "empty list": lambda: sdpa_kernel([]).__enter__(),
    }


def priorities():
    half = _h(2, 2, 4, 8)

    def ordered(*backends):
        with sdpa_kernel(list(backends), set_priority=True):
            return attend(half, half, half)

    return {
        "order": lambda: [int(x) for x in torch._C._get_sdp_priority_order()],
        "efficient first": _said(lambda: ordered(EFFICIENT, FLASH)),
        "math first": _said(lambda: ordered(MATH, FLASH)),
        "flash first": _said(lambda: ordered(FLASH, EFFICIENT, MATH)),
        "afterwards": lambda: [int(x) for x in torch._C._get_sdp_priority_order()],
    }


def cudnn_first():
    """On a GPU such as an H100, half precision goes to cuDNN."""
    return {"choice": torch._fused_sdp_choice(*[_h(2, 2, 4, 8)] * 3)}


def settings():
    b = torch.backends.cuda
    return {
        "flash": b.flash_sdp_enabled(),
        "efficient": b.mem_efficient_sdp_enabled(),
        "math": b.math_sdp_enabled(),
        "cudnn": b.cudnn_sdp_enabled(),
        "reduced": lambda: b.fp16_bf16_reduction_math_sdp_allowed(),
        "available": lambda: b.is_flash_attention_available(),
        "sdp_kernel": warned(lambda: b.sdp_kernel().__enter__()),
    }


def masks():
    q, half = g(2, 2, 4, 8), _h(2, 2, 4, 8)

    def masked(mask, x=half, **how):
        return _said(lambda: attend(x, x, x, attn_mask=mask, **how))

    ones = torch.ones(4, 4, device="cuda", dtype=torch.bool)
    return {
        "bool": masked(ones),
        "half": masked(ones.half()),
        "float for half": masked(ones.float()),
        "float": masked(ones.float(), q),
        "long": masked(ones.long()),
        "four dimensions": masked(ones.expand(2, 2, 4, 4)),
        "three dimensions": masked(ones.expand(2, 4, 4)),
        "one batch": masked(ones.expand(1, 1, 4, 4)),
        "a row": masked(ones[:1]),
        "a column": masked(ones[:, :1]),
        "wrong": masked(torch.ones(3, 4, device="cuda", dtype=torch.bool)),
        "on the CPU": masked(ones.cpu()),
        "on cuda:1": masked(ones.to("cuda:1")),
        "requires grad": masked(ones.half().requires_grad_()),
        "and causal": masked(ones, is_causal=True),
        "float and causal": masked(ones.float(), q, is_causal=True),
        "and causal, on the CPU": _said(
            lambda: attend(c(2, 4), c(2, 4), c(2, 4), attn_mask=c(2, 2), is_causal=True)
        ),
        "and causal, two dimensions": masked(ones, half[0, 0], is_causal=True),
        "odd length": _said(
            lambda: attend(
                *[_h(2, 2, 5, 8)] * 3, attn_mask=torch.zeros(5, 5, device="cuda", dtype=torch.half)
            )
        ),
    }


def strides():
    one = _h(2, 4, 6, 8)
    shared = _h(2, 6, 3, 4, 8).permute(2, 0, 3, 1, 4)
    few = _h(2, 2, 6, 8)

    def by(backend, *given, **how):
        def run():
            with sdpa_kernel(backend):
                return attend(*given, **how)

        return _said(run)

    narrow = _h(2, 4, 6, 8).transpose(1, 2).contiguous().transpose(1, 2)
    found = {}
    for name, backend in {"flash": FLASH, "efficient": EFFICIENT, "math": MATH}.items():
        found[name] = {
            "plain": by(backend, one, one, one),
            "transposed": by(backend, narrow, narrow, narrow),
            "shared": by(backend, *shared),
            "grouped": by(backend, one, few, few, enable_gqa=True),
            "one head": by(backend, one, one[:, :1], one[:, :1], enable_gqa=True),
            "no gradient": by(backend, one, one, one, is_causal=True),
            "gradient": by(backend, *[_h(2, 4, 6, 8, grad=True)] * 3),
            "other length": by(backend, one, _h(2, 4, 9, 8), _h(2, 4, 9, 8)),
            "float": by(backend, one.float(), one.float(), one.float()),
            "bfloat16": by(backend, *[one.bfloat16()] * 3),
            "width 12": by(backend, *[_h(2, 4, 6, 12)] * 3),
            "scaled": by(backend, one, one, one, scale=0.5),
            "value width": by(backend, one, one, _h(2, 4, 6, 16)),
            "expanded": by(backend, one, one[:, :1].expand_as(one), one[:, :1].expand_as(one)),
        }
    return found


def gradients():
    def run(backend, dtype=torch.half, kv=4, **how):
        q = _h(2, 4, 6, 8, dtype=dtype, grad=True)
        k, v = (_h(2, kv, 6, 8, dtype=dtype, grad=True) for _ in "kv")
        with sdpa_kernel(backend):
            attend(q, k, v, **how).sum().backward()
        return [_form(t.grad) for t in (q, k, v)]

    mask = torch.zeros(6, 6, device="cuda", dtype=torch.half)
    return {
        "flash": lambda: run(FLASH),
        "efficient": lambda: run(EFFICIENT),
        "efficient, float": lambda: run(EFFICIENT, torch.float),
        "efficient, mask": lambda: run(EFFICIENT, attn_mask=mask),
        "math": lambda: run(MATH),
        "causal": lambda: run(FLASH, is_causal=True),
        "grouped": lambda: run(FLASH, kv=2, enable_gqa=True),
        "grouped, math": lambda: run(MATH, kv=2, enable_gqa=True),
    }


def mixed_devices():
    half = _h(2, 2, 4, 8)
    cpu, other = half.cpu(), half.to("cuda:1")
    q = g(2, 2, 4, 8)
    return {
        "key on the CPU": _said(lambda: attend(half, cpu, half)),
        "query on the CPU": _said(lambda: attend(cpu, half, half)),
        "value on the CPU": _said(lambda: attend(half, half, cpu)),
        "key on cuda:1": _said(lambda: attend(half, other, half)),
        "value on cuda:1": _said(lambda: attend(half, half, other)),
        "float, key on the CPU": _said(lambda: attend(q, q.cpu(), q)),
        "float, on cuda:1": _said(lambda: attend(q, g1(2, 2, 4, 8), q)),
        "all on cuda:1": _said(lambda: attend(other, other, other)),
    }


def wrong_arguments():
    half = _h(2, 2, 4, 8)
    return {
        "no dimensions": _said(lambda: attend(_h(), _h(), _h())),
        "one dimension": _said(lambda: attend(_h(4), _h(4), _h(4))),
        "other widths": _said(lambda: attend(half, _h(2, 2, 4, 16), half)),
        "integers": _said(lambda: attend(*[half.long()] * 3)),
        "dropout 2": _said(lambda: attend(half, half, half, dropout_p=2.0)),
        "negative dropout": _said(lambda: attend(half, half, half, dropout_p=-0.5)),
        "heads do not divide": _said(
            lambda: attend(_h(2, 4, 4, 8), _h(2, 3, 4, 8), _h(2, 3, 4, 8), enable_gqa=True)
        ),
        "grouped, two dimensions": _said(
            lambda: attend(half[0, 0], half[0, 0], half[0, 0], enable_gqa=True)
        ),
        "grouped, other heads of the value": _said(
            lambda: attend(_h(2, 4, 4, 8), _h(2, 2, 4, 8), _h(2, 4, 4, 8), enable_gqa=True)
        ),
        "a list": _said(lambda: attend([1.0], [1.0], [1.0])),
    }


def questions():
    """The same questions, asked without a call."""

    def asked(q, k, v, mask=None, dropout=0.0, causal=False, grouped=False):
        params = SDPAParams(q, k, v, mask, dropout, causal, grouped)

        def ask(function):
            heard = []
            answer = []
            heard = warned(lambda: answer.append(function(params, True)))
            return {"answer": answer, "warnings": heard}

        return {
            "flash": lambda: ask(can_use_flash_attention),
            "efficient": lambda: ask(can_use_efficient_attention),
        }

    half = _h(2, 2, 4, 8)
    mask = torch.zeros(4, 4, device="cuda", dtype=torch.half)
    return {
        "half": asked(half, half, half),
        "float": asked(half.float(), half.float(), half.float()),
        "double": asked(half.double(), half.double(), half.double()),
        "mask": asked(half, half, half, mask),
        "width 6": asked(*[_h(2, 2, 4, 6)] * 3),
        "on the CPU": asked(half.cpu(), half.cpu(), half.cpu()),
        "three dimensions": asked(half[0], half[0], half[0]),
        "causal": asked(half, _h(2, 2, 6, 8), _h(2, 2, 6, 8), None, 0.0, True),
        "grouped": asked(_h(2, 4, 4, 8), half, half, None, 0.0, False, True),
        "off": lambda: _switched_off(lambda: {k: f() for k, f in asked(half, half, half).items()}),
    }


def operators():
    torch.backends.cuda.enable_cudnn_sdp(False)
    half, q = _h(2, 2, 4, 8), g(2, 2, 4, 8)
    flash = torch.ops.aten._scaled_dot_product_flash_attention
    efficient = torch.ops.aten._scaled_dot_product_efficient_attention

    def forms(results):
        return [_form(r) if isinstance(r, torch.Tensor) else r for r in results]

    return {
        "flash": lambda: forms(flash(half, half, half)),
        "flash, causal": lambda: forms(flash(half, half, half, 0.0, True)),
        "flash, dropout": lambda: forms(flash(half, half, half, 0.5)),
        "flash, width 6": lambda: forms(flash(*[_h(2, 2, 4, 6)] * 3)),
        "flash, float": lambda: forms(flash(q, q, q)),
        "efficient": lambda: forms(efficient(q, q, q, None, True))[:2],
        "efficient, no sums": lambda: forms(efficient(q, q, q, None, False))[:2],
        "efficient, bias": lambda: forms(efficient(half, half, half, _h(2, 2, 4, 4), True)),
        "choice": lambda: torch._fused_sdp_choice(half, half, half),
        "choice, float": lambda: torch._fused_sdp_choice(q, q, q),
        "choice, double": lambda: torch._fused_sdp_choice(q.double(), q.double(), q.double()),
        "choice, causal": lambda: torch._fused_sdp_choice(q, q, q, is_causal=True),
    }


def modules():
    x, half = g(4, 2, 8), _h(4, 2, 8)

    def encoder(**how):
        return nn.TransformerEncoderLayer(8, 2, 16, **how).cuda()

    def multihead(**how):
        return nn.MultiheadAttention(8, 2, **how).cuda()

    return {
        "multihead": _said(lambda: multihead()(x, x, x)[0]),
        "no weights": _said(lambda: multihead()(x, x, x, need_weights=False)[0]),
        "half": _said(lambda: multihead().half()(half, half, half, need_weights=False)[0]),
        "eval": _said(lambda: multihead().eval()(x, x, x)[0]),
        "no_grad": _said(lambda: torch.no_grad()(multihead(batch_first=True).eval())(x, x, x)[0]),
        "weights": _said(lambda: multihead()(x, x, x)[1]),
        "encoder": _said(lambda: encoder()(x)),
        "encoder, eval": _said(lambda: torch.no_grad()(encoder(batch_first=True).eval())(x)),
        "causal": _said(
            lambda: multihead()(
                x,
                x,
                x,
                attn_mask=nn.Transformer.generate_square_subsequent_mask(4, device="cuda"),
                is_causal=True,
                need_weights=False,
            )[0]
        ),
    }


def causal_biases():
    from torch.nn.attention.bias import causal_lower_right, causal_upper_left

    half = _h(2, 2, 4, 8)
    long = _h(2, 2, 6, 8)
    return {
        "upper left": _said(lambda: attend(half, half, half, attn_mask=causal_upper_left(4, 4))),
        "lower right": _said(lambda: attend(half, long, long, attn_mask=causal_lower_right(4, 6))),
        "wide": _said(lambda: attend(half, long, long, attn_mask=causal_upper_left(4, 6))),
        "and causal": _said(
            lambda: attend(half, half, half, attn_mask=causal_upper_left(4, 4), is_causal=True)
        ),
        "float": _said(lambda: attend(*[half.float()] * 3, attn_mask=causal_lower_right(4, 4))),
    }


def deterministic():
    def run(backend, **how):
        q = _h(2, 2, 4, 8, grad=True)
        torch.use_deterministic_algorithms(True, **how)
        try:
            with sdpa_kernel(backend):
                attend(q, q, q).sum().backward()
        finally:
            torch.use_deterministic_algorithms(False)
        return q.grad

    return {
        "flash": lambda: run(FLASH),
        "efficient": lambda: run(EFFICIENT),
        "efficient, warn only": warned(lambda: run(EFFICIENT, warn_only=True)),
        "math": lambda: run(MATH),
    }
