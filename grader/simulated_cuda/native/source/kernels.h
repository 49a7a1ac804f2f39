// Kernels that CUDA has and the CPU has not: cuDNN's, the fused ones, and those about memory.
#pragma once
#include <ATen/native/Copy.h>
#include <ATen/native/RNN.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/autograd.h>

#include "operators.h"

namespace simulated_cuda {
// The arguments of a call, by name; they are on the CPU here.
class Call {
 public:
  Call(const c10::OperatorHandle& op, Stack* stack) : schema_(op.schema()), stack_(stack) {
    auto count = schema_.arguments().size();
    values_.assign(stack->end() - count, stack->end());
    stack->erase(stack->end() - count, stack->end());
  }
  const IValue& operator[](const char* name) const {
    auto* value = argument(schema_, values_, name);
    TORCH_CHECK_NOT_IMPLEMENTED(value, "The simulated CUDA device does not know this version of '", schema_.name(), "': it has no argument '", name, "'.");
    return *value;
  }
  Tensor tensor(const char* name) const { return (*this)[name].isTensor() ? (*this)[name].toTensor() : Tensor(); }
  std::optional<Tensor> maybe(const char* name) const { auto t = tensor(name); return t.defined() ? std::optional<Tensor>(t) : std::nullopt; }
  int64_t integer(const char* name) const { return (*this)[name].toInt(); }
  double number(const char* name) const { return (*this)[name].toDouble(); }
  bool flag(const char* name) const { return (*this)[name].toBool(); }
  std::vector<int64_t> sizes(const char* name) const { return (*this)[name].toIntVector(); }
  std::vector<Tensor> tensors(const char* name) const { return (*this)[name].toTensorVector(); }
  template <size_t N>
  std::array<bool, N> mask(const char* name) const {
    auto list = (*this)[name].toBoolList();
    std::array<bool, N> wanted;
    for (size_t i = 0; i < N; ++i) wanted[i] = list[i];
    return wanted;
  }
  template <class... Results>
  void returns(Results&&... results) { (stack_->emplace_back(std::forward<Results>(results)), ...); }
  // What an out variant returns: its argument, with the value.
  void returns_in(const char* name, const Tensor& value) {
    auto out = tensor(name);
    at::native::resize_output(out, value.sizes());
    out.copy_(value);
    returns(out);
  }

