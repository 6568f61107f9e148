#include "lower/map/permute_text.hpp"

#include <algorithm>

#include "codegen/glsl_type.hpp"
#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

using codegen::divided_by;
using codegen::literal;
using codegen::stored_type;
using codegen::uniform_at;

/// Booleans are staged as they are stored.
DType staged_dtype(const Strided& x) { return x.dtype() == DType::boolean ? DType::u32 : x.dtype(); }

int64_t in_word(const Strided& x) { return 4 / bytes_of(x.storage); }

std::string numbered_place(const char* prefix, int64_t number) { return prefix + std::to_string(number); }

/// Of the sizes of arrays, which are a program's own.
constexpr int64_t slots_apart = 512;
/// Writes whose places each invocation keeps.
constexpr int64_t most_kept = 8;

}  // namespace

PermuteText::PermuteText(const MapKernel& kernel, JointTile tile, int64_t group_size)
    : kernel_(kernel), tile_(std::move(tile)), group_size_(group_size), slots_(tile_.sizes.size()) {
  for (const int number : tile_.staged) staged_.push_back({kernel.value.operands[static_cast<size_t>(number)], number});
}

int64_t PermuteText::boxes() const {
  int64_t boxes = 1;
  for (size_t axis = 0; axis < tile_.sizes.size(); ++axis)
    boxes *= ceil_divide(kernel_.value.domain[static_cast<int>(axis)], tile_.sizes[axis]);
  return boxes;
}

int64_t PermuteText::reads() const { return ceil_divide(tile_.elements_read(), group_size_); }

/// Of a run that begins anywhere.
int64_t PermuteText::words_of_run() const { return ceil_divide(tile_.run(), in_word(kernel_.out)) + 1; }

int64_t PermuteText::writes() const {
  const int64_t elements = tile_.elements_written();
  return is_narrow_result() ? elements / tile_.run() * words_of_run() : elements;
}

bool PermuteText::has_slots_side_by_side() const {
  int64_t pitch = 1;
  for (int k = 0; k < tile_.run_axes; ++k) {
    const auto axis = static_cast<size_t>(tile_.written[static_cast<size_t>(k)]);
    if (tile_.pitch[axis] != pitch) return false;
    pitch *= tile_.sizes[axis];
  }
  return true;
}

void PermuteText::bind(codegen::Bindings& bindings) {
  for (StagedOperand& staged : staged_)
    staged.binding = bindings.add_read(staged.operand.buffer.get(), staged.operand.storage, false,
                                       layout::reach(staged.operand.layout));
  out_binding_ =
      bindings.add_write(kernel_.out.buffer.get(), kernel_.out.storage, false, layout::reach(kernel_.out.layout));
}

void PermuteText::add_uniforms(const codegen::Bindings& bindings, codegen::Uniforms& uniforms) {
  const Shape& domain = kernel_.value.domain;
  const Layout results = layout::contiguous(domain);
  for (size_t axis = 0; axis < slots_.size(); ++axis) {
    const int64_t size = tile_.sizes[axis], stride = staged_.front().operand.layout.strides[axis];
    AxisSlots& slots = slots_[axis];
    slots.boxes = uniforms.add_divisor(ceil_divide(domain[static_cast<int>(axis)], size));
    slots.results = uniforms.add(size * results.strides[axis]);
    slots.elements = uniforms.add(size * stride);
    slots.size = uniforms.add_divisor(size);
    slots.stride = uniforms.add(stride);
    slots.place = uniforms.add(results.strides[axis]);
    slots.pitch = uniforms.add(tile_.pitch[axis]);
  }
  first_length_ = uniforms.add(domain[tile_.first_part]);
  second_length_ = uniforms.add(tile_.second_part < 0 ? 1 : domain[tile_.second_part]);
  read_count_ = uniforms.add(tile_.elements_read());
  written_count_ = uniforms.add(is_narrow_result() ? tile_.elements_written() / tile_.run() : writes());
  writes_slot_ = uniforms.add(writes());
  words_slot_ = uniforms.add_divisor(words_of_run());
  inner_slot_ = uniforms.add(tile_.run() / tile_.sizes[static_cast<size_t>(tile_.first_part)]);
  out_slot_ = uniforms.add(kernel_.out.layout.offset - bindings.first_element(out_binding_));
  for (StagedOperand& staged : staged_)
    staged.base_slot = uniforms.add(staged.operand.layout.offset - bindings.first_element(staged.binding));
}

std::string PermuteText::tiles() const {
  std::string text = "uint eg_slot;\n#define EG_STAGED(tile) tile[eg_slot]\n";
  for (const StagedOperand& staged : staged_)
    text += "shared " + std::string(stored_type(staged_dtype(staged.operand), 1)) + " eg_tile" +
            std::to_string(staged.number) + "[" + std::to_string(round_up(tile_.slots, slots_apart)) + "];\n";
  return text;
}

