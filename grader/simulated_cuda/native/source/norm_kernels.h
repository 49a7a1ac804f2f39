// Batch norm and layer norm: what CUDA's kernels check, and the dtype of what they keep.
#pragma once
#include "call.h"

namespace simulated_cuda {
// ---- Statistics: CUDA keeps those of half precision in float (at::toAccumulateType), the CPU in
// half, and the CPU's kernels want running statistics of the parameters' dtype.

inline bool are_statistics(const std::string& name) {
  for (auto* one : {"running_mean", "running_var", "save_mean", "save_invstd", "mean", "rstd"})
    if (name == one) return true;
  return false;
}
inline void norm_with_statistics(const c10::OperatorHandle& op, Stack* stack) {
  auto& schema = op.schema();
  auto begin = stack->size() - schema.arguments().size();
  auto values = Values(*stack).slice(begin);
  auto named = [&](const char* name) {
    auto* value = argument(schema, values, name);
    return value && value->isTensor() ? value->toTensor() : Tensor();
  };
  auto weight = named("weight");
  auto dtype = (weight.defined() ? weight : named("input")).scalar_type();
  std::vector<std::pair<Tensor, Tensor>> kept;
  for (size_t i = begin; i < stack->size(); ++i) {
    auto& value = (*stack)[i];
    if (!value.isTensor() || !value.toTensor().defined() ||
        !are_statistics(schema.arguments()[i - begin].name()) ||
        value.toTensor().scalar_type() == dtype)
      continue;
    kept.emplace_back(value.toTensor(), value.toTensor().to(dtype));
    value = kept.back().second;
  }
  compute_widened(op, stack, DispatchKey::CPU);
  for (auto& [own, used] : kept) own.copy_(used);
  if (schema.name().find("backward") != std::string::npos) return;
  for (size_t i = stack->size() - 2; i < stack->size(); ++i) {
    auto& value = (*stack)[i];
    if (value.toTensor().defined() && is_half(value.toTensor().scalar_type()))
      value = value.toTensor().to(kFloat);
  }
}
}  // namespace simulated_cuda
