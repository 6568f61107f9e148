#pragma once

#include <optional>
#include <vector>

#include "graph/kernel/kernel.hpp"

/// What a row kernel does to each row, pass by pass: backends run it step by step.
namespace eglantine {

/// Values that later steps use have numbers, which Op::accumulator names in the steps' expressions.
struct RowStep {
  enum class What : uint8_t {
    row_value,  ///< computes a value that is one for the row
    keep,       ///< computes a value of each element, which stays on the chip
    fold,       ///< combines an expression over the row's elements: gives a value of the row
    store,      ///< writes an expression, of each element or (of_row) of the row
  };
  What what;
  Expr expr;       ///< over the kernel's domain; where it is of the row, axes of length 1 stand for those of a row
  int value = -1;  ///< the number of what it computes; none of a store
  int pass = 0;    ///< the walk over the row that it belongs to; what is of the row is computed before its elements
  bool of_row = false;
  bool staged = false;    ///< kept, and computed of elements' operands and constants alone (RowReads::staged)
  Reduction reduction{};  ///< of a fold
  bool may_drop_nan = false;
  /// Of a fold that may be combined in the pass before its own, together with the fold that gives value `base`, of the
  /// elements `of_elements` (a value): relative to what `base` is so far, and rebased as that changes.
  enum class Joins : uint8_t { none, exponentials, squares };
  Joins joins = Joins::none;  ///< sum of exp(x - t), base the maximum of x; sum of (x - t)^2, base the sum of x
  int base = -1, relative_to = -1, of_elements = -1;  ///< values: base, t, and x
  Strided out{};                                      ///< of a store
};

struct RowChain {
  struct Value {
    DType dtype;
    bool of_row;
    int first, last;  ///< passes that compute it, and that use it last
  };
  std::vector<Value> values;
  std::vector<RowStep> steps;  ///< in the order in which they run
  int passes = 0;

  /// Values of each element that stay from one pass to a later one, at most at a time.
  int most_kept() const;
};

/// How a chain runs: values of elements stay on the chip, and operands are read once; or each pass reads them again; or
/// does, but for passes that only combine what may be combined one pass earlier. staged: as once, and operands of
/// elements are read by steps of their own (RowStep::staged).
enum class RowReads : uint8_t { once, each_pass, joined, staged };
RowChain chain_of(const RowKernel& kernel, RowReads reads);

}  // namespace eglantine
