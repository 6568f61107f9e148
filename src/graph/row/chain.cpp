#include "graph/row/chain.hpp"

#include <algorithm>

#include "graph/row/extraction.hpp"
#include "graph/row/instructions.hpp"
#include "graph/row/joins.hpp"
#include "graph/row/values.hpp"

namespace eglantine {

namespace {

using What = RowStep::What;

/// Gives the values numbers, and writes the steps that compute and store them, pass by pass.
class ChainWriter {
 public:
  ChainWriter(const RowKernel& kernel, RowReads reads)
      : code_(kernel),
        joins_(reads == RowReads::joined ? find_joins(code_) : std::vector<RowJoin>{}),
        staged_(reads == RowReads::staged ? staged_values(code_) : std::vector<bool>{}),
        kinds_(row_values(code_, reads == RowReads::once || reads == RowReads::staged, staged_, joins_)),
        numbers_(kinds_.size(), -1),
        extraction_(code_, numbers_) {}

  RowChain run() {
    number();
    for (int pass = 0; pass <= code_.most_level(); ++pass) write_pass(pass);
    chain_.passes = code_.most_level() + 1;
    return std::move(chain_);
  }

 private:
  int number_of(int32_t i) const { return numbers_[static_cast<size_t>(i)]; }
  bool is_staged(int32_t i) const { return !staged_.empty() && staged_[static_cast<size_t>(i)]; }
  bool is_fold_of(int32_t i, int pass) const { return code_.step(i).op == Op::fold && code_.level(i) == pass + 1; }

  void number() {
    for (int32_t i = 0; i < code_.size(); ++i) {
      if (kinds_[static_cast<size_t>(i)] == ValueKind::none) continue;
      numbers_[static_cast<size_t>(i)] = static_cast<int>(chain_.values.size());
      chain_.values.push_back({code_.step(i).dtype, code_.of_row(i), code_.level(i), code_.level(i)});
    }
  }

  void write_pass(int pass) {
    add_values(pass, ValueKind::of_row);
    add_stores(pass, true);
    add_values(pass, ValueKind::kept);
    add_folds(pass);
    add_stores(pass, false);
  }

  void add_values(int pass, ValueKind kind) {
    const bool row = kind == ValueKind::of_row;
    for (int32_t i = 0; i < code_.size(); ++i)
      if (kinds_[static_cast<size_t>(i)] == kind && code_.level(i) == pass)
        add({.what = row ? What::row_value : What::keep,
             .expr = computed(i, row),
             .value = number_of(i),
             .pass = pass,
             .of_row = row,
             .staged = is_staged(i)});
  }

  void add_folds(int pass) {
    for (int32_t i = 0; i < code_.size(); ++i)
      if (is_fold_of(i, pass)) add(fold_of(i, pass));
  }

  RowStep fold_of(int32_t i, int pass) {
    const Instruction& fold = code_.step(i);
    RowStep made{.what = What::fold,
                 .expr = computed(fold.args[0], false, i),
                 .value = number_of(i),
                 .pass = pass,
                 .reduction = static_cast<Reduction>(fold.args[1]),
                 .may_drop_nan = fold.args[2] == 1};
    for (const RowJoin& join : joins_) {
      if (join.fold != i) continue;
      made.joins = join.how;
      made.base = number_of(join.base);
      made.relative_to = number_of(join.relative_to);
      made.of_elements = number_of(join.elements);
    }
    return made;
  }

  void add_stores(int pass, bool of_row) {
    const int kept_rank = code_.kernel.kept_rank;
    code_.for_each_result([&](int32_t i, const Strided& out) {
      if (code_.level(i) != pass || is_of_rows(out.layout, kept_rank) != of_row) return;
      RowStep made{.what = What::store, .expr = stored(i, of_row), .pass = pass, .of_row = of_row, .out = out};
      if (of_row)
        for (int axis = kept_rank; axis < made.out.layout.shape.rank(); ++axis) made.out.layout.shape[axis] = 1;
      add(std::move(made));
    });
  }

  void add(RowStep made) {
    for (const Instruction& each : made.expr.code)
      if (each.op == Op::accumulator) {
        RowChain::Value& used = chain_.values[static_cast<size_t>(each.args[0])];
        used.last = std::max(used.last, made.pass);
      }
    chain_.steps.push_back(std::move(made));
  }

  /// What i is computed from. Elements that are joined stay for their folds alone; others read them again.
  Expr computed(int32_t i, bool row, int32_t fold = -1) {
    const std::vector<int> all = numbers_;
    for (const RowJoin& join : joins_)
      if (fold != join.fold && fold != join.base) numbers_[static_cast<size_t>(join.elements)] = -1;
    const bool known = fold >= 0 && number_of(i) >= 0;
    Expr expr = known ? extraction_.of_value(i, row) : extraction_.of(i, row);
    numbers_ = all;
    return expr;
  }

  Expr stored(int32_t i, bool row) {
    const bool joined = std::ranges::any_of(joins_, [&](const RowJoin& join) { return join.elements == i; });
    return number_of(i) >= 0 && !joined ? extraction_.of_value(i, row) : computed(i, row);
  }

  RowInstructions code_;
  std::vector<RowJoin> joins_;
  std::vector<bool> staged_;  ///< by instruction; empty where nothing is
  std::vector<ValueKind> kinds_;
  std::vector<int> numbers_;  ///< of the values, by instruction; -1 of others
  RowExtraction extraction_;
  RowChain chain_;
};

}  // namespace

int RowChain::most_kept() const {
  int most = 0;
  for (int pass = 1; pass < passes; ++pass) {
    const auto stays = [&](const Value& x) { return !x.of_row && x.first < pass && x.last >= pass; };
    most = std::max(most, static_cast<int>(std::count_if(values.begin(), values.end(), stays)));
  }
  return most;
}

RowChain chain_of(const RowKernel& kernel, RowReads reads) { return ChainWriter(kernel, reads).run(); }

}  // namespace eglantine
