// Shows a tensor of the device as a CPU tensor over the same memory, and the other way round.
#pragma once
#include <ATen/EmptyTensor.h>
#include <ATen/NestedTensorImpl.h>
#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseCsrTensorUtils.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/native/SparseTensorUtils.h>
#include <ATen/native/nested/NestedTensorUtils.h>
#include <ATen/quantized/QTensorImpl.h>

#include "hooks.h"

namespace simulated_cuda {
// The bits of a tensor besides its sizes: conjugated, negated, all zeros, a Python number.
inline void copy_bits(const Tensor& from, TensorImpl* to) {
  if (from.is_conj()) to->_set_conj(true);
  if (from.is_neg()) to->_set_neg(true);
  if (from.unsafeGetTensorImpl()->is_wrapped_number()) to->set_wrapped_number(true);
}

// The same view of another storage, which is on the CPU or on the device as `key` says.
inline Tensor over(Storage storage, const Tensor& like, DispatchKey key) {
  auto keys = DispatchKeySet(key) | (like.key_set() & DispatchKeySet(DispatchKey::ZeroTensor));
  auto tensor = at::detail::make_tensor<TensorImpl>(std::move(storage), keys, like.dtype());
  auto* impl = tensor.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
  copy_bits(like, impl);
  return tensor;
}

inline Tensor quantized_over(Storage storage, const Tensor& like, DispatchKey key) {
  auto quantizer = static_cast<QTensorImpl*>(like.unsafeGetTensorImpl())->quantizer();
  auto tensor = at::detail::make_tensor<QTensorImpl>(std::move(storage), DispatchKeySet(key),
                                                     like.dtype(), quantizer);
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(),
                                                      like.storage_offset());
  return tensor;
}

// A tensor may be larger than its memory, such as one whose storage was resized to zero bytes. On
// CUDA a kernel that reads past the end fails; here the process would end, so it is checked before.
inline void check_bounds(const Tensor& tensor) {
  auto bytes = at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(),
                                                tensor.dtype().itemsize(), tensor.storage_offset());
  if (bytes > tensor.storage().nbytes() && tensor.numel())
    raise_cuda_error(700, "an illegal memory access was encountered");
}

inline Storage host_storage(const Tensor& tensor) {
  check_bounds(tensor);
  auto& storage = tensor.storage();
  if (auto* block = block_of(storage)) return Storage(block->host);
  // Memory from another library, through DLPack: it is the CPU's as well.
  return Storage(Storage::use_byte_size_t(), storage.nbytes(),
                 DataPtr(storage.mutable_data(), Device(kCPU)), nullptr, false);
}

inline Storage device_storage(const Tensor& tensor, DeviceIndex index) {
  auto* storage = tensor.storage().unsafeGetStorageImpl();
  auto bytes = storage->nbytes();
  auto data = show(c10::intrusive_ptr<StorageImpl>::reclaim_copy(storage), index);
  return Storage(Storage::use_byte_size_t(), bytes, std::move(data), &device_memory(), true);
}

// Applies `part` to the dense tensors that a tensor of another layout is made of.
template <class Part>
Tensor from_parts(const Tensor& t, bool to_host, Part part) {
  switch (t.layout()) {
    case kSparse: {
      auto* from = sparse::get_sparse_impl(t);
      auto indices = part(from->indices()), values = part(from->values());
      c10::OptionalDeviceGuard there(
          values.device());  // a new SparseTensorImpl is on the current device
      auto made = at::detail::make_tensor<SparseTensorImpl>(
          DispatchKeySet(to_host ? DispatchKey::SparseCPU : DispatchKey::SparseCUDA), t.dtype());
      auto* to = sparse::get_sparse_impl(made);
      to->raw_resize_(from->sparse_dim(), from->dense_dim(), from->sizes());
      to->set_indices_and_values_unsafe(indices, values);
      to->set_coalesced(from->coalesced());
      return made;
    }
    case kSparseCsr:
    case kSparseCsc:
    case kSparseBsr:
    case kSparseBsc: {
      auto* from = sparse_csr::get_sparse_csr_impl(t);
      auto compressed = part(from->compressed_indices()), plain = part(from->plain_indices()),
           values = part(from->values());
      auto made = at::detail::make_tensor<SparseCsrTensorImpl>(
          DispatchKeySet(to_host ? DispatchKey::SparseCsrCPU : DispatchKey::SparseCsrCUDA),
          values.device(), t.layout(), t.dtype());
      sparse_csr::get_sparse_csr_impl(made)->set_member_tensors(compressed, plain, values,
                                                                from->sizes());
      return made;
    }
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "The simulated CUDA device does not do tensors of layout ",
                                  t.layout(), ".");
  }
}

