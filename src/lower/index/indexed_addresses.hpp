#pragma once

#include <string>

#include "codegen/addresses/addresses.hpp"
#include "lower/lowering.hpp"

namespace eglantine::lower {

/// The axis that indices address, and the window of it that one dispatch covers.
struct IndexedAxis {
  int64_t length = 0, stride = 0;
  Window window;
};

/// What an index out of range does: lowers the check's flag to its position; the same except for the index `length`,
/// which is a no-op; or nothing, since another pass has checked.
enum class OutOfRange : char { flagged = 'f', flagged_except_length = 'p', ignored = 'i' };

/// Addresses that depend on indices, as GLSL. `uint eg_indexed_address(uint start, int index, uint position)` is the
/// element `index` along the axis from element `start` on, counted from the start of a binding, or eg_no_address when
/// it is outside the dispatch's window. `void eg_report()`, at an invocation's end, updates the flag.
class IndexedAddresses {
 public:
  /// start: over the domain, the element at index 0 of the axis. position: over the domain, the row-major position in
  /// the index tensor. vectors, anywhere: as of Addresses::add().
  IndexedAddresses(const codegen::AddressSpec& spec, const Layout& start, const Layout& position,
                   const IndexedAxis& axis, OutOfRange out_of_range, bool vectors, bool anywhere = false);

  /// How a vector lies in memory, given one index for the vector.
  codegen::VectorAccess access() const { return addresses_.access(0); }
  /// All elements that the domain and the window lead to.
  layout::Reach reached() const;
  void bind_flag(codegen::Bindings& bindings, const Buffer* flags, int64_t element);
  /// After every bind of the program. base: the first element of the binding that the addresses count in.
  void add_uniforms(int64_t base, const codegen::Bindings& bindings, codegen::Uniforms& uniforms);

  std::string function() const;
  /// Statements that the functions below need, for vector `number` (a GLSL expression).
  std::string statements(const std::string& number) const { return addresses_.statements(number); }
  /// The address, and the position, of component j of a vector.
  std::string address(int j, const std::string& index) const;
  std::string position_of(int j) const { return addresses_.element(1, j); }
  /// How far a vector's last element is from its first.
  std::string length_less_one() const { return addresses_.length_less_one(); }
  /// The condition that the vector has a component j; empty where it always does.
  std::string exists(int j) const { return addresses_.has_tail() && j > 0 ? addresses_.exists(j) : ""; }

 private:
  bool windowed() const { return axis_.window.count < axis_.length; }
  Window all() const;
  std::string report_function() const;

  Shape domain_;
  IndexedAxis axis_;
  OutOfRange out_of_range_;
  codegen::Addresses addresses_;
  int flag_binding_ = -1;
  int64_t flag_element_ = 0;
  int flag_slot_ = -1, axis_slot_ = -1;
};

}  // namespace eglantine::lower
