#include "lower/map/registers/register_text.hpp"

#include <algorithm>

#include "codegen/addresses/access_pattern.hpp"
#include "codegen/glsl_type.hpp"
#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

using codegen::divided_by;
using codegen::literal;
using codegen::uniform_at;
using codegen::vector_width;

/// Booleans are moved as they are stored.
DType stored_dtype(const Strided& x) { return x.dtype() == DType::boolean ? DType::u32 : x.dtype(); }

std::string number(int64_t value) { return literal(static_cast<uint64_t>(value)); }

std::string column_name(int64_t column) { return codegen::numbered("eg_c", static_cast<int>(column)); }

/// Whether every column's vectors are those of memory.
bool is_aligned(const Layout& x, int lines) {
  bool aligned = x.offset % vector_width == 0;
  for (int axis = 0; axis < x.shape.rank(); ++axis)
    aligned = aligned && (axis == lines || x.strides[static_cast<size_t>(axis)] % vector_width == 0);
  return aligned;
}

}  // namespace

RegisterTransposeText::RegisterTransposeText(const MapKernel& kernel, const RegisterTranspose& how)
    : how_(how),
      domain_(kernel.value.domain),
      inner_(domain_[domain_.rank() - 1]),
      x_(kernel.value.operands[how.operand]),
      aligned_(is_aligned(x_.layout, how.lines)) {
  for (int axis = how.lines + 1; axis < domain_.rank(); ++axis) columns_ *= domain_[axis];
}

void RegisterTransposeText::bind(codegen::Bindings& bindings) {
  binding_ = bindings.add_read(x_.buffer.get(), x_.storage, true, layout::reach(x_.layout));
}

void RegisterTransposeText::add_uniforms(const codegen::Bindings& bindings, codegen::Uniforms& uniforms) {
  columns_slot_ = uniforms.add(columns_);
  inner_slot_ = uniforms.add_divisor(inner_);
  outer_slot_ = uniforms.add(columns_ / inner_);
  const Layout& x = x_.layout;
  const int64_t first = bindings.first_element(binding_), inner = x.strides.back(),
                outer = has_outer() ? x.strides[static_cast<size_t>(how_.lines) + 1] : 1;
  slots_.base = uniforms.add(x.offset - first);
  slots_.last = uniforms.add(layout::reach(x).last - first);
  slots_.plane = uniforms.add(how_.lines > 0 ? x.strides.front() : 0);
  slots_.inner = uniforms.add(inner);
  slots_.outer = uniforms.add(outer);
  slots_.next_outer = uniforms.add(outer - inner_ * inner);
  slots_.next_line = uniforms.add(1 - columns_ / inner_ * outer);
}

/// Columns of a block's line before its first vector of y.
int64_t RegisterTransposeText::skipped(int64_t line) const {
  return (vector_width - line * columns_ % vector_width) % vector_width;
}

int64_t RegisterTransposeText::columns_read() const {
  int64_t most = 0;
  for (int64_t k = 0; k < vector_width; ++k) most = std::max(most, skipped(k));
  return vector_width + most;
}

/// Of a vector: narrow elements in the words that they take in memory.
std::string RegisterTransposeText::slot_type() const {
  return std::string(is_narrow(x_.storage) ? codegen::value_type(DType::u32, static_cast<int>(bytes_of(x_.storage)))
                                           : codegen::stored_type(stored_dtype(x_), vector_width));
}

/// GLSL: statements that set the address of a block's first column.
std::string RegisterTransposeText::start() const {
  const std::string place = uniform_at(slots_.base) + " + plane * " + uniform_at(slots_.plane) + " + line";
  if (!has_outer()) return "    inner = column;\n    at = " + place + " + column * " + uniform_at(slots_.inner) + ";\n";
  return "    outer = " + divided_by("column", inner_slot_) + ";\n    inner = column - outer * " +
         uniform_at(inner_slot_) + ";\n    at = " + place + " + inner * " + uniform_at(slots_.inner) + " + outer * " +
         uniform_at(slots_.outer) + ";\n";
}

