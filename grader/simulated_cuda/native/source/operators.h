// One boxed kernel for every operator that CUDA has: check the devices, compute on the CPU.
#pragma once
#include <ATen/native/Resize.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

#include "kernel_checks.h"

namespace simulated_cuda {
using Stack = torch::jit::Stack;

// A backend without kernels: there the dispatcher runs the composite version of an operator, which
// calls other operators (for structured operators, with the checks of their TensorIterator).
constexpr auto kNobody = DispatchKey::VE;

template <class F>
IValue with_tensors(const IValue& value, F f) {
  if (value.isTensor()) return f(value.toTensor());
  if (value.isTensorList()) {
    c10::List<Tensor> list;
    list.reserve(value.toListRef().size());
    for (const IValue& item : value.toListRef()) list.push_back(f(item.toTensor()));
    return list;
  }
  // TorchScript's lists of optional tensors have another element type.
  auto is_tensor = [](const IValue& item) { return item.isTensor(); };
  if (value.isOptionalTensorList() ||
      (value.isList() &&
       std::any_of(value.toListRef().begin(), value.toListRef().end(), is_tensor))) {
    c10::List<std::optional<Tensor>> list;
    for (const IValue& item : value.toListRef())
      list.push_back(item.isTensor() ? std::optional<Tensor>(f(item.toTensor())) : std::nullopt);
    return list;
  }
  return value;
}

struct Places {
  std::optional<Device> cuda;  // of the first tensor that is on the device
  bool mixed = false, any = false;
};
inline Places places_of(Values values) {
  Places found;
  std::optional<Device> first;
  for (auto& value : values)
    for_each_tensor(value, [&](const Tensor& t) {
      auto device = t.device();
      if (device.is_cuda() && !found.cuda) found.cuda = device;
      found.any = true;
      if (!first)
        first = device;
      else if (device != *first)
        found.mixed = true;
    });
  return found;
}

// ---- Half precision that CUDA computes and the CPU refuses: computed in float, and rounded

inline bool is_half(ScalarType dtype) {
  return dtype == kHalf || dtype == kBFloat16 || dtype == kComplexHalf;
}
inline ScalarType wider(ScalarType dtype) { return dtype == kComplexHalf ? kComplexFloat : kFloat; }
inline ScalarType narrower(ScalarType dtype, ScalarType half) {
  if (dtype == kFloat) return half == kComplexHalf ? kHalf : half;
  return dtype == kComplexFloat ? kComplexHalf : dtype;
}
// Whether the CPU's error says that it has no kernel for half precision.
inline bool refuses_half(const std::string& message) {
  for (auto* text : {"not implemented for 'Half'", "not implemented for 'BFloat16'",
                     "not implemented for 'ComplexHalf'", "doesn't support tensors of type: "})
    if (message.find(text) != std::string::npos) return true;
  return false;
}
inline void compute_half(const c10::OperatorHandle& op, Stack* stack, DispatchKey host_key) {
  auto& schema = op.schema();
  auto count = schema.arguments().size(), rest = stack->size() - count;
  std::vector<IValue> values(stack->end() - count, stack->end());
  try {
    return op.redispatchBoxed(DispatchKeySet(host_key), stack);
  } catch (const c10::Error& error) {
    if (!refuses_half(error.what_without_backtrace())) throw;
  }
  stack->resize(rest);
  ScalarType half = kHalf;
  std::vector<std::pair<Tensor, Tensor>> written;
  for (size_t i = 0; i < count; ++i)
    stack->push_back(with_tensors(values[i], [&](const Tensor& t) {
      if (!t.defined() || !is_half(t.scalar_type())) return t;
      half = t.scalar_type();
      auto wide = t.to(wider(half));
      auto* alias = schema.arguments()[i].alias_info();
      if (alias && alias->isWrite()) written.emplace_back(t, wide);
      return wide;
    }));
  op.redispatchBoxed(DispatchKeySet(host_key), stack);
  for (auto& [narrow, wide] : written)
    at::native::resize_output(narrow, wide.sizes()), narrow.copy_(wide);
  for (size_t i = rest; i < stack->size(); ++i)
    (*stack)[i] = with_tensors((*stack)[i], [&](const Tensor& t) {
      for (auto& [narrow, wide] : written)
        if (wide.is_same(t)) return narrow;
      return t.defined() ? t.to(narrower(t.scalar_type(), half)) : t;
    });
}

class OnHost final : public c10::OperatorKernel {
 public:
  explicit OnHost(Plan plan) : plan_(std::move(plan)) {}

  void operator()(const c10::OperatorHandle& op, DispatchKeySet, Stack* stack) {
    auto& schema = op.schema();
    auto count = schema.arguments().size();
    auto values = Values(*stack).slice(stack->size() - count);
    auto places = places_of(values);
    if (places.mixed) {
      if (plan_.check)
        plan_.check(plan_, schema, values);
      else if (!plan_.checked.empty())
        check_same_device(plan_, schema, values);
      else if (plan_.has_composite)
        return op.redispatchBoxed(DispatchKeySet(kNobody), stack);
      else if (plan_.is_sparse)
        check_sparse(plan_, schema, values);
      else if (plan_.is_plain_structured)
        check_out(plan_, values);
      else
        check_by_iterator(plan_, schema, values);
    }
    if (plan_.has_condition) check_kernel(schema, values);
    // A call whose tensors are on the CPU comes here if its generator is the device's.
    TORCH_CHECK(!places.any || places.cuda || !plan_.has_generator,
                "Expected a 'cpu' device type for generator but found 'cuda'");
    run(op, stack, count, places.cuda ? places.cuda->index() : current_device);
  }

