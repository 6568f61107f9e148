#include "lower/map/across_text.hpp"

#include "codegen/glsl_type.hpp"

namespace eglantine::codegen {
namespace {

constexpr int64_t unit = 4;
constexpr std::string_view components = "xyzw";

AddressSpec single_elements(const Shape& domain) { return {"eg_across", domain, {{0, domain.rank()}}, 1, 0}; }

/// A boolean waits in the tile as it is stored.
DType tile_dtype(DType dtype) { return dtype == DType::boolean ? DType::u32 : dtype; }

/// Whether four lines from a multiple of four on start at a multiple of four in memory.
bool aligned(const Layout& x, int lines) {
  if (x.strides[static_cast<size_t>(lines)] != 1 || x.offset % unit != 0) return false;
  for (int axis = 0; axis < x.shape.rank(); ++axis)
    if (axis != lines && x.strides[static_cast<size_t>(axis)] % unit != 0) return false;
  return true;
}

std::string numbered(const char* prefix, size_t number) { return prefix + std::to_string(number); }

}  // namespace

AcrossText::AcrossText(const Expr& expr, std::vector<int> operands, int lines, bool vectors)
    : numbers_(std::move(operands)),
      lines_(lines),
      columns_(expr.domain.rank() - 1),
      addresses_(single_elements(expr.domain)) {
  for (int number : numbers_) {
    const Strided& operand = expr.operands[static_cast<size_t>(number)];
    held_.push_back({operand, vectors && aligned(operand.layout, lines)});
    addresses_.add(operand.layout, false);
  }
}

int64_t AcrossText::elements() const { return held_.front().operand.layout.shape.elements(); }

void AcrossText::bind(Bindings& bindings) {
  for (size_t i = 0; i < held_.size(); ++i) {
    const Strided& operand = held_[i].operand;
    held_[i].binding = bindings.add_read(operand.buffer.get(), operand.dtype, held_[i].vectors,
                                         addresses_.reached(static_cast<int>(i), {{0, elements()}}));
  }
}

void AcrossText::place(const Bindings& bindings, Uniforms& uniforms) {
  std::vector<int64_t> bases;
  for (const Held& held : held_) bases.push_back(bindings.first_element(held.binding));
  addresses_.place(bases, elements() - 1, uniforms);
  for (Held& held : held_) {
    held.line_slot = uniforms.add(held.operand.layout.strides[static_cast<size_t>(lines_)]);
    held.column_slot = uniforms.add(held.operand.layout.strides[static_cast<size_t>(columns_)]);
  }
}

/// The four lines of column j of a block, in the tile's type.
std::string AcrossText::column(const Bindings& bindings, size_t i, int j) const {
  const Held& held = held_[i];
  const DType stored = bindings.at(held.binding).dtype;
  const std::string place =
      numbered("a", i) + " + " + literal(static_cast<uint64_t>(j)) + " * " + uniform_at(held.column_slot);
  std::string value = bindings.read(held.binding, "(" + place + ") >> 2");
  if (!held.vectors) {
    value = std::string(stored_type(stored, 4)) + "(";
    for (int k = 0; k < 4; ++k) {
      const std::string line =
          k == 0 ? "" : " + min(left, " + literal(static_cast<uint64_t>(k)) + ") * " + uniform_at(held.line_slot);
      value += (k > 0 ? ", " : "") + bindings.read(held.binding, place + line);
    }
    value += ")";
  }
  return from_stored(stored, tile_dtype(held.operand.dtype), 4, value);
}

std::string AcrossText::text(const Bindings& bindings, int64_t slots, int64_t pitch) const {
  std::string tiles = "uint eg_slot;\n", loads, stores;
  for (size_t i = 0; i < held_.size(); ++i) {
    const std::string type(stored_type(tile_dtype(held_[i].operand.dtype), 4));
    const std::string tile = "eg_tile" + std::to_string(numbers_[i]), name = numbered("b", i);
    tiles += "shared " + type + " " + tile + "[" + std::to_string(slots) + "];\n";
    for (int j = 0; j < 4; ++j)
      loads += "  " + type + " " + name + std::to_string(j) + " = " + column(bindings, i, j) + ";\n";
    for (int k = 0; k < 4; ++k) {
      stores += "  " + tile + "[slot + " + literal(static_cast<uint64_t>(k * pitch)) + "] = " + type + "(";
      for (int j = 0; j < 4; ++j)
        stores += (j > 0 ? ", " : "") + name + std::to_string(j) + "." + components[static_cast<size_t>(k)];
      stores += ");\n";
    }
  }
  return tiles + "void eg_fetch(uint number, uint left, uint slot) {\n" + addresses_.statements("number") + loads +
         stores + "}\n";
}

}  // namespace eglantine::codegen
