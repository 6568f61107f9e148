#include "lower/row/near.hpp"

#include <algorithm>
#include <vector>

#include "graph/kernel/expression.hpp"
#include "graph/row/instructions.hpp"

namespace eglantine::lower {
namespace {

/// What depends on what in a row kernel's expression.
class Dependencies {
 public:
  explicit Dependencies(const RowKernel& kernel) : value_(kernel.value), of_row_(of_rows(value_, kernel.kept_rank)) {}

  int32_t size() const { return static_cast<int32_t>(value_.code.size()); }
  const Instruction& step(int32_t i) const { return value_.code[static_cast<size_t>(i)]; }
  bool of_row(int32_t i) const { return of_row_[static_cast<size_t>(i)]; }

  std::vector<bool> below(int32_t root) const {
    std::vector<bool> found(value_.code.size());
    found[static_cast<size_t>(root)] = true;
    for (int32_t i = root; i >= 0; --i)
      if (found[static_cast<size_t>(i)])
        for_each_argument(value_, step(i), [&](int32_t x) { found[static_cast<size_t>(x)] = true; });
    return found;
  }

  std::vector<int32_t> results() const {
    std::vector<int32_t> found{size() - 1};
    for (int32_t i = 0; i < size(); ++i)
      if (step(i).op == Op::store) found.push_back(step(i).args[0]);
    return found;
  }

  /// The maximum whose difference from x is the exponential's argument; or -1.
  int32_t maximum_of(int32_t exponential) const {
    if (step(exponential).op != Op::exp) return -1;
    const Instruction& difference = step(step(exponential).args[0]);
    if (difference.op != Op::sub || !of_row(difference.args[1])) return -1;
    const std::vector<bool> needed = below(difference.args[1]);
    for (int32_t i = 0; i < size(); ++i)
      if (needed[static_cast<size_t>(i)] && is_maximum(i) && step(i).args[0] == difference.args[0]) return i;
    return -1;
  }

  /// Whether a NaN among what i, a maximum, combines shows in every result through the sum of `exponential`.
  bool shows_elsewhere(int32_t maximum, int32_t exponential) const {
    const std::vector<int32_t> all = results();
    return std::all_of(all.begin(), all.end(), [&](int32_t result) {
      const std::vector<bool> needed = below(result);
      if (!needed[static_cast<size_t>(maximum)]) return true;
      for (int32_t i = 0; i < size(); ++i)
        if (needed[static_cast<size_t>(i)] && is_sum(i) && step(i).args[0] == exponential) return true;
      return false;
    });
  }

 private:
  bool is_fold(int32_t i, Reduction reduction) const {
    return step(i).op == Op::fold && step(i).args[1] == static_cast<int32_t>(reduction);
  }
  bool is_maximum(int32_t i) const { return is_fold(i, Reduction::max); }
  bool is_sum(int32_t i) const { return is_fold(i, Reduction::sum); }

  const Expr& value_;
  std::vector<bool> of_row_;
};

}  // namespace

RowKernel with_quick_maxima(const RowKernel& kernel, bool near) {
  RowKernel result = kernel;
  const Dependencies all(kernel);
  const std::vector<int32_t> results = all.results();
  for (int32_t i = 0; i < all.size(); ++i) {
    const int32_t maximum = all.maximum_of(i);
    if (maximum < 0 || std::find(results.begin(), results.end(), i) != results.end()) continue;
    if (near) result.value.code[static_cast<size_t>(i)].op = Op::exp_near;
    if (all.shows_elsewhere(maximum, i)) result.value.code[static_cast<size_t>(maximum)].args[2] = 1;
  }
  return result;
}

}  // namespace eglantine::lower
