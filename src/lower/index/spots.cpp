#include "lower/index/spots.hpp"

#include <algorithm>

namespace eglantine::codegen {

Spots::Spots(const AddressSpec& spec, const Layout& start, const Layout& place, const IndexedAxis& axis,
             Outside outside, bool vectors)
    : domain_(spec.domain), axis_(axis), outside_(outside), windowed_(axis.part.count < axis.length), addresses_(spec) {
  addresses_.add(start, vectors && axis.stride % 4 == 0);
  addresses_.add(place, false);
}

bool Spots::by_vec4() const { return addresses_.access(0) == Access::vec4; }

Numbers Spots::all() const { return {0, domain_.elements()}; }

layout::Reach Spots::reached() const {
  layout::Reach reach = addresses_.reached(0, {all()});
  const int64_t first = axis_.part.first * axis_.stride, last = first + (axis_.part.count - 1) * axis_.stride;
  reach.first += std::min(first, last);
  reach.last += std::max(first, last);
  return reach;
}

void Spots::bind_flag(Bindings& bindings, const Buffer* flags, int64_t element) {
  flag_element_ = element;
  flag_binding_ = bindings.add_write(flags, DType::u32, false, {element, element});
}

void Spots::place(int64_t base, const Bindings& bindings, Uniforms& uniforms) {
  addresses_.place({base, 0}, all().count - 1, uniforms);
  axis_slot_ = uniforms.add(axis_.length);
  uniforms.add(axis_.stride);
  if (flag_binding_ >= 0) flag_slot_ = uniforms.add(flag_element_ - bindings.first_element(flag_binding_));
  if (!windowed_) return;
  uniforms.add(axis_.part.first);
  uniforms.add(axis_.part.count);
}

std::string Spots::spot(int j, const std::string& index) const {
  return "eg_spot(" + addresses_.element(0, j) + ", " + index + ", " + place_of(j) + ")";
}

std::string Spots::function() const {
  const std::string length = uniform_at(axis_slot_), stride = uniform_at(axis_slot_ + 1);
  std::string text =
      "const uint eg_nowhere = 0xffffffffu;\nuint eg_outside = eg_nowhere;\n"
      "uint eg_spot(uint start, int index, uint place) {\n"
      "  uint i = uint(index) + (index < 0 ? " +
      length + " : 0u);\n  if (i >= " + length + ") {\n";
  if (outside_ != Outside::ignored) {
    text += outside_ == Outside::flagged_but_length ? "    if (i != " + length + ") " : "    ";
    text += "eg_outside = min(eg_outside, place);\n";
  }
  text += "    return eg_nowhere;\n  }\n";
  if (windowed_) {
    const int first = (flag_binding_ >= 0 ? flag_slot_ : axis_slot_ + 1) + 1;
    text += "  if (i - " + uniform_at(first) + " >= " + uniform_at(first + 1) + ") return eg_nowhere;\n";
  }
  return text + "  return start + i * " + stride + ";\n}\n" + report_function();
}

/// Once an invocation: llvmpipe walks through the lanes of an atomic even where none takes part.
std::string Spots::report_function() const {
  if (outside_ == Outside::ignored) return "void eg_report() {}\n";
  const std::string flag = block_name(flag_binding_) + "[" + uniform_at(flag_slot_) + "]";
  return "void eg_report() {\n  if (eg_outside != eg_nowhere) atomicMin(" + flag + ", eg_outside);\n}\n";
}

}  // namespace eglantine::codegen
