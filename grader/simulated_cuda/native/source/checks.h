// Which devices the tensors of a call may be on: PyTorch's generated checks for CUDA's kernels.
#pragma once
#include <ATen/TensorIterator.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/op_registration/adaption.h>
#include <ATen/core/stack.h>
#include <ATen/native/RNN.h>
#include <ATen/native/TypeProperties.h>

#include "host_view.h"
#include "kernel_tables.h"
#include "rules.h"  // made by generate_rules.py

namespace simulated_cuda {
using Values = ArrayRef<IValue>;

// One operator: what its schema and PyTorch's yaml say, read once.
struct Plan {
  const char* method = "";       // of CUDA's wrapper, for the words of errors
  std::vector<uint8_t> checked;  // arguments that the wrapper wants on one device, in its order
  std::vector<uint8_t> written;  // whether each argument is written to
  void (*check)(const Plan&, const c10::FunctionSchema&,
                Values) = nullptr;  // instead of all other checks
  ArrayRef<Refusal> refusals;       // the dtypes that its CUDA kernels refuse
  const char* alert = nullptr;      // where deterministic algorithms are asked for
  void (*always)(const Plan&, const c10::FunctionSchema&,
                 Values) = nullptr;  // a check also of tensors that are together
  bool has_condition = false;        // any of these three
  bool widens = false;               // the CPU has no kernel for integers
  bool has_generator = false;
  bool is_sparse = false;
  bool is_plain_structured =
      false;                   // its out variant has no TensorIterator to check the out tensor
  bool has_composite = false;  // PyTorch has a version of it written in other operators
  bool is_random = false;      // it draws numbers, and has no argument for the generator
  void (*compute)(const c10::OperatorHandle&,
                  torch::jit::Stack*) = nullptr;  // on CPU tensors, where the CPU has no kernel
  DispatchKey host_key = DispatchKey::CPU;
};

template <class F>
void for_each_tensor(const IValue& value, F f) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) f(value.toTensor());
  } else if (value.isList()) {
    for (const IValue& item : value.toListRef())
      if (item.isTensor() && item.toTensor().defined()) f(item.toTensor());
  }
}

inline const IValue* argument(const c10::FunctionSchema& schema, Values values, const char* name) {
  for (size_t i = 0; i < values.size(); ++i)
    if (schema.arguments()[i].name() == name) return &values[i];
  return nullptr;
}

inline void check_same_device(const Plan& plan, const c10::FunctionSchema& schema, Values values) {
  std::optional<Device> common;
  for (auto i : plan.checked)
    for_each_tensor(values[i], [&](const Tensor& t) {
      c10::impl::check_and_update_common_device(common, t, plan.method,
                                                schema.arguments()[i].name().c_str());
    });
}

// The dtype by which CUDA chooses a kernel: that of the first tensor, or the one to which those
// that are read are promoted; where none is read, that of the result.
inline std::optional<ScalarType> deciding_dtype(const Plan& plan, const c10::FunctionSchema& schema,
                                                Values values) {
  std::optional<ScalarType> first, written;
  native::ResultTypeState state;
  bool in_place = schema.name().back() == '_', is_common = plan.refusals[0].by_common;
  for (size_t i = 0; i < values.size(); ++i) {
    for_each_tensor(values[i], [&](const Tensor& t) {
      if (plan.written[i] && !in_place) {
        written = t.scalar_type();
        return;
      }
      if (!first) first = t.scalar_type();
      if (is_common) state = native::update_result_type_state(t, state);
    });
    if (is_common && values[i].isScalar() && schema.arguments()[i].name() == "other")
      state = native::update_result_type_state(values[i].toScalar(), state);
  }
  return !first ? written : is_common ? native::result_type(state) : *first;
}
// Some kernels return before they look at the dtype.
inline bool is_trivial(Values values) {
  std::optional<bool> has_dimensions;
  bool is_empty = false;
  for (auto& value : values)
    for_each_tensor(value, [&](const Tensor& t) {
      if (!has_dimensions) has_dimensions = t.dim() > 0;
      is_empty |= !t.numel();
    });
  return is_empty || !has_dimensions.value_or(true);
}
[[noreturn]] inline void refuse_dtype(const char* kernel, const char* dtype) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "\"", kernel, "\" not implemented for '", dtype, "'");
}

// Kernels over a TensorIterator: building one raises the errors that it raises on CUDA.
inline void check_by_iterator(const Plan& plan, const c10::FunctionSchema& schema, Values values) {
  bool in_place = schema.name().back() == '_';
  TensorIteratorConfig config;
  config.set_check_mem_overlap(false)
      .check_all_same_dtype(false)
      .promote_inputs_to_common_dtype(true)
      .allow_cpu_scalars(true)
      .resize_outputs(!in_place);
  std::vector<Tensor> outputs, inputs;
  for (size_t i = 0; i < values.size(); ++i)
    for_each_tensor(values[i], [&](const Tensor& t) {
      if (plan.written[i]) outputs.push_back(t);
      if (!plan.written[i] || in_place) inputs.push_back(t);
    });
  if (outputs.empty()) outputs.emplace_back();
  if (outputs.size() > 1 && !in_place) return;
  for (auto& t : outputs) config.add_output(t);
  for (auto& t : inputs) config.add_input(t);
  config.build();
}
}  // namespace simulated_cuda
