#include "codegen/bindings.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "codegen/glsl_type.hpp"
#include "layout/divide.hpp"

namespace eglantine::codegen {
namespace {

constexpr int64_t vector_bytes = 16;
/// GLSL: how many elements of a vector exist where none is partial.
constexpr std::string_view all_four = "4u";

/// Components of an array's element: four elements of narrow storage are one or two words, one is a part of a word.
int width_of(const Bindings::Block& block) {
  if (block.wide) return 4;
  return block.vectors ? static_cast<int>(eglantine::bytes_of(block.storage)) : 1;
}

/// Of an array's element: narrow storage is words.
DType word_type(const Bindings::Block& block) { return is_narrow(block.storage) ? DType::u32 : block.dtype(); }

std::string function_of(const char* prefix, StorageType storage) {
  return prefix + std::string(name_of(dtype_of(storage)));
}

/// GLSL: the word that an element lies in, and the bits before it there.
std::string word_of(StorageType storage, const std::string& element) {
  return "(" + element + (eglantine::bytes_of(storage) == 2 ? ") >> 1" : ") >> 2");
}
std::string shift_in_word(StorageType storage, const std::string& element) {
  return "((" + element + (eglantine::bytes_of(storage) == 2 ? ") & 1u) << 4" : ") & 3u) << 3");
}

}  // namespace

int Bindings::add_read(const Buffer* buffer, StorageType storage, bool vectors, const layout::Reach& reached) {
  return add({.buffer = buffer, .storage = storage, .vectors = vectors, .texels = texels_, .reached = reached});
}

int Bindings::add_wide_read(const Buffer* buffer, StorageType storage, const layout::Reach& reached) {
  return add(
      {.buffer = buffer, .storage = storage, .vectors = true, .wide = true, .texels = texels_, .reached = reached});
}

/// What is read may share a block, and what is written.
int Bindings::add(const Block& block) {
  for (size_t i = 0; i < blocks_.size(); ++i) {
    Block merged = blocks_[i];
    if (merged.written != block.written || merged.coherent || merged.pairs || merged.vectors != block.vectors ||
        merged.wide != block.wide || merged.buffer != block.buffer || merged.storage != block.storage)
      continue;
    merged.reached = {std::min(merged.reached.first, block.reached.first),
                      std::max(merged.reached.last, block.reached.last)};
    if (!covers(merged)) continue;
    blocks_[i] = merged;
    return static_cast<int>(i);
  }
  blocks_.push_back(block);
  return size() - 1;
}

int Bindings::add_write(const Buffer* buffer, StorageType storage, bool vectors, const layout::Reach& reached) {
  return add({.buffer = buffer, .storage = storage, .vectors = vectors, .written = true, .reached = reached});
}

int Bindings::add_wide_write(const Buffer* buffer, StorageType storage, const layout::Reach& reached) {
  blocks_.push_back(
      {.buffer = buffer, .storage = storage, .vectors = true, .wide = true, .written = true, .reached = reached});
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

int Bindings::add_coherent_vectors(const Buffer* buffer, StorageType storage, const layout::Reach& reached) {
  blocks_.push_back(
      {.buffer = buffer, .storage = storage, .vectors = true, .written = true, .coherent = true, .reached = reached});
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
  return block.texels ? Texels{word_type(block), width_of(block)} : Texels{};
}

/// GLSL: an element of the block's array.
std::string Bindings::place(int binding, const std::string& index) const {
  const Block& block = at(binding);
  if (!block.texels) return block_name(binding) + "[" + index + "]";
  static constexpr std::array<std::string_view, 5> components{"", ".x", ".xy", "", ""};
  return "texelFetch(" + block_name(binding) + ", int(" + index + "))" +
         std::string(components[static_cast<size_t>(width_of(block))]);
}

std::string Bindings::read(int binding, const std::string& index) const {
  const Block& block = at(binding);
  if (!is_narrow(block.storage)) return place(binding, index);
  if (block.vectors) return widened(binding, place(binding, index));
  return of_word(binding, word(binding, index), index);
}

std::string Bindings::word(int binding, const std::string& element) const {
  return place(binding, word_of(at(binding).storage, element));
}

std::string Bindings::of_word(int binding, const std::string& word, const std::string& element) const {
  return function_of("eg_widen_", at(binding).storage) + "(" + word + ", " + element + ")";
}

std::string Bindings::part_of_whole(int binding, const std::string& bytes, int part) const {
  static constexpr std::array<std::string_view, 2> pairs{".xy", ".zw"};
  static constexpr std::string_view words = "xyzw";
  const StorageType storage = at(binding).storage;
  const auto p = static_cast<size_t>(part);
  const std::string four =
      eglantine::bytes_of(storage) == 2 ? std::string(pairs[p % 2]) : std::string(".") + words[p % 4];
  return function_of("eg_widen_", storage) + "(" + bytes + four + ")";
}

std::string Bindings::vector_type(int binding) const {
  return std::string(stored_type(word_type(at(binding)), width_of(at(binding))));
}

std::string Bindings::joined(int binding, const std::string& low, const std::string& high,
                             const std::string& first) const {
  return widened(binding, "eg_joined(" + low + ", " + high + ", " + first + ")");
}

std::string Bindings::widened(int binding, const std::string& words) const {
  const StorageType storage = at(binding).storage;
  return is_narrow(storage) ? function_of("eg_widen_", storage) + "(" + words + ")" : words;
}

std::string Bindings::read_anywhere(int binding, const std::string& first, const std::string& last) const {
  return joined(binding, place(binding, "(" + first + ") >> 2"), place(binding, "(" + last + ") >> 2"), first);
}

std::string Bindings::words_anywhere(int binding, const std::string& first, const std::string& last) const {
  return "eg_joined(" + place(binding, "(" + first + ") >> 2") + ", " + place(binding, "(" + last + ") >> 2") + ", " +
         first + ")";
}

std::string Bindings::narrowed(int binding, const std::string& value) const {
  return function_of("eg_narrow_", at(binding).storage) + "(" + value + ")";
}

std::string Bindings::write_one(int binding, const std::string& element, const std::string& value) const {
  const StorageType storage = at(binding).storage;
  const std::string word = block_name(binding) + "[" + word_of(storage, element) + "]",
                    shift = shift_in_word(storage, element),
                    mask = eglantine::bytes_of(storage) == 2 ? "0xffffu" : "0xffu";
  return "  atomicAnd(" + word + ", ~(" + mask + " << (" + shift + ")));\n  atomicOr(" + word + ", " +
         narrowed(binding, value) + " << (" + shift + "));\n";
}

namespace {

/// A word that two lanes' halves share is the first of one and the last of the other.
std::string exchanged_words(const std::string& number, const std::string& first) {
  const std::string words = "words" + number, masks = "masks" + number, next = "next" + number;
  return "  if (!mine) " + masks + " = uvec3(0u);\n  uint " + next + "_lane = (gl_SubgroupInvocationID + 1u) & 31u, " +
         next + " = subgroupShuffle(" + words + ".x, " + next + "_lane), " + next + "_mask = subgroupShuffle(" + masks +
         ".x, " + next + "_lane);\n  if (((" + first + ") & 1u) != 0u) {\n    if (leads) {\n      " + words +
         ".z |= " + next + ";\n      " + masks + ".z |= " + next + "_mask;\n    }\n    if (follows) " + masks +
         ".x = 0u;\n  }\n";
}

}  // namespace

std::string Bindings::write_words(int binding, const std::string& first, const std::string& count,
                                  const std::string& value, bool exchanged) const {
  const std::string four = "four" + std::to_string(binding);
  return std::string(eglantine::bytes_of(at(binding).storage) == 1 ? "  uint " : "  uvec2 ") + four + " = " +
         narrowed(binding, value) + ";\n" + write_narrow(binding, first, count, four, exchanged);
}

std::string Bindings::write_narrow(int binding, const std::string& first, const std::string& count,
                                   const std::string& four, bool exchanged) const {
  const bool bytes = eglantine::bytes_of(at(binding).storage) == 1;
  const std::string number = std::to_string(binding), words = "words" + number, masks = "masks" + number,
                    type = bytes ? "uvec2 " : "uvec3 ";
  const auto word = [&](int k) {
    const std::string index = "(" + word_of(at(binding).storage, first) + ") + " + literal(static_cast<uint64_t>(k));
    return block_name(binding) +
           (at(binding).vectors && !bytes ? "[(" + index + ") >> 1][(" + index + ") & 1u]" : "[" + index + "]");
  };
  std::string text = "  " + type + words + " = eg_placed(" + four + ", " + first + "), " + masks + " = eg_placed(" +
                     (bytes ? "eg_first_bytes(" : "eg_first_halves(") + count + "), " + first + ");\n";
  if (exchanged) text += exchanged_words(number, first);
  for (int k = 0; k < (bytes ? 2 : 3); ++k) {
    const std::string component = std::string(".") + "xyz"[k], mask = masks + component;
    text += "  if (" + mask + " == 0xffffffffu) " + word(k) + " = " + words + component + ";\n  else if (" + mask +
            " != 0u) {\n    atomicAnd(" + word(k) + ", ~" + mask + ");\n    atomicOr(" + word(k) + ", " + words +
            component + " & " + mask + ");\n  }\n";
  }
  if (exchanged || count != all_four) return text;
  // Most vectors of lines that begin anywhere are of whole words, which need no masks.
  const std::string whole =
      bytes ? "3u) == 0u) {\n    " + word(0) + " = " + four + ";\n"
            : "1u) == 0u) {\n    " + word(0) + " = " + four + ".x;\n    " + word(1) + " = " + four + ".y;\n";
  return "  if (((" + first + ") & " + whole + "  } else {\n" + text + "  }\n";
}

std::string Bindings::declarations() const {
  std::string text;
  for (int i = 0; i < size(); ++i) {
    const Block& block = at(i);
    const std::string number = std::to_string(i);
    if (block.texels) {
      text += "layout(binding = " + number + ") uniform " + std::string(sampler_type(word_type(block))) + " " +
              block_name(i) + ";\n";
      continue;
    }
    const std::string_view type = block.pairs ? "uvec2" : stored_type(word_type(block), width_of(block));
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
