#pragma once

#include <array>
#include <string>
#include <vector>

#include "codegen/access_pattern.hpp"
#include "codegen/uniforms.hpp"

namespace eglantine::codegen {

/// What addresses a shader must compute, and from what.
struct AddressSpec {
  std::string name;  ///< prefix of the GLSL names
  Shape domain;
  std::vector<AxisSpan> spans;  ///< one, or two: the first is then fixed by a call of `<name>_address`
  int width = 4;                ///< elements a call handles: 4, or 1
  int vector_span = 0;          ///< the part whose number counts vectors of `width` elements
  bool in_rows = false;         ///< width 4: that number is a vector's first element, whose row holds all four
  bool whole = false;  ///< width 4: that part's count is a multiple of four, also where it is one axis and its program
                       ///< could serve others
};

/// The addresses of several layouts over one domain, as functions of the windows of its parts. A vector is four
/// elements that follow each other in the vector part; when that part's count is no multiple of four, the last vector
/// repeats the last element instead of passing it.
class Addresses {
 public:
  explicit Addresses(AddressSpec spec);

  /// Adds a layout over the domain. may_load_vec4: a buffer's, in which a vec4 may be read.
  int add(const Layout& x, bool may_load_vec4);
  VectorAccess access(int item) const { return items_[static_cast<size_t>(item)].access; }
  int width() const { return spec_.width; }
  /// The addresses reached over windows of each part.
  layout::Reach reached(int item, const std::vector<Window>& windows) const;
  /// Puts lengths, strides and the address of each layout's first element into uniforms; call once, after every add().
  /// bases[i]: what to subtract from item i's addresses. last: the vector part's last number.
  void add_uniforms(const std::vector<int64_t>& bases, int64_t last, Uniforms& uniforms);

  /// Global variables and the function `<name>_address(uint number)`; empty with one part.
  std::string address_function() const;
  /// Statements that define the addresses at the last part's number (a GLSL expression): `a<item>`, a uint, or a uvec4
  /// where the access is gather.
  std::string statements(const std::string& number) const;
  /// The address of component j of a vector, after statements().
  std::string element(int item, int j) const;
  /// The number of a vector's vec4, where the access is vec4, after statements().
  std::string quad(int item) const;
  /// A condition, after statements(): component j of the vector exists.
  std::string exists(int j) const;
  /// Whether the vector part's last vector may hold fewer than four elements.
  bool has_tail() const { return has_tail_; }

 private:
  struct Item {
    Layout layout;
    std::array<AccessPattern, 2> pattern{AccessPattern::broadcast, AccessPattern::broadcast};  ///< by part
    VectorAccess access = VectorAccess::single;
    int base_slot = -1;
    std::array<int, 2> span_stride_slot{-1, -1};   ///< by part
    std::array<int, max_rank> axis_stride_slot{};  ///< by axis
  };

  int spans() const { return static_cast<int>(spec_.spans.size()); }
  /// The vector lies in the part that seek() fixed, and exists() is asked of it after that.
  bool recalls_vector() const { return has_tail_ && spans() > 1 && spec_.vector_span == 0; }
  bool is_vector(int span) const { return spec_.width == 4 && span == spec_.vector_span; }
  const Item& item(int number) const { return items_[static_cast<size_t>(number)]; }
  bool needs_coordinates(int span) const;
  bool gathers(const Item& item, int span) const { return is_vector(span) && item.access == VectorAccess::gather; }
  bool aligned(const Layout& x) const;
  VectorAccess vector_access_of(const Item& item, bool may_load_vec4) const;
  std::string start_of(int number, int span) const;
  std::string offset_in(const Item& item, int span) const;
  std::string inner_stride(const Item& item) const;
  std::string coordinates(int span) const;
  std::string next_coordinates(int span, int j) const;
  std::string span_statements(int span, const std::string& number) const;
  std::string gathered_items(int span) const;

  AddressSpec spec_;
  bool has_tail_ = false;
  std::vector<Item> items_;
  std::array<int, max_rank> divisor_slot_{};  ///< by axis
  int last_slot_ = -1;                        ///< the vector part's last number
};

}  // namespace eglantine::codegen