inline Tensor nested_over(const Tensor& buffer, const Tensor& like) {
  auto* impl = native::get_nested_tensor_impl(like);
  return at::detail::make_tensor<native::NestedTensorImpl>(
      buffer, impl->get_nested_sizes(), impl->get_nested_strides(), impl->get_storage_offsets());
}
inline bool is_dense(const Tensor& t) {
  return t.layout() == kStrided && t.unsafeGetTensorImpl()->has_storage();
}
inline Tensor buffer_of(const Tensor& nested) {
  return native::get_nested_tensor_impl(nested)->get_unsafe_storage_as_tensor();
}

inline Tensor host_view(const Tensor& t) {
  if (!t.defined() || !t.device().is_cuda()) return t;
  if (t.is_quantized()) return quantized_over(host_storage(t), t, DispatchKey::QuantizedCPU);
  if (t.is_nested() && is_dense(t)) return nested_over(host_view(buffer_of(t)), t);
  if (is_dense(t)) return over(host_storage(t), t, DispatchKey::CPU);
  return from_parts(t, true, [](const Tensor& part) { return host_view(part); });
}

// The arguments of an operator and their views: a result may be one of them, or a view of one.
struct Shown {
  Tensor there, here;
  bool written;
};
struct Arguments : c10::SmallVector<Shown, 8> {
  bool may_widen = false;  // whether the CPU may refuse the dtype of any
};

// Nothing else refers to a fresh result, so it may become the device's itself.
inline Tensor moved_to(Storage storage, Tensor&& t) {
  auto* impl = t.unsafeGetTensorImpl();
  if (t.use_count() > 1 || impl->autograd_meta() || t._is_zerotensor())
    return over(std::move(storage), t, DispatchKey::CUDA);
  impl->set_storage_keep_dtype(std::move(storage));
  impl->_change_backend_component_keys(Device(kDevice));
  return std::move(t);
}

inline Tensor device_view(Tensor t, DeviceIndex index, const Arguments& arguments) {
  if (!t.defined() || !t.device().is_cpu()) return t;
  for (auto& argument : arguments)
    if (argument.here.is_same(t)) return argument.there;
  if (t.is_quantized())
    return quantized_over(device_storage(t, index), t, DispatchKey::QuantizedCUDA);
  if (t.is_nested() && is_dense(t))
    return nested_over(device_view(buffer_of(t), index, arguments), t);
  if (is_dense(t)) {
    auto* storage = t.storage().unsafeGetStorageImpl();
    for (auto& argument : arguments)
      if (argument.there.device().is_cuda() && is_dense(argument.here) &&
          argument.here.storage().unsafeGetStorageImpl() == storage)
        return moved_to(argument.there.storage(), std::move(t));
    return moved_to(device_storage(t, index), std::move(t));
  }
  // The constructors of sparse tensors take the current device.
  c10::OptionalDeviceGuard there(Device(kDevice, index));
  return from_parts(t, false,
                    [&](const Tensor& part) { return device_view(part, index, arguments); });
}

// After an operator resized the view of an argument: give the argument its memory and sizes.
inline void follow(const Shown& argument) {
  auto& [there, here, written] = argument;
  if (!there.device().is_cuda() || there.is_same(here)) return;
  auto index = there.device().index();
  if (there.layout() == kSparse) {
    auto made = device_view(here, index, {});
    auto* to = sparse::get_sparse_impl(there);
    auto* from = sparse::get_sparse_impl(made);
    to->raw_resize_(from->sparse_dim(), from->dense_dim(), from->sizes());
    to->set_indices_and_values_unsafe(from->indices(), from->values());
    to->set_coalesced(from->coalesced());
    return;
  }
  if (there.layout() != kStrided) {
    auto made = device_view(here, index, {});
    auto* from = sparse_csr::get_sparse_csr_impl(made);
    sparse_csr::get_sparse_csr_impl(there)->set_member_tensors(
        from->compressed_indices(), from->plain_indices(), from->values(), from->sizes());
    return;
  }
  auto* storage = there.storage().unsafeGetStorageImpl();
  auto& now = here.storage();
  if (storage->data() != now.data() || storage->nbytes() != now.nbytes()) {
    storage->set_data_ptr_noswap(
        show(c10::intrusive_ptr<StorageImpl>::reclaim_copy(now.unsafeGetStorageImpl()), index));
    storage->set_nbytes(now.nbytes());
  }
  if (there.sizes() != here.sizes() || there.strides() != here.strides() ||
      there.storage_offset() != here.storage_offset())
    there.unsafeGetTensorImpl()->set_sizes_and_strides(here.sizes(), here.strides(),
                                                       here.storage_offset());
}
}  // namespace simulated_cuda
