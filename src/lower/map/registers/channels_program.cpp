#include "lower/map/registers/channels_program.hpp"

#include <algorithm>
#include <cstdlib>

#include "codegen/glsl_type.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

using codegen::components_of_vec4;
using codegen::uniform_at;

constexpr int64_t vector_bytes = 16, word_bytes = 4;

std::string in_text(int64_t value) { return codegen::literal(static_cast<uint64_t>(value)); }

}  // namespace

// Channels lie alike in each plane, and planes begin at vectors. Halves are moved as quickly by boxes.
bool moves_channels(const Target& target, const MapKernel& kernel) {
  constexpr int64_t fewest = 3, most = 12, least_length = 64, least_results = int64_t{1} << 14;
  const Expr& value = kernel.value;
  const int rank = value.domain.rank();
  if (target.software || (rank != 2 && rank != 3) || value.domain.elements() < least_results) return false;
  if (value.code.size() != 1 || value.operands.size() != 1 || !value.piecewise.empty()) return false;
  const Strided& x = value.operands.front();
  const Layout &from = x.layout, &to = kernel.out.layout;
  if (bytes_of(x.storage) != 1 || x.storage != kernel.out.storage || !to.is_contiguous()) return false;
  if (std::ranges::any_of(from.strides, [](int64_t stride) { return stride <= 0; })) return false;
  const int64_t channels = value.domain[rank - 1], length = value.domain[rank - 2];
  if (channels < fewest || channels > most || length < least_length) return false;
  const bool ends_at_word = value.domain.elements() % word_bytes == 0 || kernel.out.whole;
  if (from.strides[static_cast<size_t>(rank - 2)] != 1 || to.offset % vector_bytes != 0 || !ends_at_word) return false;
  return rank == 2 || (length % vector_bytes == 0 && from.strides.front() % vector_bytes == 0);
}

ChannelsProgram::ChannelsProgram(const Target& target, const MapKernel& kernel)
    : BoundProgram(target),
      x_(kernel.value.operands.front()),
      channels_(kernel.value.domain[kernel.value.domain.rank() - 1]),
      planes_(kernel.value.domain.rank() == 2 ? 1 : kernel.value.domain[0]),
      blocks_(ceil_divide(kernel.value.domain.elements() / planes_ / channels_, vector_bytes)),
      group_size_(group_size_of(target, 128)),
      max_groups_(target.max_groups) {
  from_ = bindings_.add_wide_read(x_.buffer.get(), x_.storage, layout::reach(x_.layout));
  to_ = bindings_.add_wide_write(kernel.out.buffer.get(), kernel.out.storage, layout::reach(kernel.out.layout));
  add_uniforms(kernel);
}

void ChannelsProgram::add_uniforms(const MapKernel& kernel) {
  const int64_t first = bindings_.first_element(from_);
  uniforms_.add(planes_ * blocks_);
  uniforms_.add_divisor(blocks_);
  base_slot_ = uniforms_.add(x_.layout.offset - first);
  last_slot_ = uniforms_.add((layout::reach(x_.layout).last - first) / vector_bytes);
  plane_slot_ = uniforms_.add(planes_ > 1 ? x_.layout.strides.front() : 0);
  channel_slot_ = uniforms_.add(x_.layout.strides.back());
  out_slot_ = uniforms_.add((kernel.out.layout.offset - bindings_.first_element(to_)) / vector_bytes);
  words_slot_ = uniforms_.add(ceil_divide(kernel.value.domain.elements(), word_bytes));
}

/// GLSL: statements that read 16 bytes of a channel, which begin at a known place in memory's.
std::string ChannelsProgram::read(int64_t channel) const {
  const std::string n = std::to_string(channel),
                    index = "((at + " + in_text(channel) + " * " + uniform_at(channel_slot_) + ") >> 4)",
                    low = bindings_.whole(from_, index),
                    high = bindings_.whole(from_, "min(" + index + " + 1u, " + uniform_at(last_slot_) + ")");
  const int64_t within = (x_.layout.offset + channel * x_.layout.strides.back()) % vector_bytes, bits = within % 4 * 8;
  if (within == 0) return "  uvec4 c" + n + " = " + low + ";\n";
  const auto part = [&](int64_t w) { return (w < 4 ? "low" : "high") + n + "." + components_of_vec4[w % 4]; };
  std::string words;
  for (int64_t w = within / 4; w < within / 4 + 4; ++w)
    words += (words.empty() ? "" : ", ") + (bits == 0 ? part(w)
                                                      : "(" + part(w) + " >> " + std::to_string(bits) + ") + (" +
                                                            part(w + 1) + " << " + std::to_string(32 - bits) + ")");
  return "  uvec4 low" + n + " = " + low + ", high" + n + " = " + high + ", c" + n + " = uvec4(" + words + ");\n";
}

/// GLSL: word `number` of what a block makes.
std::string ChannelsProgram::word(int64_t number) const {
  std::string text;
  for (int64_t j = 0; j < word_bytes; ++j) {
    const int64_t element = number * word_bytes + j, line = element / channels_;
    const std::string x = "c" + std::to_string(element % channels_) + "." + components_of_vec4[line / word_bytes];
    text += (j > 0 ? " + " : "") + codegen::moved_bits(x, 8 * (line % word_bytes), 8 * j, 8);
  }
  return text;
}

/// GLSL: eg_store(): of the last 16 bytes the words are written that there are.
std::string ChannelsProgram::store() const {
  const std::string to = codegen::block_name(to_) + "[" + uniform_at(out_slot_) + " + vector]",
                    words = uniform_at(words_slot_);
  std::string singly;
  for (size_t w = 0; w < components_of_vec4.size(); ++w) {
    const std::string component = std::string(".") + components_of_vec4[w];
    singly += "  if (vector * 4u + " + std::to_string(w) + "u < " + words + ") " + to + component + " = value" +
              component + ";\n";
  }
  return "void eg_store(uint vector, uvec4 value) {\n  if (vector * 4u + 4u <= " + words + ") {\n    " + to +
         " = value;\n    return;\n  }\n" + singly + "}\n";
}

std::string ChannelsProgram::interleave() const {
  std::string text =
      "void eg_interleave(uint plane, uint block, uint vector) {\n  uint at = " + uniform_at(base_slot_) +
      " + plane * " + uniform_at(plane_slot_) + " + block * " + in_text(vector_bytes) + ";\n";
  for (int64_t c = 0; c < channels_; ++c) text += read(c);
  for (int64_t m = 0; m < channels_; ++m)
    text += "  eg_store(vector + " + in_text(m) + ", uvec4(" + word(4 * m) + ", " + word(4 * m + 1) + ", " +
            word(4 * m + 2) + ", " + word(4 * m + 3) + "));\n";
  return text + "}\n";
}

Dispatch ChannelsProgram::dispatch() const {
  using codegen::define;
  Dispatch dispatch =
      dispatch_of("map_channels " + std::string(name_of(dtype_of(x_.storage))),
                  {"map_channels.comp", define("EG_GROUP_SIZE", group_size_) + define("EG_CHANNELS", channels_),
                   store() + interleave()},
                  bindings_, uniforms_);
  dispatch.groups = groups_in_rows(ceil_divide(planes_ * blocks_, group_size_), max_groups_);
  return dispatch;
}

}  // namespace eglantine::lower
