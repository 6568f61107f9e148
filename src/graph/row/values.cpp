#include "graph/row/values.hpp"

#include <algorithm>

#include "graph/kernel/expression.hpp"

namespace eglantine {

namespace {

/// Instructions computed of elements' operands and constants alone.
std::vector<bool> of_elements_alone(const RowInstructions& code) {
  std::vector<bool> found;
  for (int32_t i = 0; i < code.size(); ++i) {
    const Instruction& x = code.step(i);
    bool all = x.op <= Op::cast, any = false;
    for_each_argument(code.value, x, [&](int32_t arg) {
      const bool is = found[static_cast<size_t>(arg)];
      any = any || is;
      all = all && (is || code.is_constant(arg));
    });
    const bool reads = x.op == Op::load && !code.value.piecewise_of(static_cast<size_t>(x.args[0]));
    found.push_back(reads ? !code.of_row(i) && !code.is_free(i) : all && any);
  }
  return found;
}

/// Marks values, from the results to what they are made of: all users of a value come before it.
class Marking {
 public:
  Marking(const RowInstructions& code, bool keeps, const std::vector<bool>& staged)
      : code_(code), keeps_(keeps), staged_(staged), values_(code.value.code.size(), ValueKind::none) {}

  std::vector<ValueKind> run(const std::vector<RowJoin>& joins) {
    for (int32_t i = 0; i < code_.size(); ++i) {
      if (code_.step(i).op == Op::fold) at(i) = ValueKind::folded;
      if (is_staged(i)) at(i) = ValueKind::kept;
    }
    for (const RowJoin& join : joins) {
      at(join.elements) = ValueKind::kept;
      if (at(join.relative_to) == ValueKind::none) at(join.relative_to) = ValueKind::of_row;
    }
    std::vector<bool> root(values_.size());
    code_.for_each_result([&](int32_t i, const Strided&) { root[static_cast<size_t>(i)] = true; });
    for (int32_t i = code_.size() - 1; i >= 0; --i) {
      if (code_.step(i).op == Op::fold)
        mark_below(code_.step(i).args[0]);
      else if (root[static_cast<size_t>(i)] || at(i) != ValueKind::none)
        mark_below(i);
    }
    return std::move(values_);
  }

 private:
  ValueKind& at(int32_t i) { return values_[static_cast<size_t>(i)]; }
  bool is_staged(int32_t i) const { return !staged_.empty() && staged_[static_cast<size_t>(i)]; }

  /// Marks what element-wise computing of `root` in its pass uses of other steps.
  void mark_below(int32_t root) {
    std::vector<bool> needed(static_cast<size_t>(root) + 1);
    needed.back() = true;
    for (int32_t i = root; i >= 0; --i)
      if (needed[static_cast<size_t>(i)] && (i == root || is_computed_with(i, root)))
        for_each_argument(code_.value, code_.step(i), [&](int32_t x) { needed[static_cast<size_t>(x)] = true; });
  }

  /// Whether computing `root` computes i as well; marks it where it does not.
  bool is_computed_with(int32_t i, int32_t root) {
    if (at(i) == ValueKind::folded || is_staged(i)) return false;
    if (code_.of_row(i) && !code_.of_row(root) && !code_.is_constant(i)) {
      if (at(i) == ValueKind::none) at(i) = ValueKind::of_row;
      return false;
    }
    const bool earlier = !code_.of_row(i) && code_.level(i) < code_.level(root);
    if (!keeps_ || !earlier || !code_.is_costly(i) || code_.is_free(i)) return true;
    at(i) = ValueKind::kept;
    return false;
  }

  const RowInstructions& code_;
  bool keeps_;
  const std::vector<bool>& staged_;
  std::vector<ValueKind> values_;
};

}  // namespace

std::vector<bool> staged_values(const RowInstructions& code) {
  const std::vector<bool> inside = of_elements_alone(code);
  std::vector<bool> used(inside.size()), loads(inside.size());
  const auto use = [&](int32_t i) {
    if (inside[static_cast<size_t>(i)]) used[static_cast<size_t>(i)] = true;
  };
  for (int32_t i = 0; i < code.size(); ++i) {
    loads[static_cast<size_t>(i)] = inside[static_cast<size_t>(i)] && code.step(i).op == Op::load;
    if (!inside[static_cast<size_t>(i)] && code.step(i).op != Op::store)
      for_each_argument(code.value, code.step(i), use);
  }
  code.for_each_result([&](int32_t i, const Strided&) { use(i); });
  return std::ranges::count(used, true) <= std::ranges::count(loads, true) ? used : loads;
}

std::vector<ValueKind> row_values(const RowInstructions& code, bool keeps, const std::vector<bool>& staged,
                                  const std::vector<RowJoin>& joins) {
  return Marking(code, keeps, staged).run(joins);
}

}  // namespace eglantine
