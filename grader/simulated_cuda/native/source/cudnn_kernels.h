// cuDNN's operators: convolutions, the grid sampler, batch norm, recurrent networks.
#pragma once
#include <ATen/TensorUtils.h>
#include <ATen/autocast_mode.h>
#include <ATen/native/RNN.h>

#include "norm_kernels.h"

namespace simulated_cuda {
// ---- cuDNN's convolutions (aten/src/ATen/native/cudnn/ConvShared.cpp)

template <bool transposed>
inline Tensor convolution_of(const Call& c) {
  auto padding = c.sizes("padding");
  auto output_padding =
      transposed ? c.sizes("output_padding") : std::vector<int64_t>(padding.size(), 0);
  return at::convolution(c.tensor("self"), c.tensor("weight"), {}, c.sizes("stride"), padding,
                         c.sizes("dilation"), transposed, output_padding, c.integer("groups"));
}
inline void cudnn_convolution_relu(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  c.returns(at::convolution(c.tensor("self"), c.tensor("weight"), c.maybe("bias"),
                            c.sizes("stride"), c.sizes("padding"), c.sizes("dilation"), false,
                            std::vector<int64_t>(c.sizes("padding").size(), 0), c.integer("groups"))
                .relu());
}
inline void cudnn_convolution_add_relu(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto y = at::convolution(c.tensor("self"), c.tensor("weight"), c.maybe("bias"), c.sizes("stride"),
                           c.sizes("padding"), c.sizes("dilation"), false,
                           std::vector<int64_t>(c.sizes("padding").size(), 0), c.integer("groups"));
  auto alpha = c["alpha"].isNone() ? Scalar(1) : c["alpha"].toScalar();
  c.returns((y + c.tensor("z") * alpha).relu());
}
// A convolution in which each channel has a filter of its own.
inline Tensor depthwise_of(const Call& c) {
  auto padding = c.sizes("padding");
  return at::convolution(c.tensor("self"), c.tensor("weight"), c.maybe("bias"), c.sizes("stride"),
                         padding, c.sizes("dilation"), false,
                         std::vector<int64_t>(padding.size(), 0), c.tensor("self").size(1));
}

// ---- cuDNN's grid of affine transformations (aten/src/ATen/native/cudnn/AffineGridGenerator.cpp):
// aligned corners

inline std::vector<int64_t> image_sizes(const Call& c) {
  return {c.integer("N"), c.integer("C"), c.integer("H"), c.integer("W")};
}
inline void cudnn_affine_grid(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  c.returns(at::affine_grid_generator(c.tensor("theta"), image_sizes(c), true));
}
inline void cudnn_affine_grid_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  c.returns(at::affine_grid_generator_backward(c.tensor("grad"), image_sizes(c), true));
}

// ---- cuDNN's grid sampler (aten/src/ATen/native/cudnn/GridSampler.cpp): bilinear, zeros outside,
// aligned corners

inline void cudnn_grid_sampler(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  c.returns(at::grid_sampler_2d(c.tensor("self"), c.tensor("grid"), 0, 0, true));
}
inline void cudnn_grid_sampler_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto [self, grid] = at::grid_sampler_2d_backward(c.tensor("grad_output"), c.tensor("self"),
                                                   c.tensor("grid"), 0, 0, true, {true, true});
  c.returns(self, grid);
}

// ---- cuDNN's batch norm (aten/src/ATen/native/cudnn/BatchNorm.cpp)

inline void cudnn_batch_norm(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  bool training = c.flag("training");
  auto [out, mean, invstd] =
      at::native_batch_norm(c.tensor("input"), c.maybe("weight"), c.maybe("bias"),
                            c.maybe("running_mean"), c.maybe("running_var"), training,
                            c.number("exponential_average_factor"), c.number("epsilon"));
  auto nothing = at::empty({0}, c.tensor("weight").options());
  c.returns(out, training ? mean : nothing, training ? invstd : nothing.clone(),
            at::empty({0}, c.tensor("input").options().dtype(kByte)));
}
inline void cudnn_batch_norm_backward(const c10::OperatorHandle& op, Stack* stack) {
  auto count = op.schema().arguments().size();
  check_channels(op.schema(), Values(*stack).slice(stack->size() - count));
  Call c(op, stack);
  auto [input, weight, bias] = at::native_batch_norm_backward(
      c.tensor("grad_output"), c.tensor("input"), c.maybe("weight"), c.maybe("running_mean"),
      c.maybe("running_var"), c.maybe("save_mean"), c.maybe("save_var"), true, c.number("epsilon"),
      {true, true, true});
  c.returns(input, weight, bias);
}

// ---- cuDNN's recurrent networks (aten/src/ATen/native/cudnn/RNN.cpp)

enum RnnMode { RELU, TANH, LSTM, GRU };  // cudnnRNNMode_t

inline std::vector<Tensor> listed(std::tuple<Tensor, Tensor> t) {
  return {std::get<0>(t), std::get<1>(t)};
}
inline std::vector<Tensor> listed(std::tuple<Tensor, Tensor, Tensor> t) {
  return {std::get<0>(t), std::get<1>(t), std::get<2>(t)};
}

