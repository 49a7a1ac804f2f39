// Puts the device into PyTorch, and takes it out again; and what Python asks of it.
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/utils/device_lazy_init.h>

#include "distributed.h"
#include "kernels.h"

namespace simulated_cuda {
namespace {
std::unique_ptr<torch::Library> registrations;
std::vector<std::string> missing;
HooksSwap hooks;
TimerSwap timers;
const c10::impl::DeviceGuardImplInterface* guard_before = nullptr;
c10::Allocator* allocator_before = nullptr;

std::atomic<const c10::impl::DeviceGuardImplInterface*>& guard_slot() {
  return c10::impl::device_guard_impl_registry[static_cast<size_t>(kDevice)];
}

// The autograd engine counts the devices at the first backward of a process, and starts a thread for
// each, after which a forked child can run no backward. It needs none of them where multithreading
// is off: so let it count while there is no device.
void settle_engine() {
  auto* ours = guard_slot().exchange(nullptr);
  {
    c10::impl::ForceDispatchKeyGuard as_from_python{c10::default_included_set, c10::default_excluded_set};
    AutoGradMode on(true);
    auto leaf = at::ones({}, at::TensorOptions(kCPU)).requires_grad_();
    torch::autograd::grad({leaf * 1}, {leaf});
  }
  guard_slot().store(ours);
}

Plan plan_of(const Rule& rule, const c10::OperatorHandle& op) {
  Plan plan;
  plan.method = rule.method;
  plan.host_key = rule.host_key;
  auto& arguments = op.schema().arguments();
  for (auto& argument : arguments) {
    plan.written.push_back(argument.alias_info() && argument.alias_info()->isWrite());
    plan.has_generator |= argument.name() == "generator";
  }
  std::istringstream names(rule.checked);
  for (std::string name; std::getline(names, name, ',');)
    for (size_t i = 0; i < arguments.size(); ++i) if (arguments[i].name() == name) plan.checked.push_back(i);
  plan.is_sparse = rule.key != DispatchKey::CUDA;
  plan.is_plain_structured = rule.is_plain_structured;
  plan.has_composite = op.hasComputedKernelForDispatchKey(kNobody);
  plan.is_random = !plan.has_generator && op.hasTag(at::Tag::nondeterministic_seeded);
  for (auto& own : OWN_CHECKS) if (!std::strcmp(own.op, rule.op)) plan.check = own.check;
  for (auto& own : ALWAYS) if (!std::strcmp(own.op, rule.op)) plan.always = own.check;
  plan.refusal = refusal_of(rule.op);
  plan.refused = dtypes_of(plan.refusal);
  plan.alert = alert_of(rule.op);
  plan.has_condition = plan.always || plan.refusal || plan.alert;
  for (auto& own : COMPUTED) if (own.key == rule.key && !std::strcmp(own.op, rule.op)) plan.compute = own.compute;
  // A kernel of ours draws its own seed, and keeps it for the backward: the generator must keep that step.
  if (plan.compute) plan.is_random = false;
  return plan;
}

// Whether a function of PyTorch's that serves the CPU and CUDA alike computes nothing itself: it gives
// a view of an argument, or is written in other operators.
bool is_composed(const c10::FunctionSchema& schema) {
  static const std::unordered_set<std::string> composed = {"aten::set_", "aten::rsub", "aten::index_fill_", "aten::is_set_to"};
  if (composed.count(schema.name()) && schema.overload_name() != "int_Scalar") return true;
  for (auto& result : schema.returns()) if (result.alias_info() && !result.alias_info()->isWrite()) return true;
  return false;
}

// Same function or not, these look a kernel up by the tensor's device type in a table (DispatchStub)
// that has none for CUDA here.
bool uses_stub(const std::string& op) {
  static const std::unordered_set<std::string> by_stub = {"aten::native_layer_norm", "aten::native_layer_norm_backward", "aten::sparse_mask", "aten::_sparse_mask_projection", "aten::_sparse_broadcast_to"};
  return by_stub.count(op) || op.rfind("aten::_to_sparse", 0) == 0;
}

// PyTorch has one function of these for all devices, and it looks a kernel up in such a table too: on a
// CPU build the device has none there, and a CUDA build would launch its own.
constexpr const char* COMPOSITES_WITH_STUB[] = {
    "aten::mode.values", "aten::conj_physical_", "aten::kaiser_window", "aten::kaiser_window.periodic", "aten::kaiser_window.beta",
    "aten::ldexp.Tensor", "aten::ldexp_", "aten::ldexp.out"};

// The boxed kernels, made at the first start and never freed: another thread may be inside one, and read
// its plan, while `stop` takes it out of the dispatcher's table.
struct Kernel {
  c10::OperatorName op;
  DispatchKey key;
  c10::KernelFunction function;
};
std::vector<Kernel>& kernels() {
  static auto* all = new std::vector<Kernel>();
  return *all;
}
std::vector<c10::RegistrationHandleRAII> registered;

template <class Functor, class... Arguments>
void add_kernel(const c10::OperatorName& op, DispatchKey key, Arguments&&... arguments) {
  kernels().push_back({op, key, c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<Functor>(std::forward<Arguments>(arguments)...))});
}

// Kernels that work on the device's tensors as they are.
std::unordered_set<std::string> register_by_hand(torch::Library& library) {
  std::unordered_set<std::string> done;
  auto put = [&](const std::string& op, auto&& kernel) {
    if (!c10::Dispatcher::singleton().findSchema(torch::jit::parseName("aten::" + op))) return;  // another PyTorch
    library.impl(op.c_str(), torch::dispatch(DispatchKey::CUDA, kernel));
    done.insert("aten::" + op);
  };
  put("empty.memory_format", empty);
  put("empty_strided", empty_strided);
  put("copy_", copy_);
  put("_copy_from", copy_from);
  put("_copy_from_and_resize", copy_from_and_resize);
  put("resize_", resize_);
  put("set_.source_Storage_storage_offset", set_storage);
  put("set_", set_to_nothing);
  // Views are everywhere: without a boxed call between.
  put("as_strided", [](const Tensor& t, IntArrayRef size, IntArrayRef stride, std::optional<int64_t> offset) { return at::native::as_strided_tensorimpl(t, size, stride, offset); });
  put("view", [](const Tensor& t, IntArrayRef size) { return at::native::view(t, size); });
  put("_reshape_alias", [](const Tensor& t, IntArrayRef size, IntArrayRef stride) { return at::native::_reshape_alias(t, size, stride); });
  put("_lazy_clone", lazy_clone);
  put("record_stream", [](Tensor&, Stream) {});
  put("_fused_sdp_choice", attention_choice);
  for (std::string choice : {"_use_cudnn_ctc_loss", "_use_miopen_ctc_loss"}) {
    put(choice, [](const Tensor&, const Tensor&, IntArrayRef, IntArrayRef, int64_t) { return false; });
    put(choice + ".Tensor", [](const Tensor&, const Tensor&, const Tensor&, const Tensor&, int64_t) { return false; });
  }
  return done;
}

void add_operators(std::unordered_set<std::string> by_hand) {
  auto& dispatcher = c10::Dispatcher::singleton();
  add_kernel<FlattenWeights>(torch::jit::parseName("aten::_cudnn_rnn_flatten_weight"), DispatchKey::CUDA);
  by_hand.insert("aten::_cudnn_rnn_flatten_weight");
  for (auto& rule : RULES) {
    bool dense = rule.key == DispatchKey::CUDA;
    auto name = torch::jit::parseName(rule.op);
    auto op = dispatcher.findSchema(name);
    if (!op || (dense && by_hand.count(rule.op))) continue;
    Plan plan = plan_of(rule, *op);
    bool has_parts = !dense && rule.key != DispatchKey::QuantizedCUDA;
    if (rule.is_same_as_cpu && !uses_stub(rule.op) && (has_parts || is_composed(op->schema()))) {
      add_kernel<AsOnCpu>(name, rule.key, std::move(plan));
    } else if (plan.compute || op->hasComputedKernelForDispatchKey(rule.host_key)) {
      add_kernel<OnHost>(name, rule.key, std::move(plan));
    } else {
      missing.push_back(rule.op);
      add_kernel<Missing>(name, rule.key);
    }
  }
  for (auto* op_name : COMPOSITES_WITH_STUB) {
    auto name = torch::jit::parseName(op_name);
    auto op = dispatcher.findSchema(name);
    // Before torch 2.14 autograd goes through `ldexp`, which is `mul` and `pow` there.
    if (!op || !op->hasKernelForDispatchKey(DispatchKey::CompositeExplicitAutograd)) continue;
    Rule rule{op_name, "", "", false, false, DispatchKey::CUDA, DispatchKey::CPU};
    add_kernel<OnHost>(name, rule.key, plan_of(rule, *op));
  }
}

// What a CUDA build has for CUDA outside of `aten`: those kernels would call the driver. A CPU build has none.
void add_operators_of_cuda_builds() {
  static const std::unordered_set<std::string> namespaces = {"quantized", "quantization", "symm_mem", "inductor_prims"};
  constexpr std::pair<DispatchKey, DispatchKey> keys[] = {{DispatchKey::CUDA, DispatchKey::CPU}, {DispatchKey::QuantizedCUDA, DispatchKey::QuantizedCPU}};
  auto& dispatcher = c10::Dispatcher::singleton();
  for (auto& name : dispatcher.getAllOpNames()) {
    if (!namespaces.count(name.name.substr(0, name.name.find("::")))) continue;
    auto op = dispatcher.findSchema(name);
    if (!op) continue;
    auto full_name = c10::toString(name);
    for (auto& [key, host_key] : keys) {
      if (!op->hasKernelForDispatchKey(key)) continue;
      Rule rule{full_name.c_str(), "", "", false, false, key, host_key};
      if (op->hasComputedKernelForDispatchKey(host_key)) add_kernel<OnHost>(name, key, plan_of(rule, *op));
      else add_kernel<Missing>(name, key);
    }
  }
}

// PyTorch's tables of kernels for each device, beside the dispatcher: ours while the device is on.
std::vector<std::pair<void**, void*>> stubs_before;
template <class Stub, class Kernel>
void put_stub(Stub& stub, Kernel kernel) {
  static_assert(sizeof(Stub) == sizeof(at::native::DispatchStubImpl), "a stub holds more than its table now");
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
  put_stub(nested_dense_elementwise_stub, static_cast<nested_dense_elementwise_fn>(nested_with_dense));
  put_stub(_fused_sdp_choice_stub, static_cast<fused_sdp_choice_fn>(attention_choice));
}

// PyTorch warns where a kernel replaces another, as ours do on a CUDA build.
struct Silent final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

void start() {
  if (registrations) return;
  settle_engine();
  guard_before = guard_slot().exchange(&guard());
  allocator_before = c10::GetAllocator(kDevice);
  c10::SetAllocator(kDevice, &device_memory(), 255);
  hooks.put_ours();
  Silent silent;
  c10::WarningUtils::WarningHandlerGuard quiet(&silent);
  registrations = std::make_unique<torch::Library>(torch::Library::IMPL, "aten", std::nullopt, __FILE__, __LINE__);
  auto by_hand = register_by_hand(*registrations);
  if (kernels().empty()) {
    add_operators(std::move(by_hand));
    add_operators_of_cuda_builds();
    for (auto& name : collectives()) add_kernel<CollectiveOnHost>(name, DispatchKey::CUDA);
  }
  for (auto& [op, key, function] : kernels())
    registered.push_back(c10::Dispatcher::singleton().registerImpl(op, key, function, std::nullopt, nullptr, "registered by the simulated CUDA device"));
  put_stubs();
  timers.put_ours();
}
void stop() {
  if (!registrations) return;
  registrations.reset();
  registered.clear();
  timers.put_back();
  for (auto& [slot, before] : stubs_before) *slot = before;
  stubs_before.clear();
  hooks.put_back();
  c10::SetAllocator(kDevice, allocator_before, 255);
  // Tensors may outlive the device, and where PyTorch finds no guard for one it ends the process
  // (AccumulateGrad's constructor). So ours stays, with no devices, unless PyTorch's own has some.
  device_count = 0;
  sync_debug_mode = 0;
  if (guard_before && guard_before->deviceCount() > 0) guard_slot().store(guard_before);
  torch::utils::set_requires_device_init(kDevice, true);  // what says "not compiled with CUDA" is asked again
}

std::vector<int64_t> figures(int64_t device) {
  std::vector<int64_t> all;
  auto figures = ledgers().at(device).figures();
  for (auto& figure : figures.all) for (auto& pool : figure) all.insert(all.end(), {pool.current, pool.peak, pool.allocated, pool.freed});
  all.push_back(ledgers()[device].times_out_of_memory());
  return all;
}
}  // namespace

