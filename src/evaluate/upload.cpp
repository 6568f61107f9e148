#include "evaluate/upload.hpp"

#include "backend/device_state.hpp"

namespace eglantine {

namespace {

/// Elements as they are stored on the device.
NodePtr store(std::span<const std::byte> elements, const Shape& shape, StorageType storage, const Device& device) {
  if (elements.empty()) return make_constant(device.state(), dtype_of(storage), shape, 0);
  Queue& queue = device.state()->queue();
  BufferPtr buffer = queue.allocate(static_cast<int64_t>(elements.size()));
  queue.upload(buffer, elements);
  return make_leaf(device.state(), shape, {std::move(buffer), storage});
}

}  // namespace

NodePtr upload(std::span<const std::byte> elements, const Shape& shape, DType dtype, const Device& device) {
  return store(elements, shape, word_storage(dtype), device);
}

NodePtr upload(std::span<const bool> values, const Shape& shape, const Device& device) {
  static_assert(sizeof(bool) == bytes_of(StorageType::boolean_byte), "a boolean's byte is that of C++");
  return store(std::as_bytes(values), shape, StorageType::boolean_byte, device);
}

}  // namespace eglantine
