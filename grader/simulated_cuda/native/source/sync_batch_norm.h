// The parts of batch norm that SyncBatchNorm computes between its messages
// (aten/src/ATen/native/cuda/Normalization.cu).
#pragma once
#include "call.h"

namespace simulated_cuda {
// All statistics are of channels, and in single precision for inputs of half precision.
inline Tensor widened(const Tensor& x) { return is_half(x.scalar_type()) ? x.to(kFloat) : x; }
inline std::vector<int64_t> all_but_channels(const Tensor& x) {
  TORCH_CHECK(x.dim() >= 2, "batch_norm: expected an input of at least 2 dimensions, but got ",
              x.dim());
  std::vector<int64_t> dimensions = {0};
  for (int64_t i = 2; i < x.dim(); ++i) dimensions.push_back(i);
  return dimensions;
}
inline Tensor per_channel(const Tensor& statistic, const Tensor& x) {
  std::vector<int64_t> shape(x.dim(), 1);
  shape.at(1) = -1;
  return statistic.reshape(shape);
}

inline void batch_norm_stats(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto x = widened(c.tensor("input"));
  auto [variance, mean] = at::var_mean(x, all_but_channels(x), /*unbiased=*/false);
  c.returns(mean, (variance + c.number("eps")).rsqrt());
}

inline Tensor normalized(const Call& c) {
  auto input = c.tensor("input");
  auto y = (widened(input) - per_channel(c.tensor("mean"), input)) *
           per_channel(c.tensor("invstd"), input);
  if (auto weight = c.maybe("weight")) y = y * per_channel(*weight, input);
  if (auto bias = c.maybe("bias")) y = y + per_channel(*bias, input);
  return y.to(input.scalar_type());
}

// Joins the statistics of several processes, one in each row, of which each has seen `counts`
// numbers per channel.
inline void gather_stats(Call& c, const Tensor& counts) {
  auto means = c.tensor("mean"), scales = c.tensor("invstd");
  double eps = c.number("eps"), momentum = c.number("momentum");
  auto weights = counts.to(means.scalar_type()).reshape({-1, 1});
  auto total = weights.sum();
  auto mean = (means * weights).sum(0) / total;
  auto variances = scales.square().reciprocal() - eps;
  auto squares = ((variances + (means - mean).square()) * weights).sum(0);
  if (auto running = c.maybe("running_mean"))
    running->mul_(1 - momentum).add_(mean.to(running->scalar_type()), momentum);
  if (auto running = c.maybe("running_var"))
    running->mul_(1 - momentum).add_((squares / (total - 1)).to(running->scalar_type()), momentum);
  c.returns(mean, (squares / total + eps).rsqrt());
}
inline void batch_norm_gather_stats(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  gather_stats(
      c, at::full({c.tensor("mean").size(0)}, c.integer("count"), c.tensor("mean").options()));
}
inline void batch_norm_gather_stats_with_counts(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  gather_stats(c, c.tensor("counts"));
}

inline void batch_norm_backward_reduce(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto input = c.tensor("input"), grad = widened(c.tensor("grad_out"));
  auto dimensions = all_but_channels(input);
  auto sum = grad.sum(dimensions),
       product = (grad * (widened(input) - per_channel(c.tensor("mean"), input))).sum(dimensions);
  auto weight = c.maybe("weight");
  auto as_weight = [&](const char* needed, const Tensor& t) {
    return c.flag(needed) ? t.to(weight ? weight->scalar_type() : t.scalar_type()) : Tensor();
  };
  auto of_weight = as_weight("weight_g", product * c.tensor("invstd")),
       of_bias = as_weight("bias_g", sum);
  bool needed = c.flag("input_g");
  c.returns(needed ? sum : Tensor(), needed ? product : Tensor(), of_weight, of_bias);
}
inline void batch_norm_backward_elemt(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto input = c.tensor("input"), scale = c.tensor("invstd");
  auto total = c.tensor("count").sum().to(scale.scalar_type());
  auto mean = c.tensor("sum_dy") / total, slope = c.tensor("sum_dy_xmu") / total * scale.square();
  auto centered = widened(input) - per_channel(c.tensor("mean"), input);
  auto grad = (widened(c.tensor("grad_out")) - per_channel(mean, input) -
               centered * per_channel(slope, input)) *
              per_channel(scale, input);
  if (auto weight = c.maybe("weight")) grad = grad * per_channel(*weight, input);
  c.returns(grad.to(input.scalar_type()));
}
}  // namespace simulated_cuda
