// Puts the device into PyTorch and takes it out again; defines torch.ops.simulated_cuda for Python.
#include <torch/csrc/utils/device_lazy_init.h>

#include "often.h"

namespace simulated_cuda {
namespace {
std::vector<c10::RegistrationHandleRAII> registered_by_hand, registered;
HooksSwap hooks;
TimerSwap timers;
const c10::impl::DeviceGuardImplInterface* guard_before = nullptr;
c10::Allocator* allocator_before = nullptr;

std::atomic<const c10::impl::DeviceGuardImplInterface*>& guard_slot() {
  return c10::impl::device_guard_impl_registry[static_cast<size_t>(kDevice)];
}

// PyTorch's own guard of CUDA, if there is a GPU.
const c10::impl::DeviceGuardImplInterface* gpu_guard() {
  auto* now = guard_slot().load();
  auto* theirs =
      now == &guard() ? guard_before : now;  // which may be ours too, from the last start
  return theirs && theirs != &guard() && theirs->deviceCount() > 0 ? theirs : nullptr;
}

// The autograd engine counts the devices at the first backward of a process and starts a thread for
// each; a child forked after that can run no backward. The simulated devices need none, since
// multithreading is off for them (see patches/backward.py). So this runs a first backward in which
// they do not show. GPUs do: they need their threads when the simulated device is off.
void settle_engine() {
  Hidden devices;
  c10::impl::ForceDispatchKeyGuard as_from_python{c10::default_included_set,
                                                  c10::default_excluded_set};
  AutoGradMode on(true);
  auto leaf = at::ones({}, at::TensorOptions(kCPU)).requires_grad_();
  torch::autograd::grad({leaf * 1}, {leaf}, {}, std::nullopt, false, false);
}

// Besides the dispatcher, PyTorch has tables of kernels by device type: DispatchStub.
std::vector<std::pair<void**, void*>> stubs_before;
template <class Stub, class Kernel>
void put_stub(Stub& stub, Kernel kernel) {
  static_assert(sizeof(Stub) == sizeof(at::native::DispatchStubImpl),
                "a stub holds more than its table now");
  void** slot = &reinterpret_cast<at::native::DispatchStubImpl&>(stub).cuda_dispatch_ptr;
  stubs_before.emplace_back(slot, *slot);
  stub.set_cuda_dispatch_ptr(kernel);
}
void put_stubs() {
  using namespace at::native;
  put_stub(lstm_cudnn_stub, static_cast<lstm_fn>(simulated_cuda::lstm));
  put_stub(lstm_packed_cudnn_stub, static_cast<lstm_packed_fn>(simulated_cuda::lstm_packed));
  put_stub(gru_cudnn_stub, static_cast<rnn_fn>(rnn_by_cudnn<GRU>));
  put_stub(gru_packed_cudnn_stub, static_cast<rnn_packed_fn>(packed_by_cudnn<GRU>));
  put_stub(rnn_tanh_cudnn_stub, static_cast<rnn_fn>(rnn_by_cudnn<TANH>));
  put_stub(rnn_tanh_packed_cudnn_stub, static_cast<rnn_packed_fn>(packed_by_cudnn<TANH>));
  put_stub(rnn_relu_cudnn_stub, static_cast<rnn_fn>(rnn_by_cudnn<RELU>));
  put_stub(rnn_relu_packed_cudnn_stub, static_cast<rnn_packed_fn>(packed_by_cudnn<RELU>));
  put_stub(copy_stub, static_cast<copy_fn>(copy_by_iterator));
  put_stub(nested_dense_elementwise_stub,
           static_cast<nested_dense_elementwise_fn>(nested_with_dense));
  put_stub(_fused_sdp_choice_stub, static_cast<fused_sdp_choice_fn>(attention_choice));
}

void start() {
  if (!registered_by_hand.empty()) return;
  settle_engine();
  guard_before = guard_slot().exchange(&guard());
  allocator_before = c10::GetAllocator(kDevice);
  c10::SetAllocator(kDevice, &device_memory(), 255);
  host_memory().plain = c10::GetAllocator(kCPU);
  c10::SetAllocator(kCPU, &host_memory(), 255);
  hooks.put_ours();
  Silent silent;  // PyTorch warns where a kernel replaces another, as ours do on a CUDA build
  c10::WarningUtils::WarningHandlerGuard quiet(&silent);
  auto by_hand = register_by_hand(registered_by_hand);
  if (kernels().empty()) {
    add_operators(std::move(by_hand));
    add_operators_of_cuda_builds();
    for (auto& name : collectives()) add_kernel<CollectiveOnHost>(name, DispatchKey::CUDA);
    unbox_often();
  }
  if (registered.empty()) {
    registered.reserve(kernels().size());
    for (auto& kernel : kernels()) enter(kernel, std::nullopt, registered);
  }
  put_stubs();
  timers.put_ours();
  is_on = true;
}
// The dispatcher takes 5 ms of the processor's time to enter our kernels in the tables of its
// operators and to remove them. Only a GPU's kernels are under ours, so without a GPU they stay for
// the next start, and refuse to run meanwhile (`refuse_when_off`).
void stop() {
  if (registered_by_hand.empty()) return;
  is_on = false;
  device_count = 0;
  for (auto& ledger : ledgers()) ledger.set_limit(kCapacity);
  bool has_gpu = gpu_guard();
  registered_by_hand.clear();
  if (has_gpu) registered.clear();
  timers.put_back();
  forget_order();
  for (auto& [slot, before] : stubs_before) *slot = before;
  stubs_before.clear();
  hooks.put_back();
  c10::SetAllocator(kDevice, allocator_before, 255);
  c10::SetAllocator(kCPU, host_memory().plain, 255);
  // Tensors may outlive the device, and PyTorch ends the process where it finds no guard for one
  // (AccumulateGrad's constructor). So our guard stays, with no devices, unless PyTorch's own has
  // some.
  sync_debug_mode = 0;
  if (has_gpu) guard_slot().store(guard_before);
  torch::utils::set_requires_device_init(kDevice,
                                         true);  // so the next use raises "not compiled with CUDA"
}

std::vector<int64_t> figures(int64_t device) {
  std::vector<int64_t> all;
  auto figures = ledgers().at(device).figures();
  for (auto& figure : figures.all)
    for (auto& pool : figure)
      all.insert(all.end(), {pool.current, pool.peak, pool.allocated, pool.freed});
  all.push_back(ledgers()[device].times_out_of_memory());
  all.push_back(ledgers()[device].retries());
  return all;
}
bool can_use_attention(Values values) {
  auto mask = values[4].isTensor() ? std::optional(values[4].toTensor()) : std::nullopt;
  auto params =
      attention_params(values[1].toTensor(), values[2].toTensor(), values[3].toTensor(), mask,
                       values[5].toDouble(), values[6].toBool(), values[7].toBool());
  bool debug = values[8].toBool();
  return values[0].toStringRef() == "flash" ? can_use_flash(params, debug)
                                            : can_use_efficient(params, debug);
}
void set_count(int64_t devices) {
  TORCH_CHECK(devices >= 0 && devices <= kMaxDevices, "There can be 0 to ", kMaxDevices,
              " simulated devices, not ", devices, ".");
  device_count = devices;
  if (current_device >= devices) current_device = 0;
}
void resize_storage(const Tensor& tensor, int64_t bytes) {
  c10::OptionalDeviceGuard there(tensor.device());
  auto* storage = tensor.storage().unsafeGetStorageImpl();
  at::native::resize_bytes_cpu(storage, bytes);
  // It leaves a null pointer of the CPU, and views of the tensor would be on the CPU.
  if (!bytes && tensor.is_cuda()) storage->set_data_ptr_noswap(device_memory().allocate(0));
}

// What Python does and asks, by the arguments of its call. They are boxed, since a typed function
// takes the compiler a tenth of a second.
struct Action {
  const char* schema;
  void (*run)(Values);
};
struct Question {
  const char* schema;
  IValue (*run)(Values);
};
Ledger& ledger_named(Values values) { return ledgers().at(values[0].toInt()); }
constexpr Action ACTIONS[] = {
    {"start() -> ()", [](Values) { start(); }},
    {"stop() -> ()", [](Values) { stop(); }},
    {"settle_engine() -> ()", [](Values) { settle_engine(); }},
    {"init_hooks() -> ()", [](Values) { at::detail::getCUDAHooks().init(); }},
    {"require_init() -> ()", [](Values) { torch::utils::set_requires_device_init(kDevice, true); }},
    {"set_started(bool started) -> ()", [](Values v) { is_started = v[0].toBool(); }},
    {"set_count(int devices) -> ()", [](Values v) { set_count(v[0].toInt()); }},
    {"set_device(int device) -> ()",
     [](Values v) { guard().setDevice({kDevice, static_cast<DeviceIndex>(v[0].toInt())}); }},
    {"check_device(int device) -> ()", [](Values v) { check_ordinal(v[0].toInt()); }},
    {"set_stream(int device, int stream) -> ()",
     [](Values v) { current_streams.at(v[0].toInt()) = v[1].toInt(); }},
    {"set_sync_debug_mode(int mode) -> ()", [](Values v) { sync_debug_mode = v[0].toInt(); }},
    {"reset_peaks(int device) -> ()", [](Values v) { ledger_named(v).reset_peaks(); }},
    {"reset_totals(int device) -> ()", [](Values v) { ledger_named(v).reset_totals(); }},
    {"empty_cache() -> ()", [](Values) { device_memory().emptyCache(); }},
    {"resize_storage(Tensor tensor, int bytes) -> ()",
     [](Values v) { resize_storage(v[0].toTensor(), v[1].toInt()); }},
    {"set_limit(int device, int bytes) -> ()",
     [](Values v) { ledger_named(v).set_limit(v[1].toInt()); }},
};
constexpr Question QUESTIONS[] = {
    {"can_use_attention(str kernel, Tensor q, Tensor k, Tensor v, Tensor? mask, float dropout, "
     "bool causal, bool grouped, bool debug) -> bool",
     [](Values v) -> IValue { return can_use_attention(v); }},
    {"missing() -> str[]", [](Values) -> IValue { return missing; }},
    {"generator(int device) -> Generator?",
     [](Values v) -> IValue { return generator_of(v[0].toInt()); }},
    {"current_device() -> int", [](Values) -> IValue { return int64_t(current_device); }},
    {"current_stream(int device) -> int",
     [](Values v) -> IValue { return current_streams.at(v[0].toInt()); }},
    {"sync_debug_mode() -> int", [](Values) -> IValue { return sync_debug_mode.load(); }},
    {"new_stream() -> int", [](Values) -> IValue { return int64_t(next_stream++); }},
    {"figures(int device) -> int[]", [](Values v) -> IValue { return figures(v[0].toInt()); }},
    {"segments(int device) -> int[]",
     [](Values v) -> IValue { return ledger_named(v).segments(); }},
    {"capacity() -> int", [](Values) -> IValue { return int64_t(kCapacity); }},
    {"limit(int device) -> int",
     [](Values v) -> IValue { return int64_t(ledger_named(v).limit()); }},
};
template <class Command>
class Run final : public c10::OperatorKernel {
 public:
  explicit Run(const Command& command) : command_(command) {}
  void operator()(const c10::OperatorHandle& op, DispatchKeySet, Stack* stack) {
    auto values = torch::jit::pop(*stack, op.schema().arguments().size());
    if constexpr (std::is_same_v<Command, Question>)
      stack->push_back(command_.run(values));
    else
      command_.run(values);
  }

 private:
  const Command& command_;
};
template <class Command>
void define(torch::Library& library, const Command& command) {
  library.def(command.schema,
              torch::CppFunction::makeFromBoxedFunctor(std::make_unique<Run<Command>>(command)));
}
}  // namespace

TORCH_LIBRARY(simulated_cuda, m) {
  for (auto& action : ACTIONS) define(m, action);
  for (auto& question : QUESTIONS) define(m, question);
}
}  // namespace simulated_cuda
