// torch.distributed on the device: gloo's collectives, and the clock of DistributedDataParallel.
#pragma once
#if __has_include(<torch/csrc/distributed/c10d/reducer_timer.hpp>)
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <torch/csrc/distributed/c10d/reducer_timer.hpp>
#include <torch/custom_class.h>

#include "operators.h"

namespace simulated_cuda {
// torch/csrc/distributed/c10d/reducer_cuda.cpp; all work is done when a call returns, so the CPU's
// time is the device's.
struct DeviceTimer final : c10d::Timer {
  explicit DeviceTimer(c10::Device) {}
  std::optional<int64_t> measureDifference(Event start, Event end) override {
    auto from = getTimestamp(start), to = getTimestamp(end);
    return from && to ? std::optional<int64_t>(*to - *from) : std::nullopt;
  }
};

// A collective of torch/csrc/distributed/c10d/Ops.cpp. gloo has no kernels for CUDA in a CPU build,
// and follows a null pointer when it is given such tensors:
//   1. Replace every tensor by its CPU view. It has the same memory, so gloo's writes are seen.
//   2. Run the CPU's kernel, with the backend that the group has for the CPU.
//   3. Wait, and return a finished `Work` whose result is the device's tensors: DDP makes
//      gradients views of it.
// There is no wait for messages between two ranks, as each side may send before it receives.
class CollectiveOnHost final : public c10::OperatorKernel {
 public:
  void operator()(const c10::OperatorHandle& op, DispatchKeySet, Stack* stack) {
    auto& schema = op.schema();
    check_devices(schema.name().substr(6), *(stack->end() - schema.arguments().size()),
                  *(stack->end() - schema.arguments().size() + 1));
    std::vector<std::pair<Tensor, Tensor>> shown;  // the view, the device's tensor
    for (size_t i = stack->size() - schema.arguments().size(); i < stack->size(); ++i)
      (*stack)[i] = mapped((*stack)[i], [&](const Tensor& t) {
        own_memory(t);
        shown.emplace_back(host_view(t), t);
        return shown.back().first;
      });
    op.redispatchBoxed(DispatchKeySet(DispatchKey::CPU), stack);
    auto back = [&](const Tensor& t) {
      for (auto& [here, there] : shown)
        if (here.is_same(t)) return there;
      return t;
    };
    bool is_message = schema.name() == "c10d::send" || schema.name().rfind("c10d::recv", 0) == 0;
    for (size_t i = stack->size() - schema.returns().size(); i < stack->size(); ++i) {
      auto& value = (*stack)[i];
      if (!value.isCustomClass())
        value = mapped(value, back);
      else if (!is_message)
        value = finished(value.toCustomClass<c10d::Work>(), back);
    }
  }

 private:
  // torch/csrc/distributed/c10d/ProcessGroupGloo.cpp
  static void check_devices(const std::string& name, const IValue& first, const IValue& second) {
    std::vector<Tensor> one = tensors_of(first), other = tensors_of(second);
    if (name == "allreduce_coalesced_") {
      for (auto& t : one)
        TORCH_CHECK(t.options().type_equal(one[0].options()),
                    "ProcessGroupGloo::allreduce_coalesced: tensors must all have the same type");
      TORCH_CHECK(false, "ProcessGroupGloo::allreduce_coalesced: unsupported device type cuda");
    }
    if (one.empty() || other.empty()) return;
    bool equal = one[0].device().type() == other[0].device().type();
    TORCH_CHECK(equal || name != "alltoall_",
                "ProcessGroupGloo::alltoall: input and output tensors must have the same type");
    TORCH_CHECK(equal || name != "alltoall_base_",
                "output tensor and input tensor must be on the same type of device");
    if (name == "scatter_") std::swap(one, other);
    const char* label = name == "scatter_"                                   ? "scatter"
                        : name == "gather_"                                  ? "gather"
                        : name == "allgather_" || name == "_allgather_base_" ? "allgather"
                                                                             : nullptr;
    for (size_t i = 0; label && i < one.size(); ++i)
      TORCH_CHECK(one[i].options().type_equal(other[0].options()), "ProcessGroupGloo::", label,
                  ": invalid tensor type at index ", i, " (expected ", other[0].options(), ", got ",
                  one[i].options(), ")");
  }
  static std::vector<Tensor> tensors_of(const IValue& value) {
    std::vector<Tensor> found;
    mapped(value, [&](const Tensor& t) { return found.push_back(t), t; });
    return found;
  }
  template <class F>
  static IValue mapped(const IValue& value, F&& f) {
    if (value.isTensor()) return value.toTensor().defined() ? IValue(f(value.toTensor())) : value;
    if (!value.isList()) return value;
    auto list = value.toList();
    c10::impl::GenericList copy(list.elementType());
    for (const IValue& item : value.toListRef()) copy.push_back(mapped(item, f));
    return copy;
  }
  template <class F>
  static c10::intrusive_ptr<c10d::Work> finished(const c10::intrusive_ptr<c10d::Work>& work,
                                                 F&& f) {
    work->wait();
    c10::intrusive_ptr<c10::ivalue::Future> future;
    try {
      future = work->getFuture();
    } catch (const c10::Error&) {  // gloo's `reduce_scatter` has none
      return work;
    }
    future->wait();
    auto done = c10::make_intrusive<c10::ivalue::Future>(future->elementType());
    done->markCompleted(mapped(future->value(), f));
    return c10d::Work::create_from_future(done);
  }
};

inline std::vector<c10::OperatorName> collectives() {
  std::vector<c10::OperatorName> found;
  auto& dispatcher = c10::Dispatcher::singleton();
  for (auto& name : dispatcher.getAllOpNames()) {
    if (name.name.rfind("c10d::", 0) != 0) continue;
    auto op = dispatcher.findSchema(name);
    if (op && op->hasKernelForDispatchKey(DispatchKey::CPU)) found.push_back(name);
  }
  return found;
}

// PyTorch's registry of timers takes one for each device type, for good, and a CUDA build has
// registered its own, which calls the driver. So we put ours into the registry's map. The map is
// private, but an explicit template instantiation may name it.
using Timers = std::remove_pointer_t<decltype(c10d::TimerRegistry())>;
using Creators = std::unordered_map<c10::DeviceType, Timers::Creator>;
Creators& creators_of(Timers&);
template <Creators Timers::* map>
struct Opened {
  friend Creators& creators_of(Timers& timers) { return timers.*map; }
};
template struct Opened<&Timers::registry_>;

class TimerSwap {
 public:
  void put_ours() {
    auto& slot = creators_of(*c10d::TimerRegistry())[kDevice];
    before_ = std::exchange(slot, [](c10::Device device) {
      return std::unique_ptr<c10d::Timer>(new DeviceTimer(device));
    });
  }
  void put_back() {
    auto& creators = creators_of(*c10d::TimerRegistry());
    if (before_)
      creators[kDevice] = std::exchange(before_, nullptr);
    else
      creators.erase(kDevice);
  }

 private:
  Timers::Creator before_;
};
}  // namespace simulated_cuda
#else
#include "operators.h"

namespace simulated_cuda {
using CollectiveOnHost = Missing;
inline std::vector<c10::OperatorName> collectives() { return {}; }
struct TimerSwap {
  void put_ours() {}
  void put_back() {}
};
}  // namespace simulated_cuda
#endif
