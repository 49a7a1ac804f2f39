// What CUDA's kernels say of dtypes in words of their own, each with the file of PyTorch that it is
// from. Which dtypes a kernel is not made for is recorded in native/dtypes/.
#pragma once
#include <ATen/AccumulateType.h>
#include <ATen/TensorUtils.h>

#include "checks.h"

namespace simulated_cuda {
inline Tensor tensor_named(const c10::FunctionSchema& schema, Values values, const char* name) {
  auto* value = argument(schema, values, name);
  return value && value->isTensor() ? value->toTensor() : Tensor();
}
// c10/core/TensorImpl.h: `data_ptr<T>()` of a tensor of another dtype.
inline void check_data(const Tensor& t, ScalarType expected) {
  TORCH_CHECK(!t.defined() || t.scalar_type() == expected, "expected scalar type ", expected,
              " but found ", t.scalar_type());
}

// aten/src/ATen/native/cuda/layer_norm_kernel.cu
inline void check_layer_norm(const Plan&, const c10::FunctionSchema& schema, Values values) {
  auto dtype = values[0].toTensor().scalar_type();
  if (!isFloatingType(dtype)) refuse_dtype("LayerNormKernelImpl", toString(dtype));
  for (auto* name : {"weight", "bias"}) check_data(tensor_named(schema, values, name), dtype);
}
// aten/src/ATen/native/cuda/group_norm_kernel.cu: what the CPU mixes, float weights with half.
inline void check_group_norm(const Plan&, const c10::FunctionSchema& schema, Values values) {
  auto dtype = values[0].toTensor().scalar_type();
  auto weight = tensor_named(schema, values, "weight");
  bool is_mixed =
      weight.defined() && weight.scalar_type() == kFloat && at::isReducedFloatingType(dtype);
  if (is_mixed) check_data(weight, dtype);
  if (weight.defined() && weight.scalar_type() != dtype) return;
  auto bias = tensor_named(schema, values, "bias");
  // Only where each channel has one value, both are operands of a TensorIterator.
  if (argument(schema, values, "HxW")->toInt() != 1) return check_data(bias, dtype);
  TORCH_CHECK(!weight.defined() || !bias.defined() || bias.scalar_type() == weight.scalar_type(),
              "Found dtype ", bias.scalar_type(), " but expected ", weight.scalar_type());
}
// aten/src/ATen/native/cuda/Normalization.cuh: parameters are of the input's dtype, or, where the
// first is of another, of the one that it is summed in.
inline void check_batch_norm(const Plan&, const c10::FunctionSchema& schema, Values values) {
  auto& input = values[0].toTensor();
  auto weight = tensor_named(schema, values, "weight"), bias = tensor_named(schema, values, "bias");
  auto& first = weight.defined() ? weight : bias;
  auto kept = tensor_named(schema, values, "running_mean");
  if (!isFloatingType(input.scalar_type())) return;  // the table refuses it
  if (kept.defined() && !isFloatingType(kept.scalar_type()))
    refuse_dtype("batch_norm_update_stats_cuda", toString(kept.scalar_type()));
  if (!first.defined()) return;
  bool is_mixed = first.scalar_type() != input.scalar_type();
  auto expected = is_mixed ? toAccumulateType(input.scalar_type(), true) : input.scalar_type();
  bool is_last = input.dim() > 1 &&
                 (input.is_contiguous() ? input.stride(1) == 1
                                        : input.is_contiguous(input.suggest_memory_format()));
  for (auto& [name, t] : {std::pair{"weight", weight}, std::pair{"bias", bias}}) {
    if (is_last) check_data(t, expected);
    TORCH_CHECK(!t.defined() || t.scalar_type() == expected, "Expected ", name, " to have type ",
                expected, " but got ", t.scalar_type());
  }
}
// aten/src/ATen/native/cudnn/BatchNorm.cpp and, for tensors that it does not take,
// aten/src/ATen/cudnn/Descriptors.cpp
inline void check_cudnn_tensor(ScalarType dtype) {
  TORCH_CHECK(dtype != kByte && dtype != kChar && dtype != kInt,
              "TensorDescriptor does not support ", toString(dtype));
  TORCH_CHECK(isFloatingType(dtype), "getCudnnDataTypeFromScalarType() not supported for ",
              toString(dtype));
}
inline void check_cudnn_batch_norm(const Plan&, const c10::FunctionSchema& schema, Values values) {
  auto input = values[0].toTensor();
  const char* names[] = {"weight", "bias", "running_mean", "running_var"};
  Tensor tensors[4];
  std::vector<at::TensorArg> parameters;
  for (int i = 0; i < 4; ++i) {
    tensors[i] = tensor_named(schema, values, names[i]);
    parameters.emplace_back(tensors[i], names[i], i + 2);
  }
  at::TensorArg x{input, "input", 1};
  auto name = "cudnn_batch_norm";
  if (input.scalar_type() == kHalf)
    at::checkScalarType(name, parameters[0], kFloat);
  else if (input.scalar_type() != kBFloat16 || tensors[0].scalar_type() != kFloat)
    at::checkAllSameType(name, {x, parameters[0]});
  at::checkAllSameType(name, parameters);
  check_cudnn_tensor(input.scalar_type());
}
inline void check_cudnn_dtype(const Plan&, const c10::FunctionSchema&, Values values) {
  check_cudnn_tensor(values[0].toTensor().scalar_type());
}
// aten/src/ATen/native/cuda/DistributionBernoulli.cu
inline void check_probabilities(const Plan&, const c10::FunctionSchema&, Values values) {
  auto dtype = values[1].toTensor().scalar_type();
  TORCH_CHECK(isFloatingType(dtype), "expected probabilities tensor to have floating type, got ",
              dtype);
}
// aten/src/ATen/TensorIterator.cpp, of the iterator in aten/src/ATen/native/cuda/CrossKernel.cu
inline void check_cross(const Plan&, const c10::FunctionSchema&, Values values) {
  auto one = values[0].toTensor().scalar_type(), other = values[1].toTensor().scalar_type();
  TORCH_CHECK(one == other, "Found dtype ", other, " but expected ", one);
}
// aten/src/ATen/native/cuda/Indexing.cu, masked_fill__cuda
inline void check_mask_of_fill(const Plan&, const c10::FunctionSchema& schema, Values values) {
  auto dtype = values[1].toTensor().scalar_type();
  TORCH_CHECK(dtype == kBool, "masked_fill only supports boolean masks, but got dtype ", dtype);
  if (schema.name().back() == '_') values[1].toTensor().expand(values[0].toTensor().sizes());
}
// aten/src/ATen/native/cuda/IndexKernel.cpp, masked_scatter__cuda
inline void check_mask_of_scatter(const Plan&, const c10::FunctionSchema&, Values values) {
  auto &self = values[0].toTensor(), &mask = values[1].toTensor(), &source = values[2].toTensor();
  TORCH_CHECK(self.scalar_type() == source.scalar_type(),
              "masked_scatter_: expected self and source to have same dtypes but got ",
              self.scalar_type(), " and ", source.scalar_type());
  TORCH_CHECK(mask.dtype() == kBool,
              "masked_scatter_ only supports boolean masks, but got mask with dtype ",
              mask.dtype());
}
// aten/src/ATen/native/cuda/EmbeddingBag.cu: indices and offsets are promoted to one dtype.
inline void check_embedding_bag(const Plan&, const c10::FunctionSchema& schema, Values values) {
  auto dtype = values[0].toTensor().scalar_type();
  auto indices = values[1].toTensor();
  indices = indices.to(promoteTypes(indices.scalar_type(), values[2].toTensor().scalar_type()));
  at::checkScalarTypes("embedding_bag_cuda", {indices, "indices", 1}, {kLong, kInt});
  if (!isFloatingType(dtype)) refuse_dtype("embedding_bag_cuda", toString(dtype));
  check_data(tensor_named(schema, values, "per_sample_weights"), dtype);
}
// aten/src/ATen/native/cuda/MaxUnpooling.cu
inline void check_unpooling(const Plan&, const c10::FunctionSchema&, Values values) {
  auto dtype = values[1].toTensor().scalar_type();
  TORCH_CHECK(dtype == kLong, "elements in indices should be type int64 but got: ", dtype);
}
// aten/src/ATen/native/cuda/Dropout.cu
inline void check_dropout_mask(const Plan&, const c10::FunctionSchema&, Values values) {
  auto dtype = values[1].toTensor().scalar_type();
  TORCH_CHECK(dtype == kBool, "Mask should be Bool Scalar Type", dtype);
}
// aten/src/ATen/native/cuda/SoftMax.cu: with `dtype=torch.float` the input is half.
inline void check_softmax_backward(const Plan&, const c10::FunctionSchema&, Values values) {
  auto grad = values[0].toTensor().scalar_type(), input = values[3].toScalarType();
  TORCH_CHECK(grad == input || (grad == kFloat && input == kHalf),
              "expected input and grad types to match, or input to be at::Half and grad to be "
              "at::Float");
}
// aten/src/ATen/native/cuda/SummaryOps.cu
inline void check_histogram(const Plan&, const c10::FunctionSchema&, Values values) {
  auto& x = values[0].toTensor();
  if (x.is_floating_point())
    globalContext().alertNotDeterministic("_histc_cuda with floating point input");
  TORCH_CHECK(x.scalar_type() != kHalf, "HalfTensor is not supported");
}
// aten/src/ATen/native/Sorting.cpp, which CUDA's median over all elements calls
inline void check_median(const Plan&, const c10::FunctionSchema&, Values values) {
  TORCH_CHECK(!values[0].toTensor().is_complex(), "Sort does not support complex dtypes on CPU");
}
// aten/src/ATen/native/cuda/NLLLoss.cu: one kernel for each form of the loss.
inline void check_nll_loss(const Plan&, const c10::FunctionSchema& schema, Values values) {
  auto& input = values[0].toTensor();
  auto dtype = input.scalar_type();
  check_data(tensor_named(schema, values, "weight"), dtype);
  bool is_reduced = argument(schema, values, "reduction")->toInt() != 0;
  TORCH_CHECK_NOT_IMPLEMENTED(isFloatingType(dtype), "\"nll_loss_forward_",
                              is_reduced ? "reduce" : "no_reduce", "_cuda_kernel",
                              !is_reduced        ? ""
                              : input.dim() == 1 ? "_1d"
                                                 : "_2d",
                              "\" not implemented for '", dtype, "'");
}
// aten/src/ATen/native/cuda/Indexing.cu
inline void check_index_dtype(const Plan&, const c10::FunctionSchema&, Values values) {
  auto& index = values[2].toTensor();
  auto dtype = index.scalar_type();
  TORCH_CHECK(index.dim() <= 1, "Index is supposed to be an empty tensor or a vector");
  if (dtype != kLong && dtype != kInt) refuse_dtype("index_select_out_cuda_impl", toString(dtype));
}
// aten/src/ATen/native/cuda/LossCTC.cu
inline void check_ctc_targets(const Plan&, const c10::FunctionSchema&, Values values) {
  at::TensorArg targets(values[1].toTensor(), "targets", 2);
  at::checkDimRange("ctc_loss_gpu", targets, 1, 3);
}
}  // namespace simulated_cuda
