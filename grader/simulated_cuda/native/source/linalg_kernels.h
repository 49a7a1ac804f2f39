// Where CUDA's linear algebra differs from LAPACK's: drivers, and LU without pivots.
#pragma once
#include "call.h"

namespace simulated_cuda {
// aten/src/ATen/native/BatchLinearAlgebra.cpp, linalg_lstsq_out
inline void least_squares(const c10::OperatorHandle& op, Stack* stack) {
  auto& driver = *(stack->end() - op.schema().arguments().size() + 3);
  TORCH_CHECK(driver.isNone() || driver.toStringRef() == "gels",
              "torch.linalg.lstsq: `driver` other than `gels` is not supported on CUDA");
  driver = "gels";
  op.redispatchBoxed(DispatchKeySet(DispatchKey::CPU), stack);
}
// aten/src/ATen/native/cuda/linalg/BatchLinearAlgebraLib.cpp, svd_cusolver: Vh is contiguous.
inline void singular_values(const c10::OperatorHandle& op, Stack* stack) {
  auto& driver = *(stack->end() - op.schema().arguments().size() + 3);
  if (driver.isString()) {
    auto& name = driver.toStringRef();
    TORCH_CHECK(name == "gesvd" || name == "gesvdj" || name == "gesvda",
                "torch.linalg.svd: unknown svd driver ", name, " in svd_cusolver computation. ",
                "Check doc at https://pytorch.org/docs/stable/generated/torch.linalg.svd.html");
    driver = IValue();
  }
  op.redispatchBoxed(DispatchKeySet(DispatchKey::CPU), stack);
  if (op.schema().overload_name().empty()) stack->back() = stack->back().toTensor().contiguous();
}

// aten/src/ATen/native/cuda/linalg/BatchLinearAlgebra.cpp: Gaussian elimination, a column at a
// time.
inline std::tuple<Tensor, Tensor, Tensor> without_pivots(const Tensor& A) {
  auto [lu, pivots, info] = at::linalg_lu_factor_ex(A);  // of these sizes and strides
  auto rows = A.size(-2), columns = A.size(-1);
  lu.copy_(A);
  info.zero_();
  pivots.copy_(at::arange(1, pivots.size(-1) + 1, pivots.options()));
  for (int64_t k = 0; k < pivots.size(-1); ++k) {
    auto row = lu.select(-2, k), pivot = row.select(-1, k), below = lu.slice(-2, k + 1, rows);
    info.masked_fill_((info == 0).logical_and(pivot == 0), k + 1);
    auto factors = below.select(-1, k);
    factors.div_(pivot.unsqueeze(-1));
    below.slice(-1, k + 1, columns)
        .sub_(factors.unsqueeze(-1) * row.slice(-1, k + 1, columns).unsqueeze(-2));
  }
  return {lu, pivots, info};
}
inline void lu_factor(const c10::OperatorHandle& op, Stack* stack) {
  if ((stack->end() - op.schema().arguments().size() + 1)->toBool())
    return op.redispatchBoxed(DispatchKeySet(DispatchKey::CPU), stack);
  Call c(op, stack);
  auto [lu, pivots, info] = without_pivots(c.tensor("A"));
  if (c.flag("check_errors"))
    at::_linalg_check_errors(info, "torch.linalg.lu_factor_ex", lu.dim() == 2);
  c.returns(lu, pivots, info);
}
inline void lu(const c10::OperatorHandle& op, Stack* stack) {
  if (stack->back().toBool()) return op.redispatchBoxed(DispatchKeySet(DispatchKey::CPU), stack);
  Call c(op, stack);
  auto [lu, pivots, info] = without_pivots(c.tensor("A"));
  auto [permutation, lower, upper] = at::lu_unpack(lu, pivots, true, false);
  c.returns(permutation, lower, upper);
}
}  // namespace simulated_cuda
