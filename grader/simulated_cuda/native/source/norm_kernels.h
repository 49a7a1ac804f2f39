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
// Without these the CPU's kernels read past the end: a value for each channel, and statistics where
// the kernel takes them from its caller. aten/src/ATen/native/cudnn/BatchNorm.cpp checks the same.
inline void check_channels(const c10::FunctionSchema& schema, Values values) {
  auto full_name = schema.name().substr(6);
  auto* name = full_name.c_str();
  bool backward = full_name.find("backward") != std::string::npos;
  auto* flag = argument(schema, values, backward ? "train" : "training");
  bool trains = !flag || flag->toBool();
  auto input = tensor_named(schema, values, "input");
  at::TensorArg x{input, "input", 1};
  at::checkDimRange(name, x, 2, 6);
  int64_t statistics = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    auto& label = schema.arguments()[i].name();
    auto t = tensor_named(schema, values, label.c_str());
    at::TensorArg tensor{t, label.c_str(), static_cast<int>(i + 1)};
    if (!t.defined()) continue;
    if (label.rfind("grad_", 0) == 0) at::checkSameSize(name, x, tensor);
    bool is_read = backward ? label.rfind(trains ? "save_" : "running_", 0) == 0
                            : label.rfind("running_", 0) == 0;
    statistics += is_read;
    if (is_read || label == "weight" || label == "bias")
      at::checkNumel(name, tensor, input.size(1));
  }
  TORCH_CHECK(statistics == 2 || (trains && !backward), name, ": expected ",
              trains ? "saved" : "running", " statistics, a mean and a variance");
}
inline void norm_with_statistics(const c10::OperatorHandle& op, Stack* stack) {
  auto& schema = op.schema();
  auto begin = stack->size() - schema.arguments().size();
  auto values = Values(*stack).slice(begin);
  if (schema.name().find("batch_norm") != std::string::npos) check_channels(schema, values);
  auto weight = tensor_named(schema, values, "weight");
  auto dtype = (weight.defined() ? weight : tensor_named(schema, values, "input")).scalar_type();
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
// aten/src/ATen/native/cuda/group_norm.cpp: the result is contiguous, whatever the input's format.
inline void group_norm(const c10::OperatorHandle& op, Stack* stack) {
  for (auto i = stack->size() - op.schema().arguments().size(); i < stack->size(); ++i)
    if (auto& value = (*stack)[i]; value.isTensor() && value.toTensor().defined())
      value = value.toTensor().contiguous();
  compute_widened(op, stack, DispatchKey::CPU);
}
}  // namespace simulated_cuda
