"""Models of published libraries, tiny and with random weights, are accused of nothing.

    pip install -c constraints.txt -e '.[tests,published]'

Without the extra `published` these tests are skipped; CI does without it, since it would more than
double what CI installs.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit

pytestmark = [pytest.mark.nightly, pytest.mark.slow]

VOCABULARY = {"vocab_size": 64}
SIZE = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}
GROUPED = SIZE | {"num_key_value_heads": 2}
GPT = {"n_embd": 32, "n_layer": 2, "n_head": 4}
BLOOM = {"hidden_size": 32, "n_layer": 2, "n_head": 4}
DISTILLED = {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64}
OPT = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 64}
XLNET = {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 64}
T5 = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4}
BOTH_WAYS = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
}
SPECIAL = {
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1,
}  # fmt: skip
HEARING = {
    "conv_dim": (16, 16),
    "conv_kernel": (5, 3),
    "conv_stride": (4, 2),
    "num_feat_extract_layers": 2,
    "num_conv_pos_embeddings": 8,
    "num_conv_pos_embedding_groups": 2,
    "mask_time_length": 2,
}
PATCHES = {"image_size": 32, "patch_size": 8}
WINDOWS = {
    "image_size": 32, "patch_size": 4, "embed_dim": 16, "depths": [1, 1], "num_heads": [2, 2],
    "window_size": 2,
}  # fmt: skip
PYRAMID = {
    "num_encoder_blocks": 2, "depths": [1, 1], "sr_ratios": [2, 1], "hidden_sizes": [8, 16],
    "patch_sizes": [7, 3], "strides": [4, 2], "num_attention_heads": [1, 2], "mlp_ratios": [2, 2],
}  # fmt: skip


def tokens() -> dict[str, torch.Tensor]:
    return {"input_ids": torch.randint(5, 64, (2, 8))}


def both_tokens() -> dict[str, torch.Tensor]:
    return tokens() | {"decoder_input_ids": torch.randint(5, 64, (2, 8))}


def image() -> dict[str, torch.Tensor]:
    return {"pixel_values": torch.randn(2, 3, 32, 32)}


def sound() -> dict[str, torch.Tensor]:
    return {"input_values": torch.randn(2, 400)}


def spectrum() -> dict[str, torch.Tensor]:
    ids = torch.randint(5, 64, (2, 8))
    return {"input_features": torch.randn(2, 8, 20), "decoder_input_ids": ids}


TEXT = VOCABULARY | SIZE
LANGUAGE_MODELS = [
    ("BertForMaskedLM", "BertConfig", TEXT),
    ("RobertaModel", "RobertaConfig", TEXT),
    ("DistilBertModel", "DistilBertConfig", VOCABULARY | DISTILLED),
    ("AlbertModel", "AlbertConfig", TEXT | {"embedding_size": 16}),
    ("ElectraModel", "ElectraConfig", TEXT | {"embedding_size": 16}),
    ("DebertaV2Model", "DebertaV2Config", TEXT),
    ("XLNetModel", "XLNetConfig", VOCABULARY | XLNET),
    ("GPT2LMHeadModel", "GPT2Config", VOCABULARY | GPT),
    ("GPTJForCausalLM", "GPTJConfig", VOCABULARY | GPT | {"rotary_dim": 4}),
    ("GPTNeoXForCausalLM", "GPTNeoXConfig", TEXT),
    ("OPTForCausalLM", "OPTConfig", VOCABULARY | OPT | {"word_embed_proj_dim": 32}),
    ("BloomForCausalLM", "BloomConfig", VOCABULARY | BLOOM),
    ("FalconForCausalLM", "FalconConfig", TEXT),
    ("LlamaForCausalLM", "LlamaConfig", TEXT),
    ("MistralForCausalLM", "MistralConfig", VOCABULARY | GROUPED),
    ("MixtralForCausalLM", "MixtralConfig",
     VOCABULARY | GROUPED | {"num_local_experts": 2, "experts_implementation": "eager"}),
    ("Qwen2ForCausalLM", "Qwen2Config", VOCABULARY | GROUPED),
    ("GemmaForCausalLM", "GemmaConfig", VOCABULARY | GROUPED | {"head_dim": 8}),
    ("PhiForCausalLM", "PhiConfig", TEXT),
    ("MambaForCausalLM", "MambaConfig",
     VOCABULARY | {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4}),
]  # fmt: skip
OTHERS = [
    ("T5ForConditionalGeneration", "T5Config", VOCABULARY | T5, both_tokens),
    ("BartForConditionalGeneration", "BartConfig", VOCABULARY | BOTH_WAYS, tokens),
    ("ViTForImageClassification", "ViTConfig", SIZE | PATCHES, image),
    ("DeiTModel", "DeiTConfig", SIZE | PATCHES, image),
    ("BeitModel", "BeitConfig", SIZE | PATCHES, image),
    ("Dinov2Model", "Dinov2Config",
     PATCHES | {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}, image),
    ("SwinModel", "SwinConfig", WINDOWS, image),
    ("SegformerModel", "SegformerConfig", PYRAMID, image),
    ("ConvNextModel", "ConvNextConfig",
     {"hidden_sizes": [8, 8, 8, 8], "depths": [1, 1, 1, 1]}, image),
    ("ResNetModel", "ResNetConfig",
     {"embedding_size": 8, "hidden_sizes": [8, 8], "depths": [1, 1]}, image),
    ("CLIPModel", "CLIPConfig",
     {"text_config": TEXT | {"eos_token_id": 2}, "vision_config": SIZE | PATCHES},
     lambda: tokens() | image()),
    ("Wav2Vec2Model", "Wav2Vec2Config", TEXT | HEARING, sound),
    ("HubertModel", "HubertConfig", TEXT | HEARING, sound),
    ("WhisperModel", "WhisperConfig",
     VOCABULARY | BOTH_WAYS | SPECIAL
     | {"num_mel_bins": 8, "max_source_positions": 10, "max_target_positions": 20}, spectrum),
]  # fmt: skip


def assert_passes(make: Callable[[], nn.Module], inputs: Any) -> None:
    report = audit(make, inputs)

    assert [finding for finding in report.findings if finding.severity == "error"] == []
    assert report.verdict == "passed", report.message


@pytest.mark.parametrize(
    ("model", "config", "options", "inputs"),
    [*((*model, tokens) for model in LANGUAGE_MODELS), *OTHERS],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_transformer_passes(
    model: str, config: str, options: dict[str, Any], inputs: Callable[[], Any]
):
    transformers = pytest.importorskip("transformers")
    make, settings = getattr(transformers, model), getattr(transformers, config)

    assert_passes(lambda: make(settings(**options)), inputs())


def test_x_transformers_pass():
    library = pytest.importorskip("x_transformers")

    def decoder() -> nn.Module:
        layers = library.Decoder(dim=32, depth=2, heads=4, rotary_pos_emb=True)
        return library.TransformerWrapper(num_tokens=64, max_seq_len=16, attn_layers=layers)

    def encoder() -> nn.Module:
        layers = library.Encoder(dim=32, depth=2, heads=4, alibi_pos_bias=True, alibi_num_heads=2)
        return library.ContinuousTransformerWrapper(
            dim_in=8, dim_out=8, max_seq_len=16, attn_layers=layers
        )

    assert_passes(decoder, torch.randint(64, (2, 8)))
    assert_passes(encoder, torch.randn(2, 8, 8))


@pytest.mark.parametrize(
    ("name", "options", "size"),
    [
        ("VectorQuantize", {"dim": 16, "codebook_size": 12}, 16),
        ("ResidualVQ", {"dim": 16, "codebook_size": 12, "num_quantizers": 3}, 16),
        ("LFQ", {"dim": 4, "codebook_size": 16}, 4),
        ("FSQ", {"levels": [5, 4, 3]}, 3),
    ],
)
def test_a_vector_quantiser_passes(name: str, options: dict[str, Any], size: int):
    library = pytest.importorskip("vector_quantize_pytorch")

    assert_passes(lambda: getattr(library, name)(**options), torch.randn(2, 10, size))


def test_a_rotary_embedding_passes():
    library = pytest.importorskip("rotary_embedding_torch")

    class Rotated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rotary = library.RotaryEmbedding(dim=8)
            self.query = nn.Linear(8, 8)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.rotary.rotate_queries_or_keys(self.query(x))

    assert_passes(Rotated, torch.randn(2, 4, 6, 8))
