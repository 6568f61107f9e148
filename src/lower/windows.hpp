#pragma once

#include <algorithm>
#include <vector>

#include "graph/kernel/parts.hpp"
#include "layout/split.hpp"
#include "lower/target.hpp"

/// Windows: the boxes of a kernel's domain that one dispatch each covers, where one binding does not cover all that an
/// operand reaches, or the elements are too many to be counted in 32 bits.
namespace eglantine::lower {

inline constexpr int64_t elements_a_dispatch = int64_t{1} << 30;

/// The layouts of an expression's operands, but for piecewise reads (lower/piecewise.hpp).
std::vector<Layout> layouts_of(const Expr& expr);

/// The layouts of what a kernel reads and writes, of a family whose expressions share one domain: map, scan, row,
/// gather. Without piecewise reads (lower/piecewise.hpp).
template <class K>
std::vector<Layout> layouts_of(const K& kernel) {
  std::vector<Layout> layouts{kernel.out.layout};
  kernel_parts::expressions(kernel, [&](const Expr& expr) {
    const std::vector<Layout> read = layouts_of(expr);
    layouts.insert(layouts.end(), read.begin(), read.end());
  });
  return layouts;
}

/// Bytes of the widest element that a kernel reads or writes.
template <class K>
int64_t widest_element(const K& kernel) {
  int64_t bytes = bytes_of(kernel.out.storage);
  if constexpr (requires { kernel.source; }) bytes = std::max(bytes, bytes_of(kernel.source.storage));
  kernel_parts::expressions(kernel, [&](const Expr& expr) {
    for (const Strided& operand : expr.operands) bytes = std::max(bytes, bytes_of(operand.storage));
  });
  return bytes;
}

/// What windows are cut by: layouts over one domain, of elements of at most `element_bytes`. Cuts along axis i fall on
/// multiples of multiples[i].
struct Cut {
  std::vector<Layout> layouts;
  Shape multiples;
  int64_t element_bytes;
};

/// Cuts along the innermost axis fall on multiples of `wanted` where so many elements fit into one binding wherever
/// they start; along the others anywhere.
Cut cut_along_inner(const Target& target, std::vector<Layout> layouts, int64_t wanted, int64_t element_bytes);

layout::SplitLimits limits_of(const Target& target);
/// As few windows as the target's limits allow (layout::split). Throws ShapeError where can_be_cut() is false.
std::vector<layout::Box> windows_of(const Target& target, const Shape& domain, const Cut& cut);
/// Whether one binding covers what each layout reaches between two multiples.
bool can_be_cut(const Target& target, const Cut& cut);

}  // namespace eglantine::lower