 private:
  const c10::FunctionSchema& schema_;
  Stack* stack_;
  std::vector<IValue> values_;
};

// Gradients by PyTorch's autograd on the CPU: `forward` is computed once more.
template <class Forward>
std::vector<Tensor> gradients(std::vector<Tensor> inputs, std::vector<Tensor> output_gradients, Forward forward) {
  c10::impl::ForceDispatchKeyGuard as_from_python{c10::default_included_set, c10::default_excluded_set};
  AutoGradMode on(true);
  std::vector<Tensor> leaves;
  for (auto& t : inputs) {
    t = t.detach();
    if (t.is_floating_point()) leaves.push_back(t.requires_grad_());
  }
  std::vector<Tensor> outputs = forward(inputs), reached, given;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (output_gradients[i].defined() && outputs[i].requires_grad()) reached.push_back(outputs[i]), given.push_back(output_gradients[i].detach());
  std::vector<Tensor> found(inputs.size());
  if (reached.empty()) return found;
  auto all = torch::autograd::grad(reached, leaves, given, false, false, true);
  for (size_t i = 0, leaf = 0; i < inputs.size(); ++i) if (inputs[i].is_floating_point()) found[i] = all[leaf++];
  for (auto& t : found) if (t.defined()) t = t.detach();
  return found;
}
inline Tensor or_zeros(const Tensor& t, const Tensor& like) { return t.defined() ? t : at::zeros_like(like); }

// ---- cuDNN's convolutions (aten/src/ATen/native/cudnn/ConvShared.cpp)

inline Tensor convolution_of(const Call& c, bool transposed) {
  auto padding = c.sizes("padding");
  auto output_padding = transposed ? c.sizes("output_padding") : std::vector<int64_t>(padding.size(), 0);
  return at::convolution(c.tensor("self"), c.tensor("weight"), {}, c.sizes("stride"), padding, c.sizes("dilation"), transposed, output_padding, c.integer("groups"));
}
inline void cudnn_convolution(const c10::OperatorHandle& op, Stack* stack) { Call c(op, stack); c.returns(convolution_of(c, false)); }
inline void cudnn_convolution_out(const c10::OperatorHandle& op, Stack* stack) { Call c(op, stack); c.returns_in("out", convolution_of(c, false)); }
inline void cudnn_convolution_transpose(const c10::OperatorHandle& op, Stack* stack) { Call c(op, stack); c.returns(convolution_of(c, true)); }
inline void cudnn_convolution_relu(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  c.returns(at::convolution(c.tensor("self"), c.tensor("weight"), c.maybe("bias"), c.sizes("stride"), c.sizes("padding"), c.sizes("dilation"), false, std::vector<int64_t>(c.sizes("padding").size(), 0), c.integer("groups")).relu());
}
inline void cudnn_convolution_add_relu(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto y = at::convolution(c.tensor("self"), c.tensor("weight"), c.maybe("bias"), c.sizes("stride"), c.sizes("padding"), c.sizes("dilation"), false, std::vector<int64_t>(c.sizes("padding").size(), 0), c.integer("groups"));
  auto alpha = c["alpha"].isNone() ? Scalar(1) : c["alpha"].toScalar();
  c.returns((y + c.tensor("z") * alpha).relu());
}
// A convolution in which each channel has a filter of its own.
inline Tensor depthwise_of(const Call& c) {
  auto padding = c.sizes("padding");
  return at::convolution(c.tensor("self"), c.tensor("weight"), c.maybe("bias"), c.sizes("stride"), padding, c.sizes("dilation"), false, std::vector<int64_t>(padding.size(), 0), c.tensor("self").size(1));
}
inline void conv_depthwise(const c10::OperatorHandle& op, Stack* stack) { Call c(op, stack); c.returns(depthwise_of(c)); }
inline void conv_depthwise_out(const c10::OperatorHandle& op, Stack* stack) { Call c(op, stack); c.returns_in("out", depthwise_of(c)); }

// ---- cuDNN's grid sampler (aten/src/ATen/native/cudnn/GridSampler.cpp): bilinear, zeros outside, aligned corners

inline void cudnn_grid_sampler(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  c.returns(at::grid_sampler_2d(c.tensor("self"), c.tensor("grid"), 0, 0, true));
}
inline void cudnn_grid_sampler_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto [self, grid] = at::grid_sampler_2d_backward(c.tensor("grad_output"), c.tensor("self"), c.tensor("grid"), 0, 0, true, {true, true});
  c.returns(self, grid);
}

// ---- cuDNN's batch norm (aten/src/ATen/native/cudnn/BatchNorm.cpp)

inline void cudnn_batch_norm(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  bool training = c.flag("training");
  auto [out, mean, invstd] = at::native_batch_norm(c.tensor("input"), c.maybe("weight"), c.maybe("bias"), c.maybe("running_mean"),
      c.maybe("running_var"), training, c.number("exponential_average_factor"), c.number("epsilon"));
  auto nothing = at::empty({0}, c.tensor("weight").options());
  c.returns(out, training ? mean : nothing, training ? invstd : nothing.clone(), at::empty({0}, c.tensor("input").options().dtype(kByte)));
}
inline void cudnn_batch_norm_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto [input, weight, bias] = at::native_batch_norm_backward(c.tensor("grad_output"), c.tensor("input"), c.maybe("weight"), c.maybe("running_mean"),
      c.maybe("running_var"), c.maybe("save_mean"), c.maybe("save_var"), true, c.number("epsilon"), {true, true, true});
  c.returns(input, weight, bias);
}

// ---- cuDNN's recurrent networks (aten/src/ATen/native/cudnn/RNN.cpp)

enum RnnMode { RELU, TANH, LSTM, GRU };  // cudnnRNNMode_t

