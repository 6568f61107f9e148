#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "codegen/addresses/access_pattern.hpp"
#include "codegen/uniforms.hpp"

namespace eglantine::codegen {

/// What addresses a shader computes, and from what.
struct AddressSpec {
  std::string name;  ///< prefix of the GLSL names
  Shape domain;
  std::vector<AxisSpan> spans;  ///< one, or two: `<name>_address` then fixes the index in the first
  int width = 4;                ///< elements of a vector: 4, or 1
  int vector_span = 0;          ///< the span whose index counts vectors
  bool in_rows = false;         ///< width 4: that index is a vector's first element, and its row holds all four
  bool whole = false;  ///< width 4: the program serves only multiples of four elements and has no tail, also where the
                       ///< span is one axis; in_rows: the index is a multiple of four
  bool steps = false;  ///< of two spans, width 1: what the second's index adds is computed apart, by `<name>_step`
  bool in_loop = false;  ///< a loop runs through the last span: what does not change in it is kept out of it
  bool masked = false;   ///< width 4: whoever loads uses nothing of a vector past the last element
  bool keeps =
      false;          ///< of two spans: `<name>_keep()` loads what stays the same in the second, after `<name>_address`
  int64_t apart = 1;  ///< width 4, no coordinates in the vector span: from one element of a vector to the next
  std::string inner = {};   ///< width 4: a bool in the text, whether all four of an index's elements are there; or none
  bool of_memory = false;   ///< of two spans, width 4: vectors of the second are memory's, the first begins up to three
                            ///< elements before it (`<name>_before`), and whoever loads leaves those out; what is read
                            ///< anywhere begins there alike
  bool from_start = false;  ///< of two spans, width 4: where vectors of the second begin anywhere, their places in
                            ///< memory are counted from that of the first
  std::optional<Layout> beside = {};  ///< in_rows: most vectors begin at multiples of four in this layout
  int64_t run = 1;     ///< neighbouring vectors that an index of the last span, the vector span, names (run_length())
  bool ahead = false;  ///< what is read may be loaded before its value is wanted (LoadStage::loads_ahead())
};

/// The addresses of several layouts over one domain, as functions of the linear indices of its spans. A vector is four
/// consecutive elements of the vector span; a partial last vector repeats the last element. With `apart` a over 1,
/// component j of vector v is element 4 a (v / a) + v % a + j a instead: invocations with neighbouring v then access
/// neighbouring elements, component by component.
class Addresses {
 public:
  explicit Addresses(AddressSpec spec);

  int add(const Layout& x, bool vectors, bool anywhere = false);  ///< access by vec4; contiguous from anywhere on
  /// What an element's value or bound counts: along one axis it is the coordinate, which takes no multiplication.
  int add_iota(const Layout& x, bool vectors, bool anywhere = false);
  VectorAccess access(int item) const { return items_[static_cast<size_t>(item)].access; }
  int width() const { return spec_.width; }
  int items() const { return static_cast<int>(items_.size()); }
  /// Whether an item's address depends on the index in a span.
  bool changes_in(int item, int span) const {
    return items_[static_cast<size_t>(item)].pattern[static_cast<size_t>(span)] != AccessPattern::broadcast;
  }
  /// Whether a gather reads at most two elements, one in each of two rows along which they repeat: components 0 and 3,
  /// and the others are the latter where `past` (after statements()) is true.
  bool repeats_along_rows(int item) const;
  layout::Reach reached(int item, const std::vector<Window>& windows) const;  ///< over a window of each span
  /// Once, after every add(): lengths, strides, first addresses less bases[i]. last: the last index of the vector span.
  /// same: addresses of the domain in the same program, after this, whose divisors these take: to a compiler the same
  /// numbers in other uniforms are others.
  void add_uniforms(const std::vector<int64_t>& bases, int64_t last, Uniforms& uniforms,
                    const Addresses* same = nullptr);
  int divisor_slot(int axis) const { return divisor_slot_[static_cast<size_t>(axis)]; }  ///< or -1

