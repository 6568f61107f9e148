#include "lower/attention/column_parts.hpp"

#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

// Of a row, in the sums of a part.
constexpr int64_t at_largest = 0, at_total = 1, of_a_row = 2;

Strided part_of(const Strided& all, int64_t part, int64_t count) {
  return {all.buffer, all.storage, layout::contiguous({count}, all.layout.offset + part * count)};
}

int operation(ExpressionBuilder& builder, Op op, int x, int y = -1, int z = -1, DType dtype = DType::f32) {
  return builder.operation(op, dtype, {x, y, z});
}

void map(Lowering& lowering, ExpressionBuilder& builder, int value, const Strided& out) {
  builder.end_with(value);
  MapKernel kernel{builder.take(), out};
  collapse(kernel);
  lower(lowering, kernel);
}

}  // namespace

ColumnParts::ColumnParts(const Strided& results, const Strided& sums, int64_t count)
    : results_(results),
      sums_(sums),
      count_(count),
      rows_(sums.layout.size() / (of_a_row * count)),
      row_results_(results.layout.size() / (count * rows_)) {}

ColumnParts ColumnParts::of(Lowering& lowering, const AttentionKernel& kernel, int64_t count) {
  const int64_t rows = count * kernel.heads * kernel.rows;
  return {lowering.temporary(DType::f32, layout::contiguous({rows * kernel.results})),
          lowering.temporary(DType::f32, layout::contiguous({rows * of_a_row})), count};
}

Strided ColumnParts::results_of(int64_t part) const { return part_of(results_, part, rows_ * row_results_); }

Strided ColumnParts::sums_of(int64_t part) const { return part_of(sums_, part, rows_ * of_a_row); }

bool ColumnParts::merges_into(const Strided& out) const {
  const Shape& domain = out.layout.shape;
  return out.layout.is_contiguous() || (domain.rank() > 0 && domain[domain.rank() - 1] == row_results_);
}

/// The number of a result's row has these strides over a domain whose last axis is a row's results.
std::vector<int64_t> ColumnParts::rows_of(const Shape& domain) const {
  std::vector<int64_t> rows = layout::contiguous(domain).strides;
  for (int64_t& stride : rows) stride /= row_results_;  // of the last axis 0
  return rows;
}

Strided ColumnParts::as_rows(const Strided& out) const {
  Strided rows = out;
  if (out.layout.is_contiguous()) rows.layout = layout::contiguous({rows_, row_results_}, out.layout.offset);
  return rows;
}

int ColumnParts::load_of_row(ExpressionBuilder& builder, const std::vector<int64_t>& rows, int64_t part,
                             int64_t which) const {
  Strided x = sums_of(part);
  x.layout = {builder.expr().domain, rows, x.layout.offset + which};
  for (int64_t& stride : x.layout.strides) stride *= of_a_row;
  return builder.load(x);
}

ColumnParts::Weights ColumnParts::weights_of(ExpressionBuilder& builder, const std::vector<int64_t>& rows) const {
  Weights weights{-1, -1, -1, -1, {}};
  std::vector<int> all;
  for (int64_t part = 0; part < count_; ++part) {
    all.push_back(load_of_row(builder, rows, part, at_largest));
    weights.largest = part == 0 ? all[0] : operation(builder, Op::maximum, weights.largest, all.back());
  }
  // -infinity is log 0, a number that the cache does not take for a kernel's (Parameter::of_lowering is another way).
  const int zero = builder.parameter(DType::f32, {0}), hidden = operation(builder, Op::log, zero);
  weights.sees_nothing = operation(builder, Op::eq, weights.largest, hidden, -1, DType::boolean);
  weights.base = operation(builder, Op::where, weights.sees_nothing, zero, weights.largest);
  for (int64_t part = 0; part < count_; ++part) {
    const int w =
        operation(builder, Op::exp, operation(builder, Op::sub, all[static_cast<size_t>(part)], weights.base));
    const int share = operation(builder, Op::mul, w, load_of_row(builder, rows, part, at_total));
    weights.of_parts.push_back(w);
    weights.total = part == 0 ? share : operation(builder, Op::add, weights.total, share);
  }
  return weights;
}

int ColumnParts::sum_of_results(ExpressionBuilder& builder, const Weights& weights) const {
  int sum = -1;
  for (int64_t part = 0; part < count_; ++part) {
    Strided x = results_of(part);
    x.layout = layout::contiguous(builder.expr().domain, x.layout.offset);
    const int product = operation(builder, Op::mul, weights.of_parts[static_cast<size_t>(part)], builder.load(x));
    sum = part == 0 ? product : operation(builder, Op::add, sum, product);
  }
  return sum;
}

void ColumnParts::merge(Lowering& lowering, const Strided& out, const Strided& logsumexp) const {
  const Strided merged = as_rows(out);
  ExpressionBuilder builder(merged.layout.shape);
  const Weights weights = weights_of(builder, rows_of(merged.layout.shape));
  const int quotient = operation(builder, Op::div, sum_of_results(builder, weights), weights.total);
  const int zero = builder.parameter(DType::f32, {0});
  map(lowering, builder, operation(builder, Op::where, weights.sees_nothing, zero, quotient), merged);
  if (!logsumexp.buffer) return;
  ExpressionBuilder sums({rows_});
  const Weights of_rows = weights_of(sums, {1});
  map(lowering, sums, operation(sums, Op::add, operation(sums, Op::log, of_rows.total), of_rows.base), logsumexp);
}

void ColumnParts::add(Lowering& lowering, const Strided& results, const Strided& sums) const {
  const Strided merged = as_rows(results);
  ExpressionBuilder builder(merged.layout.shape);
  map(lowering, builder, sum_of_results(builder, weights_of(builder, rows_of(merged.layout.shape))), merged);
  for (const int64_t which : {at_largest, at_total}) {
    ExpressionBuilder of_rows({rows_});
    const Weights weights = weights_of(of_rows, {1});
    map(lowering, of_rows, which == at_largest ? weights.largest : weights.total,
        {sums.buffer, sums.storage, {{rows_}, {of_a_row}, sums.layout.offset + which}});
  }
}

}  // namespace eglantine::lower
