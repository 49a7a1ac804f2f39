// The operators that CUDA has and the CPU has not, each with the function that computes it.
#pragma once
#include "cudnn_kernels.h"
#include "fused_kernels.h"
#include "linalg_kernels.h"
#include "memory_kernels.h"
#include "norm_kernels.h"
#include "sparse_kernels.h"
#include "sync_batch_norm.h"

namespace simulated_cuda {
struct Computed {
  const char* op;
  void (*compute)(const c10::OperatorHandle&, Stack*);
  DispatchKey key = DispatchKey::CUDA;
};
constexpr Computed COMPUTED[] = {
    {"aten::cudnn_convolution", returned<convolution_of<false>>},
    {"aten::cudnn_convolution.out", written<convolution_of<false>>},
    {"aten::cudnn_convolution_transpose", returned<convolution_of<true>>},
    {"aten::cudnn_convolution_relu", cudnn_convolution_relu},
    {"aten::cudnn_convolution_add_relu", cudnn_convolution_add_relu},
    {"aten::_conv_depthwise2d", returned<depthwise_of>},
    {"aten::_conv_depthwise2d.out", written<depthwise_of>},
    {"aten::conv_depthwise3d", returned<depthwise_of>},
    {"aten::cudnn_affine_grid_generator", cudnn_affine_grid},
    {"aten::cudnn_affine_grid_generator_backward", cudnn_affine_grid_backward},
    {"aten::cudnn_grid_sampler", cudnn_grid_sampler},
    {"aten::cudnn_grid_sampler_backward", cudnn_grid_sampler_backward},
    {"aten::cudnn_batch_norm", cudnn_batch_norm},
    {"aten::cudnn_batch_norm_backward", cudnn_batch_norm_backward},
    {"aten::native_batch_norm", norm_with_statistics},
    {"aten::native_batch_norm_backward", norm_with_statistics},
    {"aten::_native_batch_norm_legit", norm_with_statistics},
    {"aten::_native_batch_norm_legit.no_stats", norm_with_statistics},
    {"aten::native_layer_norm", norm_with_statistics},
    {"aten::native_layer_norm_backward", norm_with_statistics},
    {"aten::native_group_norm", group_norm},
    {"aten::native_group_norm_backward", group_norm},
    {"aten::batch_norm_stats", batch_norm_stats},
    {"aten::batch_norm_elemt", returned<normalized>},
    {"aten::batch_norm_elemt.out", written<normalized>},
    {"aten::batch_norm_gather_stats", batch_norm_gather_stats},
    {"aten::batch_norm_gather_stats_with_counts", batch_norm_gather_stats_with_counts},
    {"aten::batch_norm_backward_reduce", batch_norm_backward_reduce},
    {"aten::batch_norm_backward_elemt", batch_norm_backward_elemt},
    {"aten::_cudnn_rnn", cudnn_rnn},
    {"aten::_cudnn_rnn_backward", cudnn_rnn_backward},
    {"aten::_thnn_fused_lstm_cell", lstm_cell},
    {"aten::_thnn_fused_lstm_cell_backward_impl", lstm_cell_backward},
    {"aten::_thnn_fused_gru_cell", gru_cell},
    {"aten::_thnn_fused_gru_cell_backward", gru_cell_backward},
    {"aten::_fused_rms_norm", rms_norm},
    {"aten::_fused_rms_norm_backward", rms_norm_backward},
    {"aten::_softmax", widening<at::_softmax>},
    {"aten::_log_softmax", widening<at::_log_softmax>},
    {"aten::_softmax_backward_data", narrowing<at::_softmax_backward_data>},
    {"aten::_log_softmax_backward_data", narrowing<at::_log_softmax_backward_data>},
    {"aten::mm.dtype", returned<wide_mm>},
    {"aten::mm.dtype_out", written<wide_mm>},
    {"aten::bmm.dtype", returned<wide_mm>},
    {"aten::bmm.dtype_out", written<wide_mm>},
    {"aten::addmm.dtype", returned<wide_addmm>},
    {"aten::addmm.dtype_out", written<wide_addmm>},
    {"aten::baddbmm.dtype", returned<wide_baddbmm>},
    {"aten::baddbmm.dtype_out", written<wide_baddbmm>},
    {"aten::_scaled_dot_product_flash_attention", flash_attention},
    {"aten::_scaled_dot_product_flash_attention_backward", flash_attention_backward},
    {"aten::_flash_attention_forward", packed_forward<true>},
    {"aten::_flash_attention_backward", packed_backward<true>},
    {"aten::_efficient_attention_forward", packed_forward<false>},
    {"aten::_efficient_attention_backward", packed_backward<false>},
    {"aten::linalg_lstsq.out", least_squares},
    {"aten::_linalg_svd", singular_values},
    {"aten::_linalg_svd.U", singular_values},
    {"aten::linalg_lu", lu},
    {"aten::linalg_lu_factor_ex", lu_factor},
    {"aten::nansum", sum_without_nan},
    {"aten::nansum.out", sum_without_nan_out},
    {"aten::add.out", add_sparse, DispatchKey::SparseCUDA},
    {"aten::_scaled_dot_product_efficient_attention", efficient_attention},
    {"aten::_scaled_dot_product_efficient_attention_backward", efficient_attention_backward},
};
}  // namespace simulated_cuda
