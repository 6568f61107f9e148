#include "codegen/addresses.hpp"
#include "codegen/glsl_type.hpp"

/// The GLSL of Addresses. Names: e<part> is the part's (first) number, c<axis> a coordinate, a<item> an address,
/// <name>_k<item> the first part's share of one.
namespace eglantine::codegen {
namespace {

constexpr std::string_view components = "xyzw";

std::string numbered(const char* prefix, int number) { return prefix + std::to_string(number); }

}  // namespace

std::string Addresses::start_of(int number, int part) const {
  if (part == 0) return uniform_at(item(number).base_slot);
  return spec_.name + numbered("_k", number);
}

/// How far the part's number moves the address, from e<part> and c<axis>; empty when it does not.
std::string Addresses::offset_in(const Item& item, int part) const {
  const size_t p = static_cast<size_t>(part);
  const std::string number = numbered("e", part);
  if (item.walk[p] == Walk::none) return "";
  if (item.walk[p] == Walk::unit) return " + " + number;
  if (item.walk[p] == Walk::linear) return " + " + number + " * " + uniform_at(item.linear_slot[p]);
  std::string text;
  const Part& range = spec_.parts[p];
  for (int axis = range.first; axis < range.first + range.rank; ++axis) {
    text += " + " + numbered("c", axis) + " * " + uniform_at(item.stride_slot[static_cast<size_t>(axis)]);
  }
  return text;
}

std::string Addresses::inner_stride(const Item& item) const {
  const size_t p = static_cast<size_t>(spec_.vector_part);
  if (item.walk[p] == Walk::unit) return "1u";
  if (item.walk[p] == Walk::linear) return uniform_at(item.linear_slot[p]);
  return uniform_at(item.stride_slot[static_cast<size_t>(spec_.parts[p].first + spec_.parts[p].rank - 1)]);
}

std::string Addresses::coordinates(int part) const {
  const Part& range = spec_.parts[static_cast<size_t>(part)];
  std::string text, number = numbered("e", part);
  for (int axis = range.first + range.rank - 1; axis > range.first; --axis) {
    const int slot = divisor_slot_[static_cast<size_t>(axis)];
    const std::string quotient = numbered("q", axis);
    text += "  uint " + quotient + " = " + divided_by(number, slot) + ";\n";
    text += "  uint " + numbered("c", axis) + " = " + number + " - " + quotient + " * " + uniform_at(slot) + ";\n";
    number = quotient;
  }
  return text + "  uint " + numbered("c", range.first) + " = " + number + ";\n";
}

/// Moves the coordinates to element j of the unit, unless that is past the last.
std::string Addresses::next_coordinates(int part, int j) const {
  const Part& range = spec_.parts[static_cast<size_t>(part)];
  const int innermost = range.first + range.rank - 1;
  std::string text = "  " + numbered("c", innermost) + " += uint(" + exists(j) + ");\n";
  for (int axis = innermost; axis > range.first; --axis) {
    const std::string name = numbered("c", axis);
    const std::string wrap = numbered("w", axis) + "_" + std::to_string(j);
    const std::string length = uniform_at(divisor_slot_[static_cast<size_t>(axis)]);
    text += "  uint " + wrap + " = uint(" + name + " == " + length + ");\n";
    text += "  " + name + " -= " + wrap + " * " + length + ";\n";
    text += "  " + numbered("c", axis - 1) + " += " + wrap + ";\n";
  }
  return text;
}

std::string Addresses::gathered_items(int part) const {
  const size_t p = static_cast<size_t>(part);
  const int count = static_cast<int>(items_.size());
  std::string text;
  bool any = false;
  for (int i = 0; i < count; ++i) {
    if (!gathers(item(i), part)) continue;
    if (item(i).walk[p] == Walk::coordinates) {
      any = true;
      text += "  uvec4 " + numbered("a", i) + ";\n";
      continue;
    }
    text += "  uvec4 " + numbered("a", i) + " = uvec4(" + start_of(i, part) + offset_in(item(i), part) +
            ") + min(uvec4(0u, 1u, 2u, 3u), uvec4(" + uniform_at(last_slot_) + " - " + numbered("e", part) + ")) * " +
            inner_stride(item(i)) + ";\n";
  }
  for (int j = 0; any && j < 4; ++j) {
    if (j > 0) text += next_coordinates(part, j);
    for (int i = 0; i < count; ++i) {
      if (!gathers(item(i), part) || item(i).walk[p] != Walk::coordinates) continue;
      text += "  " + numbered("a", i) + "." + components[static_cast<size_t>(j)] + " = " + start_of(i, part) +
              offset_in(item(i), part) + ";\n";
    }
  }
  return text;
}

std::string Addresses::part_statements(int part, const std::string& number) const {
  std::string text = "  uint " + numbered("e", part) + " = " +
                     (is_vector(part) && !spec_.in_rows ? "(" + number + ") << 2" : number) + ";\n";
  if (walks_coordinates(part)) text += coordinates(part);
  for (int i = 0; i < static_cast<int>(items_.size()); ++i) {
    if (gathers(item(i), part)) continue;
    const bool four = part > 0 && gathers(item(i), 0);
    text += (four ? "  uvec4 " : "  uint ") + numbered("a", i) + " = " + start_of(i, part) + offset_in(item(i), part) +
            ";\n";
  }
  return text + gathered_items(part);
}

std::string Addresses::seek_function() const {
  if (parts() == 1) return "";
  std::string globals, stores;
  if (recalls_unit()) {
    globals = "uint " + spec_.name + "_e0;\n";
    stores = "  " + spec_.name + "_e0 = e0;\n";
  }
  for (int i = 0; i < static_cast<int>(items_.size()); ++i) {
    const std::string name = spec_.name + numbered("_k", i);
    globals += (gathers(item(i), 0) ? "uvec4 " : "uint ") + name + ";\n";
    stores += "  " + name + " = " + numbered("a", i) + ";\n";
  }
  return globals + "void " + spec_.name + "_seek(uint number) {\n" + part_statements(0, "number") + stores + "}\n";
}

std::string Addresses::statements(const std::string& number) const {
  const std::string unit = recalls_unit() ? "  uint e0 = " + spec_.name + "_e0;\n" : "";
  return unit + part_statements(parts() - 1, number);
}

std::string Addresses::element(int number, int j) const {
  const std::string name = numbered("a", number);
  switch (item(number).access) {
    case Access::gather:
      return name + "." + components[static_cast<size_t>(j)];
    case Access::strided:
      return j == 0 ? name : name + " + " + literal(static_cast<uint64_t>(j)) + " * " + inner_stride(item(number));
    default:
      return name;
  }
}

/// Base and stride are multiples of four each. A quarter of their sum compilers compute anew for every element of a
/// loop; a sum of quarters grows by a constant, and more loads are in flight.
std::string Addresses::quad(int number) const {
  const int last = parts() - 1;
  const Item& x = item(number);
  if (last == 0 || is_vector(last) || x.walk[static_cast<size_t>(last)] != Walk::linear)
    return element(number, 0) + " >> 2";
  // Either may be negative.
  const auto quarter = [](const std::string& text) { return "uint(int(" + text + ") >> 2)"; };
  return quarter(start_of(number, last)) + " + " + numbered("e", last) + " * " +
         quarter(uniform_at(x.linear_slot[static_cast<size_t>(last)]));
}

std::string Addresses::exists(int j) const {
  return numbered("e", spec_.vector_part) + " + " + literal(static_cast<uint64_t>(j)) + " <= " + uniform_at(last_slot_);
}

}  // namespace eglantine::codegen