// (output, h) or (output, h, c) of the network that the arguments describe.
inline std::vector<Tensor> rnn(const Call& c, const Tensor& x, TensorList weight, const Tensor& h,
                               const Tensor& cx) {
  auto mode = c.integer("mode"), layers = c.integer("num_layers");
  bool biases = c.integer("weight_stride0") >= 4, train = c.flag("train"),
       both = c.flag("bidirectional"), first = c.flag("batch_first");
  double dropout = c.number("dropout");
  auto lengths = c.sizes("batch_sizes");
  if (!lengths.empty()) {  // packed
    auto packed = at::tensor(lengths, kLong);
    switch (mode) {
      case LSTM:
        return listed(at::lstm(x, packed, {h, cx}, weight, biases, layers, dropout, train, both));
      case GRU:
        return listed(at::gru(x, packed, h, weight, biases, layers, dropout, train, both));
      case TANH:
        return listed(at::rnn_tanh(x, packed, h, weight, biases, layers, dropout, train, both));
      default:
        return listed(at::rnn_relu(x, packed, h, weight, biases, layers, dropout, train, both));
    }
  }
  switch (mode) {
    case LSTM:
      return listed(at::lstm(x, {h, cx}, weight, biases, layers, dropout, train, both, first));
    case GRU:
      return listed(at::gru(x, h, weight, biases, layers, dropout, train, both, first));
    case TANH:
      return listed(at::rnn_tanh(x, h, weight, biases, layers, dropout, train, both, first));
    default:
      return listed(at::rnn_relu(x, h, weight, biases, layers, dropout, train, both, first));
  }
}

inline void cudnn_rnn(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto input = c.tensor("input");
  if (!c.tensor("weight_buf").defined()) {
    TORCH_WARN(
        "RNN module weights are not part of single contiguous chunk of memory. This means they "
        "need to be compacted at every call, possibly greatly increasing memory usage. To compact "
        "weights again call flatten_parameters().");
  }
  // Kept in the reserve: the backward needs the same dropout. Without one, cuDNN draws nothing.
  auto seed = c.flag("train") && c.number("dropout") > 0 ? new_seed() : 0;
  AsDefault seeded(seed);
  std::vector<Tensor> results;
  {
    Silent silent;  // of oneDNN, which this would not use
    c10::WarningUtils::WarningHandlerGuard quiet(&silent);
    results = rnn(c, input, c.tensors("weight"), c.tensor("hx"), c.tensor("cx"));
  }
  auto reserve = at::full({1}, static_cast<int64_t>(seed), kLong).view(kByte);
  auto nothing = at::empty({0}, input.options());
  c.returns(results[0], results[1], results.size() > 2 ? results[2] : nothing, reserve,
            c.tensor("weight_buf").defined() ? c.tensor("weight_buf") : nothing.clone());
}
inline void cudnn_rnn_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  TORCH_CHECK(c.flag("train"), "cudnn RNN backward can only be called in training mode");
  auto weight = c.tensors("weight");
  auto cx = c.tensor("cx");
  std::vector<Tensor> inputs = {c.tensor("input"), c.tensor("hx")};
  if (cx.defined()) inputs.push_back(cx);
  auto first = inputs.size();
  inputs.insert(inputs.end(), weight.begin(), weight.end());
  AsDefault seeded(static_cast<uint64_t>(c.tensor("reserve").view(kLong).item<int64_t>()));
  auto found =
      gradients(inputs, {c.tensor("grad_output"), c.tensor("grad_hy"), c.tensor("grad_cy")},
                [&](const std::vector<Tensor>& t) {
                  return rnn(c, t[0], TensorList(t).slice(first), t[1], cx.defined() ? t[2] : cx);
                });
  auto needed = c.mask<4>("output_mask");
  std::vector<Tensor> weights;
  weights.reserve(weight.size());
  for (size_t i = 0; i < weight.size(); ++i)
    weights.push_back(needed[3] ? or_zeros(found[first + i], weight[i]) : Tensor());
  if (!needed[3]) weights.clear();
  c.returns(or_zeros(found[0], inputs[0]), or_zeros(found[1], inputs[1]),
            cx.defined() ? or_zeros(found[2], cx) : Tensor(), weights);
}
// aten/src/ATen/cudnn/AutocastRNN.cpp: half precision, whatever dtype autocast has. The weights are
// copied into one buffer at each call; autograd sees that.
inline void rnn_under_autocast(const c10::OperatorHandle& op, Stack* stack) {
  c10::impl::ExcludeDispatchKeyGuard below(DispatchKey::AutocastCUDA);
  auto& arguments = op.schema().arguments();
  auto values = stack->end() - arguments.size();
  auto half = [](const Tensor& t) { return at::autocast::cached_cast(kHalf, t, kDevice); };
  std::vector<Tensor> weights;
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto& value = values[i];
    auto& name = arguments[i].name();
    if (name == "weight") {
      weights = value.toTensorVector();
      auto dtype = weights.at(0).scalar_type();
      for (auto& w : weights)
        TORCH_CHECK(w.scalar_type() == dtype, "Weight scalar types do not match.");
      if (dtype != kFloat && dtype != kBFloat16) weights.clear();
    }
    if (name == "weight_buf" && !weights.empty()) {
      std::vector<Tensor> flat;
      flat.reserve(weights.size());
      for (auto& w : weights) flat.push_back(w.reshape(-1).to(kHalf));
      auto buffer = at::cat(flat);
      int64_t offset = 0;
      for (auto& w : weights) {
        w = buffer.narrow(0, offset, w.numel()).view(w.sizes());
        offset += w.numel();
      }
      values[1] = weights;
      value = buffer.detach();
    }
    if ((name == "input" || name == "hx" || name == "cx") && value.isTensor())
      value = half(value.toTensor());
  }
  op.callBoxed(stack);
}
// `flatten_parameters()`: all weights become views of one buffer. These are the device's tensors.
inline Tensor flatten_weights(TensorList weights) {
  int64_t total = 0;
  for (auto& w : weights) total += w.numel();
  auto buffer = at::zeros({total}, weights[0].options());
  int64_t offset = 0;
  for (auto& w : weights) {
    auto part = buffer.narrow(0, offset, w.numel()).view_as(w);
    part.copy_(w);
    const_cast<Tensor&>(w).set_(part);
    offset += w.numel();
  }
  return buffer;
}
class FlattenWeights final : public c10::OperatorKernel {
 public:
  void operator()(const c10::OperatorHandle& op, DispatchKeySet, Stack* stack) {
    Call c(op, stack);
    c.returns(flatten_weights(c.tensors("weight_arr")));
  }
};

