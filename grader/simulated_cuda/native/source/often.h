// Kernels without boxing for the operators that a training step calls most.
#pragma once
#include "registration.h"

namespace simulated_cuda {
// Host views that last for one call. Each thread has some TensorImpls for them, since a new one
// takes more of the processor's time than a small operator computes.
class Views {
  struct Pool {
    std::array<Tensor, 64> views;
    std::array<TensorImpl*, 64> shown;
    size_t used = 0;
  };

 public:
  Views() : pool_(pool()), first_(pool_.used) {}
  ~Views() {
    while (pool_.used > first_) {
      auto& view = pool_.views[--pool_.used];
      if (view.use_count() == 1)
        view.unsafeGetTensorImpl()->release_resources();
      else  // the kernel kept it
        view.reset();
    }
  }
  bool has_room(size_t count) const { return pool_.used + count <= pool_.views.size(); }
  // One for each tensor: operators compare outputs with inputs by identity.
  const Tensor& of(const Tensor& t) {
    if (!t.is_cuda()) return t;  // a number; NOLINT(bugprone-return-const-ref-from-parameter)
    auto* impl = t.unsafeGetTensorImpl();
    for (size_t i = first_; i < pool_.used; ++i)
      if (pool_.shown[i] == impl) return pool_.views[i];
    auto storage = host_storage(t);
    pool_.shown[pool_.used] = impl;
    auto& view = pool_.views[pool_.used];
    if (view.defined()) {
      view.unsafeGetTensorImpl()->set_storage_and_dtype(std::move(storage), t.dtype());
    } else {
      c10::InferenceMode off(false);  // or the view could not be written to after that mode
      view = at::detail::make_tensor<TensorImpl>(std::move(storage),
                                                 DispatchKeySet(DispatchKey::CPU), t.dtype());
    }
    ++pool_.used;
    view.unsafeGetTensorImpl()->set_sizes_and_strides(t.sizes(), t.strides(), t.storage_offset());
    return view;
  }
  Tensor& of(Tensor& t) { return const_cast<Tensor&>(of(std::as_const(t))); }
  std::vector<Tensor> of(TensorList list) {
    std::vector<Tensor> views;
    views.reserve(list.size());
    for (auto& t : list) views.push_back(of(t));
    return views;
  }
  std::optional<Tensor> of(const std::optional<Tensor>& t) {
    return t && t->defined() ? std::optional<Tensor>(of(*t)) : t;
  }
  template <class Value>
  Value& of(Value& value) {
    return value;  // the caller's, for the call; NOLINT(bugprone-return-const-ref-from-parameter)
  }

 private:
  static Pool& pool() {
    static thread_local Pool one;
    return one;
  }
  Pool& pool_;
  size_t first_;
};

// What a call of an operator may have besides tensors of one dtype: numbers as operands, flags that
// are set, indices.
enum class May { HaveNothing, HaveNumbers, HaveFlags, HaveIndices };

// Whether a call is a plain one: its tensors are dense ones of one device, of `float` or `double`.
// For such a call no check of a kernel in OFTEN can fail that the CPU's kernel has not, too.
struct PlainCall {
  May may;
  DeviceIndex index = -1;
  size_t tensors = 0;
  ScalarType dtype = ScalarType::Undefined;

  bool has(const Tensor& t) {
    auto* impl = t.unsafeGetTensorImpl();
    auto type = t.scalar_type();
    auto device = t.device();
    if (device.is_cpu() && impl->is_wrapped_number())
      return may == May::HaveNumbers && tensors && !isComplexType(type);
    constexpr auto others =
        DispatchKeySet({DispatchKey::Conjugate, DispatchKey::Negative, DispatchKey::ZeroTensor,
                        DispatchKey::Quantized, DispatchKey::NestedTensor});
    if (!device.is_cuda() || t.layout() != kStrided || impl->key_set().has_any(others) ||
        impl->is_wrapped_number() || !impl->has_storage() || is_lazy_clone(t.storage()))
      return false;
    if (!tensors++) {
      index = device.index(), dtype = type;
      return type == kFloat || type == kDouble;
    }
    return device.index() == index && (type == dtype || (type == kLong && may == May::HaveIndices));
  }
  bool has(TensorList list) {
    for (auto& t : list)
      if (!has(t)) return false;
    return true;
  }
  bool has(const std::optional<Tensor>& t) {
    return !t || !t->defined() || (has(*t) && t->scalar_type() == dtype);
  }
  bool has(const Scalar& number) { return !number.isComplex(); }
  bool has(ScalarType type) { return type == dtype; }
  bool has(std::optional<ScalarType> type) { return !type; }
  bool has(bool flag) { return !flag || may == May::HaveFlags; }
  template <class Value>
  bool has(const Value&) {
    return true;
  }
};

template <class Signature>
class Often;
template <class Result, class... Arguments>
class Often<Result(Arguments...)> final : public c10::OperatorKernel {
 public:
  Often(const c10::OperatorHandle& op, c10::KernelFunction boxed, May may)
      : op_(op.typed<Result(Arguments...)>()), boxed_(std::move(boxed)), may_(may) {}
  Result operator()(DispatchKeySet keys, Arguments... arguments) {
    PlainCall call{may_};
    Views views;
    if (!is_on.load(std::memory_order_relaxed) || !(call.has(arguments) && ...) || !call.tensors ||
        !views.has_room(call.tensors))
      return boxed_.call<Result, Arguments...>(op_, keys, std::forward<Arguments>(arguments)...);
    c10::impl::ExcludeDispatchKeyGuard below(kAbove);
    Computing computing(call.index);
    auto run = [&]() -> decltype(auto) {
      return op_.redispatch(DispatchKeySet(DispatchKey::CPU), views.of(arguments)...);
    };
    if constexpr (std::is_void_v<Result>)
      run();
    else if constexpr (std::is_reference_v<Result>)
      return run(), std::get<0>(std::tie(arguments...));
    else
      return on_device(run(), call.index);
  }