/// Where a box lies: its first result, and element, and how long it is along the axes on which it may be shorter.
std::string PermuteText::start() const {
  std::string text =
      "uint eg_first, eg_from, eg_first_rest, eg_second_rest;\nvoid eg_start(uint box) {\n  uint rest = box, above, "
      "i;\n"
      "  eg_first = 0u;\n  eg_from = 0u;\n  eg_second_rest = 1u;\n";
  const auto part = [&](const char* rest, int axis, int length) {
    const std::string size = uniform_at(slots(axis).size);
    text += "  " + std::string(rest) + " = min(" + size + ", " + uniform_at(length) + " - i * " + size + ");\n";
  };
  for (int axis = kernel_.value.domain.rank() - 1; axis >= 0; --axis) {
    text += "  above = " + divided_by("rest", slots(axis).boxes) + ";\n  i = rest - above * " +
            uniform_at(slots(axis).boxes) + ";\n  rest = above;\n  eg_first += i * " + uniform_at(slots(axis).results) +
            ";\n  eg_from += i * " + uniform_at(slots(axis).elements) + ";\n";
    if (axis == tile_.first_part) part("eg_first_rest", axis, first_length_);
    if (axis == tile_.second_part) part("eg_second_rest", axis, second_length_);
  }
  return text + "}\n";
}

/// Statements that add up where place `rest` along these axes lies; `place` holds the coordinates that a box may lack.
std::string PermuteText::place(const std::vector<int>& axes, size_t first, bool reads) const {
  std::string text = "  at = 0u;\n  slot = 0u;\n  place = 0u;\n  uint above, i;\n";
  for (size_t k = first; k < axes.size(); ++k) {
    const AxisSlots& of = slots(axes[k]);
    if (k + 1 < axes.size())
      text += "  above = " + divided_by("rest", of.size) + ";\n  i = rest - above * " + uniform_at(of.size) +
              ";\n  rest = above;\n";
    else
      text += "  i = rest;\n";
    text +=
        "  at += i * " + uniform_at(reads ? of.stride : of.place) + ";\n  slot += i * " + uniform_at(of.pitch) + ";\n";
    if (axes[k] == tile_.first_part) text += "  place |= i;\n";
    if (axes[k] == tile_.second_part) text += "  place |= i << 16;\n";
  }
  return text;
}

std::string PermuteText::places() const {
  const auto function = [&](const char* name, const std::vector<int>& axes, size_t first, bool reads, int count) {
    return "void " + std::string(name) + "(uint number, out uint at, out uint slot, out uint place) {\n" +
           "  uint rest = number;\n" + place(axes, first, reads) + "  if (number >= " + uniform_at(count) +
           ") place = 0xffffffffu;\n}\n";
  };
  const size_t outside = is_narrow_result() ? static_cast<size_t>(tile_.run_axes) : 0;
  return "bool eg_inside(uint place) { return (place & 0xffffu) < eg_first_rest && place >> 16 < eg_second_rest; }\n" +
         function("eg_read_place", tile_.read, 0, true, read_count_) +
         function("eg_written_place", tile_.written, outside, false, written_count_);
}

std::string PermuteText::prepare() const {
  std::string globals, text;
  const auto keep = [&](const char* function, const char* at, const char* slot, const char* place, int64_t k) {
    const std::string names[] = {numbered_place(at, k), numbered_place(slot, k), numbered_place(place, k)};
    globals += "uint " + names[0] + ", " + names[1] + ", " + names[2] + ";\n";
    text += "  " + std::string(function) + "(gl_LocalInvocationID.x + " +
            literal(static_cast<uint64_t>(k * group_size_)) + ", " + names[0] + ", " + names[1] + ", " + names[2] +
            ");\n";
  };
  for (int64_t k = 0; k < reads(); ++k) keep("eg_read_place", "eg_from", "eg_to", "eg_read", k);
  if (!is_narrow_result() && ceil_divide(writes(), group_size_) <= most_kept)
    for (int64_t k = 0; k * group_size_ < writes(); ++k) keep("eg_written_place", "eg_at", "eg_of", "eg_written", k);
  return globals + "void eg_prepare() {\n" + text + "}\n";
}

/// All loads before the first store. What a box lacks is read where it begins.
std::string PermuteText::fetch(const codegen::Bindings& bindings) const {
  std::string loads, stores;
  for (int64_t k = 0; k < reads(); ++k) {
    const std::string inside = numbered_place("inside", k);
    loads += "  bool " + inside + " = eg_inside(" + numbered_place("eg_read", k) + ");\n  uint " +
             numbered_place("from", k) + " = eg_from + (" + inside + " ? " + numbered_place("eg_from", k) + " : 0u);\n";
    for (const StagedOperand& staged : staged_) {
      const DType stored = bindings.at(staged.binding).dtype(), dtype = staged_dtype(staged.operand);
      const std::string name = "x" + std::to_string(staged.number) + "_" + std::to_string(k);
      const std::string element =
          bindings.read(staged.binding, "(" + numbered_place("from", k) + " + " + uniform_at(staged.base_slot) + ")");
      loads += "  " + std::string(stored_type(dtype, 1)) + " " + name + " = " +
               codegen::from_stored(stored, dtype, 1, element) + ";\n";
      stores += "  if (" + inside + ") eg_tile" + std::to_string(staged.number) + "[" + numbered_place("eg_to", k) +
                "] = " + name + ";\n";
    }
  }
  return "void eg_fetch() {\n" + loads + stores + "}\n";
}

