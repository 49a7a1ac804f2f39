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

// What a kernel calls on the CPU is no call of the user's: autograd has seen that one, and
// `torch.autocast("cpu")` does not apply to it.
constexpr auto kAbove =
    c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset;

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

// ---- What CUDA computes and the CPU refuses: computed in a wider dtype, and rounded

// Dtypes that the CPU's kernels take almost everywhere.
inline bool is_usual(ScalarType dtype) {
  return dtype == kFloat || dtype == kLong || dtype == kDouble || dtype == kInt;
}
inline bool is_half(ScalarType dtype) {
  return dtype == kHalf || dtype == kBFloat16 || dtype == kComplexHalf;
}
inline ScalarType wider(ScalarType dtype) {
  switch (dtype) {
    case kHalf:
    case kBFloat16:
      return kFloat;
    case kComplexHalf:
      return kComplexFloat;
    case kBool:
      return kByte;
    default:
      return isIntegralType(dtype, false) ? kDouble : isFloat8Type(dtype) ? kFloat : dtype;
  }
}
inline ScalarType narrower(ScalarType dtype, ScalarType refused) {
  if (dtype == kFloat && refused == kComplexHalf) return kHalf;
  if (dtype == kComplexFloat && (refused == kHalf || refused == kComplexHalf)) return kComplexHalf;
  return dtype == wider(refused) ? refused : dtype;
}
// The dtype that the CPU's error says it has no kernel for, of those that have a wider one.
inline std::optional<ScalarType> refused_dtype(const std::string& message) {
  for (auto dtype :
       {kHalf, kBFloat16, kComplexHalf, kBool, kByte, kChar, kShort, kInt, kLong, kUInt16, kUInt32,
        kUInt64, kFloat8_e4m3fn, kFloat8_e5m2, kFloat8_e4m3fnuz, kFloat8_e5m2fnuz})
    if (message.find(c10::str("not implemented for '", toString(dtype), "'")) !=
            std::string::npos ||
        message.find(c10::str("doesn't support tensors of type: ", toString(dtype))) !=
            std::string::npos)
      return dtype;
  return std::nullopt;
}
inline bool is_index(const std::string& argument) { return argument.rfind("ind", 0) == 0; }
inline void compute_widened(const c10::OperatorHandle& op, Stack* stack, DispatchKey host_key) {
  auto& schema = op.schema();
  auto count = schema.arguments().size(), rest = stack->size() - count;
  std::vector<IValue> values(stack->end() - count, stack->end());
  std::optional<ScalarType> refused;
  std::exception_ptr first;
  try {
    return op.redispatchBoxed(DispatchKeySet(host_key), stack);
  } catch (const c10::Error& error) {
    refused = refused_dtype(error.what_without_backtrace());
    if (!refused) throw;
    first = std::current_exception();
  }
  stack->resize(rest);
  std::vector<std::pair<Tensor, Tensor>> written;
  for (size_t i = 0; i < count; ++i) {
    bool is_dtype = schema.arguments()[i].name() == "dtype" && values[i].isInt();
    if (is_dtype && values[i].toScalarType() == *refused) values[i] = wider(*refused);
    stack->push_back(with_tensors(values[i], [&](const Tensor& t) {
      if (!t.defined() || is_index(schema.arguments()[i].name())) return t;
      auto dtype = t.scalar_type();
      if (dtype != *refused && !(is_half(dtype) && is_half(*refused))) return t;
      if (is_half(dtype)) refused = dtype;
      auto wide = t.to(wider(dtype));
      auto* alias = schema.arguments()[i].alias_info();
      if (alias && alias->isWrite()) written.emplace_back(t, wide);
      return wide;
    }));
  }
  try {
    op.redispatchBoxed(DispatchKeySet(host_key), stack);
  } catch (const c10::NotImplementedError&) {
    std::rethrow_exception(first);  // no wider kernel either
  }
  for (auto& [narrow, wide] : written)
    at::native::resize_output(narrow, wide.sizes()), narrow.copy_(wide);
  for (size_t i = rest; i < stack->size(); ++i)
    (*stack)[i] = with_tensors((*stack)[i], [&](const Tensor& t) {
      for (auto& [narrow, wide] : written)
        if (wide.is_same(t)) return narrow;
      return t.defined() ? t.to(narrower(t.scalar_type(), *refused)) : t;
    });
}
constexpr auto kNotImplementedFor = "\" not implemented for '";
// Of these the CPU has no kernel for integers, though CUDA has.
inline bool widens_integers(const std::string& op) {
  static const std::unordered_set<std::string> all = {"aten::histc", "aten::max_unpool2d",
                                                      "aten::max_unpool3d", "aten::logcumsumexp"};
  return all.count(op);
}