inline std::vector<Tensor> listed(std::tuple<Tensor, Tensor> t) { return {std::get<0>(t), std::get<1>(t)}; }
inline std::vector<Tensor> listed(std::tuple<Tensor, Tensor, Tensor> t) { return {std::get<0>(t), std::get<1>(t), std::get<2>(t)}; }

// (output, h) or (output, h, c) of the network that the arguments describe.
inline std::vector<Tensor> rnn(const Call& c, const Tensor& x, TensorList weight, const Tensor& h, const Tensor& cx) {
  auto mode = c.integer("mode"), layers = c.integer("num_layers");
  bool biases = c.integer("weight_stride0") >= 4, train = c.flag("train"), both = c.flag("bidirectional"), first = c.flag("batch_first");
  double dropout = c.number("dropout");
  auto lengths = c.sizes("batch_sizes");
  if (!lengths.empty()) {  // packed
    auto packed = at::tensor(lengths, kLong);
    switch (mode) {
      case LSTM: return listed(at::lstm(x, packed, {h, cx}, weight, biases, layers, dropout, train, both));
      case GRU: return listed(at::gru(x, packed, h, weight, biases, layers, dropout, train, both));
      case TANH: return listed(at::rnn_tanh(x, packed, h, weight, biases, layers, dropout, train, both));
      default: return listed(at::rnn_relu(x, packed, h, weight, biases, layers, dropout, train, both));
    }
  }
  switch (mode) {
    case LSTM: return listed(at::lstm(x, {h, cx}, weight, biases, layers, dropout, train, both, first));
    case GRU: return listed(at::gru(x, h, weight, biases, layers, dropout, train, both, first));
    case TANH: return listed(at::rnn_tanh(x, h, weight, biases, layers, dropout, train, both, first));
    default: return listed(at::rnn_relu(x, h, weight, biases, layers, dropout, train, both, first));
  }
}

