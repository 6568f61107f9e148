#include "codegen/addresses/addresses.hpp"
#include "codegen/glsl_type.hpp"

/// The four addresses of a vector whose row, of at least four elements, may end in it: those of two rows. Names:
/// n<axis> is a coordinate in the next row, r<item> and f<item> what two rows' addresses are counted from.
namespace eglantine::codegen {

bool Addresses::reaches_two_rows(int span) const {
  const AxisSpan& axes = spec_.spans[static_cast<size_t>(span)];
  return spec_.domain[axes.first + axes.rank - 1] >= vector_width;
}

bool Addresses::repeats_along_rows(int number) const {
  const int span = spec_.vector_span;
  const Item& x = item(number);
  const AxisSpan& axes = spec_.spans[static_cast<size_t>(span)];
  return !spec_.steps && span == spans() - 1 && gathers(x, span) &&
         x.pattern[static_cast<size_t>(span)] == AccessPattern::coordinates && reaches_two_rows(span) &&
         x.layout.strides[static_cast<size_t>(axes.first + axes.rank - 1)] == 0;
}

/// From the last row it leads past the end, where no element lies.
std::string Addresses::next_row(int span) const {
  const AxisSpan& axes = spec_.spans[static_cast<size_t>(span)];
  std::string text, carry = "1u";
  for (int axis = axes.first + axes.rank - 2; axis > axes.first; --axis) {
    const std::string next = numbered("n", axis), wraps = numbered("w", axis);
    const std::string length = uniform_at(divisor_slot_[static_cast<size_t>(axis)]);
    text += "  uint " + next + " = " + numbered("c", axis) + " + " + carry + ";\n";
    text += "  uint " + wraps + " = uint(" + next + " == " + length + ");\n";
    text += "  " + next + " -= " + wraps + " * " + length + ";\n";
    carry = wraps;
  }
  return text + "  uint " + numbered("n", axes.first) + " = " + numbered("c", axes.first) + " + " + carry + ";\n";
}

/// What the coordinates outside of the innermost, <prefix><axis>, add to an item's address.
std::string Addresses::row_offset(const Item& item, int span, const char* prefix) const {
  const AxisSpan& axes = spec_.spans[static_cast<size_t>(span)];
  if (item.counted >= 0) return item.counted < axes.first + axes.rank - 1 ? " + " + numbered(prefix, item.counted) : "";
  std::string text;
  for (int axis = axes.first; axis < axes.first + axes.rank - 1; ++axis)
    text += " + " + numbered(prefix, axis) + " * " + uniform_at(item.axis_stride_slot[static_cast<size_t>(axis)]);
  return text;
}

std::string Addresses::in_two_rows(int number, int span, const std::string& length) const {
  const Item& x = item(number);
  const std::string row = numbered("r", number), following = numbered("f", number), stride = inner_stride(x);
  std::string text = "  uint " + row + " = " + start_of(number, span) + row_offset(x, span, "c") + ";\n";
  text += "  uint " + following + " = " + start_of(number, span) + row_offset(x, span, "n") + " - " + length + " * " +
          stride + ";\n  uvec4 " + numbered("a", number) + " = uvec4(";
  for (const char component : components_of_vec4)
    text += std::string(component == 'x' ? "" : ", ") + "past." + component + " ? " + following + " : " + row;
  return text + ") + in_row * " + stride + ";\n";
}

std::string Addresses::gathered_from_rows(int span) const {
  const AxisSpan& axes = spec_.spans[static_cast<size_t>(span)];
  const int innermost = axes.first + axes.rank - 1;
  const std::string length = uniform_at(divisor_slot_[static_cast<size_t>(innermost)]);
  std::string text = next_row(span) + "  uvec4 in_row = uvec4(" + numbered("c", innermost) +
                     ") + min(uvec4(0u, 1u, 2u, 3u), uvec4(" + uniform_at(last_slot_) + " - " + numbered("e", span) +
                     "));\n  bvec4 past = greaterThanEqual(in_row, uvec4(" + length + "));\n";
  for (int i = 0; i < items(); ++i)
    if (steps_by_coordinates(i, span)) text += in_two_rows(i, span, length);
  return text;
}

}  // namespace eglantine::codegen
