// Which kernel `scaled_dot_product_attention` takes, and why not another
// (aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, for a GPU of compute capability 9.0). The
// checks that are not of CUDA alone are PyTorch's own.
#pragma once
#include <ATen/native/transformers/sdp_utils_cpp.h>
#include <torch/version.h>

namespace simulated_cuda {
using sdp::sdp_params;
using Constraint = bool (*)(const sdp_params&, bool);

template <class... Words>
bool refused_because(bool debug, const Words&... words) {
  if (debug) {
    TORCH_WARN(words...);
  }
  return false;
}
inline bool holds(std::initializer_list<Constraint> constraints, const sdp_params& p, bool debug) {
  for (auto constraint : constraints)
    if (!constraint(p, debug)) return false;
  return true;
}
#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 14
constexpr Constraint flash_heads = sdp::check_batch_size_and_num_heads_dense<true>;
constexpr Constraint efficient_heads = sdp::check_batch_size_and_num_heads_dense<false>;
#else
constexpr Constraint flash_heads = sdp::check_batch_size_and_num_heads_dense<true, true, true>;
constexpr Constraint efficient_heads = flash_heads;
#endif

inline bool check_on_cuda(const sdp_params& p, bool debug) {
  return p.query.is_cuda() ||
         refused_because(debug, "All tensors need to be on cuda device. Got query on device: ",
                         p.query.device(), ", key on device: ", p.key.device(),
                         ", value on device: ", p.value.device());
}
inline bool check_flash_width(const sdp_params& p, bool debug) {
  auto q = p.query.sym_size(-1), k = p.key.sym_size(-1), v = p.value.sym_size(-1);
  return (q == k && q == v && q <= 256) ||
         refused_because(debug,
                         "Flash attention requires q,k,v to have the same last dimension and to be "
                         "less than or equal to 256. Got Query.size(-1): ",
                         q, ", Key.size(-1): ", k, ", Value.size(-1): ", v, " instead.");
}
inline bool is_narrow(const Tensor& t) {
  return t.scalar_type() == kHalf || t.scalar_type() == kBFloat16;
}
inline bool check_efficient_width(const sdp_params& p, bool debug) {
  auto q = p.query.sym_size(-1), k = p.key.sym_size(-1), v = p.value.sym_size(-1);
  int64_t aligned = is_narrow(p.query) ? 8 : 4;  // 16 bytes
  return (q == k && q % aligned == 0 && q > 0 && v % aligned == 0 && v > 0) ||
         refused_because(
             debug, "Mem efficient attention requires last dimension of inputs to be divisible by ",
             aligned, ". Got Query.size(-1): ", q, ", Key.size(-1): ", k, ", Value.size(-1): ", v,
             " instead.");
}
inline bool check_causal_square(const sdp_params& p, bool debug) {
  auto q = p.query.sym_size(-2), k = p.key.sym_size(-2);
  return !p.is_causal || q == k ||
         refused_because(
             debug,
             "Flash attention does not support the is_causal flag when seqlen_q != seqlen_k. Got "
             "seqlen_q: ",
             q, " seqlen_k: ", k,
             ". If you would like to use causal attention with non-square masks, please see "
             "CausalAttnMask.");
}
inline bool check_narrow(const sdp_params& p, bool debug) {
  return sdp::check_tensor_dtype(p, std::array{kHalf, kBFloat16}, debug);
}
inline bool check_efficient_dtype(const sdp_params& p, bool debug) {
  return sdp::check_tensor_dtype(p, std::array{kHalf, kFloat, kBFloat16}, debug);
}
inline bool check_cudnn_enabled(const sdp_params&, bool debug) {
  return globalContext().userEnabledCuDNNSDP() ||
         refused_because(debug, "cuDNN attention has been runtime disabled.");
}

inline bool fits_flash(const sdp_params& p, bool debug) {
  return holds(
      {check_on_cuda, sdp::check_tensor_shapes, sdp::check_for_attn_mask, check_flash_width,
       check_causal_square, check_narrow, flash_heads, sdp::check_nonzero_sequence_lengths_dense,
       sdp::check_last_dim_stride_equals_1_dense<true>},
      p, debug);
}
inline bool can_use_flash(const sdp_params& p, bool debug) {
  return sdp::check_runtime_disabled_flash(p, debug) && fits_flash(p, debug);
}
inline bool can_use_efficient(const sdp_params& p, bool debug) {
  return holds(
      {sdp::check_runtime_disabled_mem_efficient, check_on_cuda, sdp::check_tensor_shapes,
       check_efficient_width, sdp::check_nonzero_sequence_lengths_dense,
       sdp::check_last_dim_stride_equals_1_dense<false>, efficient_heads, check_efficient_dtype},
      p, debug);
}
// cuDNN's engines cannot be asked here. FlashAttention computes what both do.
inline bool can_use_cudnn(const sdp_params& p, bool debug) {
  return holds({check_cudnn_enabled, check_on_cuda, sdp::check_tensor_shapes, check_narrow}, p,
               debug) &&
         fits_flash(p, false);
}

// At the first choice CUDA sets the order in which kernels are tried, whatever it was.
inline std::vector<int64_t> order_before;
inline void prefer_cudnn() {
  if (!order_before.empty()) return;
  auto& context = globalContext();
  for (auto backend : context.sDPPriorityOrder()) order_before.push_back(int64_t(backend));
  context.setSDPPriorityOrder(
      {int64_t(SDPBackend::cudnn_attention), int64_t(SDPBackend::flash_attention),
       int64_t(SDPBackend::efficient_attention), int64_t(SDPBackend::math)});
}
inline void forget_order() {
  if (!order_before.empty()) globalContext().setSDPPriorityOrder(order_before);
  order_before.clear();
}

inline SDPBackend best_attention(const sdp_params& p) {
  auto& context = globalContext();
  TORCH_CHECK(context.userEnabledMathSDP() || context.userEnabledFlashSDP() ||
                  context.userEnabledMemEfficientSDP() || context.userEnabledCuDNNSDP(),
              "No viable backend for scaled_dot_product_attention was found. This is likely due to "
              "turning off both the math kernel and the fused kernels.");
  prefer_cudnn();
  bool nested = p.query.is_nested() || p.key.is_nested() || p.value.is_nested();
  for (auto backend : context.sDPPriorityOrder()) {
    if (backend == SDPBackend::math && context.userEnabledMathSDP()) return backend;
    if (nested) continue;  // no kernel of ours takes one
    if (backend == SDPBackend::flash_attention && can_use_flash(p, false)) return backend;
    if (backend == SDPBackend::efficient_attention && can_use_efficient(p, false)) return backend;
    if (backend == SDPBackend::cudnn_attention && can_use_cudnn(p, false))
      return SDPBackend::flash_attention;
  }
  TORCH_WARN("Memory efficient kernel not used because:");
  can_use_efficient(p, true);
  TORCH_WARN("Flash attention kernel not used because:");
  can_use_flash(p, true);
  TORCH_WARN("cuDNN attention kernel not used because:");
  can_use_cudnn(p, true);
  TORCH_CHECK(false, "No available kernel. Aborting execution.");
}
inline sdp_params attention_params(const Tensor& q, const Tensor& k, const Tensor& v,
                                   const std::optional<Tensor>& mask, double dropout, bool causal,
                                   bool grouped) {
  bool masked = mask && mask->defined();
  return {q, k, v, masked ? mask : std::nullopt, dropout, causal, grouped};
}
inline int64_t attention_choice(const Tensor& q, const Tensor& k, const Tensor& v,
                                const std::optional<Tensor>& mask, double dropout, bool causal,
                                std::optional<double>, bool grouped) {
  return static_cast<int64_t>(
      best_attention(attention_params(q, k, v, mask, dropout, causal, grouped)));
}
}  // namespace simulated_cuda