inline void cudnn_rnn(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto input = c.tensor("input");
  if (!c.tensor("weight_buf").defined())
    TORCH_WARN("RNN module weights are not part of single contiguous chunk of memory. This means they need to be compacted at every call, possibly greatly increasing memory usage. To compact weights again call flatten_parameters().");
  auto seed = new_seed();  // kept in the reserve: the backward needs the same dropout
  AsDefault seeded(seed);
  auto results = rnn(c, input, c.tensors("weight"), c.tensor("hx"), c.tensor("cx"));
  auto reserve = at::full({1}, static_cast<int64_t>(seed), kLong).view(kByte);
  auto nothing = at::empty({0}, input.options());
  c.returns(results[0], results[1], results.size() > 2 ? results[2] : nothing, reserve, c.tensor("weight_buf").defined() ? c.tensor("weight_buf") : nothing.clone());
}
inline void cudnn_rnn_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto weight = c.tensors("weight");
  auto cx = c.tensor("cx");
  std::vector<Tensor> inputs = {c.tensor("input"), c.tensor("hx")};
  if (cx.defined()) inputs.push_back(cx);
  auto first = inputs.size();
  inputs.insert(inputs.end(), weight.begin(), weight.end());
  AsDefault seeded(static_cast<uint64_t>(c.tensor("reserve").view(kLong).item<int64_t>()));
  auto found = gradients(inputs, {c.tensor("grad_output"), c.tensor("grad_hy"), c.tensor("grad_cy")}, [&](const std::vector<Tensor>& t) {
    return rnn(c, t[0], TensorList(t).slice(first), t[1], cx.defined() ? t[2] : cx);
  });
  auto wanted = c.mask<4>("output_mask");
  std::vector<Tensor> weights;
  for (size_t i = 0; i < weight.size(); ++i) weights.push_back(wanted[3] ? or_zeros(found[first + i], weight[i]) : Tensor());
  if (!wanted[3]) weights.clear();
  c.returns(or_zeros(found[0], inputs[0]), or_zeros(found[1], inputs[1]), cx.defined() ? or_zeros(found[2], cx) : Tensor(), weights);
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
inline std::tuple<Tensor, Tensor, Tensor> by_cudnn(RnnMode mode, const Tensor& input, const Tensor& hx, const Tensor& cx, TensorList weights, bool biases,
    int64_t layers, double dropout, bool train, bool both, bool batch_first, IntArrayRef batch_sizes) {
  bool projected = cx.defined() && cx.size(2) != hx.size(2);
  int64_t hidden = projected ? cx.size(2) : hx.size(2), stride = (biases ? 4 : 2) + projected;
  Tensor buffer;  // defined if the weights share one
  bool shared = true;
  for (auto& w : weights) shared &= w.storage().unsafeGetStorageImpl() == weights[0].storage().unsafeGetStorageImpl();
  if (shared) buffer = at::empty({0}, weights[0].options()).set_(weights[0].storage());
  auto result = at::_cudnn_rnn(input, weights, stride, buffer, hx, cx.defined() ? std::optional<Tensor>(cx) : std::nullopt, mode, hidden,
      projected ? hx.size(2) : 0, layers, batch_first, dropout, train, both, batch_sizes, std::nullopt);
  return {std::get<0>(result), std::get<1>(result), std::get<2>(result)};
}
inline void lstm(Tensor& y, Tensor& hy, Tensor& cy, const Tensor& x, TensorList h, TensorList w, bool biases, int64_t layers, double dropout, bool train, bool both, bool first) {
  std::tie(y, hy, cy) = by_cudnn(LSTM, x, h[0], h[1], w, biases, layers, dropout, train, both, first, {});
}
inline std::vector<int64_t> lengths_of(const Tensor& batch_sizes) { return {batch_sizes.data_ptr<int64_t>(), batch_sizes.data_ptr<int64_t>() + batch_sizes.numel()}; }
inline void lstm_packed(Tensor& y, Tensor& hy, Tensor& cy, const Tensor& x, const Tensor& sizes, TensorList h, TensorList w, bool biases, int64_t layers, double dropout, bool train, bool both) {
  std::tie(y, hy, cy) = by_cudnn(LSTM, x, h[0], h[1], w, biases, layers, dropout, train, both, false, lengths_of(sizes));
}
template <RnnMode mode>
void rnn_by_cudnn(Tensor& y, Tensor& hy, const Tensor& x, const Tensor& h, TensorList w, bool biases, int64_t layers, double dropout, bool train, bool both, bool first) {
  std::tie(y, hy, std::ignore) = by_cudnn(mode, x, h, {}, w, biases, layers, dropout, train, both, first, {});
}
template <RnnMode mode>
void packed_by_cudnn(Tensor& y, Tensor& hy, const Tensor& x, const Tensor& sizes, const Tensor& h, TensorList w, bool biases, int64_t layers, double dropout, bool train, bool both) {
  std::tie(y, hy, std::ignore) = by_cudnn(mode, x, h, {}, w, biases, layers, dropout, train, both, false, lengths_of(sizes));
}

// ---- One step of LSTM and GRU in one kernel (aten/src/ATen/native/cuda/RNN.cu)

