#include "evaluate/upload.hpp"

#include <algorithm>
#include <cstdint>

#include "backend/device_state.hpp"
#include "system/main_memory.hpp"

namespace eglantine {

namespace {

/// Elements as they are stored on the device.
NodePtr store(std::span<const std::byte> elements, const Shape& shape, DType dtype, const Device& device,
              bool is_packed) {
  if (elements.empty()) return make_constant(device.state(), dtype, shape, 0);
  Queue& queue = device.state()->queue();
  BufferPtr buffer = queue.allocate(shape.elements() * size_of(dtype));
  if (is_packed) buffer->pack_booleans();
  queue.upload(buffer, elements);
  return make_leaf(device.state(), dtype, shape, std::move(buffer));
}

}  // namespace

NodePtr upload(std::span<const std::byte> elements, const Shape& shape, DType dtype, const Device& device) {
  return store(elements, shape, dtype, device, false);
}

NodePtr upload(std::string_view function, std::span<const bool> values, const Shape& shape, const Device& device) {
  static_assert(sizeof(bool) == 1, "packed booleans are those of C++");
  if (device.state()->capabilities().packs_booleans)
    return store(std::as_bytes(values), shape, DType::boolean, device, true);
  auto words = fresh_vector<uint32_t>(values.size(), function);
  std::copy(values.begin(), values.end(), words.begin());
  return store(std::as_bytes(std::span(words)), shape, DType::boolean, device, false);
}

}  // namespace eglantine
