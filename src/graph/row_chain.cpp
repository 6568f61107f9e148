#include "graph/row_chain.hpp"

#include <algorithm>

#include "graph/expression.hpp"
#include "graph/op_info.hpp"

namespace eglantine {

namespace {

using What = RowStep::What;

bool is_of_rows(const Expr& value, size_t operand, int kept_rank) {
  const auto still = [&](int32_t iota) {
    return eglantine::is_of_rows(value.iotas[static_cast<size_t>(iota)], kept_rank);
  };
  if (const PiecewiseRead* read = value.piecewise_of(operand)) {
    const auto all = [&](const auto& parts) {
      return std::all_of(parts.begin(), parts.end(), [&](const auto& part) { return still(part.iota); });
    };
    if (!all(read->jumps) || !all(read->bounds)) return false;
  }
  return eglantine::is_of_rows(value.operands[operand].layout, kept_rank);
}

/// How many passes come before each instruction can be computed.
std::vector<int> levels_of(const Expr& value) {
  std::vector<int> levels;
  for (const Instruction& step : value.code) {
    int level = 0;
    for_each_argument(value, step, [&](int32_t x) { level = std::max(level, levels[static_cast<size_t>(x)]); });
    levels.push_back(level + (step.op == Op::fold ? 1 : 0));
  }
  return levels;
}

/// Copies what one instruction is computed from, down to values that have numbers.
class Extraction {
 public:
  /// cut: by instruction, the number of its value or -1.
  Extraction(const RowKernel& kernel, const std::vector<int>& cut, const std::vector<bool>& of_row)
      : from_(kernel.value), kept_rank_(kernel.kept_rank), cut_(cut), of_row_(of_row) {}

  Expr of(int32_t root, bool row) {
    row_ = row;
    result_ = {};
    result_.domain = from_.domain;
    shorten(result_.domain);
    iotas_.assign(from_.iotas.size(), -1);
    std::vector<bool> needed(static_cast<size_t>(root) + 1);
    needed.back() = true;
    for (int32_t i = root; i >= 0; --i)
      if (needed[static_cast<size_t>(i)] && (i == root || !is_cut(i)))
        for_each_argument(from_, step(i), [&](int32_t x) { needed[static_cast<size_t>(x)] = true; });
    places_.assign(needed.size(), -1);
    for (int32_t i = 0; i <= root; ++i)
      if (needed[static_cast<size_t>(i)] && step(i).op != Op::store) copy(i, i == root);
    return std::move(result_);
  }

  /// The root is a value that has a number itself.
  Expr of_value(int32_t root, bool row) {
    row_ = row;
    result_ = {};
    result_.domain = from_.domain;
    shorten(result_.domain);
    places_.assign(static_cast<size_t>(root) + 1, -1);
    copy(root, false);
    return std::move(result_);
  }

 private:
  const Instruction& step(int32_t i) const { return from_.code[static_cast<size_t>(i)]; }
  bool is_cut(int32_t i) const { return cut_[static_cast<size_t>(i)] >= 0; }

  void shorten(Shape& shape) const {
    for (int axis = row_ ? kept_rank_ : shape.rank(); axis < shape.rank(); ++axis) shape[axis] = 1;
  }
  int32_t iota(int32_t number) {
    int32_t& place = iotas_[static_cast<size_t>(number)];
    if (place < 0) {
      place = static_cast<int32_t>(result_.iotas.size());
      result_.iotas.push_back(from_.iotas[static_cast<size_t>(number)]);
      shorten(result_.iotas.back().shape);
    }
    return place;
  }
  int32_t operand(int32_t number) {
    const auto place = static_cast<int32_t>(result_.operands.size());
    result_.operands.push_back(from_.operands[static_cast<size_t>(number)]);
    shorten(result_.operands.back().layout.shape);
    if (const PiecewiseRead* known = from_.piecewise_of(static_cast<size_t>(number))) {
      PiecewiseRead read = *known;
      read.operand = static_cast<size_t>(place);
      for (PiecewiseRead::Jump& jump : read.jumps) jump.iota = iota(jump.iota);
      for (PiecewiseRead::Bound& bound : read.bounds) bound.iota = iota(bound.iota);
      result_.piecewise.push_back(std::move(read));
    }
    return place;
  }
  int32_t parameter(int32_t number) {
    result_.parameters.push_back(from_.parameters[static_cast<size_t>(number)]);
    return static_cast<int32_t>(result_.parameters.size()) - 1;
  }
  int32_t call(int32_t number) {
    CustomCall made = from_.calls[static_cast<size_t>(number)];
    for (int32_t& argument : made.args) argument = places_[static_cast<size_t>(argument)];
    result_.calls.push_back(std::move(made));
    return static_cast<int32_t>(result_.calls.size()) - 1;
  }