// Equal parts of each row of a matrix, as many as there are gates.
inline std::vector<Tensor> gates_of(const Tensor& t, int64_t count) {
  TORCH_CHECK(t.defined() && t.dim() == 2 && t.size(1) % count == 0, "Expected a matrix with ", count, " gates in each row");
  return t.split_with_sizes(std::vector<int64_t>(count, t.size(1) / count), 1);
}
inline void lstm_cell(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto gates = c.tensor("input_gates") + c.tensor("hidden_gates");
  if (auto bias = c.maybe("input_bias")) gates = gates + *bias + c.tensor("hidden_bias");
  auto parts = gates_of(gates, 4);
  auto i = parts[0].sigmoid(), f = parts[1].sigmoid(), g = parts[2].tanh(), o = parts[3].sigmoid();
  auto cy = f * c.tensor("cx") + i * g;
  c.returns(o * cy.tanh(), cy, at::cat({i, f, g, o}, 1));
}
inline void lstm_cell_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto parts = gates_of(c.tensor("workspace"), 4);
  auto &i = parts[0], &f = parts[1], &g = parts[2], &o = parts[3];
  auto cx = c.tensor("cx"), tanh = c.tensor("cy").tanh();
  auto dh = or_zeros(c.tensor("grad_hy"), tanh), dc = dh * o * (1 - tanh * tanh);
  if (auto more = c.maybe("grad_cy")) dc = dc + *more;
  auto gates = at::cat({dc * g * i * (1 - i), dc * cx * f * (1 - f), dc * i * (1 - g * g), dh * tanh * o * (1 - o)}, 1);
  c.returns(gates, dc * f, c.flag("has_bias") ? gates.sum(0) : Tensor());
}
inline void gru_cell(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto gates = [&](const char* name, const char* bias) { auto t = c.tensor(name); return gates_of(c.maybe(bias) ? t + c.tensor(bias) : t, 3); };
  auto x = gates("input_gates", "input_bias"), h = gates("hidden_gates", "hidden_bias");
  auto hx = c.tensor("hx"), r = (x[0] + h[0]).sigmoid(), z = (x[1] + h[1]).sigmoid(), n = (x[2] + r * h[2]).tanh();
  c.returns(n + z * (hx - n), at::cat({r, z, n, hx, h[2]}, 1));
}
inline void gru_cell_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto parts = gates_of(c.tensor("workspace"), 5);
  auto &r = parts[0], &z = parts[1], &n = parts[2], &hx = parts[3], &h2 = parts[4];
  auto grad = c.tensor("grad_hy");
  auto dn = grad * (1 - z) * (1 - n * n), dz = grad * (hx - n) * z * (1 - z), dr = dn * h2 * r * (1 - r);
  auto x = at::cat({dr, dz, dn}, 1), h = at::cat({dr, dz, dn * r}, 1);
  bool bias = c.flag("has_bias");
  c.returns(x, h, grad * z, bias ? x.sum(0) : Tensor(), bias ? h.sum(0) : Tensor());
}

// ---- RMS norm in one kernel (aten/src/ATen/native/cuda/layer_norm_kernel.cu)

inline std::vector<int64_t> last_dimensions(const Tensor& x, size_t count) {
  std::vector<int64_t> dimensions(count);
  for (size_t i = 0; i < count; ++i) dimensions[i] = x.dim() - int64_t(count - i);
  return dimensions;
}
inline Tensor rms_scale(const Tensor& x, size_t dimensions, double eps) { return (x.square().mean(last_dimensions(x, dimensions), true) + eps).rsqrt(); }
inline void rms_norm(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto x = c.tensor("input");
  auto wide = x.scalar_type() == kHalf || x.scalar_type() == kBFloat16 ? kFloat : x.scalar_type();
  double eps = c["eps"].isNone() ? (wide == kDouble ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon()) : c.number("eps");
  auto scale = rms_scale(x.to(wide), c.sizes("normalized_shape").size(), eps);
  auto y = x.to(wide) * scale;
  if (auto weight = c.maybe("weight")) y = y * *weight;
  c.returns(y.to(x.scalar_type()), scale);
}
inline void rms_norm_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto x = c.tensor("input"), scale = c.tensor("rstd");
  auto weight = c.maybe("weight");
  auto shape = c.sizes("normalized_shape");
  auto grad = c.tensor("grad_out").to(scale.scalar_type()), wide = x.to(scale.scalar_type());
  auto into = weight ? grad * *weight : grad;
  auto normal = wide * scale;
  auto gx = scale * (into - normal * (into * normal).mean(last_dimensions(x, shape.size()), true));
  auto wanted = c.mask<2>("output_mask");
  c.returns(wanted[0] ? gx.to(x.scalar_type()) : Tensor(), weight && wanted[1] ? (grad * normal).sum_to_size(shape).to(weight->scalar_type()) : Tensor());
}

// ---- Softmax that widens half precision in one step (aten/src/ATen/native/cuda/SoftMax.cu)

