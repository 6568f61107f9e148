#include "codegen/bindings.hpp"

#include <algorithm>

#include "codegen/glsl_type.hpp"
#include "layout/divide.hpp"

namespace eglantine::codegen {
namespace {

constexpr int64_t vector_bytes = 16;

/// Of an array's element: narrow storage is read and written a 32-bit word at a time, four bytes or one wanted.
int width_of(const Bindings::Block& block) { return block.vectors && !is_narrow(block.storage) ? 4 : 1; }

}  // namespace

int Bindings::add_read(const Buffer* buffer, StorageType storage, bool vectors, const layout::Reach& reached) {
  for (size_t i = 0; i < blocks_.size(); ++i) {
    Block merged = blocks_[i];
    if (merged.written || merged.pairs || merged.vectors != vectors || merged.buffer != buffer) continue;
    merged.reached = {std::min(merged.reached.first, reached.first), std::max(merged.reached.last, reached.last)};
    if (!covers(merged)) continue;
    blocks_[i] = merged;
    return static_cast<int>(i);
  }
  blocks_.push_back({.buffer = buffer, .storage = storage, .vectors = vectors, .texels = texels_, .reached = reached});
  return size() - 1;
}

int Bindings::add_write(const Buffer* buffer, StorageType storage, bool vectors, const layout::Reach& reached) {
  blocks_.push_back({.buffer = buffer, .storage = storage, .vectors = vectors, .written = true, .reached = reached});
  return size() - 1;
}

int Bindings::add_pairs(const Buffer* buffer, bool written, const layout::Reach& reached) {
  blocks_.push_back(
      {.buffer = buffer, .storage = StorageType::u32, .written = written, .pairs = true, .reached = reached});
  return size() - 1;
}

int Bindings::add_coherent(const Buffer* buffer, const layout::Reach& reached) {
  blocks_.push_back(
      {.buffer = buffer, .storage = StorageType::u32, .written = true, .coherent = true, .reached = reached});
  return size() - 1;
}

int Bindings::add_awaited_pairs(const Buffer* buffer, const layout::Reach& reached) {
  const int binding = add_pairs(buffer, true, reached);
  blocks_.back().coherent = true;
  return binding;
}

bool Bindings::fits() const {
  return std::all_of(blocks_.begin(), blocks_.end(), [this](const Block& block) { return covers(block); });
}

bool Bindings::covers(const Block& block) const { return bytes_of(block) <= max_bytes_; }

int64_t Bindings::first_byte_of(const Block& block) const {
  return block.reached.first * eglantine::bytes_of(block.storage) / alignment_ * alignment_;
}

int64_t Bindings::bytes_of(const Block& block) const {
  const int64_t end = (block.reached.last + 1) * eglantine::bytes_of(block.storage);
  return (block.vectors || is_narrow(block.storage) ? round_up(end, vector_bytes) : end) - first_byte_of(block);
}

int64_t Bindings::first_byte(int binding) const { return first_byte_of(at(binding)); }

int64_t Bindings::bytes(int binding) const { return bytes_of(at(binding)); }

int64_t Bindings::first_element(int binding) const {
  return first_byte(binding) / eglantine::bytes_of(at(binding).storage);
}

Texels Bindings::texels(int binding) const {
  const Block& block = at(binding);
  return block.texels ? Texels{block.dtype(), width_of(block)} : Texels{};
}

std::string Bindings::read(int binding, const std::string& index) const {
  const Block& block = at(binding);
  const bool narrow = is_narrow(block.storage), byte = narrow && !block.vectors;
  const std::string place = byte ? "(" + index + ") >> 2" : index;
  const std::string there = !block.texels ? block_name(binding) + "[" + place + "]"
                                          : "texelFetch(" + block_name(binding) + ", int(" + place + "))" +
                                                (width_of(block) == 4 ? "" : ".x");
  if (!narrow) return there;
  return "eg_unpack(" + there + (byte ? ", " + index : "") + ")";
}

std::string Bindings::declarations() const {
  std::string text;
  for (int i = 0; i < size(); ++i) {
    const Block& block = at(i);
    const std::string number = std::to_string(i);
    if (block.texels) {
      text += "layout(binding = " + number + ") uniform " + std::string(sampler_type(block.dtype())) + " " +
              block_name(i) + ";\n";
      continue;
    }
    const std::string_view type = block.pairs ? "uvec2" : stored_type(block.dtype(), width_of(block));
    const std::string_view access = block.coherent  ? "coherent volatile "
                                    : block.written ? "restrict "
                                                    : "restrict readonly ";
    text += "layout(std430, binding = " + number + ") " + std::string(access) + "buffer EgBlock" + number + " { " +
            std::string(type) + " " + block_name(i) + "[]; };\n";
  }
  return text;
}

std::string block_name(int binding) { return "eg_b" + std::to_string(binding); }

}  // namespace eglantine::codegen
