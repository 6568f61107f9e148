#include <bit>
#include <cstdlib>

#include "codegen/addresses/addresses.hpp"
#include "codegen/glsl_type.hpp"

/// The GLSL of Addresses. Names: e<span> is the index in a span (of a vector's first element), c<axis> a coordinate,
/// a<item> an address, <name>_k<item> the first span's share of an address.
namespace eglantine::codegen {

std::string moved(const std::string& address, int64_t distance) {
  if (distance == 0) return address;
  return address + (distance < 0 ? " - " : " + ") + literal(static_cast<uint64_t>(std::abs(distance)));
}

std::string Addresses::start_of(int number, int span) const {
  if (span == 0) return uniform_at(item(number).base_slot);
  return spec_.name + numbered("_k", number);
}

/// What a span's index adds to the address, from e<span> and c<axis>; empty where that is nothing.
std::string Addresses::offset_in(const Item& item, int span) const {
  const size_t p = static_cast<size_t>(span);
  const std::string number = numbered("e", span);
  if (item.pattern[p] == AccessPattern::broadcast) return "";
  if (item.pattern[p] == AccessPattern::contiguous) return " + " + number;
  if (item.pattern[p] == AccessPattern::strided) return " + " + number + " * " + uniform_at(item.span_stride_slot[p]);
  if (item.counted >= 0) return " + " + numbered("c", item.counted);
  const AxisSpan& axes = spec_.spans[p];
  const int innermost = axes.first + axes.rank - 1;
  const auto stride = [&](int axis) { return uniform_at(item.axis_stride_slot[static_cast<size_t>(axis)]); };
  std::string text;
  for (int axis = axes.first; axis < innermost; ++axis) text += " + " + numbered("c", axis) + " * " + stride(axis);
  // How a vector lies in its row says its stride there.
  if (is_vector(span) && item.access == VectorAccess::splat) return text;
  const bool together = item.access == VectorAccess::vec4 || item.access == VectorAccess::anywhere;
  text += " + " + numbered("c", innermost);
  return is_vector(span) && together ? text : text + " * " + stride(innermost);
}

std::string Addresses::inner_stride(const Item& item) const {
  const size_t p = static_cast<size_t>(spec_.vector_span);
  if (item.pattern[p] == AccessPattern::contiguous) return "1u";
  if (item.pattern[p] == AccessPattern::strided) return uniform_at(item.span_stride_slot[p]);
  const int innermost = spec_.spans[p].first + spec_.spans[p].rank - 1;
  if (item.counted >= 0) return item.counted == innermost ? "1u" : "0u";
  return uniform_at(item.axis_stride_slot[static_cast<size_t>(innermost)]);
}

std::string Addresses::coordinates(int span) const {
  const AxisSpan& axes = spec_.spans[static_cast<size_t>(span)];
  std::string text, number = numbered("e", span);
  for (int axis = axes.first + axes.rank - 1; axis > axes.first; --axis) {
    const int slot = divisor_slot_[static_cast<size_t>(axis)];
    const std::string quotient = numbered("q", axis);
    text += "  uint " + quotient + " = " + divided_by(number, slot) + ";\n";
    text += "  uint " + numbered("c", axis) + " = " + number + " - " + quotient + " * " + uniform_at(slot) + ";\n";
    number = quotient;
  }
  return text + "  uint " + numbered("c", axes.first) + " = " + number + ";\n";
}

/// Moves the coordinates to element j of the vector, unless it is past the last.
std::string Addresses::next_coordinates(int span, int j) const {
  const AxisSpan& axes = spec_.spans[static_cast<size_t>(span)];
  const int innermost = axes.first + axes.rank - 1;
  std::string text = "  " + numbered("c", innermost) + " += uint(" + exists(j) + ");\n";
  for (int axis = innermost; axis > axes.first; --axis) {
    const std::string name = numbered("c", axis);
    const std::string wrap = numbered("w", axis) + "_" + std::to_string(j);
    const std::string length = uniform_at(divisor_slot_[static_cast<size_t>(axis)]);
    text += "  uint " + wrap + " = uint(" + name + " == " + length + ");\n";
    text += "  " + name + " -= " + wrap + " * " + length + ";\n";
    text += "  " + numbered("c", axis - 1) + " += " + wrap + ";\n";
  }
  return text;
}

/// The index of a vector's first element.
std::string Addresses::first_element(const std::string& number) const {
  if (spec_.apart == 1)
    return "(" + number + ") << " + std::to_string(std::countr_zero(static_cast<uint64_t>(vector_width * spec_.run)));
  const std::string apart = literal(static_cast<uint64_t>(spec_.apart));
  return "(" + number + ") / " + apart + " * " + literal(static_cast<uint64_t>(vector_width * spec_.apart)) + " + (" +
         number + ") % " + apart;
}

/// What the elements of a vector add to the address; those past the last one as much as that.
std::string Addresses::steps_in_vector(const Item& item, int span) const {
  const std::string e = numbered("e", span), last = uniform_at(last_slot_);
  if (spec_.apart == 1)
    return offset_in(item, span) + ") + min(uvec4(0u, 1u, 2u, 3u), uvec4(" + last + " - " + e + ")) * " +
           inner_stride(item);
  const auto at = [&](int64_t j) { return literal(static_cast<uint64_t>(j * spec_.apart)); };
  const std::string all = "uvec4(" + e + ") + uvec4(0u, " + at(1) + ", " + at(2) + ", " + at(3) + ")",
                    there = "min(" + all + ", uvec4(" + last + "))";
  return ") + " + (spec_.inner.empty() ? there : "(" + spec_.inner + " ? " + all + " : " + there + ")") + " * " +
         inner_stride(item);
}

/// Whether an item's four addresses take coordinates, and are no twin's.
bool Addresses::steps_by_coordinates(int number, int span) const {
  const Item& x = item(number);
  return gathers(x, span) && x.twin < 0 && x.pattern[static_cast<size_t>(span)] == AccessPattern::coordinates;
}

/// Element by element, where a vector may reach into several rows.
std::string Addresses::gathered_by_steps(int span) const {
  std::string text;
  for (int i = 0; i < items(); ++i)
    if (steps_by_coordinates(i, span)) text += "  uvec4 " + numbered("a", i) + ";\n";
  for (int j = 0; j < 4; ++j) {
    if (j > 0) text += next_coordinates(span, j);
    for (int i = 0; i < items(); ++i) {
      if (!steps_by_coordinates(i, span)) continue;
      text += "  " + numbered("a", i) + "." + components_of_vec4[static_cast<size_t>(j)] + " = " + start_of(i, span) +
              offset_in(item(i), span) + ";\n";
    }
  }
  return text;
}

std::string Addresses::gathered_items(int span) const {
  std::string text;
  bool any = false;
  for (int i = 0; i < items(); ++i) {
    any = any || steps_by_coordinates(i, span);
    if (!gathers(item(i), span) || item(i).twin >= 0 || steps_by_coordinates(i, span)) continue;
    text += "  uvec4 " + numbered("a", i) + " = uvec4(" + start_of(i, span) + steps_in_vector(item(i), span) + ";\n";
  }
  if (!any) return text;
  return text + (reaches_two_rows(span) ? gathered_from_rows(span) : gathered_by_steps(span));
}

std::string Addresses::span_statements(int span, const std::string& number) const {
  std::string text = "  uint " + numbered("e", span) + " = " +
                     (is_vector(span) && !spec_.in_rows ? first_element(number) : number) + ";\n";
  if (is_vector(span) && begins_before()) text += "  " + numbered("e", span) + " -= " + spec_.name + "_before;\n";
  if (needs_coordinates(span)) text += coordinates(span);
  for (int i = 0; i < static_cast<int>(items_.size()); ++i) {
    if (gathers(item(i), span) || item(i).twin >= 0) continue;
    const bool four = span > 0 && gathers(item(i), 0);
    text += (four ? "  uvec4 " : "  uint ") + numbered("a", i) + " = " + start_of(i, span) + offset_in(item(i), span) +
            ";\n";
  }
  return text + gathered_items(span) + twins(span);
}

std::string Addresses::twins(int span) const {
  std::string text;
  for (int i = 0; i < static_cast<int>(items_.size()); ++i) {
    const Item& x = item(i);
    if (x.twin < 0) continue;
    const bool four = gathers(x, span) || (span > 0 && gathers(x, 0));
    text += (four ? "  uvec4 " : "  uint ") + numbered("a", i) + " = " + numbered("a", x.twin) + " + " +
            uniform_at(x.base_slot) + ";\n";
  }
  return text;
}

std::string Addresses::address_function() const {
  if (spans() == 1) return "";
  std::string globals, stores;
  if (recalls_vector()) {
    globals = "uint " + spec_.name + "_e0;\n";
    stores = "  " + spec_.name + "_e0 = e0;\n";
  }
  for (int i = 0; i < static_cast<int>(items_.size()); ++i) {
    const std::string name = spec_.name + numbered("_k", i);
    globals += (gathers(item(i), 0) ? "uvec4 " : "uint ") + name + ";\n";
    stores += "  " + name + " = " + numbered("a", i) + ";\n";
  }
  if (begins_before()) {
    globals += "uint " + spec_.name + "_before;\n";
    stores += "  " + spec_.name + "_before = " + numbered("a", first_anywhere()) + " & 3u;\n";
  }
  return globals + "void " + spec_.name + "_address(uint number) {\n" + span_statements(0, "number") + stores + "}\n";
}

std::vector<std::string> Addresses::step_state() const {
  std::vector<std::string> names;
  for (int i = 0; i < static_cast<int>(items_.size()); ++i)
    if (item(i).twin < 0 && changes_in(i, 1)) names.push_back(spec_.name + numbered("_s", i));
  return names;
}

std::string Addresses::step_function() const {
  std::string text;
  for (const std::string& name : step_state()) text += "uint " + name + ";\n";
  text += "void " + spec_.name + "_step(uint number) {\n  uint e1 = number;\n";
  if (steps_divide()) text += coordinates(1);
  for (int i = 0; i < static_cast<int>(items_.size()); ++i)
    if (item(i).twin < 0 && changes_in(i, 1))
      text += "  " + spec_.name + numbered("_s", i) + " = 0u" + offset_in(item(i), 1) + ";\n";
  return text + "}\n";
}

/// The addresses, where a line's and a step's shares are known.
std::string Addresses::sums_of_steps() const {
  std::string text;
  for (int i = 0; i < items(); ++i) {
    const std::string step = spec_.name + numbered("_s", item(i).twin < 0 ? i : item(i).twin);
    text += "  uint " + numbered("a", i) + " = " + spec_.name + numbered("_k", i) +
            (changes_in(i, 1) ? " + " + step : "") + ";\n";
  }
  return text;
}

std::string Addresses::statements(const std::string& number) const {
  if (spec_.steps) return sums_of_steps();
  const std::string vector = recalls_vector() ? "  uint e0 = " + spec_.name + "_e0;\n" : "";
  return vector + span_statements(spans() - 1, number);
}

std::string Addresses::element(int number, int j) const {
  const std::string name = numbered("a", number);
  switch (item(number).access) {
    case VectorAccess::gather:
      return name + "." + components_of_vec4[static_cast<size_t>(j)];
    case VectorAccess::vec4:
    case VectorAccess::anywhere:
      return j == 0 ? name : name + " + " + literal(static_cast<uint64_t>(j));
    case VectorAccess::strided:
      return j == 0
                 ? name
                 : name + " + " + literal(static_cast<uint64_t>(j * spec_.apart)) + " * " + inner_stride(item(number));
    default:
      return name;
  }
}

std::string Addresses::length_less_one() const {
  if (!has_tail_) return "3u";
  const std::string inner = spec_.inner.empty() ? "" : spec_.inner + " ? 3u : ";
  return (inner.empty() ? "" : "(" + inner) + "min(3u, " + uniform_at(last_slot_) + " - " +
         numbered("e", spec_.vector_span) + ")" + (inner.empty() ? "" : ")");
}

std::string Addresses::last_element(int number) const { return numbered("a", number) + " + " + length_less_one(); }

std::string Addresses::count() const { return has_tail_ ? length_less_one() + " + 1u" : "4u"; }

std::string Addresses::first_of_vectors(int number) const {
  const int last = spans() - 1;
  const Item& x = item(number);
  const bool counted = spec_.from_start && last == 1 && is_vector(last) && x.access == VectorAccess::anywhere &&
                       x.pattern[static_cast<size_t>(last)] == AccessPattern::contiguous;
  return counted ? start_of(number, last) : "";
}

std::string Addresses::quad(int number) const { return place(number, 2); }

/// Whether the place of an item's vector is that of the last span's start, plus `number`, the index in that span (as
/// LoadStage's functions call it): vectors of 2^shift elements that follow each other.
bool Addresses::adds_vectors(const Item& item, int shift) const {
  const int last = spans() - 1;
  return spec_.in_loop && is_vector(last) && item.pattern[static_cast<size_t>(last)] == AccessPattern::contiguous &&
         item.twin < 0 && int64_t{1} << shift == vector_width * spec_.run;
}

/// Base and stride are multiples of 2^shift. The sum of their quotients grows by a constant in a loop; compilers
/// compute the quotient of their sum anew for every element, with fewer loads in flight.
std::string Addresses::place(int number, int shift) const {
  const int last = spans() - 1;
  const Item& x = item(number);
  const std::string shifted = " >> " + std::to_string(shift);
  if (adds_vectors(x, shift)) return "uint(int(" + start_of(number, last) + ")" + shifted + ") + number";
  if (last == 0 || is_vector(last) || x.pattern[static_cast<size_t>(last)] != AccessPattern::strided)
    return element(number, 0) + shifted;
  // Either may be negative.
  const auto part = [&](const std::string& text) { return "uint(int(" + text + ")" + shifted + ")"; };
  return part(start_of(number, last)) + " + " + numbered("e", last) + " * " +
         part(uniform_at(x.span_stride_slot[static_cast<size_t>(last)]));
}

std::string Addresses::exists(int j) const {
  const std::string there = numbered("e", spec_.vector_span) + " + " + literal(static_cast<uint64_t>(j * spec_.apart)) +
                            " <= " + uniform_at(last_slot_);
  return spec_.inner.empty() ? there : "(" + spec_.inner + " || " + there + ")";
}

}  // namespace eglantine::codegen