template <Tensor (*softmax)(const Tensor&, int64_t, bool)>
void widening(const c10::OperatorHandle& op, Stack* stack) {
  if (!stack->back().toBool()) return op.redispatchBoxed(DispatchKeySet(DispatchKey::CPU), stack);
  Call c(op, stack);
  auto x = c.tensor("self");
  TORCH_CHECK(x.scalar_type() == kHalf || x.scalar_type() == kBFloat16, "conversion is supported for Half and BFloat16 type only");
  c.returns(softmax(x.to(kFloat), c.integer("dim"), false));
}
template <Tensor (*backward)(const Tensor&, const Tensor&, int64_t, ScalarType)>
void narrowing(const c10::OperatorHandle& op, Stack* stack) {
  auto dtype = (stack->end() - op.schema().arguments().size())->toTensor().scalar_type();
  if (stack->back().toScalarType() == dtype) return op.redispatchBoxed(DispatchKeySet(DispatchKey::CPU), stack);
  Call c(op, stack);
  auto grad = c.tensor("grad_output");
  c.returns(backward(grad, c.tensor("output"), c.integer("dim"), grad.scalar_type()).to(c["input_dtype"].toScalarType()));
}

// ---- Attention in one kernel (aten/src/ATen/native/transformers/cuda/attention.cu)

inline Tensor plain_attention(const Call& c, const Tensor& q, const Tensor& k, const Tensor& v, const std::optional<Tensor>& mask) {
  std::optional<double> scale = c["scale"].isNone() ? std::nullopt : std::optional<double>(c.number("scale"));
  return std::get<0>(at::_scaled_dot_product_attention_math(q, k, v, mask, c.number("dropout_p"), c.flag("is_causal"), std::nullopt, scale));
}
inline void efficient_attention(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto q = c.tensor("query");
  auto seed = new_seed();
  AsDefault seeded(seed);
  auto out = plain_attention(c, q, c.tensor("key"), c.tensor("value"), c.maybe("attn_bias"));
  out = out.transpose(1, 2).contiguous().transpose(1, 2);  // the kernel writes (batch, length, heads, width)
  int64_t rows = c.flag("compute_log_sumexp") ? (q.size(2) + 31) / 32 * 32 : 0;
  c.returns(out, at::zeros({q.size(0), q.size(1), rows}, q.options().dtype(kFloat)), at::scalar_tensor(static_cast<int64_t>(seed), kLong), at::scalar_tensor(0, kLong));
}
inline void efficient_attention_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto bias = c.tensor("attn_bias");
  std::vector<Tensor> inputs = {c.tensor("query"), c.tensor("key"), c.tensor("value")};
  if (bias.defined()) inputs.push_back(bias);
  AsDefault seeded(static_cast<uint64_t>(c.tensor("philox_seed").item<int64_t>()));
  auto found = gradients(inputs, {c.tensor("grad_out_")}, [&](const std::vector<Tensor>& t) {
    return std::vector<Tensor>{plain_attention(c, t[0], t[1], t[2], bias.defined() ? std::optional<Tensor>(t[3]) : std::nullopt)};
  });
  auto wanted = c.mask<4>("grad_input_mask");
  for (size_t i = 0; i < inputs.size(); ++i) found[i] = or_zeros(found[i], inputs[i]);
  c.returns(found[0], found[1], found[2], bias.defined() && wanted[3] ? found[3] : Tensor());
}
// Which kernel `scaled_dot_product_attention` takes: sdp_utils.cpp, as for a GPU of compute capability 9.0.
inline int64_t attention_choice(const Tensor& q, const Tensor& k, const Tensor& v, const std::optional<Tensor>& mask, double, bool, std::optional<double>, bool grouped) {
  constexpr int64_t math = 0, efficient = 2;
  bool half = q.scalar_type() == kHalf || q.scalar_type() == kBFloat16;
  int64_t aligned = half ? 8 : 4;  // heads must have a multiple of 16 bytes
  bool shapes = q.dim() == 4 && k.dim() == 4 && v.dim() == 4 && !q.is_nested() && q.size(0) == k.size(0) && k.size(0) == v.size(0) && q.size(1) == k.size(1) && k.size(1) == v.size(1);
  if (!shapes || grouped || !globalContext().userEnabledMemEfficientSDP() || (!half && q.scalar_type() != kFloat)) return math;
  if (!q.is_cuda() || !k.is_cuda() || !v.is_cuda() || q.scalar_type() != k.scalar_type() || k.scalar_type() != v.scalar_type()) return math;
  if (q.size(3) % aligned || v.size(3) % aligned || !q.size(2) || !k.size(2)) return math;
  for (auto* t : {&q, &k, &v}) if (t->stride(3) != 1 && t->size(3) != 1) return math;
  if (mask && mask->defined() && mask->requires_grad() && (mask->dim() != 4)) return math;
  return efficient;
}

