// Which CUDA kernels are not deterministic: it is in no yaml. Recorded with PyTorch's CUDA build
// (torch 2.13.0+cu130): every operator of its test list (op_db), with deterministic algorithms on.
#pragma once
#include "aten.h"

#include <cstring>
#include <string>

namespace simulated_cuda {
using namespace at;
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
    {"aten::index_reduce", "index_reduce_cuda"},
    {"aten::index_reduce_", "index_reduce_cuda"},
    {"aten::max_pool3d_with_indices_backward", "max_pool3d_with_indices_backward_cuda"},
    {"aten::median.dim", "median CUDA with indices output"},
    {"aten::median.dim_values", "median CUDA with indices output"},
    {"aten::nanmedian.dim", "median CUDA with indices output"},
    {"aten::nanmedian.dim_values", "median CUDA with indices output"},
    {"aten::reflection_pad1d_backward", "reflection_pad1d_backward_out_cuda"},
    {"aten::reflection_pad3d_backward", "reflection_pad3d_backward_out_cuda"},
    {"aten::upsample_bicubic2d_backward", "upsample_bicubic2d_backward_out_cuda"},
    {"aten::_upsample_bicubic2d_aa_backward", "upsample_bicubic2d_aa_backward_out_cuda"},
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
}  // namespace simulated_cuda
