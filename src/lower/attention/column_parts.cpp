#include "lower/attention/column_parts.hpp"

#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

Strided part_of(const Strided& all, int64_t part, int64_t count) {
  return {all.buffer, all.storage, layout::contiguous({count}, all.layout.offset + part * count)};
}

}  // namespace

ColumnParts::ColumnParts(const Strided& results, const Strided& logsumexps, int64_t count)
    : results_(results),
      logsumexps_(logsumexps),
      count_(count),
      rows_(logsumexps.layout.size() / count),
      row_results_(results.layout.size() / logsumexps.layout.size()) {}

ColumnParts ColumnParts::of(Lowering& lowering, const AttentionKernel& kernel, int64_t count) {
  const int64_t rows = count * kernel.heads * kernel.rows;
  return {lowering.temporary(DType::f32, layout::contiguous({rows * kernel.results})),
          lowering.temporary(DType::f32, layout::contiguous({rows})), count};
}

Strided ColumnParts::results_of(int64_t part) const { return part_of(results_, part, rows_ * row_results_); }

Strided ColumnParts::logsumexps_of(int64_t part) const { return part_of(logsumexps_, part, rows_); }

bool ColumnParts::merges_into(const Strided& out) const {
  const Shape& domain = out.layout.shape;
  return out.layout.is_contiguous() || (domain.rank() > 0 && domain[domain.rank() - 1] == row_results_);
}

ColumnParts::Weights ColumnParts::weights_of(ExpressionBuilder& builder, const std::vector<int64_t>& strides) const {
  const auto of = [&](Op op, int x, int y = -1, int z = -1, DType dtype = DType::f32) {
    return builder.operation(op, dtype, {x, y, z});
  };
  std::vector<int> logsumexps;
  for (int64_t part = 0; part < count_; ++part) {
    Strided x = logsumexps_of(part);
    x.layout = {builder.expr().domain, strides, x.layout.offset};
    logsumexps.push_back(builder.load(x));
  }
  int largest = logsumexps.front();
  for (size_t part = 1; part < logsumexps.size(); ++part) largest = of(Op::maximum, largest, logsumexps[part]);
  // -infinity is log 0, a number that the cache does not take for a kernel's (Parameter::of_lowering is another way).
  const int zero = builder.parameter(DType::f32, {0}), hidden = of(Op::log, zero);
  const int base = of(Op::where, of(Op::eq, largest, hidden, -1, DType::boolean), zero, largest);
  Weights weights{base, -1, {}};
  for (const int x : logsumexps) {
    weights.of_parts.push_back(of(Op::exp, of(Op::sub, x, base)));
    weights.total = weights.total < 0 ? weights.of_parts.back() : of(Op::add, weights.total, weights.of_parts.back());
  }
  return weights;
}

void ColumnParts::merge(Lowering& lowering, const Strided& out, const Strided& logsumexp) const {
  Strided merged = out;
  if (out.layout.is_contiguous()) merged.layout = layout::contiguous({rows_, row_results_}, out.layout.offset);
  const Shape& domain = merged.layout.shape;
  std::vector<int64_t> rows = layout::contiguous(domain).strides;
  for (int64_t& stride : rows) stride /= row_results_;  // of the last axis 0
  ExpressionBuilder builder(domain);
  const auto of = [&](Op op, int x, int y = -1, int z = -1, DType dtype = DType::f32) {
    return builder.operation(op, dtype, {x, y, z});
  };
  const Weights weights = weights_of(builder, rows);
  int sum = -1;
  for (int64_t part = 0; part < count_; ++part) {
    Strided x = results_of(part);
    x.layout = layout::contiguous(domain, x.layout.offset);
    const int product = of(Op::mul, weights.of_parts[static_cast<size_t>(part)], builder.load(x));
    sum = part == 0 ? product : of(Op::add, sum, product);
  }
  const int zero = builder.parameter(DType::f32, {0});
  const int nothing = of(Op::eq, weights.total, zero, -1, DType::boolean);
  builder.end_with(of(Op::where, nothing, zero, of(Op::div, sum, weights.total)));
  MapKernel kernel{builder.take(), merged};
  collapse(kernel);
  lower(lowering, kernel);
  if (logsumexp.buffer) merge_logsumexps(lowering, logsumexp);
}

void ColumnParts::merge_logsumexps(Lowering& lowering, const Strided& out) const {
  ExpressionBuilder builder({rows_});
  const Weights weights = weights_of(builder, {1});
  const int log = builder.operation(Op::log, DType::f32, {weights.total, -1, -1});
  builder.end_with(builder.operation(Op::add, DType::f32, {log, weights.base, -1}));
  lower(lowering, MapKernel{builder.take(), out});
}

}  // namespace eglantine::lower