// ---- cuDNN's grid sampler: bilinear, zeros outside, corners aligned (aten/src/ATen/native/cudnn/GridSampler.cpp)

inline void grid_sampler(const c10::OperatorHandle& op, Stack* stack) { Call c(op, stack); c.returns(at::grid_sampler_2d(c.tensor("self"), c.tensor("grid"), 0, 0, true)); }
inline void grid_sampler_backward(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto [self, grid] = at::grid_sampler_2d_backward(c.tensor("grad_output"), c.tensor("self"), c.tensor("grid"), 0, 0, true, {true, true});
  c.returns(self, grid);
}

// ---- Products of half precision that are kept in single precision (aten/src/ATen/native/cuda/Blas.cpp)

inline Tensor wide_product(const Call& c, const char* one, const char* other) {
  auto dtype = c["out_dtype"].toScalarType();
  return at::matmul(c.tensor(one).to(dtype), c.tensor(other).to(dtype));
}
inline Tensor wide_sum(const Call& c, const char* one, const char* other) {
  auto product = wide_product(c, one, other);
  return c.tensor("self").to(product.scalar_type()) * c["beta"].toScalar() + product * c["alpha"].toScalar();
}
inline void wide_mm(const c10::OperatorHandle& op, Stack* stack) { Call c(op, stack); c.returns(wide_product(c, "self", "mat2")); }
inline void wide_mm_out(const c10::OperatorHandle& op, Stack* stack) { Call c(op, stack); c.returns_in("out", wide_product(c, "self", "mat2")); }
inline void wide_addmm(const c10::OperatorHandle& op, Stack* stack) { Call c(op, stack); c.returns(wide_sum(c, "mat1", "mat2")); }
inline void wide_addmm_out(const c10::OperatorHandle& op, Stack* stack) { Call c(op, stack); c.returns_in("out", wide_sum(c, "mat1", "mat2")); }
inline void wide_baddbmm(const c10::OperatorHandle& op, Stack* stack) { Call c(op, stack); c.returns(wide_sum(c, "batch1", "batch2")); }
inline void wide_baddbmm_out(const c10::OperatorHandle& op, Stack* stack) { Call c(op, stack); c.returns_in("out", wide_sum(c, "batch1", "batch2")); }

// ---- About memory: these work on the device's tensors