TORCH_LIBRARY(simulated_cuda, m) {
  m.def("start() -> ()", start);
  m.def("stop() -> ()", stop);
  m.def("settle_engine() -> ()", settle_engine);
  m.def("init_hooks() -> ()", [] { at::detail::getCUDAHooks().init(); });
  m.def("require_init() -> ()", [] { torch::utils::set_requires_device_init(kDevice, true); });
  m.def("missing() -> str[]", [] { return missing; });
  m.def("set_count(int devices) -> ()", [](int64_t devices) {
    TORCH_CHECK(devices >= 0 && devices <= kMaxDevices, "There can be 0 to ", kMaxDevices, " simulated devices, not ", devices, ".");
    device_count = devices;
    if (current_device >= devices) current_device = 0;
  });
  m.def("generator(int device) -> Generator?", [](int64_t device) { return generator_of(device); });
  m.def("current_device() -> int", [] { return int64_t(current_device); });
  m.def("set_device(int device) -> ()", [](int64_t device) { guard().setDevice({kDevice, static_cast<DeviceIndex>(device)}); });
  m.def("check_device(int device) -> ()", check_ordinal);
  m.def("current_stream(int device) -> int", [](int64_t device) { return current_streams.at(device); });
  m.def("set_stream(int device, int stream) -> ()", [](int64_t device, int64_t stream) { current_streams.at(device) = stream; });
  m.def("sync_debug_mode() -> int", [] { return sync_debug_mode.load(); });
  m.def("set_sync_debug_mode(int mode) -> ()", [](int64_t mode) { sync_debug_mode = mode; });
  m.def("new_stream() -> int", [] { return int64_t(next_stream++); });
  m.def("figures(int device) -> int[]", figures);
  m.def("reset_peaks(int device) -> ()", [](int64_t device) { ledgers().at(device).reset_peaks(); });
  m.def("reset_totals(int device) -> ()", [](int64_t device) { ledgers().at(device).reset_totals(); });
  m.def("empty_cache() -> ()", [] { device_memory().emptyCache(); });
  m.def("resize_storage(Tensor tensor, int bytes) -> ()", [](const Tensor& tensor, int64_t bytes) {
    c10::OptionalDeviceGuard there(tensor.device());
    auto* storage = tensor.storage().unsafeGetStorageImpl();
    at::native::resize_bytes_cpu(storage, bytes);
    // The pointer to nothing that it leaves is the CPU's, and views of the tensor would be there too.
    if (!bytes && tensor.is_cuda()) storage->set_data_ptr_noswap(device_memory().allocate(0));
  });
  m.def("segments(int device) -> int[]", [](int64_t device) { return ledgers().at(device).segments(); });
  m.def("capacity() -> int", [] { return int64_t(kCapacity); });
  m.def("limit(int device) -> int", [](int64_t device) { return int64_t(ledgers().at(device).limit()); });
  m.def("set_limit(int device, int bytes) -> ()", [](int64_t device, int64_t bytes) { ledgers().at(device).set_limit(bytes); });
}
}  // namespace simulated_cuda
