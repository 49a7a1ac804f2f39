// The checks that CUDA's kernels make themselves, each with the file of PyTorch that it is from.
#pragma once
#include <ATen/MemoryOverlap.h>
#include <c10/core/WrapDimMinimal.h>

#include "dtype_checks.h"

namespace simulated_cuda {
inline void check_nothing(const Plan&, const c10::FunctionSchema&, Values) {}

// aten/src/ATen/native/TensorAdvancedIndexing.cpp: indices are read from the CPU, too.
inline void check_index(const Plan&, const c10::FunctionSchema&, Values values) {
  auto self = values[0].toTensor().device();
  for_each_tensor(values[1], [&](const Tensor& t) {
    TORCH_CHECK(t.is_cpu() || t.device() == self, "indices should be either on ", kCPU,
                " or on the same device as the indexed tensor (", self, ")");
  });
}
// Writing moves the indices to the tensor, and copies a 0-dim value.
inline void check_index_put(const Plan&, const c10::FunctionSchema& schema, Values values) {
  auto &self = values[0].toTensor(), &value = values[2].toTensor();
  if (self.is_cuda() && value.is_cpu() && value.numel() == 1)  // it leads to masked_fill_
    for_each_tensor(values[1], [](const Tensor& t) {
      TORCH_CHECK(t.scalar_type() != kByte,
                  "masked_fill only supports boolean masks, but got dtype Byte");
    });
  if (self.device() == value.device() || (value.numel() == 1 && value.dim() == 0)) return;
  auto* accumulate = argument(schema, values, "accumulate");
  TORCH_CHECK(!self.is_cuda() || !accumulate || !accumulate->toBool(), "expected device ",
              self.device(), " but got device ", value.device(), " for value tensor");
  // Its TensorIterator names the value first where the tensor is on the CPU.
  auto first = self.is_cpu() ? value.device() : self.device(),
       second = self.is_cpu() ? self.device() : value.device();
  TORCH_CHECK(false,
              "Expected all tensors to be on the same device, but found at least two devices, ",
              first, " and ", second, "!");
}
// aten/src/ATen/native/cuda/Indexing.cu, masked_fill__cuda
inline void check_masked_fill(const Plan&, const c10::FunctionSchema&, Values values) {
  auto &self = values[0].toTensor(), &mask = values[1].toTensor();
  TORCH_CHECK(!values[2].isTensor() || self.is_cuda(),
              "masked_fill_: Expected inputs to be on same device");
  TORCH_CHECK(self.device() == mask.device(),
              "expected self and mask to be on the same device, but got mask on ", mask.device(),
              " and self on ", self.device());
}
// aten/src/ATen/native/TensorAdvancedIndexing.cpp, index_fill_: an iterator without CPU scalars.
inline void check_index_fill(const Plan&, const c10::FunctionSchema&, Values values) {
  auto self = values[0].toTensor().device(), index = values[2].toTensor().device();
  TORCH_CHECK(self == index,
              "Expected all tensors to be on the same device, but found at least two devices, ",
              self.is_cpu() ? index : self, " and ", self.is_cpu() ? self : index, "!");
}
// aten/src/ATen/native/Fill.cpp: the value is read, wherever it is.
inline void check_fill(const Plan&, const c10::FunctionSchema&, Values values) {
  auto dims = values[1].toTensor().dim();
  TORCH_CHECK(dims == 0, "fill_ only supports 0-dimension value tensor but got tensor with ", dims,
              " dimensions.");
}
// aten/src/ATen/native/cuda/PointwiseOpsKernel.cu: a number of the CPU may be tensor2 alone.
inline void check_pointwise(const Plan& plan, const c10::FunctionSchema& schema, Values values) {
  check_by_iterator(plan, schema, values);
  auto &self = values[0].toTensor(), &first = values[1].toTensor();
  auto name = schema.name().substr(6, 7);
  TORCH_CHECK(!first.is_cpu() || first.dim() > 0,
              "CPU Scalar support for tensor1 argument is not supported when calling ", name,
              " on CUDA tensors. However, CPU Scalar support for tensor2 is supported, please swap "
              "your tensor1 and tensor2 terms.");
  TORCH_CHECK(!self.is_cpu() || self.dim() > 0,
              "CPU Scalar support for self argument is not supported when calling ", name,
              " on CUDA tensors.");
}
// aten/src/ATen/native/TensorCompare.cpp, where: the result is on the first GPU that is named, and
// numbers are moved there.
inline void check_where(const Plan& plan, const c10::FunctionSchema& schema, Values values) {
  if (values.size() == 4 && values[3].toTensor().is_cpu())
    return check_by_iterator(plan, schema, values);
  std::optional<Device> result;
  for (size_t i = values.size() == 4 ? 3 : 0; i < values.size(); ++i)
    if (!result && values[i].toTensor().is_cuda()) result = values[i].toTensor().device();
  for (auto& value : values) {
    auto& t = value.toTensor();
    TORCH_CHECK(!result || t.dim() == 0 || t.device() == *result,
                "Expected all tensors to be on the same device, but found at least two devices, ",
                *result, " and ", t.device(), "!");
  }
}
// aten/src/ATen/native/cudnn/RNN.cpp, _cudnn_rnn
inline void check_rnn(const Plan&, const c10::FunctionSchema& schema, Values values) {
  auto named = [&](const char* name) { return tensor_named(schema, values, name); };
  native::check_attributes(named("input"), values[1].toTensorVector(), {named("hx"), named("cx")},
                           true);
  for (auto* name : {"hx", "cx"})
    TORCH_CHECK(!named(name).defined() || named(name).is_contiguous(), "rnn: ", name,
                " is not contiguous");
}
// aten/src/ATen/native/BucketizationUtils.h; the CPU's kernel, on host views, would find no fault.
inline void check_searchsorted(const Plan& plan, const c10::FunctionSchema& schema, Values values) {
  check_same_device(plan, schema, values);
  auto* sorter = argument(schema, values, "sorter");
  if (!sorter || !sorter->isTensor() || !sorter->toTensor().defined()) return;
  auto boundary = values[0].toTensor().device(), sorted = sorter->toTensor().device();
  TORCH_CHECK(sorted == boundary,
              "torch.searchsorted(): sorter and boundary tensors should have same device type, but "
              "got sorter tensor device type ",
              sorted, " and input value tensor device type ", boundary);
}
// aten/src/ATen/native/cuda/Loops.cuh asserts this; an iterator may let a 0-dim CPU tensor through.
inline void assert_cuda(const Tensor& t, int number) {
  TORCH_CHECK(t.is_cuda(),
              "iter.device(arg).is_cuda() INTERNAL ASSERT FAILED in Loops.cuh. argument ", number,
              ": expected a CUDA device but found ", t.device());
}
inline void check_pair(const Tensor& output_like, const Tensor& one, const Tensor& other,
                       bool numbers) {
  TensorIteratorConfig config;
  config.add_owned_output(at::empty_like(output_like))
      .add_owned_const_input(one)
      .add_owned_const_input(other)
      .allow_cpu_scalars(numbers)
      .build();
}
// aten/src/ATen/native/cuda/Loss.cu: an iterator without 0-dim CPU tensors, then the weight.
inline void check_binary_cross_entropy(const Plan&, const c10::FunctionSchema&, Values values) {
  auto &input = values[0].toTensor(), &target = values[1].toTensor();
  check_pair(input, input, target, false);
  assert_cuda(input, 0);
  if (values[2].isTensor() && values[2].toTensor().defined())
    check_pair(input, input, values[2].toTensor(), true);
}
// aten/src/ATen/native/cuda/BinaryMiscOpsKernels.cu: smooth_l1_loss takes no 0-dim CPU tensor.
inline void check_smooth_l1(const Plan& plan, const c10::FunctionSchema& schema, Values values) {
  check_by_iterator(plan, schema, values);
  for (int i : {0, 1}) assert_cuda(values[i].toTensor(), i + 1);
}
// aten/src/ATen/native/cuda/Lerp.cu: nor does lerp.
inline void check_lerp(const Plan& plan, const c10::FunctionSchema& schema, Values values) {
  check_by_iterator(plan, schema, values);
  for (int i : {0, 1}) assert_cuda(values[i].toTensor(), i + 1);
}
// The same file as smooth_l1_loss: mse_loss does not either, with another message.
inline void check_mse(const Plan& plan, const c10::FunctionSchema& schema, Values values) {
  check_by_iterator(plan, schema, values);
  auto one = values[0].toTensor().device(), other = values[1].toTensor().device();
  TORCH_CHECK(one == other,
              "Expected all tensors to be on the same device, but found at least two devices, ",
              one, " and ", other, "!");
}
// Structured operators without an iterator: torchgen generates the check of the out tensor
// (resize_out in RegisterCUDA.cpp).
inline void check_out(const Plan& plan, Values values) {
  auto expected = values[0].toTensor().device();
  for (size_t i = 1; i < values.size(); ++i)
    if (plan.written[i])
      for_each_tensor(values[i], [&](const Tensor& t) {
        TORCH_CHECK(t.device() == expected, "Expected out tensor to have device ", expected,
                    ", but got ", t.device(), " instead");
      });
}
// aten/src/ATen/native/sparse/cuda/SparseCUDATensorMath.cu
inline void check_sparse(const Plan& plan, const c10::FunctionSchema& schema, Values values) {
  auto operation = schema.name().substr(6);
  if (operation.back() == '_') operation.pop_back();
  for (size_t i = 0; i < values.size(); ++i)
    for_each_tensor(values[i], [&](const Tensor& t) {
      if (t.dim() == 0 && t.layout() == kStrided && !plan.written[i])
        return;  // a number, by which the values are multiplied
      TORCH_CHECK(t.is_cuda(), operation, ": expected '", schema.arguments()[i].name(),
                  "' to be CUDA, but got CPU");
    });
}

// aten/src/ATen/native/cuda/Blas.cpp, addmm_out_cuda_impl
inline void check_factors(const Plan&, const c10::FunctionSchema&, Values values) {
  auto &one = values[0].toTensor(), &other = values[1].toTensor();
  TORCH_CHECK(one.dtype() == other.dtype(),
              "expected mat1 and mat2 to have the same dtype, but got: ", one.dtype(),
              " != ", other.dtype());
}
// aten/src/ATen/native/cuda/SummaryOps.cu: without weights it is deterministic.
inline void alert_bincount(const Plan&, const c10::FunctionSchema&, Values values) {
  if (values[1].isTensor() && values[1].toTensor().defined())
    globalContext().alertNotDeterministic("_bincount_cuda");
}
// aten/src/ATen/native/cuda/ScatterGatherKernel.cu: a sum has a deterministic version.
inline void alert_scatter(const Plan&, const c10::FunctionSchema& schema, Values values) {
  auto& reduce = argument(schema, values, "reduce")->toStringRef();
  if (reduce == "multiply") globalContext().alertNotDeterministic("scatter_reduce_cuda_kernel");
  if (reduce == "prod") globalContext().alertNotDeterministic("scatter_reduce_cuda_prod_");
}
// aten/src/ATen/native/cuda/IndexKernel.cu; otherwise the CPU's code says it as well.
inline void alert_put(const Plan&, const c10::FunctionSchema& schema, Values values) {
  if (argument(schema, values, "accumulate")->toBool())
    globalContext().alertNotDeterministic("put_");
}
// aten/src/ATen/native/cuda/NLLLoss2d.cu: only a sum is not deterministic.
inline void alert_nll_loss2d(const Plan&, const c10::FunctionSchema& schema, Values values) {
  if (argument(schema, values, "reduction")->toInt() != at::Reduction::None)
    globalContext().alertNotDeterministic("nll_loss2d_forward_out_cuda_template");
}
// aten/src/ATen/native/cuda/EmbeddingBag.cu
inline void alert_embedding_bag(const Plan&, const c10::FunctionSchema& schema, Values values) {
  constexpr int64_t max = 2;
  auto* sparse = argument(schema, values, "sparse");
  if (argument(schema, values, "mode")->toInt() == max && !(sparse && sparse->toBool()))
    globalContext().alertNotDeterministic("embedding_bag_backward_cuda_max");
}
// aten/src/ATen/native/cuda/FusedAdamKernel.cu and the others: a number of the CPU is read there.
inline void check_fused(const Plan&, const c10::FunctionSchema& schema, Values values) {
  std::optional<Device> params;
  for_each_tensor(values[0], [&](const Tensor& t) { params = params ? params : t.device(); });
  for (auto* name : {"grad_scale", "found_inf", "lr"}) {
    auto* value = argument(schema, values, name);
    if (!value || !value->isTensor() || !value->toTensor().defined()) continue;
    auto& t = value->toTensor();
    bool is_read = !std::strcmp(name, "lr") && t.is_cpu();
    TORCH_CHECK(is_read || t.device() == params, name,
                " must be on the same GPU device as the params");
  }
}
// c10/util/Exception.h: a check without words of its own.
constexpr auto kUnworded =
    " to be true, but got false.  (Could this error message be improved?  If so, please report an "
    "enhancement request to PyTorch.)";
// aten/src/ATen/native/SegmentReduce.cpp
inline void check_segments(const Plan&, const c10::FunctionSchema& schema, Values values) {
  for (auto* name : {"offsets", "lengths"}) {
    auto t = tensor_named(schema, values, name);
    if (!t.defined()) continue;
    TORCH_CHECK(values[0].toTensor().get_device() == t.get_device(),
                "Expected data.get_device() == ", name, "_value.get_device()", kUnworded);
    return;
  }
}
// aten/src/ATen/native/cuda/Blas.cpp, _int_mm_out_cuda
inline void check_int_mm(const Plan&, const c10::FunctionSchema&, Values values) {
  auto &one = values[0].toTensor(), &other = values[1].toTensor();
  if (one.dim() != 2 || other.dim() != 2 || one.size(1) != other.size(0))
    return;  // the CPU says so
  TORCH_CHECK(one.size(0) > 16, "self.size(0) needs to be greater than 16, but got ", one.size(0));
  for (auto& [name, size] : {std::pair{"self", one.size(1)}, std::pair{"mat2", other.size(1)}})
    TORCH_CHECK(size > 0 && size % 8 == 0, name,
                ".size(1) needs to be greater than 0 and a multiple of 8, but got ", size);
}
// The same file, _scaled_mm_out_cuda
inline void check_scaled_mm(const Plan&, const c10::FunctionSchema&, Values values) {
  auto &one = values[0].toTensor(), &other = values[1].toTensor();
  if (one.dim() != 2 || other.dim() != 2 || one.size(1) != other.size(0)) return;
  TORCH_CHECK(one.size(1) % 16 == 0, "Expected trailing dimension of mat1 to be divisible by 16 ",
              "but got mat1 shape: (", one.size(0), "x", one.size(1), ").");
  TORCH_CHECK(other.size(0) % 16 == 0 && other.size(1) % 16 == 0, "mat2 shape (", other.size(0),
              "x", other.size(1), ") must be divisible by 16");
  TORCH_CHECK(
      one.stride(1) == 1 && other.stride(0) == 1,
      "Only multiplication of row-major and column-major matrices is supported by cuBLASLt");
}
// aten/src/ATen/native/cuda/CuFFTPlanCache.h and SpectralOps.cpp: one plan for up to three
// dimensions, unless they begin with the first two; then the last of real numbers has its own.
inline void check_signal(IntArrayRef all, IntArrayRef dims) {
  std::vector<int64_t> sizes;
  for (auto dim : dims) sizes.push_back(all[dim]);
  for (auto size : sizes)
    TORCH_CHECK((size & (size - 1)) == 0,
                "cuFFT only supports dimensions whose sizes are powers of two when computing in "
                "half precision, but got a signal size of",
                IntArrayRef(sizes));
}
inline void check_fft(const Plan&, const c10::FunctionSchema& schema, Values values) {
  auto& x = values[0].toTensor();
#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 14
  TORCH_CHECK(x.scalar_type() != kBFloat16, "cuFFT doesn't support tensor of type: BFloat16");
#endif
  if (x.scalar_type() != kHalf && x.scalar_type() != kComplexHalf) return;
  auto sizes = x.sizes().vec();
  auto dims = values[1].toIntVector();
  for (auto& dim : dims) dim = c10::maybe_wrap_dim(dim, x.dim());
  if (dims.empty()) return;
  bool is_whole = dims.size() <= 3 && !(dims.size() >= 2 && dims[0] == 0 && dims[1] == 1);
  if (auto* last = argument(schema, values, "last_dim_size")) {
    if (!is_whole) check_signal(sizes, IntArrayRef(dims).slice(0, dims.size() - 1));
    sizes[dims.back()] = last->toInt();
  } else if (!is_whole && schema.name().find("r2c") != std::string::npos) {
    check_signal(sizes, IntArrayRef(dims).slice(dims.size() - 1));
  }
  check_signal(sizes, dims);
}
// aten/src/ATen/native/cuda/SpectralOps.cpp
inline void check_real_fft(const Plan& plan, const c10::FunctionSchema& schema, Values values) {
  TORCH_CHECK(values[0].toTensor().is_floating_point(), "Expected self.is_floating_point()",
              kUnworded);
  check_fft(plan, schema, values);
}
// Where these differ, the CPU's kernel reads past the end; `cholesky_solve` broadcasts before.
inline void check_cholesky_factors(const Plan&, const c10::FunctionSchema&, Values values) {
  auto &right = values[0].toTensor(), &factor = values[1].toTensor();
  bool fits = right.dim() >= 2 && factor.dim() == right.dim() &&
              factor.size(-1) == factor.size(-2) && factor.size(-1) == right.size(-2) &&
              factor.sizes().slice(0, factor.dim() - 2) == right.sizes().slice(0, right.dim() - 2);
  TORCH_CHECK(fits,
              "cholesky_solve: expected batches of right-hand sides and of square factors of the "
              "same shape, but got ",
              right.sizes(), " and ", factor.sizes());
}
// Kernels that CUDA waits for: the CPU must know the size of the result, or gets a number.
inline void alert_sync(const Plan&, const c10::FunctionSchema&, Values) { about_to_synchronize(); }
// CUDA waits for a mask on the device, which becomes indices, and for indices copied from the CPU.
inline bool synchronizes(const IValue& indices, bool is_fill) {
  bool found = false;
  for_each_tensor(indices, [&](const Tensor& t) {
    bool is_mask = t.scalar_type() == kBool || t.scalar_type() == kByte;
    found |= t.is_cpu() ? !is_mask : is_mask && !is_fill;
  });
  return found;
}
inline void alert_sync_of_index(const Plan&, const c10::FunctionSchema&, Values values) {
  if (sync_debug_mode && synchronizes(values[1], false)) about_to_synchronize();
}
// A 0-dim CPU value is written through a mask without indices (masked_fill). The CPU's kernel takes
// this way for every value of one element, and does not look whether it overlaps.
inline void check_value_of_index_put(const Plan&, const c10::FunctionSchema& schema,
                                     Values values) {
  auto* accumulate = argument(schema, values, "accumulate");
  auto& value = values[2].toTensor();
  bool is_fill = value.is_cpu() && value.numel() == 1 && !(accumulate && accumulate->toBool());
  if (value.is_cuda()) at::assert_no_overlap(values[0].toTensor(), value);
  if (sync_debug_mode && synchronizes(values[1], is_fill)) about_to_synchronize();
}
inline void alert_sync_of_repeats(const Plan&, const c10::FunctionSchema& schema, Values values) {
  auto* size = argument(schema, values, "output_size");
  if (!size || size->isNone()) about_to_synchronize();
}
struct OwnCheck {
  const char* op;
  void (*check)(const Plan&, const c10::FunctionSchema&, Values);
};
constexpr OwnCheck ALWAYS[] = {
    {"aten::mm", check_factors},
    {"aten::mm.out", check_factors},
    {"aten::_fft_c2c", check_fft},
    {"aten::_fft_c2c.out", check_fft},
    {"aten::_fft_c2r", check_fft},
    {"aten::_fft_c2r.out", check_fft},
    {"aten::_fft_r2c", check_real_fft},
    {"aten::_fft_r2c.out", check_real_fft},
    {"aten::index_select", check_index_dtype},
    {"aten::_ctc_loss", check_ctc_targets},
    {"aten::_ctc_loss.Tensor", check_ctc_targets},
    {"aten::bincount", alert_bincount},
    {"aten::scatter.reduce", alert_scatter},
    {"aten::scatter.reduce_out", alert_scatter},
    {"aten::scatter_.reduce", alert_scatter},
    {"aten::scatter_reduce.two", alert_scatter},
    {"aten::scatter_reduce.two_out", alert_scatter},
    {"aten::scatter_reduce_.two", alert_scatter},
    {"aten::nll_loss2d_forward", alert_nll_loss2d},
    {"aten::nll_loss2d_forward.output", alert_nll_loss2d},
    {"aten::_embedding_bag_backward", alert_embedding_bag},
    {"aten::_embedding_bag_dense_backward", alert_embedding_bag},
    {"aten::put_", alert_put},
    {"aten::_local_scalar_dense", alert_sync},
    {"aten::nonzero", alert_sync},
    {"aten::masked_select", alert_sync},
    {"aten::equal", alert_sync},
    {"aten::_unique2", alert_sync},
    {"aten::unique_dim", alert_sync},
    {"aten::unique_consecutive", alert_sync},
    {"aten::index.Tensor", alert_sync_of_index},
    {"aten::_index_put_impl_", check_value_of_index_put},
    {"aten::repeat_interleave.Tensor", alert_sync_of_repeats},
    {"aten::_cholesky_solve_helper", check_cholesky_factors},
    {"aten::_cudnn_rnn", check_rnn},
    {"aten::_int_mm", check_int_mm},
    {"aten::_int_mm.out", check_int_mm},
    {"aten::_scaled_mm", check_scaled_mm},
    {"aten::_scaled_mm.out", check_scaled_mm},
    {"aten::segment_reduce", check_segments},
    {"aten::_embedding_bag", check_embedding_bag},
    {"aten::_embedding_bag_forward_only", check_embedding_bag},
    {"aten::cudnn_convolution", check_cudnn_dtype},
    {"aten::cudnn_convolution_transpose", check_cudnn_dtype},
    {"aten::cudnn_batch_norm", check_cudnn_batch_norm},
    {"aten::native_batch_norm", check_batch_norm},
    {"aten::_native_batch_norm_legit", check_batch_norm},
    {"aten::_native_batch_norm_legit.no_stats", check_batch_norm},
    {"aten::_batch_norm_with_update", check_batch_norm},
    {"aten::native_layer_norm", check_layer_norm},
    {"aten::native_group_norm", check_group_norm},
    {"aten::bernoulli_.Tensor", check_probabilities},
    {"aten::linalg_cross", check_cross},
    {"aten::linalg_cross.out", check_cross},
    {"aten::masked_fill.Scalar", check_mask_of_fill},
    {"aten::masked_fill_.Scalar", check_mask_of_fill},
    {"aten::masked_fill.Tensor", check_mask_of_fill},
    {"aten::masked_fill_.Tensor", check_mask_of_fill},
    {"aten::masked_scatter_", check_mask_of_scatter},
    {"aten::max_unpool2d", check_unpooling},
    {"aten::max_unpool3d", check_unpooling},
    {"aten::native_dropout_backward", check_dropout_mask},
    {"aten::_softmax_backward_data", check_softmax_backward},
    {"aten::_log_softmax_backward_data", check_softmax_backward},
    {"aten::histc", check_histogram},
    {"aten::histc.out", check_histogram},
    {"aten::median", check_median},
    {"aten::nanmedian", check_median},
    {"aten::nll_loss_forward", check_nll_loss},
};
constexpr OwnCheck OWN_CHECKS[] = {
    {"aten::index.Tensor", check_index},
    {"aten::index.Tensor_out", check_index},
    {"aten::_unsafe_index.Tensor", check_index},
    {"aten::_index_put_impl_", check_index_put},
    {"aten::index_put_", check_nothing},  // leads to _index_put_impl_
    {"aten::index_put", check_nothing},
    {"aten::masked_fill.Scalar", check_masked_fill},
    {"aten::masked_fill_.Scalar", check_masked_fill},
    {"aten::masked_fill.Tensor", check_masked_fill},
    {"aten::masked_fill_.Tensor", check_masked_fill},
    {"aten::fill_.Tensor", check_fill},
    {"aten::bernoulli_.Tensor", check_nothing},  // the probabilities are moved
    {"aten::bernoulli.out", check_nothing},
    {"aten::addcmul", check_pointwise},
    {"aten::addcmul.out", check_pointwise},
    {"aten::addcmul_", check_pointwise},
    {"aten::index_fill_.int_Scalar", check_index_fill},
    {"aten::lerp.Tensor", check_lerp},
    {"aten::lerp.Tensor_out", check_lerp},
    {"aten::lerp_.Tensor", check_lerp},
    {"aten::lerp.Scalar", check_lerp},
    {"aten::lerp.Scalar_out", check_lerp},
    {"aten::lerp_.Scalar", check_lerp},
    {"aten::where.self", check_where},
    {"aten::where.self_out", check_where},
    {"aten::_cudnn_rnn", check_nothing},  // always checked
    {"aten::segment_reduce", check_nothing},
    {"aten::searchsorted.Tensor", check_searchsorted},
    {"aten::searchsorted.Tensor_out", check_searchsorted},
    {"aten::binary_cross_entropy", check_binary_cross_entropy},
    {"aten::binary_cross_entropy.out", check_binary_cross_entropy},
    {"aten::smooth_l1_loss", check_smooth_l1},
    {"aten::smooth_l1_loss.out", check_smooth_l1},
    {"aten::mse_loss", check_mse},
    {"aten::mse_loss.out", check_mse},
    {"aten::_nested_from_padded", check_nothing},  // the sizes are always on the CPU
    {"aten::_ctc_loss", check_nothing},            // lengths are read on the CPU
    {"aten::_ctc_loss.Tensor", check_nothing},
    {"aten::_fused_adam_", check_fused},
    {"aten::_fused_adam_.tensor_lr", check_fused},
    {"aten::_fused_adamw_", check_fused},
    {"aten::_fused_adamw_.tensor_lr", check_fused},
    {"aten::_fused_sgd_", check_fused},
    {"aten::_fused_sgd_.tensor_lr", check_fused},
    {"aten::_fused_adagrad_", check_fused},
    {"aten::_fused_adagrad_.tensor_lr", check_fused},
};
}  // namespace simulated_cuda