inline std::optional<ScalarType> dtype_in(const IValue& v) { return v.isNone() ? std::nullopt : std::optional<ScalarType>(v.toScalarType()); }
using Maybe = std::optional<Device>;
inline Device place_of(const Maybe& device) {
  auto index = device ? or_current(device->index()) : current_device;
  check_ordinal(index);
  return {kDevice, index};
}
// What `torch.use_deterministic_algorithms(True)` asks for: new memory is NaN, or the largest integer.
inline Tensor settled(Tensor fresh) {
  auto& context = globalContext();
  if (context.deterministicAlgorithms() && context.deterministicFillUninitializedMemory()) {
    auto view = host_view(fresh);
    at::native::fill_empty_deterministic_(view);
  }
  return fresh;
}
inline Tensor empty(IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout, Maybe device, std::optional<bool> pin, std::optional<MemoryFormat> format) {
  TORCH_CHECK(!pin.value_or(false), "Only dense CPU tensors can be pinned");
  c10::OptionalDeviceGuard there(place_of(device));
  return settled(at::detail::empty_generic(size, &device_memory(), DispatchKeySet(DispatchKey::CUDA), dtype_or_default(dtype), format));
}
inline Tensor empty_strided(IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype, std::optional<Layout> layout, Maybe device, std::optional<bool> pin) {
  TORCH_CHECK(!pin.value_or(false), "Only dense CPU tensors can be pinned");
  c10::OptionalDeviceGuard there(place_of(device));
  return settled(at::detail::empty_strided_generic(size, stride, &device_memory(), DispatchKeySet(DispatchKey::CUDA), dtype_or_default(dtype)));
}
inline Tensor& copy_(Tensor& self, const Tensor& from, bool) {
  if (from._is_zerotensor()) return self.zero_();
  auto view = host_view(self);
  view.copy_(host_view(from));
  return self;
}
// What PyTorch's own `copy_` calls for quantised tensors.
inline void copy_by_iterator(TensorIterator& iterator, bool) { host_view(iterator.tensor(0)).copy_(host_view(iterator.tensor(1))); }
inline Tensor copy_from(const Tensor& from, const Tensor& to, bool) {
  host_view(to).copy_(host_view(from));
  return to;
}
inline Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  to.resize_(from.sizes());
  return copy_from(from, to, false);
}
inline const Tensor& resize_(const Tensor& t, IntArrayRef size, std::optional<MemoryFormat> format) {
  c10::OptionalDeviceGuard there(t.device());
  return at::native::resize_(t, size, format);
}
inline Tensor& set_storage(Tensor& t, Storage storage, int64_t offset, IntArrayRef size, IntArrayRef stride) {
  c10::OptionalDeviceGuard there(storage.device());
  at::native::checkSetStorage(t, std::move(storage), offset, size, stride);
  t.unsafeGetTensorImpl()->set_storage_offset(offset);
  at::native::resize_impl_cpu_(t.unsafeGetTensorImpl(), size, stride.data() ? at::OptionalIntArrayRef(stride) : std::nullopt, true);
  return t;
}
inline Tensor& set_to_nothing(Tensor& t) {
  c10::OptionalDeviceGuard there(t.device());
  return set_storage(t, Storage(Storage::use_byte_size_t(), 0, device_memory().allocate(0), &device_memory(), true), 0, {0}, {});
}

struct Computed {
  const char* op;
  void (*compute)(const c10::OperatorHandle&, Stack*);
};
constexpr Computed COMPUTED[] = {
    {"aten::cudnn_convolution", cudnn_convolution},
    {"aten::cudnn_convolution.out", cudnn_convolution_out},
    {"aten::cudnn_convolution_transpose", cudnn_convolution_transpose},
    {"aten::cudnn_convolution_relu", cudnn_convolution_relu},
    {"aten::cudnn_convolution_add_relu", cudnn_convolution_add_relu},
    {"aten::_conv_depthwise2d", conv_depthwise},
    {"aten::_conv_depthwise2d.out", conv_depthwise_out},
    {"aten::conv_depthwise3d", conv_depthwise},
    {"aten::cudnn_grid_sampler", cudnn_grid_sampler},
    {"aten::cudnn_grid_sampler_backward", cudnn_grid_sampler_backward},
    {"aten::cudnn_batch_norm", cudnn_batch_norm},
    {"aten::cudnn_batch_norm_backward", cudnn_batch_norm_backward},
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
    {"aten::cudnn_grid_sampler", grid_sampler},
    {"aten::cudnn_grid_sampler_backward", grid_sampler_backward},
    {"aten::mm.dtype", wide_mm},
    {"aten::mm.dtype_out", wide_mm_out},
    {"aten::bmm.dtype", wide_mm},
    {"aten::bmm.dtype_out", wide_mm_out},
    {"aten::addmm.dtype", wide_addmm},
    {"aten::addmm.dtype_out", wide_addmm_out},
    {"aten::baddbmm.dtype", wide_baddbmm},
    {"aten::baddbmm.dtype_out", wide_baddbmm_out},
    {"aten::_scaled_dot_product_efficient_attention", efficient_attention},
    {"aten::_scaled_dot_product_efficient_attention_backward", efficient_attention_backward},
};
}  // namespace simulated_cuda
