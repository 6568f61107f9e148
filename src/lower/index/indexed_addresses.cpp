#include "lower/index/indexed_addresses.hpp"

#include <algorithm>

namespace eglantine::lower {

using namespace codegen;

IndexedAddresses::IndexedAddresses(const AddressSpec& spec, const Layout& start, const Layout& position,
                                   const IndexedAxis& axis, OutOfRange out_of_range, bool vectors, bool anywhere)
    : domain_(spec.domain), axis_(axis), out_of_range_(out_of_range), addresses_(spec) {
  addresses_.add(start, vectors && axis.stride % 4 == 0, anywhere);
  addresses_.add(position, false);
}

Window IndexedAddresses::all() const { return {0, domain_.elements()}; }

layout::Reach IndexedAddresses::reached() const {
  layout::Reach reach = addresses_.reached(0, {all()});
  const int64_t first = axis_.window.first * axis_.stride, last = first + (axis_.window.count - 1) * axis_.stride;
  reach.first += std::min(first, last);
  reach.last += std::max(first, last);
  return reach;
}

void IndexedAddresses::bind_flag(Bindings& bindings, const Buffer* flags, int64_t element) {
  flag_element_ = element;
  flag_binding_ = bindings.add_write(flags, StorageType::u32, false, {element, element});
}

void IndexedAddresses::add_uniforms(int64_t base, const Bindings& bindings, Uniforms& uniforms) {
  addresses_.add_uniforms({base, 0}, all().count - 1, uniforms);
  axis_slot_ = uniforms.add(axis_.length);
  uniforms.add(axis_.stride);
  if (flag_binding_ >= 0) flag_slot_ = uniforms.add(flag_element_ - bindings.first_element(flag_binding_));
  if (!windowed()) return;
  uniforms.add(axis_.window.first);
  uniforms.add(axis_.window.count);
}

std::string IndexedAddresses::address(int j, const std::string& index) const {
  return "eg_indexed_address(" + addresses_.element(0, j) + ", " + index + ", " + position_of(j) + ")";
}

/// Without branches, around which loads would not be moved.
std::string IndexedAddresses::function() const {
  const std::string length = uniform_at(axis_slot_), stride = uniform_at(axis_slot_ + 1);
  std::string text =
      "const uint eg_no_address = 0xffffffffu;\nuint eg_out_of_range = eg_no_address;\n"
      "uint eg_indexed_address(uint start, int index, uint position) {\n"
      "  uint i = uint(index) + (index < 0 ? " +
      length + " : 0u);\n  bool absent = i >= " + length + ";\n";
  if (out_of_range_ != OutOfRange::ignored) {
    const std::string ends = out_of_range_ == OutOfRange::flagged_except_length ? " && i != " + length : "";
    text += "  eg_out_of_range = min(eg_out_of_range, absent" + ends + " ? position : eg_no_address);\n";
  }
  if (windowed()) {
    const int first = (flag_binding_ >= 0 ? flag_slot_ : axis_slot_ + 1) + 1;
    text += "  absent = absent || i - " + uniform_at(first) + " >= " + uniform_at(first + 1) + ";\n";
  }
  return text + "  return absent ? eg_no_address : start + i * " + stride + ";\n}\n" + report_function();
}

/// Once an invocation: llvmpipe loops over all lanes of an atomic even where none takes part.
std::string IndexedAddresses::report_function() const {
  if (out_of_range_ == OutOfRange::ignored) return "void eg_report() {}\n";
  const std::string flag = block_name(flag_binding_) + "[" + uniform_at(flag_slot_) + "]";
  return "void eg_report() {\n  if (eg_out_of_range != eg_no_address) atomicMin(" + flag + ", eg_out_of_range);\n}\n";
}

}  // namespace eglantine::lower