  void copy(int32_t i, bool is_root) {
    const Instruction& old = step(i);
    Instruction made = old;
    if (is_cut(i) && !is_root) {
      const bool one = of_row_[static_cast<size_t>(i)];
      made = {Op::accumulator, old.dtype, {cut_[static_cast<size_t>(i)], one ? 1 : 0, -1}};
    } else if (old.op == Op::load) {
      made.args[0] = operand(old.args[0]);
    } else if (old.op == Op::load_at) {
      made.args = {operand(old.args[0]), places_[static_cast<size_t>(old.args[1])], -1};
    } else if (old.op == Op::parameter) {
      made.args[0] = parameter(old.args[0]);
    } else if (old.op == Op::iota) {
      made.args[0] = iota(old.args[0]);
    } else if (old.op == Op::custom) {
      made.args[0] = call(old.args[0]);
    } else {
      for (int32_t& argument : made.args)
        if (argument >= 0) argument = places_[static_cast<size_t>(argument)];
    }
    places_[static_cast<size_t>(i)] = static_cast<int32_t>(result_.code.size());
    result_.code.push_back(made);
  }

  const Expr& from_;
  int kept_rank_;
  const std::vector<int>& cut_;
  const std::vector<bool>& of_row_;
  bool row_ = false;
  Expr result_;
  std::vector<int32_t> places_, iotas_;
};

/// Decides which values have numbers, and writes the steps.
class ChainWriter {
 public:
  ChainWriter(const RowKernel& kernel, RowReads reads)
      : kernel_(kernel),
        value_(kernel.value),
        keeps_(reads == RowReads::once || reads == RowReads::staged),
        stages_(reads == RowReads::staged),
        joins_(reads == RowReads::joined),
        of_row_(of_rows(value_, kernel.kept_rank)),
        levels_(levels_of(value_)),
        numbers_(value_.code.size(), -1),
        extraction_(kernel, numbers_, of_row_) {}

  RowChain run() {
    if (joins_) find_joins();
    mark();
    number();
    for (int pass = 0; pass <= most_level(); ++pass) write_pass(pass);
    chain_.passes = most_level() + 1;
    return std::move(chain_);
  }

 private:
  enum class Wanted : uint8_t { no, of_row, kept, folded };
  int32_t size() const { return static_cast<int32_t>(value_.code.size()); }
  const Instruction& step(int32_t i) const { return value_.code[static_cast<size_t>(i)]; }
  int level(int32_t i) const { return levels_[static_cast<size_t>(i)]; }
  bool of_row(int32_t i) const { return of_row_[static_cast<size_t>(i)]; }
  int most_level() const { return *std::max_element(levels_.begin(), levels_.end()); }

  template <class Visit>
  void for_each_result(Visit visit) const {
    for (int32_t i = 0; i < size(); ++i)
      if (step(i).op == Op::store) visit(step(i).args[0], value_.operands[static_cast<size_t>(step(i).args[1])]);
    visit(size() - 1, kernel_.out);
  }

  struct Join {
    RowStep::Joins how;
    int32_t fold, base, relative_to, elements;
  };

  bool is_fold(int32_t i, Reduction reduction) const {
    return step(i).op == Op::fold && step(i).args[1] == static_cast<int32_t>(reduction);
  }

