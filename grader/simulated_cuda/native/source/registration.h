// Makes the boxed kernels: which operator is checked how, and by which functor it is run.
#pragma once
#include "distributed.h"
#include "kernel_checks.h"
#include "kernels.h"

namespace simulated_cuda {
// Operators of CUDA that neither the CPU nor we have a kernel for.
inline std::vector<std::string> missing;

inline Plan plan_of(const Rule& rule, const c10::OperatorHandle& op) {
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
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].name() == name) plan.checked.push_back(i);
  plan.is_sparse = rule.key != DispatchKey::CUDA;
  plan.is_plain_structured = rule.is_plain_structured;
  plan.has_composite = op.hasComputedKernelForDispatchKey(kNobody);
  plan.is_random = !plan.has_generator && op.hasTag(at::Tag::nondeterministic_seeded);
  for (auto& own : OWN_CHECKS)
    if (!std::strcmp(own.op, rule.op)) plan.check = own.check;
  for (auto& own : ALWAYS)
    if (!std::strcmp(own.op, rule.op)) plan.always = own.check;
  plan.refusals = {REFUSALS + rule.first_refusal, rule.refusals};
  plan.alert = alert_of(rule.op);
  plan.widens = widens_integers(rule.op);
  plan.has_condition = plan.always || rule.refusals || plan.alert;
  for (auto& own : COMPUTED)
    if (own.key == rule.key && !std::strcmp(own.op, rule.op)) plan.compute = own.compute;
  // A kernel of ours draws its seed from the device's generator and keeps it for the backward, so
  // the generator's state must not be put back after the call.
  if (plan.compute) plan.is_random = false;
  return plan;
}

// Whether one function of PyTorch for the CPU and CUDA computes nothing itself: it returns a view
// of an argument, or calls other operators.
inline bool is_composed(const c10::FunctionSchema& schema) {
  static const std::unordered_set<std::string> composed = {"aten::set_", "aten::rsub",
                                                           "aten::index_fill_", "aten::is_set_to"};
  if (composed.count(schema.name()) && schema.overload_name() != "int_Scalar") return true;
  for (auto& result : schema.returns())
    if (result.alias_info() && !result.alias_info()->isWrite()) return true;
  return false;
}

// These look a kernel up by device type (DispatchStub); a CPU build has none for CUDA.
inline bool uses_stub(const std::string& op) {
  static const std::unordered_set<std::string> by_stub = {
      "aten::native_layer_norm", "aten::native_layer_norm_backward", "aten::sparse_mask",
      "aten::_sparse_mask_projection", "aten::_sparse_broadcast_to"};
  return by_stub.count(op) || op.rfind("aten::_to_sparse", 0) == 0;
}

// Composites that look a kernel up there: a CPU build has none, and a CUDA build would launch its
// own.
constexpr const char* COMPOSITES_WITH_STUB[] = {"aten::mode.values",
                                                "aten::conj_physical_",
                                                "aten::kaiser_window",
                                                "aten::kaiser_window.periodic",
                                                "aten::kaiser_window.beta",
                                                "aten::ldexp.Tensor",
                                                "aten::ldexp_",
                                                "aten::ldexp.out"};

// Boxed kernels are made at the first start and never freed: while `stop` takes them out of the
// dispatcher's table, another thread may be inside one and read its plan.
struct Kernel {
  c10::OperatorName op;
  DispatchKey key;
  c10::KernelFunction function;
};
using Kernels = std::vector<Kernel>;
inline Kernels& kernels() {
  static auto* all = new Kernels();
  return *all;
}
inline void enter(const Kernel& kernel, const std::optional<c10::impl::CppSignature>& signature,
                  std::vector<c10::RegistrationHandleRAII>& registered) {
  registered.push_back(c10::Dispatcher::singleton().registerImpl(
      kernel.op, kernel.key, kernel.function, signature, nullptr,
      "registered by the simulated CUDA device"));
}
// While the device is off, a kernel that stayed in the dispatcher refuses as the dispatcher does
// where there is none: a tensor may outlive the device.
inline std::atomic<bool> is_on{false};
template <class Functor>
class WhileOn final : public c10::OperatorKernel {
 public:
  template <class... Arguments>
  explicit WhileOn(Arguments&&... arguments) : run_(std::forward<Arguments>(arguments)...) {}
  void operator()(const c10::OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
    TORCH_CHECK_NOT_IMPLEMENTED(
        is_on.load(std::memory_order_relaxed), "Could not run '", c10::toString(op.operator_name()),
        "' with arguments from the 'CUDA' backend. The simulated CUDA device is off.");
    run_(op, keys, stack);
  }

 private:
  Functor run_;
};
template <class Functor, class... Arguments>
void add_kernel(const c10::OperatorName& op, DispatchKey key, Arguments&&... arguments) {
  auto kernel = std::make_unique<WhileOn<Functor>>(std::forward<Arguments>(arguments)...);
  kernels().push_back({op, key, c10::KernelFunction::makeFromBoxedFunctor(std::move(kernel))});
}