/// GLSL: the slot of element k of a run that begins at `slot`.
std::string PermuteText::run_slot() const {
  if (has_slots_side_by_side()) return "uint eg_run_slot(uint slot, uint k) { return slot + k; }\n";
  const std::vector<int> axes(tile_.written.begin(), tile_.written.begin() + tile_.run_axes);
  return "uint eg_run_slot(uint start, uint k) {\n  uint rest = k, at, slot, place;\n" + place(axes, 0, false) +
         "  return start + slot;\n}\n";
}

/// Word `number` of the box, of which a run's first and last may belong to others as well.
std::string PermuteText::write_word(const codegen::Bindings& bindings) const {
  const DType dtype = kernel_.value.dtype(), stored = bindings.at(out_binding_).dtype();
  const int64_t each = in_word(kernel_.out);
  const std::string type(codegen::value_type(dtype, 1)), out = uniform_at(out_slot_), word = std::to_string(each);
  std::string elements, singly, all;
  for (int64_t j = 0; j < each; ++j) {
    const std::string x = numbered_place("x", j), k = "first + " + std::to_string(j);
    elements += "  " + type + " " + x + " = eg_element(start, slot, uint(clamp(" + k + ", 0, count - 1)));\n";
    singly += "  if (" + k + " >= 0 && " + k + " < count) {\n  " +
              bindings.write_one(out_binding_, "element + " + literal(static_cast<uint64_t>(j)),
                                 codegen::to_stored(dtype, stored, 1, x)) +
              "  }\n";
  }
  for (int64_t j = 0; j < 4; ++j) all += (j > 0 ? ", " : "") + numbered_place("x", j % each);
  const std::string four = std::string(codegen::value_type(dtype, 4)) + "(" + all + ")",
                    words = bindings.narrowed(out_binding_, codegen::to_stored(dtype, stored, 4, four));
  return run_slot() + type + " eg_element(uint start, uint slot, uint k) {\n  eg_slot = eg_run_slot(slot, k);\n" +
         "  return eg_load(start + k);\n}\nvoid eg_put(uint number) {\n  uint run = " +
         divided_by("number", words_slot_) + ", at, slot, place;\n  eg_written_place(run, at, slot, place);\n" +
         "  if (!eg_inside(place)) return;\n  uint start = eg_first + at;\n  int count = int(eg_first_rest * " +
         uniform_at(inner_slot_) + "), first = int((number - run * " + uniform_at(words_slot_) + ") * " + word +
         "u) - int((" + out + " + start) & " + literal(static_cast<uint64_t>(each - 1)) +
         ");\n  if (first >= count) return;\n" + elements + "  uint element = " + out +
         " + start + uint(first);\n  if (first >= 0 && first + " + word + " <= count) {\n    " +
         codegen::block_name(out_binding_) + "[element / " + word + "u] = " + words + (each == 2 ? ".x" : "") +
         ";\n    return;\n  }\n" + singly + "}\n";
}

std::string PermuteText::write(const codegen::Bindings& bindings) const {
  const DType dtype = kernel_.value.dtype(), stored = bindings.at(out_binding_).dtype();
  const std::string all = uniform_at(writes_slot_), group = literal(static_cast<uint64_t>(group_size_)),
                    loop = "  for (uint i = gl_LocalInvocationID.x; i < " + all + "; i += " + group + ") ";
  if (is_narrow_result()) return write_word(bindings) + "void eg_write() {\n" + loop + "eg_put(i);\n}\n";
  std::string text = "void eg_put(uint at, uint slot, uint place) {\n  if (!eg_inside(place)) return;\n" +
                     std::string("  eg_slot = slot;\n  ") + codegen::block_name(out_binding_) + "[" +
                     uniform_at(out_slot_) +
                     " + eg_first + at] = " + codegen::to_stored(dtype, stored, 1, "eg_load(eg_first + at)") +
                     ";\n}\nvoid eg_write() {\n";
  if (ceil_divide(writes(), group_size_) > most_kept)
    return text + "  uint at, slot, place;\n" + loop +
           "{\n    eg_written_place(i, at, slot, place);\n    eg_put(at, slot, place);\n  }\n}\n";
  for (int64_t k = 0; k * group_size_ < writes(); ++k)
    text += "  eg_put(" + numbered_place("eg_at", k) + ", " + numbered_place("eg_of", k) + ", " +
            numbered_place("eg_written", k) + ");\n";
  return text + "}\n";
}

std::string PermuteText::text(const codegen::Bindings& bindings) const {
  return start() + places() + prepare() + fetch(bindings) + write(bindings);
}

}  // namespace eglantine::lower