  /// The fold, of the pass before, of `elements` by `reduction` that t is computed from; or -1.
  int32_t base_of(int32_t t, Reduction reduction, int32_t elements) const {
    std::vector<bool> needed(static_cast<size_t>(t) + 1);
    needed.back() = true;
    for (int32_t i = t; i >= 0; --i) {
      if (!needed[static_cast<size_t>(i)]) continue;
      if (is_fold(i, reduction) && step(i).args[0] == elements && level(i) == level(t)) return i;
      for_each_argument(value_, step(i), [&](int32_t x) { needed[static_cast<size_t>(x)] = true; });
    }
    return -1;
  }

  std::optional<Join> join_of(int32_t fold) const {
    if (!is_fold(fold, Reduction::sum)) return std::nullopt;
    const Instruction& arg = step(step(fold).args[0]);
    const bool exponential = arg.op == Op::exp || arg.op == Op::exp_near;
    const bool square = arg.op == Op::square || (arg.op == Op::mul && arg.args[0] == arg.args[1]);
    if (!exponential && !square) return std::nullopt;
    const Instruction& difference = step(arg.args[0]);
    if (difference.op != Op::sub || !of_row(difference.args[1])) return std::nullopt;
    const int32_t elements = difference.args[0], t = difference.args[1];
    const int32_t base = base_of(t, exponential ? Reduction::max : Reduction::sum, elements);
    if (base < 0 || level(elements) != level(base) - 1 || level(fold) != level(t) + 1) return std::nullopt;
    return Join{exponential ? RowStep::Joins::exponentials : RowStep::Joins::squares, fold, base, t, elements};
  }

  /// Sums that are all that their pass combines: it need not read the row.
  void find_joins() {
    for (int pass = 1; pass < most_level(); ++pass) {
      std::vector<Join> joins;
      bool all = true;
      for_each_result([&](int32_t i, const Strided&) { all = all && (of_row(i) || level(i) != pass); });
      for (int32_t i = 0; i < size(); ++i) {
        if (step(i).op != Op::fold || level(i) != pass + 1) continue;
        const std::optional<Join> join = join_of(i);
        all = all && join.has_value() && joins.empty();
        if (join) joins.push_back(*join);
      }
      const bool chained = !found_.empty() && !joins.empty() && found_.back().fold == joins.front().base;
      if (!all || joins.empty() || chained) continue;
      found_.push_back(joins.front());
      // Also where they are broadcast along the row: its bits do not depend on that.
      of_row_[static_cast<size_t>(joins.front().elements)] = false;
    }
  }

  /// What is so quick to compute or to read again that it needs no register: a weight, which all rows share.
  bool is_free(int32_t i) const {
    if (step(i).op == Op::parameter || step(i).op == Op::iota) return true;
    if (step(i).op != Op::load || value_.piecewise_of(static_cast<size_t>(step(i).args[0]))) return false;
    const Layout& x = value_.operands[static_cast<size_t>(step(i).args[0])].layout;
    for (int axis = 0; axis < kernel_.kept_rank; ++axis)
      if (x.shape[axis] > 1 && x.strides[static_cast<size_t>(axis)] != 0) return false;
    return true;
  }

  /// Instructions computed of elements' operands and constants alone.
  std::vector<bool> of_elements() const {
    std::vector<bool> found;
    for (int32_t i = 0; i < size(); ++i) {
      const Instruction& x = step(i);
      bool all = x.op <= Op::cast, any = false;
      for_each_argument(value_, x, [&](int32_t arg) {
        const bool is = found[static_cast<size_t>(arg)];
        any = any || is;
        all = all && (is || is_constant_[static_cast<size_t>(arg)]);
      });
      const bool reads = x.op == Op::load && !value_.piecewise_of(static_cast<size_t>(x.args[0]));
      found.push_back(reads ? !of_row(i) && !is_free(i) : all && any);
    }
    return found;
  }

