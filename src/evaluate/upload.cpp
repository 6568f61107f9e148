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

std::vector<NodePtr> uploaded_once(const Device& device, const std::vector<int64_t>& words,
                                   const std::function<std::vector<NodePtr>()>& make) {
  {
    const GraphLock lock;
    if (const KeptUploads::Buffers* known = device.state()->uploads(lock).find(words)) {
      std::vector<NodePtr> leaves;
      for (const auto& [shape, stored] : *known) leaves.push_back(make_leaf(device.state(), shape, stored));
      return leaves;
    }
  }
  std::vector<NodePtr> made = make();
  KeptUploads::Buffers buffers;
  for (const NodePtr& leaf : made) buffers.emplace_back(leaf->shape, leaf->stored());
  const GraphLock lock;
  device.state()->uploads(lock).add(words, std::move(buffers));
  return made;
}

}  // namespace eglantine
