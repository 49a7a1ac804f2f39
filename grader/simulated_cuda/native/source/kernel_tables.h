// What depends on the code of single CUDA kernels and is in no yaml. Recorded with PyTorch's CUDA
// build (torch 2.13.0+cu130): every operator of its test list (op_db), in every dtype that the CPU
// supports, and with deterministic algorithms on.
#pragma once
#include <ATen/ATen.h>

#include <cstring>
#include <sstream>

namespace simulated_cuda {
using namespace at;
// Dtypes that the CPU computes and CUDA refuses, and the name that CUDA's error gives its kernel.
struct Refusal {
  const char* op;
  const char* kernel;
  const char* dtypes;
};
#define INTEGERS "Byte Char Int Long Short"
constexpr Refusal REFUSALS[] = {
    {"aten::addbmm", "addmm_cuda", INTEGERS},
    {"aten::addmm", "addmm_cuda", INTEGERS},
    {"aten::addmm.out", "addmm_cuda", INTEGERS},
    {"aten::addmm_", "addmm_cuda", INTEGERS},
    {"aten::addmv", "addmv_impl_cuda", INTEGERS},
    {"aten::addmv.out", "addmv_impl_cuda", INTEGERS},
    {"aten::addmv_", "addmv_impl_cuda", INTEGERS},
    {"aten::angle", "angle_cuda", "BFloat16 Half"},
    {"aten::avg_pool2d", "avg_pool2d_out_cuda_frame", "Long"},
    {"aten::avg_pool3d", "avg_pool3d_out_cuda", "Long"},
    {"aten::baddbmm", "baddbmm_cuda", INTEGERS},
    {"aten::baddbmm.out", "baddbmm_cuda", INTEGERS},
    {"aten::baddbmm_", "baddbmm_cuda", INTEGERS},
    {"aten::bmm", "baddbmm_cuda", INTEGERS},
    {"aten::bmm.out", "baddbmm_cuda", INTEGERS},
    {"aten::_cholesky_solve_helper", "cholesky_cuda_potrs", "BFloat16 Half"},
    {"aten::dot", "dot", INTEGERS},
    {"aten::histc", "histc", "BFloat16"},
    {"aten::igamma", "igamma_cuda", "BFloat16 Half"},
    {"aten::igammac", "igammac_cuda", "BFloat16 Half"},
    {"aten::linalg_cholesky_ex", "cholesky_cusolver", "BFloat16 Half"},
    {"aten::_log_softmax", "host_softmax", INTEGERS " Bool"},
    {"aten::max_pool2d_with_indices", "max_pool2d_with_indices_out_cuda_frame", INTEGERS},
    {"aten::max_pool3d_with_indices", "max_pool3d_with_indices_out_frame", INTEGERS},
    {"aten::mm", "addmm_cuda", INTEGERS},
    {"aten::mm.out", "addmm_cuda", INTEGERS},
    {"aten::native_dropout_backward", "masked_scale", INTEGERS " Bool"},
    {"aten::scatter_reduce.two", "cuda_scatter_gather_base_kernel_func", "Bool"},
    {"aten::_softmax", "host_softmax", INTEGERS " Bool"},
    {"aten::upsample_bicubic2d", "upsample_bicubic2d_out_frame", "Byte"},
    {"aten::upsample_bilinear2d", "upsample_bilinear2d_out_frame", "Byte"},
    {"aten::_upsample_bicubic2d_aa", "upsample_bicubic2d_out_frame", "Byte"},
    {"aten::_upsample_bilinear2d_aa", "upsample_bilinear2d_out_frame", "Byte"},
    {"aten::vdot", "dot", INTEGERS},
};

// Operators that have no deterministic kernel on CUDA, and the names that `alertNotDeterministic`
// gets. A name without an overload stands for all overloads, as they share a kernel.
struct Alert {
  const char* op;
  const char* kernel;
};
constexpr Alert ALERTS[] = {
    {"aten::_adaptive_avg_pool2d_backward", "adaptive_avg_pool2d_backward_cuda"},
    {"aten::_adaptive_avg_pool3d_backward", "adaptive_avg_pool3d_backward_cuda"},
    {"aten::adaptive_max_pool2d_backward", "adaptive_max_pool2d_backward_cuda"},
    {"aten::avg_pool3d_backward", "avg_pool3d_backward_cuda"},
    {"aten::_ctc_loss_backward", "ctc_loss_backward_gpu"},
    {"aten::_ctc_loss_backward.Tensor", "ctc_loss_backward_gpu"},
    {"aten::cudnn_grid_sampler_backward", "cudnn_grid_sampler_backward"},
    {"aten::fractional_max_pool2d_backward", "fractional_max_pool2d_backward_cuda"},
    {"aten::fractional_max_pool3d_backward", "fractional_max_pool3d_backward_cuda"},
    {"aten::grid_sampler_2d_backward", "grid_sampler_2d_backward_cuda"},
    {"aten::grid_sampler_3d_backward", "grid_sampler_3d_backward_cuda"},
    {"aten::histc", "_histc_cuda with floating point input"},
    {"aten::index_reduce", "index_reduce_cuda"},
    {"aten::max_pool3d_with_indices_backward", "max_pool3d_with_indices_backward_cuda"},
    {"aten::max_unpool2d", "max_unpooling2d_forward_out"},
    {"aten::max_unpool3d", "max_unpooling3d_forward_out"},
    {"aten::median.dim", "median CUDA with indices output"},
    {"aten::median.dim_values", "median CUDA with indices output"},
    {"aten::nanmedian.dim", "median CUDA with indices output"},
    {"aten::nanmedian.dim_values", "median CUDA with indices output"},
    {"aten::nll_loss2d_forward", "nll_loss2d_forward_out_cuda_template"},
    {"aten::put_", "put_"},
    {"aten::reflection_pad1d_backward", "reflection_pad1d_backward_out_cuda"},
    {"aten::reflection_pad3d_backward", "reflection_pad3d_backward_out_cuda"},
    {"aten::upsample_bicubic2d_backward", "upsample_bicubic2d_backward_out_cuda"},
    {"aten::_upsample_bilinear2d_aa_backward", "upsample_bilinear2d_aa_backward_out_cuda"},
    {"aten::upsample_linear1d_backward", "upsample_linear1d_backward_out_cuda"},
    {"aten::upsample_trilinear3d_backward", "upsample_trilinear3d_backward_out_cuda"},
};

inline const char* alert_of(const char* op) {
  std::string name = op, base = name.substr(0, name.find('.'));
  for (auto& alert : ALERTS)
    if (alert.op == name || alert.op == base) return alert.kernel;
  return nullptr;
}
inline const Refusal* refusal_of(const char* op) {
  for (auto& refusal : REFUSALS)
    if (!std::strcmp(refusal.op, op)) return &refusal;
  return nullptr;
}
// The dtypes of a refusal, a bit for each.
inline uint64_t dtypes_of(const Refusal* refusal) {
  uint64_t bits = 0;
  if (!refusal) return bits;
  std::istringstream names(refusal->dtypes);
  for (std::string name; names >> name;)
    for (int dtype = 0; dtype < static_cast<int>(ScalarType::NumOptions); ++dtype)
      if (name == toString(static_cast<ScalarType>(dtype))) bits |= uint64_t(1) << dtype;
  return bits;
}
}  // namespace simulated_cuda
