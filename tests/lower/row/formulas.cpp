#include "lower/row/formulas.hpp"

#include <bit>

namespace eglantine::test {
namespace {

/// Writes one formula.
class Formula {
 public:
  Formula(const Strided& x, const std::optional<Strided>& mean)
      : builder_(x.layout.shape),
        x_(x),
        mean_(mean),
        n_(static_cast<float>(x.layout.shape.elements() / x.layout.shape[0])) {}

  Expr of(RowFormula formula) {
    const int x = builder_.load(x_);
    builder_.end_with(value(formula, x));
    return builder_.take();
  }

 private:
  int number(float value) { return builder_.parameter(DType::f32, {std::bit_cast<uint32_t>(value)}); }
  int op(Op op, int a, int b = -1, int c = -1, DType dtype = DType::f32) {
    return builder_.operation(op, dtype, {a, b, c});
  }
  int fold(Reduction reduction, int x) { return builder_.fold(reduction, DType::f32, x); }
  int mean(int x) { return op(Op::div, fold(Reduction::sum, x), number(n_)); }

  int value(RowFormula formula, int x) {
    switch (formula) {
      case RowFormula::var:
        return variance(x);
      case RowFormula::standardize:
        return standardized(x);
      case RowFormula::rms:
        return over_root(x);
      default:
        return exponentials(formula, x);
    }
  }

  int exponentials(RowFormula formula, int x) {
    const int largest = fold(Reduction::max, x), infinite = op(Op::isinf, largest, -1, -1, DType::boolean);
    const int shift = op(Op::where, infinite, number(0), largest), difference = op(Op::sub, x, shift);
    const int e = op(Op::exp, difference), sum = fold(Reduction::sum, e);
    if (formula == RowFormula::softmax) return op(Op::div, e, sum);
    const int log = op(Op::log, sum);
    return formula == RowFormula::logsumexp ? op(Op::add, log, shift) : op(Op::sub, difference, log);
  }

  int variance(int x) {
    const int middle = mean(x);
    if (mean_) builder_.store(middle, *mean_);
    return mean(op(Op::square, op(Op::sub, x, middle)));
  }

  int over_root(int x) { return op(Op::mul, x, op(Op::rsqrt, op(Op::add, mean(op(Op::square, x)), number(row_eps)))); }

  int standardized(int x) {
    Strided first = x_;
    for (int axis = 1; axis < first.layout.shape.rank(); ++axis) first.layout.strides[static_cast<size_t>(axis)] = 0;
    const int one = builder_.load(first), distance = mean(op(Op::sub, x, one));
    const int shifted = op(Op::sub, x, op(Op::add, one, distance));
    return over_root(op(Op::sub, shifted, mean(shifted)));
  }

  ExpressionBuilder builder_;
  const Strided& x_;
  const std::optional<Strided>& mean_;
  float n_;
};

}  // namespace

std::string folds_of(RowFormula formula) {
  switch (formula) {
    case RowFormula::var:
      return "sum sum";
    case RowFormula::standardize:
      return "sum sum sum";
    case RowFormula::rms:
      return "sum";
    default:
      return "max sum";
  }
}

RowKernel row_kernel(RowFormula formula, const Strided& x, const Strided& out, bool strided,
                     const std::optional<Strided>& mean) {
  return {Formula(x, mean).of(formula), 1, out, strided};
}

}  // namespace eglantine::test
