// What CUDA computes in one kernel, the CPU in several: cells, norms, softmax, attention, products.
#pragma once
#include <ATen/native/transformers/attention.h>

#include "attention_choice.h"
#include "call.h"

namespace simulated_cuda {
// ---- One step of LSTM and GRU in one kernel (aten/src/ATen/native/cuda/RNN.cu)

// Splits each row of a matrix into equal parts, one for each gate.
inline std::vector<Tensor> gates_of(const Tensor& t, int64_t count) {
  TORCH_CHECK(t.defined() && t.dim() == 2 && t.size(1) % count == 0, "Expected a matrix with ",
              count, " gates in each row");
  return t.split_with_sizes(std::vector<int64_t>(count, t.size(1) / count), 1);
}
inline void lstm_cell(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto gates = c.tensor("input_gates") + c.tensor("hidden_gates");
  if (auto bias = c.maybe("input_bias")) gates = gates + *bias + c.tensor("hidden_bias");
  auto parts = gates_of(gates, 4);
  auto i = parts[0].sigmoid(), f = parts[1].sigmoid(), g = parts[2].tanh(), o = parts[3].sigmoid();
  auto cy = f * c.tensor("cx") + i * g;
  c.returns(o * cy.tanh(), cy, at::cat({i, f, g, o}, 1));
}
inline void lstm_cell_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto parts = gates_of(c.tensor("workspace"), 4);
  auto &i = parts[0], &f = parts[1], &g = parts[2], &o = parts[3];
  auto cx = c.tensor("cx"), tanh = c.tensor("cy").tanh();
  auto dh = or_zeros(c.tensor("grad_hy"), tanh), dc = dh * o * (1 - tanh * tanh);
  if (auto more = c.maybe("grad_cy")) dc = dc + *more;
  auto gates = at::cat(
      {dc * g * i * (1 - i), dc * cx * f * (1 - f), dc * i * (1 - g * g), dh * tanh * o * (1 - o)},
      1);
  c.returns(gates, dc * f, c.flag("has_bias") ? gates.sum(0) : Tensor());
}
inline void gru_cell(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto gates = [&](const char* name, const char* bias) {
    auto t = c.tensor(name);
    return gates_of(c.maybe(bias) ? t + c.tensor(bias) : t, 3);
  };
  auto x = gates("input_gates", "input_bias"), h = gates("hidden_gates", "hidden_bias");
  auto hx = c.tensor("hx"), r = (x[0] + h[0]).sigmoid(), z = (x[1] + h[1]).sigmoid(),
       n = (x[2] + r * h[2]).tanh();
  c.returns(n + z * (hx - n), at::cat({r, z, n, hx, h[2]}, 1));
}
inline void gru_cell_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto parts = gates_of(c.tensor("workspace"), 5);
  auto &r = parts[0], &z = parts[1], &n = parts[2], &hx = parts[3], &h2 = parts[4];
  auto grad = c.tensor("grad_hy");
  auto dn = grad * (1 - z) * (1 - n * n), dz = grad * (hx - n) * z * (1 - z),
       dr = dn * h2 * r * (1 - r);
  auto x = at::cat({dr, dz, dn}, 1), h = at::cat({dr, dz, dn * r}, 1);
  bool bias = c.flag("has_bias");
  c.returns(x, h, grad * z, bias ? x.sum(0) : Tensor(), bias ? h.sum(0) : Tensor());
}

// ---- RMS norm in one kernel (aten/src/ATen/native/cuda/layer_norm_kernel.cu)

inline std::vector<int64_t> last_dimensions(const Tensor& x, size_t count) {
  std::vector<int64_t> dimensions(count);
  for (size_t i = 0; i < count; ++i) dimensions[i] = x.dim() - int64_t(count - i);
  return dimensions;
}
inline Tensor rms_scale(const Tensor& x, size_t dimensions, double eps) {
  return (x.square().mean(last_dimensions(x, dimensions), true) + eps).rsqrt();
}
inline void rms_norm(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto x = c.tensor("input").contiguous();
  auto wide = x.scalar_type() == kHalf || x.scalar_type() == kBFloat16 ? kFloat : x.scalar_type();
  double eps = c["eps"].isNone() ? (wide == kDouble ? std::numeric_limits<double>::epsilon()
                                                    : std::numeric_limits<float>::epsilon())
                                 : c.number("eps");
  auto scale = rms_scale(x.to(wide), c.sizes("normalized_shape").size(), eps);
  auto y = x.to(wide) * scale;
  if (auto weight = c.maybe("weight")) y = y * *weight;
  c.returns(y.to(x.scalar_type()), scale);
}
inline void rms_norm_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto x = c.tensor("input").contiguous(), scale = c.tensor("rstd");
  auto weight = c.maybe("weight");
  auto shape = c.sizes("normalized_shape");
  auto grad = c.tensor("grad_out").contiguous().to(scale.scalar_type()),
       wide = x.to(scale.scalar_type());
  auto into = weight ? grad * *weight : grad;
  auto normal = wide * scale;
  auto gx = scale * (into - normal * (into * normal).mean(last_dimensions(x, shape.size()), true));
  auto needed = c.mask<2>("output_mask");
  c.returns(needed[0] ? gx.to(x.scalar_type()) : Tensor(),
            weight && needed[1] ? (grad * normal).sum_to_size(shape).to(weight->scalar_type())
                                : Tensor());
}