  /// What others use of these: or the operands, where those are fewer.
  void find_staged() {
    const std::vector<bool> inside = of_elements();
    std::vector<bool> used(value_.code.size()), loads(value_.code.size());
    const auto use = [&](int32_t i) {
      if (inside[static_cast<size_t>(i)]) used[static_cast<size_t>(i)] = true;
    };
    for (int32_t i = 0; i < size(); ++i) {
      loads[static_cast<size_t>(i)] = inside[static_cast<size_t>(i)] && step(i).op == Op::load;
      if (!inside[static_cast<size_t>(i)] && step(i).op != Op::store) for_each_argument(value_, step(i), use);
    }
    for_each_result([&](int32_t i, const Strided&) { use(i); });
    staged_ = std::ranges::count(used, true) <= std::ranges::count(loads, true) ? used : loads;
    for (size_t i = 0; i < staged_.size(); ++i)
      if (staged_[i]) wanted_[i] = Wanted::kept;
  }
  bool is_staged(int32_t i) const { return !staged_.empty() && staged_[static_cast<size_t>(i)]; }

  bool is_costly(int32_t i) const {
    const Op op = step(i).op;
    return op == Op::load || op == Op::load_at || takes_many_steps(value_, step(i));
  }

  /// Marks what element-wise computing of `root` in its pass uses of other steps.
  void mark_below(int32_t root) {
    std::vector<bool> needed(static_cast<size_t>(root) + 1);
    needed.back() = true;
    for (int32_t i = root; i >= 0; --i) {
      if (!needed[static_cast<size_t>(i)]) continue;
      if (i != root && (wanted_[static_cast<size_t>(i)] == Wanted::folded || is_staged(i))) continue;
      if (i != root && of_row(i) && !of_row(root)) {
        if (wanted_[static_cast<size_t>(i)] == Wanted::no && !is_constant_[static_cast<size_t>(i)])
          wanted_[static_cast<size_t>(i)] = Wanted::of_row;
        if (!is_constant_[static_cast<size_t>(i)]) continue;
      }
      if (keeps_ && !of_row(i) && level(i) < level(root) && is_costly(i) && !is_free(i)) {
        wanted_[static_cast<size_t>(i)] = Wanted::kept;
        continue;
      }
      for_each_argument(value_, step(i), [&](int32_t x) { needed[static_cast<size_t>(x)] = true; });
    }
  }

  /// From the results to what they are made of: all users of a value come before it.
  void mark() {
    wanted_.assign(value_.code.size(), Wanted::no);
    is_constant_.assign(value_.code.size(), false);
    for (int32_t i = 0; i < size(); ++i) {
      bool constant = step(i).op == Op::parameter;
      if (step(i).op < Op::cast || step(i).op == Op::cast) {
        constant = true;
        for_each_argument(value_, step(i),
                          [&](int32_t x) { constant = constant && is_constant_[static_cast<size_t>(x)]; });
      }
      is_constant_[static_cast<size_t>(i)] = constant;
      if (step(i).op == Op::fold) wanted_[static_cast<size_t>(i)] = Wanted::folded;
    }
    if (stages_) find_staged();
    std::vector<bool> root(value_.code.size());
    for_each_result([&](int32_t i, const Strided&) { root[static_cast<size_t>(i)] = true; });
    for (const Join& join : found_) {
      wanted_[static_cast<size_t>(join.elements)] = Wanted::kept;
      if (wanted_[static_cast<size_t>(join.relative_to)] == Wanted::no)
        wanted_[static_cast<size_t>(join.relative_to)] = Wanted::of_row;
    }
    for (int32_t i = size() - 1; i >= 0; --i) {
      if (step(i).op == Op::fold) {
        mark_below(step(i).args[0]);
      } else if (root[static_cast<size_t>(i)] || wanted_[static_cast<size_t>(i)] != Wanted::no) {
        mark_below(i);
      }
    }
  }

  void number() {
    for (int32_t i = 0; i < size(); ++i) {
      if (wanted_[static_cast<size_t>(i)] == Wanted::no) continue;
      numbers_[static_cast<size_t>(i)] = static_cast<int>(chain_.values.size());
      chain_.values.push_back({step(i).dtype, of_row(i), level(i), level(i)});
    }
  }

  void add(RowStep made) {
    for (const Instruction& each : made.expr.code)
      if (each.op == Op::accumulator) {
        RowChain::Value& used = chain_.values[static_cast<size_t>(each.args[0])];
        used.last = std::max(used.last, made.pass);
      }
    chain_.steps.push_back(std::move(made));
  }