// What PyTorch's `lstm` and its like call where cuDNN is to be used.
inline std::tuple<Tensor, Tensor, Tensor> by_cudnn(RnnMode mode, const Tensor& input,
                                                   const Tensor& hx, const Tensor& cx,
                                                   TensorList weights, bool biases, int64_t layers,
                                                   double dropout, bool train, bool both,
                                                   bool batch_first, IntArrayRef batch_sizes) {
  bool projected = cx.defined() && cx.size(2) != hx.size(2);
  int64_t hidden = projected ? cx.size(2) : hx.size(2), stride = (biases ? 4 : 2) + projected;
  Tensor buffer;  // defined if the weights share one
  bool shared = true;
  for (auto& w : weights)
    shared &= w.storage().unsafeGetStorageImpl() == weights[0].storage().unsafeGetStorageImpl();
  if (shared) buffer = at::empty({0}, weights[0].options()).set_(weights[0].storage());
  auto result = at::_cudnn_rnn(input, weights, stride, buffer, hx,
                               cx.defined() ? std::optional<Tensor>(cx) : std::nullopt, mode,
                               hidden, projected ? hx.size(2) : 0, layers, batch_first, dropout,
                               train, both, batch_sizes, std::nullopt);
  return {std::get<0>(result), std::get<1>(result), std::get<2>(result)};
}
inline void lstm(Tensor& y, Tensor& hy, Tensor& cy, const Tensor& x, TensorList h, TensorList w,
                 bool biases, int64_t layers, double dropout, bool train, bool both, bool first) {
  std::tie(y, hy, cy) =
      by_cudnn(LSTM, x, h[0], h[1], w, biases, layers, dropout, train, both, first, {});
}
inline std::vector<int64_t> lengths_of(const Tensor& batch_sizes) {
  return {batch_sizes.data_ptr<int64_t>(), batch_sizes.data_ptr<int64_t>() + batch_sizes.numel()};
}
inline void lstm_packed(Tensor& y, Tensor& hy, Tensor& cy, const Tensor& x, const Tensor& sizes,
                        TensorList h, TensorList w, bool biases, int64_t layers, double dropout,
                        bool train, bool both) {
  std::tie(y, hy, cy) = by_cudnn(LSTM, x, h[0], h[1], w, biases, layers, dropout, train, both,
                                 false, lengths_of(sizes));
}
template <RnnMode mode>
void rnn_by_cudnn(Tensor& y, Tensor& hy, const Tensor& x, const Tensor& h, TensorList w,
                  bool biases, int64_t layers, double dropout, bool train, bool both, bool first) {
  std::tie(y, hy, std::ignore) =
      by_cudnn(mode, x, h, {}, w, biases, layers, dropout, train, both, first, {});
}
template <RnnMode mode>
void packed_by_cudnn(Tensor& y, Tensor& hy, const Tensor& x, const Tensor& sizes, const Tensor& h,
                     TensorList w, bool biases, int64_t layers, double dropout, bool train,
                     bool both) {
  std::tie(y, hy, std::ignore) =
      by_cudnn(mode, x, h, {}, w, biases, layers, dropout, train, both, false, lengths_of(sizes));
}
}  // namespace simulated_cuda