// ---- Softmax that widens half precision in one step (aten/src/ATen/native/cuda/SoftMax.cu)

template <Tensor (*softmax)(const Tensor&, int64_t, bool)>
void widening(const c10::OperatorHandle& op, Stack* stack) {
  if (!stack->back().toBool()) return op.redispatchBoxed(DispatchKeySet(DispatchKey::CPU), stack);
  Call c(op, stack);
  auto x = c.tensor("self");
  TORCH_CHECK(x.scalar_type() == kHalf || x.scalar_type() == kBFloat16,
              "conversion is supported for Half and BFloat16 type only");
  c.returns(softmax(x.to(kFloat), c.integer("dim"), false));
}
template <Tensor (*backward)(const Tensor&, const Tensor&, int64_t, ScalarType)>
void narrowing(const c10::OperatorHandle& op, Stack* stack) {
  auto dtype = (stack->end() - op.schema().arguments().size())->toTensor().scalar_type();
  if (stack->back().toScalarType() == dtype)
    return op.redispatchBoxed(DispatchKeySet(DispatchKey::CPU), stack);
  Call c(op, stack);
  auto grad = c.tensor("grad_output");
  c.returns(backward(grad, c.tensor("output"), c.integer("dim"), grad.scalar_type())
                .to(c["input_dtype"].toScalarType()));
}

// ---- Attention in one kernel (aten/src/ATen/native/transformers/cuda/attention.cu)

