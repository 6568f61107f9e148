#include "evaluate/upload.hpp"

#include "backend/device_state.hpp"

namespace eglantine {

static_assert(sizeof(bool) == bytes_of(StorageType::boolean_byte), "a boolean's byte is that of C++");

NodePtr upload(std::span<const std::byte> elements, const Shape& shape, DType dtype, const Device& device) {
  if (elements.empty()) return make_constant(device.state(), dtype, shape, 0);
  Queue& queue = device.state()->queue();
  BufferPtr buffer = queue.allocate(static_cast<int64_t>(elements.size()));
  queue.upload(buffer, elements);
  return make_leaf(device.state(), shape, {std::move(buffer), dense_storage(dtype)});
}

NodePtr upload(const ReadBytes& read, const Shape& shape, DType dtype, const Device& device) {
  if (shape.elements() == 0) return make_constant(device.state(), dtype, shape, 0);
  const StorageType storage = dense_storage(dtype);
  Queue& queue = device.state()->queue();
  BufferPtr buffer = queue.allocate(shape.elements() * bytes_of(storage));
  queue.upload_read(buffer, read);
  return make_leaf(device.state(), shape, {std::move(buffer), storage});
}

}  // namespace eglantine