  void add_values(int pass, Wanted wanted) {
    for (int32_t i = 0; i < size(); ++i) {
      if (wanted_[static_cast<size_t>(i)] != wanted || level(i) != pass) continue;
      const bool row = wanted == Wanted::of_row;
      add({.what = row ? What::row_value : What::keep,
           .expr = computed(i, row),
           .value = numbers_[static_cast<size_t>(i)],
           .pass = pass,
           .of_row = row,
           .staged = is_staged(i)});
    }
  }

  /// What i is computed from. Elements that are joined stay for their folds alone; others read them again.
  Expr computed(int32_t i, bool row, int32_t fold = -1) {
    const std::vector<int> all = numbers_;
    for (const Join& join : found_)
      if (fold != join.fold && fold != join.base) numbers_[static_cast<size_t>(join.elements)] = -1;
    const bool known = fold >= 0 && numbers_[static_cast<size_t>(i)] >= 0;
    Expr expr = known ? extraction_.of_value(i, row) : extraction_.of(i, row);
    numbers_ = all;
    return expr;
  }

  void add_folds(int pass) {
    for (int32_t i = 0; i < size(); ++i) {
      if (step(i).op != Op::fold || level(i) != pass + 1) continue;
      RowStep made{.what = What::fold,
                   .expr = computed(step(i).args[0], false, i),
                   .value = numbers_[static_cast<size_t>(i)],
                   .pass = pass,
                   .reduction = static_cast<Reduction>(step(i).args[1]),
                   .may_drop_nan = step(i).args[2] == 1};
      for (const Join& join : found_) {
        if (join.fold != i) continue;
        made.joins = join.how;
        made.base = numbers_[static_cast<size_t>(join.base)];
        made.relative_to = numbers_[static_cast<size_t>(join.relative_to)];
        made.of_elements = numbers_[static_cast<size_t>(join.elements)];
      }
      add(std::move(made));
    }
  }

  Expr stored(int32_t i, bool row) {
    const bool joined = std::any_of(found_.begin(), found_.end(), [&](const Join& join) { return join.elements == i; });
    return numbers_[static_cast<size_t>(i)] >= 0 && !joined ? extraction_.of_value(i, row) : computed(i, row);
  }

  void add_stores(int pass, bool of_row) {
    for_each_result([&](int32_t i, const Strided& out) {
      if (level(i) != pass || eglantine::is_of_rows(out.layout, kernel_.kept_rank) != of_row) return;
      RowStep made{.what = What::store, .expr = stored(i, of_row), .pass = pass, .of_row = of_row, .out = out};
      if (of_row)
        for (int axis = kernel_.kept_rank; axis < made.out.layout.shape.rank(); ++axis) made.out.layout.shape[axis] = 1;
      add(std::move(made));
    });
  }

  void write_pass(int pass) {
    add_values(pass, Wanted::of_row);
    add_stores(pass, true);
    add_values(pass, Wanted::kept);
    add_folds(pass);
    add_stores(pass, false);
  }

  const RowKernel& kernel_;
  const Expr& value_;
  bool keeps_, stages_, joins_;
  std::vector<Join> found_;
  std::vector<bool> staged_;  ///< by instruction; empty where nothing is
  std::vector<bool> of_row_, is_constant_;
  std::vector<int> levels_, numbers_;
  std::vector<Wanted> wanted_;
  Extraction extraction_;
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

std::vector<bool> of_rows(const Expr& value, int kept_rank) {
  std::vector<bool> result;
  for (const Instruction& step : value.code) {
    bool row = true;
    if (step.op == Op::load || step.op == Op::load_at)
      row = is_of_rows(value, static_cast<size_t>(step.args[0]), kept_rank);
    if (step.op == Op::iota) row = eglantine::is_of_rows(value.iotas[static_cast<size_t>(step.args[0])], kept_rank);
    if (step.op != Op::fold)
      for_each_argument(value, step, [&](int32_t x) { row = row && result[static_cast<size_t>(x)]; });
    result.push_back(row);
  }
  return result;
}

RowChain chain_of(const RowKernel& kernel, RowReads reads) { return ChainWriter(kernel, reads).run(); }

}  // namespace eglantine
