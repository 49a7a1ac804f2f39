// The arguments of an operator by name, and gradients where the CPU has no backward of its own.
#pragma once
#include <ATen/native/Resize.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/version.h>

#include "operators.h"
#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR <= 15
namespace torch::autograd {  // a second of the compiler's time
TORCH_API std::vector<at::Tensor> grad(const std::vector<at::Tensor>& outputs,
                                       const std::vector<at::Tensor>& inputs,
                                       const std::vector<at::Tensor>& grad_outputs,
                                       std::optional<bool> retain_graph, bool create_graph,
                                       bool allow_unused);
}  // namespace torch::autograd
#else
#include <torch/csrc/autograd/autograd.h>
#endif

namespace simulated_cuda {
struct Silent final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

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
    TORCH_CHECK_NOT_IMPLEMENTED(value, "The simulated CUDA device does not know this version of '",
                                schema_.name(), "': it has no argument '", name, "'.");
    return *value;
  }
  Tensor tensor(const char* name) const {
    return (*this)[name].isTensor() ? (*this)[name].toTensor() : Tensor();
  }
  std::optional<Tensor> maybe(const char* name) const {
    auto t = tensor(name);
    return t.defined() ? std::optional<Tensor>(t) : std::nullopt;
  }
  int64_t integer(const char* name) const { return (*this)[name].toInt(); }
  double number(const char* name) const { return (*this)[name].toDouble(); }
  bool flag(const char* name) const { return (*this)[name].toBool(); }
  std::vector<int64_t> sizes(const char* name) const { return (*this)[name].toIntVector(); }
  std::vector<Tensor> tensors(const char* name) const { return (*this)[name].toTensorVector(); }
  template <size_t N>
  std::array<bool, N> mask(const char* name) const {
    auto list = (*this)[name].toBoolList();
    std::array<bool, N> needed;
    for (size_t i = 0; i < N; ++i) needed[i] = list[i];
    return needed;
  }
  template <class... Results>
  void returns(Results&&... results) {
    (stack_->push_back(IValue(std::forward<Results>(results))), ...);
  }
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

// The kernel that returns what `compute` gives, and the one that writes it to `out`.
template <Tensor (*compute)(const Call&)>
void returned(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  c.returns(compute(c));
}
template <Tensor (*compute)(const Call&)>
void written(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  c.returns_in("out", compute(c));
}

// Gradients by PyTorch's autograd on the CPU: `forward` is computed once more.
template <class Forward>
std::vector<Tensor> gradients(std::vector<Tensor> inputs, std::vector<Tensor> output_gradients,
                              Forward forward) {
  c10::impl::ForceDispatchKeyGuard as_from_python{c10::default_included_set,
                                                  c10::default_excluded_set};
  AutoGradMode on(true);
  std::vector<Tensor> leaves;
  for (auto& t : inputs) {
    t = t.detach();
    if (t.is_floating_point()) leaves.push_back(t.requires_grad_());
  }
  std::vector<Tensor> outputs = forward(inputs), reached, given;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (output_gradients[i].defined() && outputs[i].requires_grad())
      reached.push_back(outputs[i]), given.push_back(output_gradients[i].detach());
  std::vector<Tensor> found(inputs.size());
  if (reached.empty()) return found;
  auto all = torch::autograd::grad(reached, leaves, given, false, false, true);
  for (size_t i = 0, leaf = 0; i < inputs.size(); ++i)
    if (inputs[i].is_floating_point()) found[i] = all[leaf++];
  for (auto& t : found)
    if (t.defined()) t = t.detach();
  return found;
}
inline Tensor or_zeros(const Tensor& t, const Tensor& like) {
  return t.defined() ? t : at::zeros_like(like);
}
}  // namespace simulated_cuda
