#pragma once

#include <string>

#include "codegen/addresses.hpp"
#include "codegen/bindings.hpp"

namespace eglantine::lower {

/// An axis that indices choose from, and the part of it that one dispatch looks at.
struct IndexedAxis {
  int64_t length = 0, stride = 0;
  codegen::Window window;
};

/// What becomes of an index that lies outside its axis: its place goes to the flag of the check; the same but for the
/// index `length`, which means nothing; or nothing, since another pass has looked.
enum class OutOfRange : char { flagged = 'f', flagged_except_length = 'p', ignored = 'i' };

/// Where indices lead, as GLSL: `uint eg_indexed_address(uint start, int index, uint position)` is the element at which
/// `index` along the axis lies from the element `start`, or eg_no_address when it lies in no part of the axis that this
/// dispatch looks at. Elements count from the start of a binding. `void eg_report()`, at an invocation's end, tells the
/// flag.
class IndexedAddresses {
 public:
  /// start: over the domain, the element at place 0 of the axis. place: over the domain, the index's number in the
  /// index tensor. vectors: whether four elements that follow each other may be taken as one vec4.
  IndexedAddresses(const codegen::AddressSpec& spec, const Layout& start, const Layout& position,
                   const IndexedAxis& axis, OutOfRange out_of_range, bool vectors);

  /// Whether all vectors start at a multiple of four elements and continue from there, if one index serves a vector.
  bool by_vec4() const;
  /// All elements that the domain and the part of the axis lead to.
  layout::Reach reached() const;
  void bind_flag(codegen::Bindings& bindings, const Buffer* flags, int64_t element);
  /// After every bind of the program. base: the element at which the binding starts that the addresses are in.
  void add_uniforms(int64_t base, const codegen::Bindings& bindings, codegen::Uniforms& uniforms);

  std::string function() const;
  /// Statements after which the others hold, for the vector `number` (a GLSL expression).
  std::string statements(const std::string& number) const { return addresses_.statements(number); }
  /// The address and the place of component j of a vector.
  std::string address(int j, const std::string& index) const;
  std::string position_of(int j) const { return addresses_.element(1, j); }
  /// A condition, empty where it always holds: the vector has a component j.
  std::string exists(int j) const { return addresses_.has_tail() && j > 0 ? addresses_.exists(j) : ""; }

 private:
  codegen::Window all() const;
  std::string report_function() const;

  Shape domain_;
  IndexedAxis axis_;
  OutOfRange out_of_range_;
  bool windowed_;
  codegen::Addresses addresses_;
  int flag_binding_ = -1;
  int64_t flag_element_ = 0;
  int flag_slot_ = -1, axis_slot_ = -1;
};

}  // namespace eglantine::lower