 private:
  static Tensor on_device(Tensor&& result, DeviceIndex index) {
    return moved_to(device_storage(result, index), std::move(result));
  }
  static std::tuple<Tensor, Tensor> on_device(std::tuple<Tensor, Tensor>&& results,
                                              DeviceIndex index) {
    return {on_device(std::move(std::get<0>(results)), index),
            on_device(std::move(std::get<1>(results)), index)};
  }
  c10::TypedOperatorHandle<Result(Arguments...)> op_;
  c10::KernelFunction boxed_;
  May may_;
};

template <class Signature>
void unbox(Kernel& kernel, May may) {
  auto& [name, overload] = kernel.op;
  auto op = c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), overload.c_str());
  kernel.function = c10::KernelFunction::makeFromUnboxedFunctor<false, Often<Signature>>(
      std::make_unique<Often<Signature>>(op, kernel.function, may));
}
using Unary = Tensor(const Tensor&);
using Binary = Tensor(const Tensor&, const Tensor&);
using Scaled = Tensor(const Tensor&, const Tensor&, const Scalar&);
using AddInPlace = Tensor&(Tensor&, const Tensor&, const Scalar&);
constexpr struct {
  const char* op;
  void (*unbox)(Kernel&, May);
  May may = May::HaveNothing;
} OFTEN[] = {
    {"aten::add.Tensor", unbox<Scaled>, May::HaveNumbers},
    {"aten::sub.Tensor", unbox<Scaled>, May::HaveNumbers},
    {"aten::mul.Tensor", unbox<Binary>, May::HaveNumbers},
    {"aten::div.Tensor", unbox<Binary>, May::HaveNumbers},
    {"aten::add_.Tensor", unbox<AddInPlace>, May::HaveNumbers},
    {"aten::fill_.Scalar", unbox<Tensor&(Tensor&, const Scalar&)>},
    {"aten::relu", unbox<Unary>},
    {"aten::threshold_backward", unbox<Scaled>},
    {"aten::mm", unbox<Binary>},
    {"aten::addmm",
     unbox<Tensor(const Tensor&, const Tensor&, const Tensor&, const Scalar&, const Scalar&)>},
    {"aten::sum.dim_IntList",
     unbox<Tensor(const Tensor&, OptionalIntArrayRef, bool, std::optional<ScalarType>)>,
     May::HaveFlags},
    {"aten::_log_softmax", unbox<Tensor(const Tensor&, int64_t, bool)>},
    {"aten::_log_softmax_backward_data",
     unbox<Tensor(const Tensor&, const Tensor&, int64_t, ScalarType)>},
    {"aten::nll_loss_forward",
     unbox<std::tuple<Tensor, Tensor>(const Tensor&, const Tensor&, const std::optional<Tensor>&,
                                      int64_t, SymInt)>,
     May::HaveIndices},
    {"aten::nll_loss_backward",
     unbox<Tensor(const Tensor&, const Tensor&, const Tensor&, const std::optional<Tensor>&,
                  int64_t, SymInt, const Tensor&)>,
     May::HaveIndices},
    {"aten::_foreach_add_.List", unbox<void(TensorList, TensorList, const Scalar&)>},
};
inline void unbox_often() {
  for (auto& kernel : kernels())
    for (auto& often : OFTEN)
      if (kernel.key == DispatchKey::CUDA && c10::toString(kernel.op) == often.op)
        often.unbox(kernel, often.may);
}
}  // namespace simulated_cuda
