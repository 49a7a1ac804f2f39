// Where CUDA's kernels for sparse and nested tensors, and for complex sums, differ from the CPU's.
#pragma once
#include <ATen/native/nested/NestedTensorBinaryOps.h>

#include "call.h"

namespace simulated_cuda {
// aten/src/ATen/native/sparse/cuda/SparseCUDATensorMath.cu, add_out_sparse_cuda: a sum has the
// entries of both, one after the other, unless these are more than the tensor has elements. The CPU
// merges them.
inline void add_sparse(const c10::OperatorHandle& op, Stack* stack) {
  auto values = Values(*stack).slice(stack->size() - op.schema().arguments().size());
  auto one = values[0].toTensor(), other = values[1].toTensor(), out = values[3].toTensor();
  bool fits = one.is_sparse() && other.is_sparse() && out.is_sparse() &&
              one.sizes() == other.sizes() && one.sparse_dim() == other.sparse_dim();
  if (!fits || !one._nnz() || !other._nnz())
    return compute_widened(op, stack, DispatchKey::SparseCPU);
  auto dtype = at::result_type(one, other);
  TORCH_CHECK(canCast(dtype, out.scalar_type()), "Can't convert result type ", dtype, " to output ",
              out.scalar_type(), " in add operation");
  auto added = other._values().to(dtype) * values[2].toScalar();
  auto entries = at::cat({one._values().to(dtype), added.to(dtype)}).to(out.scalar_type());
  auto sum = at::_sparse_coo_tensor_unsafe(at::cat({one._indices(), other._indices()}, 1), entries,
                                           one.sizes(), entries.options().layout(kSparse));
  if (sum._nnz() > sum.numel()) sum = sum.coalesce();
  auto* to = sparse::get_sparse_impl(out);
  to->raw_resize_(sum.sparse_dim(), sum.dense_dim(), sum.sizes());
  to->set_indices_and_values_unsafe(sum._indices(), sum._values());
  to->set_coalesced(sum.is_coalesced());
  torch::jit::drop(*stack, op.schema().arguments().size());
  stack->push_back(out);
}

// aten/src/ATen/native/ReduceOps.cpp: complex numbers only on CUDA.
inline Tensor without_nan(const Tensor& x) { return x.masked_fill(x.isnan(), 0); }
inline bool is_complex_sum(const c10::OperatorHandle& op, Stack* stack) {
  return isComplexType((stack->end() - op.schema().arguments().size())->toTensor().scalar_type());
}
inline Tensor complex_sum(const Call& c) {
  std::optional<ScalarType> dtype =
      c["dtype"].isNone() ? std::nullopt : std::optional<ScalarType>(c["dtype"].toScalarType());
  auto dimensions = c["dim"].isNone() ? std::vector<int64_t>() : c.sizes("dim");
  return without_nan(c.tensor("self")).sum(dimensions, c.flag("keepdim"), dtype);
}
inline void sum_without_nan(const c10::OperatorHandle& op, Stack* stack) {
  if (!is_complex_sum(op, stack)) return compute_widened(op, stack, DispatchKey::CPU);
  Call c(op, stack);
  c.returns(complex_sum(c));
}
inline void sum_without_nan_out(const c10::OperatorHandle& op, Stack* stack) {
  if (!is_complex_sum(op, stack)) return compute_widened(op, stack, DispatchKey::CPU);
  Call c(op, stack);
  c.returns_in("out", complex_sum(c));
}

// aten/src/ATen/native/nested/cuda/NestedTensorBinaryOps.cu: one row of the dense tensor for each
// component.
inline void nested_with_dense(Tensor& result, const Tensor& self, const Tensor& other,
                              const at::native::NESTED_DENSE_OP& op) {
  auto results = result.unbind(), parts = self.unbind(), rows = other.unbind();
  for (size_t i = 0; i < parts.size(); ++i) {
    auto value = op == at::native::NESTED_DENSE_OP::ADD ? parts[i] + rows[i] : parts[i] * rows[i];
    results[i].copy_(value.view_as(results[i]));
  }
}
}  // namespace simulated_cuda