// The results of a call stay on the CPU if its argument `device` says so.
constexpr DeviceIndex kOnCpu = -1;

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
    if (plan_.has_condition) check_kernel(op, values);
    // A call whose tensors are on the CPU comes here if its generator is the device's.
    TORCH_CHECK(!places.any || places.cuda || !plan_.has_generator,
                "Expected a 'cpu' device type for generator but found 'cuda'");
    run(op, stack, count, places.cuda ? places.cuda->index() : current_device);
  }

 private:
  void check_kernel(const c10::OperatorHandle& op, Values values) {
    if (plan_.always) plan_.always(plan_, op.schema(), values);
    if (plan_.alert) globalContext().alertNotDeterministic(plan_.alert);
    if (plan_.refusals.empty()) return;
    auto dtype = deciding_dtype(plan_, op.schema(), values);
    for (auto& refusal : plan_.refusals)
      if (dtype && refusal.dtypes >> static_cast<int>(*dtype) & 1 &&
          !(refusal.not_trivial && is_trivial(values))) {
        check_before_kernel(op, values);
        refuse_dtype(refusal.kernel, toString(*dtype));
      }
  }
  // What both devices check before they choose a kernel, such as shapes: the CPU's kernel raises
  // it. It computes on copies, for it may take the dtype.
  void check_before_kernel(const c10::OperatorHandle& op, Values values) {
    if (plan_.is_random || plan_.has_generator) return;  // it would draw numbers
    Stack stack;
    for (auto& value : values)
      stack.push_back(value.isDevice()      ? IValue(Device(kCPU))
                      : value.isGenerator() ? IValue()
                                            : with_tensors(value, [](const Tensor& t) {
                                                return t.is_cuda() ? host_view(t).clone() : t;
                                              }));
    Computing computing(current_device);
    c10::impl::ExcludeDispatchKeyGuard below(kAbove);
    try {
      op.redispatchBoxed(DispatchKeySet(plan_.host_key), &stack);
    } catch (const c10::NotImplementedError& error) {
      if (std::string(error.what_without_backtrace()).find(kNotImplementedFor) == std::string::npos)
        throw;
    }
  }
  // Where the CPU has no kernel for a dtype either, the error names CUDA's. Most have the
  // operator's name; those that are recorded are in the table.
  [[noreturn]] void name_kernel(const c10::OperatorHandle& op,
                                const c10::NotImplementedError& error) {
    std::string message = error.what_without_backtrace();
    auto at = message.find(kNotImplementedFor);
    if (at == std::string::npos) throw;
    auto dtype = message.substr(at + std::strlen(kNotImplementedFor));
    auto kernel = message.substr(1, at - 1);
    for (auto* sign : {"cpu", "mkl", "stub"})
      if (kernel.find(sign) != std::string::npos) kernel = op.schema().name().substr(6) + "_cuda";
    if (!plan_.refusals.empty()) kernel = plan_.refusals[0].kernel;
    refuse_dtype(kernel.c_str(), dtype.substr(0, dtype.find('\'')).c_str());
  }
  void run(const c10::OperatorHandle& op, Stack* stack, size_t count, DeviceIndex index) {
    auto& schema = op.schema();
    auto base = stack->size() - count;
    Arguments arguments;
    for (size_t i = 0; i < count; ++i) to_host((*stack)[base + i], i, schema, index, arguments);
    {
      c10::impl::ExcludeDispatchKeyGuard below(kAbove);
      Computing computing(index);
      std::optional<AsDefault> drawn_from;
      if (plan_.is_random) drawn_from.emplace(random_of(index).draw());
      try {
        if (plan_.compute)
          plan_.compute(op, stack);
        else if (arguments.may_widen || plan_.widens)
          compute_widened(op, stack, plan_.host_key);
        else
          op.redispatchBoxed(DispatchKeySet(plan_.host_key), stack);
      } catch (const c10::NotImplementedError& error) {
        name_kernel(op, error);
      }
    }
    for (auto& argument : arguments)
      if (argument.written) follow(argument);
    if (index == kOnCpu) return;
    for (size_t i = stack->size() - schema.returns().size(); i < stack->size(); ++i) {
      auto& value = (*stack)[i];
      if (value.isTensor())
        value = device_view(std::move(value).toTensor(), index, arguments);
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
        arguments.may_widen |= !is_usual(t.scalar_type());
        arguments.push_back({t, host_view(t), bool(plan_.written[i])});
        return arguments.back().here;
      });
    } else if (value.isDevice()) {
      auto device = value.toDevice();
      if (!device.is_cuda()) {
        index = kOnCpu;
        return;
      }
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
