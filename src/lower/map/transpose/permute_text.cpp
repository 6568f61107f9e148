#include "lower/map/transpose/permute_text.hpp"

#include <algorithm>

#include "codegen/addresses/access_pattern.hpp"
#include "codegen/glsl_type.hpp"
#include "layout/divide.hpp"
#include "lower/map/transpose/pair_slots.hpp"
#include "lower/map/transpose/permute_words.hpp"

namespace eglantine::lower {
namespace {

using codegen::Bindings;
using codegen::divided_by;
using codegen::stored_type;
using codegen::uniform_at;

layout::Reach union_of(const layout::Reach& a, const layout::Reach& b) {
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

}  // namespace

PermuteText::PermuteText(const MapKernel& kernel, JointTile box, int64_t group_size)
    : kernel_(kernel),
      tile_(std::move(box)),
      group_size_(group_size),
      in_word_read_(elements_of_words(kernel, tile_)),
      writes_fours_(computes_fours(kernel, tile_)),
      slots_(tile_.sizes.size()) {
  for (const StagedView& view : tile_.staged) {
    const Strided& x = kernel.value.operands[static_cast<size_t>(view.operand)];
    const layout::Reach reached = layout::reach(x.layout);
    if (static_cast<size_t>(view.tile) == tiles_.size()) tiles_.push_back({x, reached});
    Tile& tile = tiles_[static_cast<size_t>(view.tile)];
    tile.reached = union_of(tile.reached, reached);
    tile.operand.layout.offset = x.layout.offset;
    for (size_t axis = 0; axis < view.shift.size(); ++axis)
      tile.operand.layout.offset -= view.shift[axis] * x.layout.strides[axis];
  }
}

int64_t PermuteText::boxes() const {
  int64_t boxes = 1;
  for (size_t axis = 0; axis < tile_.sizes.size(); ++axis)
    boxes *= ceil_divide(kernel_.value.domain[static_cast<int>(axis)], tile_.sizes[axis]);
  return boxes;
}

int64_t PermuteText::words_read() const {
  return tile_.pairs ? pairs_read(tile_) : tile_.elements_read() / in_word_read_;
}

int64_t PermuteText::reads() const { return ceil_divide(words_read(), group_size_); }

/// Of a run that begins anywhere.
int64_t PermuteText::words_of_run() const { return ceil_divide(tile_.run(), in_word()) + 1; }

int64_t PermuteText::writes() const {
  const int64_t elements = tile_.elements_written();
  return is_narrow_result() ? elements / tile_.run() * words_of_run() : elements;
}

bool PermuteText::has_slots_side_by_side() const { return lower::has_slots_side_by_side(tile_); }

void PermuteText::bind(Bindings& bindings) {
  const int64_t elements = tile_.pairs ? tile_.pairs->elements : 1;
  for (Tile& tile : tiles_) {
    const Strided& x = tile.operand;
    tile.binding = elements > codegen::vector_width
                       ? bindings.add_wide_read(x.buffer.get(), x.storage, tile.reached)
                       : bindings.add_read(x.buffer.get(), x.storage, elements == codegen::vector_width, tile.reached);
  }
  if (!writes_results()) return;
  out_binding_ = bindings.add_write(kernel_.out.buffer.get(), kernel_.out.storage, tile_.pairs && writes_fours_,
                                    layout::reach(kernel_.out.layout));
}

void PermuteText::add_uniforms(const Bindings& bindings, codegen::Uniforms& uniforms) {
  const Shape& domain = kernel_.value.domain;
  for (size_t axis = 0; axis < slots_.size(); ++axis) {
    const int64_t size = tile_.sizes[axis], stride = tiles_.front().operand.layout.strides[axis];
    AxisSlots& slots = slots_[axis];
    slots.boxes = uniforms.add_divisor(ceil_divide(domain[static_cast<int>(axis)], size));
    slots.last = uniforms.add(domain[static_cast<int>(axis)] - size);
    slots.overlaps = domain[static_cast<int>(axis)] % size != 0;
    slots.size = uniforms.add_divisor(size);
    slots.size_read = uniforms.add_divisor(tile_.size_read(static_cast<int>(axis)));
    slots.stride = uniforms.add(stride);
    slots.place = uniforms.add(kernel_.out.layout.strides[axis]);
    slots.pitch = uniforms.add(tile_.pitch[axis]);
  }
  read_count_ = uniforms.add(words_read());
  writes_slot_ = uniforms.add(writes());
  words_slot_ = uniforms.add_divisor(words_of_run());
  run_slot_ = uniforms.add(tile_.run());
  if (writes_results()) out_slot_ = uniforms.add(kernel_.out.layout.offset - bindings.first_element(out_binding_));
  if (tile_.pairs) add_pair_uniforms(uniforms);
  // A vector that lies backwards begins with its last element.
  const int64_t behind = tile_.pairs && front_stride() < 0 ? tile_.pairs->elements - 1 : 0;
  for (Tile& tile : tiles_) {
    const int64_t first = bindings.first_element(tile.binding);
    tile.base_slot = uniforms.add(tile.operand.layout.offset - first - behind);
    tile.last_slot = uniforms.add(tile.reached.last - first);
  }
  for (const StagedView& view : tile_.staged) {
    int64_t slots = 0;
    for (size_t axis = 0; axis < view.shift.size(); ++axis) slots += view.shift[axis] * tile_.pitch[axis];
    shift_slots_.push_back(uniforms.add(slots));
  }
}

/// GLSL: what a staged view has at eg_slot, of fours from there on.
std::string PermuteText::tile_text(size_t view, const Bindings& bindings) const {
  const auto t = static_cast<size_t>(tile_.staged[view].tile);
  const Tile& tile = tiles_[t];
  if (tile_.pairs) {
    const std::string value = writes_fours_
                                  ? bindings.widened(tile.binding, "eg_pairs" + std::to_string(t) + "(eg_slot)")
                                  : bindings.of_word(tile.binding, word_of(t, "eg_slot >> 1"), "eg_slot");
    return codegen::from_stored(bindings.at(tile.binding).dtype(), tile.dtype(), writes_fours_ ? 4 : 1, value);
  }
  const std::string box =
      "eg_box" + std::to_string(t) + "[eg_slot" + (tile_.has_halo() ? " + " + uniform_at(shift_slots_[view]) : "");
  return writes_fours_ ? std::string(stored_type(tile.dtype(), 4)) + "(" + box + "], " + box + " + 1u], " + box +
                             " + 2u], " + box + " + 3u])"
                       : box + "]";
}

/// A staged view is what EG_STAGED makes of its name.
std::string PermuteText::tiles(const Bindings& bindings) const {
  std::string text = "uint eg_slot;\n#define EG_STAGED(view) view\n";
  for (size_t t = 0; t < tiles_.size(); ++t)
    text += "shared " + std::string(tile_.pairs ? "uint" : stored_type(tiles_[t].dtype(), 1)) + " eg_box" +
            std::to_string(t) + "[" + std::to_string(round_up(tile_.words(), slots_apart)) + "];\n";
  if (tile_.pairs) text += pair_functions();
  for (size_t i = 0; i < tile_.staged.size(); ++i)
    text += "#define eg_tile" + std::to_string(tile_.staged[i].operand) + " " + tile_text(i, bindings) + "\n";
  return text;
}

/// Where a box lies: its first result, and element; what is combined once also has how much of it another box has.
std::string PermuteText::start() const {
  std::string text, globals = "uint eg_first, eg_from;\n";
  for (int axis = kernel_.value.domain.rank() - 1; axis >= 0; --axis) {
    const AxisSlots& of = slots(axis);
    const std::string first = "(rest - above * " + uniform_at(of.boxes) + ") * " + uniform_at(of.size);
    text += "  above = " + divided_by("rest", of.boxes) + ";\n  i = min(" + first + ", " + uniform_at(of.last) + ");\n";
    if (!writes_results() && of.overlaps) {
      const std::string others = "eg_others" + std::to_string(axis);
      globals += "uint " + others + ";\n";
      text += "  " + others + " = " + first + " - i;\n";
    }
    text += "  rest = above;\n  eg_first += i * " + uniform_at(of.place) + ";\n  eg_from += i * " +
            uniform_at(of.stride) + ";\n";
  }
  return globals + "void eg_start(uint box) {\n  uint rest = box, above, i;\n  eg_first = 0u;\n  eg_from = 0u;\n" +
         text + "}\n";
}

/// GLSL: how many slots coordinate `i` along an axis is from the first.
std::string PermuteText::slot_of(int axis) const {
  const std::string pitch = uniform_at(slots(axis).pitch);
  const bool is_of_vectors = tile_.pairs && tile_.pairs->elements > 1 && axis == tile_.read.front();
  if (!is_of_vectors || tile_.in_run(axis)) return "i * " + pitch;
  const std::string each = codegen::literal(static_cast<uint64_t>(tile_.pairs->elements));
  return "i / " + each + " * " + pitch + " + i % " + each + " * 2u * " + uniform_at(pair_.plane);
}

/// Statements that add up where place `rest` along these axes lies.
std::string PermuteText::place(const std::vector<int>& axes, size_t first, bool reads) const {
  std::string text = "  at = 0u;\n  slot = 0u;\n  uint above, i;\n";
  for (size_t k = first; k < axes.size(); ++k) {
    const AxisSlots& of = slots(axes[k]);
    const int size = reads ? of.size_read : of.size;
    if (k + 1 < axes.size())
      text += "  above = " + divided_by("rest", size) + ";\n  i = rest - above * " + uniform_at(size) +
              ";\n  rest = above;\n";
    else
      text += "  i = rest;\n";
    text += "  at += i * " + uniform_at(reads ? of.stride : of.place) + ";\n  slot += " + slot_of(axes[k]) + ";\n";
  }
  return text;
}

std::string PermuteText::places() const {
  const auto function = [&](const char* name, const std::vector<int>& axes, size_t first, bool reads) {
    return "void " + std::string(name) + "(uint number, out uint at, out uint slot) {\n  uint rest = number;\n" +
           place(axes, first, reads) + "}\n";
  };
  const size_t outside = is_narrow_result() ? static_cast<size_t>(tile_.run_axes) : 0;
  return (tile_.pairs ? function("eg_run_place", axes_of_pairs(), 0, true) + pair_place()
                      : function("eg_read_place", tile_.read, 0, true)) +
         function("eg_written_place", tile_.written, outside, false);
}

std::string PermuteText::text(const Bindings& bindings, bool ahead) const {
  return start() + places() + prepare() + fetch(bindings) + (writes_results() ? write(bindings, ahead) : take());
}

}  // namespace eglantine::lower