 private:
  void check_kernel(const c10::FunctionSchema& schema, Values values) {
    if (plan_.always) plan_.always(plan_, schema, values);
    if (plan_.alert) globalContext().alertNotDeterministic(plan_.alert);
    if (!plan_.refused) return;
    for (auto& value : values) {
      if (!value.isTensor() || !value.toTensor().defined()) continue;
      auto dtype = value.toTensor().scalar_type();
      TORCH_CHECK_NOT_IMPLEMENTED(!(plan_.refused >> static_cast<int>(dtype) & 1), "\"",
                                  plan_.refusal->kernel, "\" not implemented for '",
                                  toString(dtype), "'");
      return;
    }
  }
  void run(const c10::OperatorHandle& op, Stack* stack, size_t count, DeviceIndex index) {
    auto& schema = op.schema();
    auto base = stack->size() - count;
    Arguments arguments;
    for (size_t i = 0; i < count; ++i) to_host((*stack)[base + i], i, schema, index, arguments);
    {
      AutoDispatchBelowADInplaceOrView below;
      std::optional<AsDefault> drawn_from;
      if (plan_.is_random) drawn_from.emplace(random_of(index).draw());
      if (plan_.compute)
        plan_.compute(op, stack);
      else if (arguments.has_half)
        compute_half(op, stack, plan_.host_key);
      else
        op.redispatchBoxed(DispatchKeySet(plan_.host_key), stack);
    }
    for (auto& argument : arguments)
      if (argument.written) follow(argument);
    for (size_t i = stack->size() - schema.returns().size(); i < stack->size(); ++i) {
      auto& value = (*stack)[i];
      if (value.isTensor())
        value = device_view(value.toTensor(), index, arguments);
      else if (value.isList())
        value =
            with_tensors(value, [&](const Tensor& t) { return device_view(t, index, arguments); });
    }
  }
  void to_host(IValue& value, size_t i, const c10::FunctionSchema& schema, DeviceIndex& index,
               Arguments& arguments) {
    if (value.isTensor() || value.isList()) {
      value = with_tensors(value, [&](const Tensor& t) {
        if (!t.defined() || !(t.device().is_cuda() || plan_.written[i])) return t;
        // One view for each tensor: operators compare outputs with inputs by identity.
        for (auto& before : arguments)
          if (before.there.is_same(t)) {
            before.written |= plan_.written[i];
            return before.here;
          }
        if (plan_.written[i]) own_memory(t);
        arguments.has_half |= is_half(t.scalar_type());
        arguments.push_back({t, host_view(t), bool(plan_.written[i])});
        return arguments.back().here;
      });
    } else if (value.isDevice()) {
      auto device = value.toDevice();
      if (!device.is_cuda()) return;
      index = or_current(device.index());
      check_ordinal(index);
      value = Device(kCPU);
    } else if (plan_.has_generator && schema.arguments()[i].name() == "generator") {
      Generator generator = value.isGenerator() ? value.toGenerator() : generator_of(index);
      TORCH_CHECK(generator.device().type() == kDevice, "Expected a '", kDevice,
                  "' device type for generator but found '", generator.device().type(), "'");
      value = static_cast<Random*>(generator.unsafeGetGeneratorImpl())->draw();
    }
  }
  Plan plan_;
};

// The device of the argument `device`, or of the call's first tensor.
inline std::optional<Device> device_of(Values values) {
  for (auto& value : values)
    if (value.isDevice() && value.toDevice().is_cuda()) return value.toDevice();
  return places_of(values).cuda;
}

// Runs the CPU's kernel on the device's tensors, without host views: it calls other operators.
class AsOnCpu final : public c10::OperatorKernel {
 public:
  explicit AsOnCpu(Plan plan) : plan_(std::move(plan)) {}
  void operator()(const c10::OperatorHandle& op, DispatchKeySet, Stack* stack) {
    auto values = Values(*stack).slice(stack->size() - op.schema().arguments().size());
    if (!plan_.checked.empty()) check_same_device(plan_, op.schema(), values);
    c10::OptionalDeviceGuard there(device_of(values));  // as CUDA's wrapper has one
    op.redispatchBoxed(DispatchKeySet(plan_.host_key), stack);
  }

 private:
  Plan plan_;
};

// An operator of CUDA that neither the CPU nor we have a kernel for.
class Missing final : public c10::OperatorKernel {
 public:
  void operator()(const c10::OperatorHandle& op, DispatchKeySet, Stack*) {
    TORCH_CHECK_NOT_IMPLEMENTED(
        false, "The simulated CUDA device computes on the CPU, and the CPU has no kernel for '",
        c10::toString(op.operator_name()), "': this needs a real CUDA device.");
  }
};
}  // namespace simulated_cuda
