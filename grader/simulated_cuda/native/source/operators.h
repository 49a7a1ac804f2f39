// One boxed kernel for every operator that CUDA has: check the devices, compute on the CPU.
#pragma once
#include <c10/util/Exception.h>
#include <torch/library.h>

#include "checks.h"

namespace simulated_cuda {
using Stack = torch::jit::Stack;

// Any backend for which nobody registers kernels: what the dispatcher would run there is PyTorch's
// version of an operator that is written in other operators (for structured operators, with the
// checks of their TensorIterator).
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
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<Tensor>> list;
    for (const IValue& item : value.toListRef()) list.push_back(item.isTensor() ? std::optional<Tensor>(f(item.toTensor())) : std::nullopt);
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
      if (!first) first = device;
      else if (device != *first) found.mixed = true;
    });
  return found;
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
      if (plan_.check) plan_.check(plan_, schema, values);
      else if (!plan_.checked.empty()) check_same_device(plan_, schema, values);
      else if (plan_.has_composite) return op.redispatchBoxed(DispatchKeySet(kNobody), stack);
      else check_by_iterator(plan_, schema, values);
    }
    // A generator of the device brings a call here whose tensors are the CPU's: its kernel minds that.
    if (places.any && !places.cuda) return op.redispatchBoxed(DispatchKeySet(plan_.host_key), stack);
    run(op, stack, count, places.cuda ? places.cuda->index() : current_device);
  }

 private:
  void run(const c10::OperatorHandle& op, Stack* stack, size_t count, DeviceIndex index) {
    auto& schema = op.schema();
    auto base = stack->size() - count;
    Arguments arguments;
    for (size_t i = 0; i < count; ++i) to_host((*stack)[base + i], i, schema, index, arguments);
    {
      AutoDispatchBelowADInplaceOrView below;
      std::optional<SeededCpu> seeded;
      if (plan_.is_random) seeded.emplace(index);
      if (plan_.compute) plan_.compute(op, stack);
      else op.redispatchBoxed(DispatchKeySet(plan_.host_key), stack);
    }
    for (auto& argument : arguments) if (argument.written) follow(argument);
    for (size_t i = stack->size() - schema.returns().size(); i < stack->size(); ++i) {
      auto& value = (*stack)[i];
      if (value.isTensor()) value = device_view(value.toTensor(), index, arguments);
      else if (value.isList()) value = with_tensors(value, [&](const Tensor& t) { return device_view(t, index, arguments); });
    }
  }
  void to_host(IValue& value, size_t i, const c10::FunctionSchema& schema, DeviceIndex& index, Arguments& arguments) {
    if (value.isTensor() || value.isList()) {
      value = with_tensors(value, [&](const Tensor& t) {
        auto view = host_view(t);
        if (t.defined() && (t.device().is_cuda() || plan_.written[i])) arguments.push_back({t, view, bool(plan_.written[i])});
        return view;
      });
    } else if (value.isDevice()) {
      auto device = value.toDevice();
      if (!device.is_cuda()) return;
      index = or_current(device.index());
      check_ordinal(index);
      value = Device(kCPU);
    } else if (plan_.has_generator && schema.arguments()[i].name() == "generator") {
      Generator generator = value.isGenerator() ? value.toGenerator() : generator_of(index);
      TORCH_CHECK(generator.device().type() == kDevice, "Expected a '", kDevice, "' device type for generator but found '", generator.device().type(), "'");
      value = static_cast<Random*>(generator.unsafeGetGeneratorImpl())->draw();
    }
  }
  Plan plan_;
};

// The kernel of the CPU, run on the device's tensors as they are: it is written in other operators.
class AsOnCpu final : public c10::OperatorKernel {
 public:
  explicit AsOnCpu(DispatchKey key) : key_(key) {}
  void operator()(const c10::OperatorHandle& op, DispatchKeySet, Stack* stack) { op.redispatchBoxed(DispatchKeySet(key_), stack); }

 private:
  DispatchKey key_;
};

// An operator of CUDA's that neither the CPU nor we have.
class Missing final : public c10::OperatorKernel {
 public:
  void operator()(const c10::OperatorHandle& op, DispatchKeySet, Stack*) {
    TORCH_CHECK_NOT_IMPLEMENTED(false, "The simulated CUDA device computes on the CPU, and the CPU has no kernel for '",
        c10::toString(op.operator_name()), "': this needs a real CUDA device.");
  }
};
}  // namespace simulated_cuda