// A head of the key or value for each of the query's: a group of these may share one.
inline Tensor for_each_head(const Tensor& t, const Tensor& query) {
  TORCH_CHECK(t.size(1) > 0 && query.size(1) % t.size(1) == 0, "Expected the number of heads, ",
              query.size(1), ", to be a multiple of that of keys and values, ", t.size(1));
  return t.size(1) == query.size(1) ? t : t.repeat_interleave(query.size(1) / t.size(1), 1);
}
inline Tensor causal_mask(const Tensor& scores) {
  return at::ones(scores.sizes().slice(scores.dim() - 2), kBool).tril().logical_not();
}
// The composite version takes a mask or `is_causal`, the kernels both.
inline Tensor plain_attention(const Call& c, const Tensor& q, const Tensor& k, const Tensor& v,
                              std::optional<Tensor> mask) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool causal = c.flag("is_causal");
  if (mask && causal) mask = mask->masked_fill(causal_mask(*mask), -infinity), causal = false;
  std::optional<double> scale =
      c["scale"].isNone() ? std::nullopt : std::optional<double>(c.number("scale"));
  return std::get<0>(at::_scaled_dot_product_attention_math(
      q, for_each_head(k, q), for_each_head(v, q), mask, std::max(0.0, c.number("dropout_p")),
      causal, std::nullopt, scale));
}
// aten/src/ATen/native/transformers/cuda/attention.cu, and `check_supported` of the kernel
// (mem_eff_attention/kernel_forward.h)
inline void check_bias(const Tensor& bias, const Tensor& q) {
  TORCH_CHECK(bias.scalar_type() == q.scalar_type(),
              "invalid dtype for bias - should match query's dtype");
  TORCH_CHECK(bias.stride(-1) == 1, "(*bias): last dimension must be contiguous");
  constexpr std::array names{"strideB). attn_bias.stride( 0", "strideH). attn_bias.stride(1",
                             "strideM). attn_bias.stride(2"};
  int64_t aligned = is_narrow(q) ? 8 : 4;
  for (int64_t d = 0; d < 3; ++d)
    TORCH_CHECK(q.size(d) <= 1 || bias.stride(d) % aligned == 0,
                "attn_bias is not correctly aligned (", names[d], ") = ", bias.stride(d),
                ", and should be a multiple of ", aligned, ".");
}
inline void efficient_attention(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto q = c.tensor("query");
  if (auto bias = c.maybe("attn_bias")) check_bias(*bias, q);
  auto seed = c.number("dropout_p") > 0 ? new_seed() : 0;
  AsDefault seeded(seed);
  auto out = plain_attention(c, q, c.tensor("key"), c.tensor("value"), c.maybe("attn_bias"));
  out = out.transpose(1, 2).contiguous().transpose(
      1, 2);  // the kernel writes (batch, length, heads, width)
  int64_t rows = c.flag("compute_log_sumexp") ? (q.size(2) + 31) / 32 * 32 : 0;
  c.returns(out, at::zeros({q.size(0), q.size(1), rows}, q.options().dtype(kFloat)),
            at::scalar_tensor(static_cast<int64_t>(seed), kLong), at::scalar_tensor(0, kLong));
}
inline void efficient_attention_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto& context = globalContext();
  if (context.deterministicAlgorithms() && context.deterministicAlgorithmsWarnOnly()) {
    TORCH_WARN_ONCE(
        "Memory Efficient attention defaults to a non-deterministic algorithm. To explicitly "
        "enable determinism call torch.use_deterministic_algorithms(True, warn_only=False).");
  }
  auto bias = c.tensor("attn_bias");
  std::vector<Tensor> inputs = {c.tensor("query"), c.tensor("key"), c.tensor("value")};
  if (bias.defined()) inputs.push_back(bias);
  AsDefault seeded(static_cast<uint64_t>(c.tensor("philox_seed").item<int64_t>()));
  auto found = gradients(inputs, {c.tensor("grad_out_")}, [&](const std::vector<Tensor>& t) {
    return std::vector<Tensor>{plain_attention(
        c, t[0], t[1], t[2], bias.defined() ? std::optional<Tensor>(t[3]) : std::nullopt)};
  });
  auto needed = c.mask<4>("grad_input_mask");
  for (size_t i = 0; i < inputs.size(); ++i) found[i] = or_zeros(found[i], inputs[i]);
  c.returns(found[0], found[1], found[2], bias.defined() && needed[3] ? found[3] : Tensor());
}
// A seed and an offset.
inline Tensor philox_state(uint64_t seed) {
  auto state = at::zeros({2}, kUInt64);
  *state.mutable_data_ptr<uint64_t>() = seed;
  return state;
}
// The same by FlashAttention, which has no mask and saves the logarithm of each row's sum.
inline void flash_attention(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto q = c.tensor("query"), k = for_each_head(c.tensor("key"), q);
  TORCH_CHECK(is_narrow(q), "FlashAttention only support fp16 and bf16 data type");
  TORCH_CHECK(q.size(3) % 8 == 0, "head_size must be a multiple of 8, this is ensured by padding!");
  auto p_dropout = c.number("dropout_p");
  TORCH_CHECK(p_dropout < 1.f);
  auto seed = p_dropout > 0 ? new_seed() : 0;
  AsDefault seeded(seed);
  auto out = plain_attention(c, q, k, c.tensor("value"), std::nullopt);
  if (out.sizes() == q.sizes()) out = at::empty_like(q).copy_(out);  // with its strides
  auto scores = at::matmul(q.to(kFloat), k.to(kFloat).transpose(-2, -1)) *
                (c["scale"].isNone() ? 1 / std::sqrt(double(q.size(3))) : c.number("scale"));
  if (c.flag("is_causal"))
    scores.masked_fill_(causal_mask(scores), -std::numeric_limits<double>::infinity());
  // For debugging: the probabilities, negative where dropout drops them. With one-hot values the
  // result is what is left of them.
  auto shown = at::empty({0}, q.options());
  if (c.flag("return_debug_mask") && p_dropout > 0) {
    AsDefault again(seed);
    auto left = plain_attention(
        c, q, k, at::eye(k.size(2), q.options()).expand({q.size(0), q.size(1), -1, -1}),
        std::nullopt);
    auto probabilities = scores.softmax(-1).to(q.scalar_type());
    shown = at::where(left == 0, -probabilities, probabilities);
  }
  c.returns(out, scores.logsumexp(-1), Tensor(), Tensor(), q.size(2), k.size(2), philox_state(seed),
            at::empty({}, kUInt64), shown);
}
inline void flash_attention_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  std::vector<Tensor> inputs = {c.tensor("query"), c.tensor("key"), c.tensor("value")};
  AsDefault seeded(*c.tensor("philox_seed").const_data_ptr<uint64_t>());
  auto found = gradients(inputs, {c.tensor("grad_out")}, [&](const std::vector<Tensor>& t) {
    return std::vector<Tensor>{plain_attention(c, t[0], t[1], t[2], std::nullopt)};
  });
  for (size_t i = 0; i < inputs.size(); ++i) found[i] = or_zeros(found[i], inputs[i]);
  c.returns(found[0], found[1], found[2]);
}
// Sequences that lie one after another, as in jagged nested tensors: (tokens, heads, width), and a
// dimension of 1 before for the efficient kernel. `starts` are the first tokens of each, and the
// end.
template <bool flash>
std::vector<Tensor> packed_attention(const Call& c, const std::vector<Tensor>& inputs) {
  auto q = flash ? inputs[0] : inputs[0].squeeze(0), k = flash ? inputs[1] : inputs[1].squeeze(0),
       v = flash ? inputs[2] : inputs[2].squeeze(0);
  auto starts_q = c.maybe(flash ? "cum_seq_q" : "cu_seqlens_q"),
       starts_k = c.maybe(flash ? "cum_seq_k" : "cu_seqlens_k");
  TORCH_CHECK_NOT_IMPLEMENTED(starts_q && starts_k && (flash || !c.maybe("bias")),
                              "The simulated CUDA device runs this kernel of attention for "
                              "sequences that are packed, without a bias.");
  int64_t mask_type = flash ? (c.flag("is_causal") ? 2 : 0) : c.integer("custom_mask_type");
  auto scale = c["scale"].isNone() ? std::nullopt : std::optional<double>(c.number("scale"));
  std::vector<Tensor> parts;
  for (int64_t i = 0; i + 1 < starts_q->numel(); ++i) {
    auto part = [i](const Tensor& t, const Tensor& starts) {
      return t.slice(0, starts[i].item<int64_t>(), starts[i + 1].item<int64_t>()).transpose(0, 1);
    };
    auto q_part = part(q, *starts_q), k_part = part(k, *starts_k);
    std::optional<Tensor> mask;
    if (mask_type)  // 1: of the first keys; 2: of the last
      mask = at::full({q_part.size(1), k_part.size(1)}, -std::numeric_limits<double>::infinity(),
                      q.options())
                 .triu(mask_type == 2 ? k_part.size(1) - q_part.size(1) + 1 : 1);
    auto out = std::get<0>(at::_scaled_dot_product_attention_math(
        q_part, k_part, part(v, *starts_k), mask, c.number("dropout_p"), false, {}, scale));
    parts.push_back(out.transpose(0, 1));
  }
  auto all = at::cat(parts);
  return {flash ? all : all.unsqueeze(0)};
}
template <bool flash>
void packed_forward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto q = c.tensor("query");
  auto seed = c.number("dropout_p") > 0 ? new_seed() : 0;
  AsDefault seeded(seed);
  auto out = packed_attention<flash>(c, {q, c.tensor("key"), c.tensor("value")})[0];
  auto sums = at::zeros({q.size(-2), q.size(-3)}, q.options().dtype(kFloat));  // nobody reads these
  if constexpr (flash)
    c.returns(out, sums, philox_state(seed), at::empty({}, kUInt64), at::empty({0}, q.options()));
  else
    c.returns(out, sums.unsqueeze(0), at::scalar_tensor(static_cast<int64_t>(seed), kLong),
              at::scalar_tensor(0, kLong), c["max_seqlen_q"], c["max_seqlen_k"]);
}
template <bool flash>
void packed_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  std::vector<Tensor> inputs = {c.tensor("query"), c.tensor("key"), c.tensor("value")};
  AsDefault seeded(flash ? *c.tensor("rng_state").const_data_ptr<uint64_t>()
                         : uint64_t(c.tensor("philox_seed").item<int64_t>()));
  auto found =
      gradients(inputs, {c.tensor(flash ? "grad_out" : "grad_out_")},
                [&](const std::vector<Tensor>& t) { return packed_attention<flash>(c, t); });
  for (size_t i = 0; i < inputs.size(); ++i) found[i] = or_zeros(found[i], inputs[i]);
  c.returns(found[0], found[1], found[2]);
  if (!flash) c.returns(Tensor());
}
// ---- Products of half precision that are kept in single precision
// (aten/src/ATen/native/cuda/Blas.cpp)

inline Tensor wide(const Call& c, const char* one, const char* other) {
  auto dtype = c["out_dtype"].toScalarType(), own = c.tensor(one).scalar_type();
  TORCH_CHECK(dtype == own || (dtype == kFloat && (own == kHalf || own == kBFloat16)),
              "out_dtype must be the same as input dtype or fp32 for fp16/bf16 inputs");
  return at::matmul(c.tensor(one).to(dtype), c.tensor(other).to(dtype));
}
inline Tensor with_product(const Call& c, const Tensor& product) {
  return c.tensor("self").to(product.scalar_type()) * c["beta"].toScalar() +
         product * c["alpha"].toScalar();
}
inline Tensor wide_mm(const Call& c) { return wide(c, "self", "mat2"); }
inline Tensor wide_addmm(const Call& c) { return with_product(c, wide(c, "mat1", "mat2")); }
inline Tensor wide_baddbmm(const Call& c) { return with_product(c, wide(c, "batch1", "batch2")); }
}  // namespace simulated_cuda
