#include "lower/tile/text.hpp"

#include "codegen/addresses/access_pattern.hpp"
#include "codegen/glsl_type.hpp"

namespace eglantine::lower {
namespace {

using namespace codegen;

std::string numbered(const char* prefix, int number) { return prefix + std::to_string(number); }

/// "T(f(a.x, b.x), ...)".
std::string by_component(const std::string& type, const std::string& function) {
  std::string text = type + "(";
  for (const char* c : {".x", ".y", ".z", ".w"})
    text += (c[1] == 'x' ? "" : ", ") + function + "(a" + c + ", b" + c + ")";
  return text + ")";
}

/// Splits the last coordinate off the index `rest`: defines c<axis>.
std::string split_off(int axis, int divisor_slot) {
  const std::string c = numbered("c", axis), q = numbered("q", axis);
  if (axis == 0) return "  uint c0 = rest;\n";
  return "  uint " + q + " = " + divided_by("rest", divisor_slot) + ";\n  uint " + c + " = rest - " + q + " * " +
         uniform_at(divisor_slot) + ";\n  rest = " + q + ";\n";
}

}  // namespace

int TileText::width_of(const Shape& domain, const Shape& tile) {
  const int inner = domain.rank() - 1;
  const bool rows_of_whole_vectors = inner == 0 || domain[inner] % vector_width == 0;
  return tile[inner] % vector_width == 0 && rows_of_whole_vectors ? 4 : 1;
}

void TileText::add_uniforms(Uniforms& uniforms) {
  int64_t pitch = domain_.elements();
  for (int axis = 0; axis < domain_.rank(); ++axis) {
    pitch /= domain_[axis];
    slots_.push_back({uniforms.add_divisor(tile_[axis]), uniforms.add_divisor(grid_[axis]), uniforms.add(domain_[axis]),
                      uniforms.add(pitch)});
  }
}

std::string TileText::vector_functions(DType dtype) const {
  const std::string type(value_type(dtype, width_));
  std::string text = type + " eg_identities() { return " + type + "(eg_identity()); }\n" + type + " eg_combines(" +
                     type + " a, " + type + " b) { return ";
  text += width_ == 4 ? by_component(type, "eg_combine") : "eg_combine(a, b)";
  text += "; }\n" + std::string(value_type(dtype, 1)) + " eg_fold(" + type + " a) { return ";
  text += width_ == 4 ? "eg_combine(eg_combine(a.x, a.y), eg_combine(a.z, a.w))" : "a";
  return text + "; }\n";
}

/// The tile's first element and actual length along one axis.
std::string TileText::address_axis(int axis) const {
  const Slots& slots = slots_[static_cast<size_t>(axis)];
  const std::string c = numbered("c", axis), length = uniform_at(slots.tile);
  return split_off(axis, slots.grid) + "  " + c + " *= " + length + ";\n  " + numbered("eg_length", axis) + " = min(" +
         length + ", " + uniform_at(slots.length) + " - " + c + ");\n  eg_first += " + c + " * " +
         uniform_at(slots.pitch) + ";\n";
}

std::string TileText::vector_axis(int axis) const {
  const Slots& slots = slots_[static_cast<size_t>(axis)];
  const std::string c = numbered("c", axis);
  return split_off(axis, slots.tile) + "  inside = inside && " + c + " < " + numbered("eg_length", axis) +
         ";\n  number += " + c + " * " + uniform_at(slots.pitch) + ";\n";
}

std::string TileText::element_functions() const {
  const int rank = domain_.rank(), inner = rank - 1;
  std::string text = "uint eg_first;\n";
  for (int axis = 0; axis < rank; ++axis) text += "uint " + numbered("eg_length", axis) + ";\n";
  text += "void eg_address(uint tile) {\n  uint rest = tile;\n  eg_first = 0u;\n";
  for (int axis = inner; axis >= 0; --axis) text += address_axis(axis);
  text += "}\nEG_VECTOR eg_vector(uint vector) {\n";
  text += width_ == 4 ? "  uint rest = vector << 2;\n" : "  uint rest = vector;\n";
  text += "  uint number = eg_first;\n  bool inside = true;\n";
  for (int axis = inner; axis >= 0; --axis) text += vector_axis(axis);
  // Absent vectors load another one instead, so that no load waits for a branch.
  text += "  number = inside ? number : eg_first;\n";
  text += width_ == 4 ? "  EG_VECTOR x = EG_VECTOR(eg_load(number >> 2));\n"
                      : "  EG_VECTOR x = EG_VECTOR(eg_load(number));\n";
  for (int j = 1; has_tail() && j < 4; ++j) {
    const std::string component = std::string("x.") + "xyzw"[j];
    text += "  " + component + " = c0 + " + literal(static_cast<uint64_t>(j)) + " < eg_length0 ? " + component +
            " : eg_identity();\n";
  }
  return text + "  return inside ? x : eg_identities();\n}\n";
}

}  // namespace eglantine::lower