  std::string address_function() const;  ///< global variables, `<name>_address(uint number)`; empty for one span
  /// Of steps: global variables, `<name>_step(uint number)`.
  std::string step_function() const;
  std::vector<std::string> step_state() const;                          ///< the variables that it sets
  bool steps_divide() const { return needs_coordinates(spans() - 1); }  ///< it divides the index by lengths of axes
  /// Defines `a<item>`, the address at index `number` (GLSL) of the last span: a uint, or a uvec4 for gather.
  std::string statements(const std::string& number) const;
  std::string element(int item, int j) const;  ///< after statements(): the address of component j of a vector
  std::string length_less_one() const;         ///< after statements(): of the vector's existing elements
  std::string last_element(int item) const;  ///< after statements(): the address of the last that exists, for anywhere
  /// from_start: after statements() the address of the first of the vectors, whose number is to be added to its vector
  /// in memory; or "".
  std::string first_of_vectors(int item) const;
  std::string quad(int item) const;  ///< after statements(): the index of the vector's vec4 in its block, for vec4
  /// The same in a block whose elements are 2^shift of the item's, for an address that is a multiple of them.
  std::string place(int item, int shift) const;
  std::string count() const;        ///< after statements(): how many elements the vector has
  std::string exists(int j) const;  ///< after statements(): the condition that component j exists
  /// Whether component j of some vector may be past the last element.
  bool may_lack(int j) const { return has_tail_ && (j > 0 || spec_.apart > 1); }
  /// Whether vectors of a layout begin at multiples of four in memory, whatever the step from element to element.
  bool aligned(const Layout& x) const;
  /// of_memory: whether the first vector may begin before the first element.
  bool begins_before() const;
  bool has_tail() const { return has_tail_; }  ///< the last vector may be partial

 private:
  struct Item {
    Layout layout;
    std::array<AccessPattern, 2> pattern{AccessPattern::broadcast, AccessPattern::broadcast};  ///< by span
    VectorAccess access = VectorAccess::single;
    int twin = -1;       ///< an earlier item at a constant distance: coordinates are multiplied once for both
    int counted = -1;    ///< the axis of an iota that is the coordinate along it
    int base_slot = -1;  ///< the first address, or the distance
    std::array<int, 2> span_stride_slot{-1, -1};   ///< by span
    std::array<int, max_rank> axis_stride_slot{};  ///< by axis
  };

  int spans() const { return static_cast<int>(spec_.spans.size()); }
  /// The vector span is the first, whose index exists() needs after address_function() has fixed it.
  bool recalls_vector() const { return has_tail_ && spans() > 1 && spec_.vector_span == 0; }
  bool is_vector(int span) const { return spec_.width == 4 && span == spec_.vector_span; }
  const Item& item(int number) const { return items_[static_cast<size_t>(number)]; }
  bool needs_coordinates(int span) const;
  bool gathers(const Item& item, int span) const { return is_vector(span) && item.access == VectorAccess::gather; }
  int twin_of(const Item& item) const;
  VectorAccess vector_access_of(const Item& item, bool vectors, bool anywhere) const;
  std::string start_of(int number, int span) const;
  bool adds_vectors(const Item& item, int shift) const;
  std::string offset_in(const Item& item, int span) const;
  std::string inner_stride(const Item& item) const;
  std::string coordinates(int span) const;
  std::string next_coordinates(int span, int j) const;
  std::string first_element(const std::string& number) const;
  int first_anywhere() const;  ///< or -1
  std::string steps_in_vector(const Item& item, int span) const;
  std::string span_statements(int span, const std::string& number) const;
  std::string gathered_items(int span) const;
  bool steps_by_coordinates(int number, int span) const;
  std::string gathered_by_steps(int span) const;
  bool reaches_two_rows(int span) const;  ///< at most
  std::string next_row(int span) const;
  std::string row_offset(const Item& item, int span, const char* prefix) const;
  std::string in_two_rows(int number, int span, const std::string& length) const;
  std::string gathered_from_rows(int span) const;
  std::string twins(int span) const;
  std::string sums_of_steps() const;

  AddressSpec spec_;
  bool has_tail_ = false;
  std::vector<Item> items_;
  std::array<int, max_rank> divisor_slot_;  ///< by axis; -1 where nothing divides
  int last_slot_ = -1;                      ///< the vector span's last index
};

std::string moved(const std::string& address, int64_t distance);  ///< GLSL: address + distance

}  // namespace eglantine::codegen