/// GLSL: a statement that reads column j of a block. Without a carry it begins at a place in vectors that is known.
std::string RegisterTransposeText::column(int64_t j, bool wraps, const codegen::Bindings& bindings) const {
  const Layout& x = x_.layout;
  const bool steps = has_outer() || wraps,
             is_known = !steps && (how_.lines == 0 || x.strides.front() % vector_width == 0);
  const std::string place = steps ? "at" : "(at + " + number(j) + " * " + uniform_at(slots_.inner) + ")";
  const int64_t within = (x.offset + j * x.strides.back()) % vector_width;
  const auto vector = [&](const std::string& at) {
    return bindings.whole(binding_, "min(" + at + ", " + uniform_at(slots_.last) + ") >> 2");
  };
  std::string value =
      "eg_joined(" + vector(place) + ", " + vector(place + " + 3u") + ", " + (is_known ? number(within) : place) + ")";
  if ((aligned_ && !wraps) || (is_known && within == 0)) value = bindings.whole(binding_, place + " >> 2");
  if (!is_narrow(x_.storage))
    value = codegen::from_stored(bindings.at(binding_).dtype(), stored_dtype(x_), vector_width, value);
  return "    " + column_name(j) + " = " + value + ";\n" + (steps && j + 1 < columns_read() ? next(wraps) : "");
}

/// GLSL: statements that go on to the next column, which may be the first one of the next line.
std::string RegisterTransposeText::next(bool wraps) const {
  const std::string ends = "inner == " + uniform_at(inner_slot_), step = uniform_at(slots_.next_outer);
  const std::string next = "    at += " + uniform_at(slots_.inner) + ";\n    ++inner;\n";
  if (!wraps) return next + "    at += " + ends + " ? " + step + " : 0u;\n    inner = " + ends + " ? 0u : inner;\n";
  const std::string line = "      if (++outer == " + uniform_at(outer_slot_) +
                           ") {\n        outer = 0u;\n        at += " + uniform_at(slots_.next_line) + ";\n      }\n";
  return next + "    if (" + ends + ") {\n      inner = 0u;\n      at += " + step + ";\n" + (has_outer() ? line : "") +
         "    }\n";
}

/// GLSL: eg_fetch(), with the way of blocks at lines' ends apart.
std::string RegisterTransposeText::fetch(const codegen::Bindings& bindings) const {
  std::string within, at_ends;
  for (const bool wraps : {false, true}) {
    std::string& text = wraps ? at_ends : within;
    text += start();
    for (int64_t j = 0; j < columns_read(); ++j) text += column(j, wraps, bindings);
  }
  return "void eg_fetch(uint plane, uint line, uint column) {\n  uint at, inner, outer = 0u;\n  if (column + " +
         number(columns_read()) + " <= " + uniform_at(columns_slot_) + ") {\n" + within + "  } else {\n" + at_ends +
         "  }\n}\n";
}

/// GLSL: a word of narrow neighbours of a line, from a column on.
std::string RegisterTransposeText::word(int64_t line, int64_t column) const {
  const int64_t bytes = bytes_of(x_.storage), in_word = 4 / bytes, bits = 8 * bytes;
  std::string text;
  for (int64_t j = 0; j < in_word; ++j) {
    const std::string x = column_name(column + j) + (bytes > 1 ? "." + std::string(1, "xy"[line / in_word]) : "");
    text += (j > 0 ? " + " : "") + codegen::moved_bits(x, bits * (line % in_word), bits * j, bits);
  }
  return text;
}

/// GLSL: a vector of a line, as its words lie in memory.
std::string RegisterTransposeText::transposed(int64_t line, int64_t column) const {
  const int64_t bytes = bytes_of(x_.storage), in_word = 4 / bytes, words = bytes;
  if (words == 1) return word(line, column);
  std::string text;
  for (int64_t w = 0; w < words; ++w)
    text += (w > 0 ? ", " : "") +
            (is_narrow(x_.storage) ? word(line, column + w * in_word) : column_name(column + w) + "." + "xyzw"[line]);
  return slot_type() + "(" + text + ")";
}

std::string RegisterTransposeText::vectors() const {
  std::string text = "#define EG_EACH_VECTOR(F)";
  for (int64_t k = 0; k < vector_width; ++k) {
    text += " F(" + std::to_string(k) + ", " + std::to_string(skipped(k)) + ", x" + std::to_string(k) + ", " + tile() +
            " = " + transposed(k, skipped(k)) + ")";
  }
  return text + "\n";
}

std::string RegisterTransposeText::text(const codegen::Bindings& bindings) const {
  std::string text = "#define EG_STAGED(tile) tile\n" + slot_type() + " " + tile();
  for (int64_t j = 0; j < columns_read(); ++j) text += ", " + column_name(j);
  return text + ";\n" + fetch(bindings) + vectors();
}

}  // namespace eglantine::lower