// ---- Kernels that work on the device's tensors, not on host views: called often, and seldom

struct ByHand {
  Kernel kernel;
  std::optional<c10::impl::CppSignature> signature;
};
class Boxed final : public c10::OperatorKernel {
 public:
  explicit Boxed(const Computed& kernel) : run_(kernel.compute) {}
  void operator()(const c10::OperatorHandle& op, DispatchKeySet, Stack* stack) { run_(op, stack); }

 private:
  void (*run_)(const c10::OperatorHandle&, Stack*);
};
constexpr Computed SELDOM[] = {
    {"aten::copy_", copy_quantized, DispatchKey::QuantizedCUDA},
    {"aten::_copy_from", copy_from},
    {"aten::_copy_from_and_resize", copy_from_and_resize},
    {"aten::resize_", resize_},
    {"aten::set_.source_Storage_storage_offset", set_to_storage},
    {"aten::set_", set_to_nothing},
    {"aten::_lazy_clone", lazy_clone},
    {"aten::record_stream", record_stream},
    {"aten::_fused_sdp_choice", fused_sdp_choice},
    {"aten::_use_cudnn_ctc_loss", never},
    {"aten::_use_cudnn_ctc_loss.Tensor", never},
    {"aten::_use_miopen_ctc_loss", never},
    {"aten::_use_miopen_ctc_loss.Tensor", never},
    {"aten::_cudnn_rnn", rnn_under_autocast, DispatchKey::AutocastCUDA},
};
template <class Function>
ByHand often(const char* op, Function function) {
  return {{torch::jit::parseName(op), DispatchKey::CUDA,
           c10::KernelFunction::makeFromUnboxedFunction(function)},
          c10::impl::CppSignature::make<typename Function::FuncType>()};
}
inline std::vector<ByHand> by_hand() {
  std::vector<ByHand> all = {
      often("aten::empty.memory_format", TORCH_FN(empty)),
      often("aten::empty_strided", TORCH_FN(empty_strided)),
      often("aten::copy_", TORCH_FN(copy_)),
      often("aten::as_strided", TORCH_FN(as_strided)),
      often("aten::view", TORCH_FN(at::native::view)),
      often("aten::_reshape_alias", TORCH_FN(at::native::_reshape_alias)),
  };
  for (auto& kernel : SELDOM)
    all.push_back({{torch::jit::parseName(kernel.op), kernel.key,
                    c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<Boxed>(kernel))},
                   std::nullopt});
  return all;
}

// Enters them in the dispatcher's tables, of the operators that this PyTorch has; returns these.
inline std::unordered_set<std::string> register_by_hand(
    std::vector<c10::RegistrationHandleRAII>& registered) {
  std::unordered_set<std::string> done;
  for (auto& [kernel, signature] : by_hand()) {
    if (!c10::Dispatcher::singleton().findSchema(kernel.op)) continue;
    enter(kernel, signature, registered);
    if (kernel.key == DispatchKey::CUDA) done.insert(c10::toString(kernel.op));
  }
  return done;
}

inline void add_operators(std::unordered_set<std::string> by_hand) {
  auto& dispatcher = c10::Dispatcher::singleton();
  add_kernel<FlattenWeights>(torch::jit::parseName("aten::_cudnn_rnn_flatten_weight"),
                             DispatchKey::CUDA);
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
    Rule rule{op_name, "", "", false, false, DispatchKey::CUDA, DispatchKey::CPU, 0, 0};
    add_kernel<OnHost>(name, rule.key, plan_of(rule, *op));
  }
}

// Kernels that only a CUDA build has, outside of `aten`: they would call the driver.
inline void add_operators_of_cuda_builds() {
  static const std::unordered_set<std::string> namespaces = {"quantized", "quantization",
                                                             "symm_mem", "inductor_prims", "fsdp"};
  constexpr std::pair<DispatchKey, DispatchKey> keys[] = {
      {DispatchKey::CUDA, DispatchKey::CPU},
      {DispatchKey::QuantizedCUDA, DispatchKey::QuantizedCPU}};
  auto& dispatcher = c10::Dispatcher::singleton();
  for (auto& name : dispatcher.getAllOpNames()) {
    if (!namespaces.count(name.name.substr(0, name.name.find("::")))) continue;
    auto op = dispatcher.findSchema(name);
    if (!op) continue;
    auto full_name = c10::toString(name);
    for (auto& [key, host_key] : keys) {
      if (!op->hasKernelForDispatchKey(key)) continue;
      Rule rule{full_name.c_str(), "", "", false, false, key, host_key, 0, 0};
      if (op->hasComputedKernelForDispatchKey(host_key))
        add_kernel<OnHost>(name, key, plan_of(rule, *op));
      else
        add_kernel<Missing>(name, key);
    }
  }
}
}  // namespace simulated_cuda
