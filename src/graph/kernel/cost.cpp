#include "graph/kernel/cost.hpp"

#include <algorithm>

#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// Elements of the buffer that a layout visits: a broadcast axis visits the same ones again.
double visited(const Layout& layout) {
  double count = 1;
  for (int i = 0; i < layout.shape.rank(); ++i)
    if (layout.strides[static_cast<size_t>(i)] != 0) count *= static_cast<double>(layout.shape[i]);
  return count;
}

/// Adds up readings and writings, one reading of a buffer in one layout once.
class Traffic {
 public:
  void read(const Strided& operand) {
    const auto same = [&](const Strided* other) {
      return other->buffer == operand.buffer && layout::same(other->layout, operand.layout);
    };
    if (std::any_of(read_.begin(), read_.end(), same)) return;
    read_.push_back(&operand);
    write(operand);
  }
  void read(const Expr& expr) {
    for (size_t i = 0; i < expr.operands.size(); ++i)
      if (const PiecewiseRead* how = expr.piecewise_of(i); how != nullptr && how->computed)
        add(static_cast<double>(how->within.count()), expr.operands[i]);
      else
        read(expr.operands[i]);
  }
  void write(const Strided& result) { add(visited(result.layout), result); }
  void add(double elements, const Strided& of) { bytes_ += elements * static_cast<double>(bytes_of(of.storage)); }
  double bytes() const { return bytes_; }

 private:
  std::vector<const Strided*> read_;
  double bytes_ = 0;
};

void count(const MapKernel& map, Traffic& traffic) { traffic.read(map.value); }
void count(const RowKernel& row, Traffic& traffic) { traffic.read(row.value); }
void count(const MatmulKernel& matmul, Traffic& traffic) {
  traffic.read(matmul.a);
  traffic.read(matmul.b);
  traffic.read(matmul.epilogue);
}
void count(const GatherKernel& gather, Traffic& traffic) {
  traffic.read(gather.index);
  traffic.add(static_cast<double>(gather.index.domain.elements()), gather.source);
  traffic.read(gather.epilogue);
}
/// What is not hit stays where it is: only updated elements travel, both ways when they are added to.
void count(const ScatterKernel& scatter, Traffic& traffic) {
  traffic.read(scatter.index);
  traffic.read(scatter.updates);
  if (scatter.is_compaction()) {
    traffic.read(scatter.ends);
    return traffic.write(scatter.out);
  }
  traffic.add(static_cast<double>(scatter.index.domain.elements()) * (scatter.combine ? 2 : 1), scatter.out);
}
void count(const SortKernel& sort, Traffic& traffic) {
  traffic.read(sort.keys);
  if (sort.payload) traffic.read(*sort.payload);
  traffic.read(sort.epilogue);
  if (sort.second.buffer) traffic.write(sort.second);
}
void count(const FewColumnsKernel& product, Traffic& traffic) {
  traffic.read(product.prologue);
  traffic.add(visited(product.vectors.layout) * static_cast<double>(product.columns.shape.elements()), product.vectors);
  traffic.read(product.epilogue);
}
void count(const ContractionKernel& product, Traffic& traffic) {
  traffic.read(product.left);
  traffic.read(product.right);
  traffic.read(product.epilogue);
}
void count(const AttentionKernel& attention, Traffic& traffic) {
  for (const Strided* x : {&attention.q, &attention.k, &attention.v, &attention.mask})
    if (x->buffer) traffic.read(*x);
  traffic.read(attention.epilogue);
  if (attention.second.buffer) traffic.write(attention.second);
}
void count(const AttentionGradientKernel& gradient, Traffic& traffic) {
  for (const Strided* x : {&gradient.q, &gradient.k, &gradient.v, &gradient.mask, &gradient.cotangent,
                           &gradient.logsumexp, &gradient.delta})
    if (x->buffer) traffic.read(*x);
  if (gradient.second.buffer) traffic.write(gradient.second);
  if (gradient.is_of_all()) traffic.write({gradient.second.buffer, gradient.second.storage, gradient.third});
}
template <class K>  // reduce, scan, tile
void count(const K& kernel, Traffic& traffic) {
  traffic.read(kernel.prologue);
  traffic.read(kernel.epilogue);
}

double operations_of(const MatmulKernel& matmul) {
  const auto product = [](int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b); };
  return 2 * product(matmul.batch.elements(), matmul.m) * product(matmul.n, matmul.k);
}
double operations_of(const FewColumnsKernel& product) {
  return 2 * static_cast<double>(product.prologue.domain.elements()) *
         static_cast<double>(product.columns.shape.elements());
}
double operations_of(const ContractionKernel& product) {
  return 2 * static_cast<double>(product.left.domain.elements()) * static_cast<double>(product.columns);
}
/// The scores of all heads; under `causal` of the columns that rows see.
template <class K>
double scores_of(const K& attention) {
  const auto rows = static_cast<double>(attention.rows), columns = static_cast<double>(attention.columns),
             seen = std::min(rows, columns);
  const double scores = attention.causal ? seen * (seen + 1) / 2 + (rows - seen) * columns : rows * columns;
  return static_cast<double>(attention.heads) * scores;
}
double operations_of(const AttentionKernel& attention) {
  return 2 * scores_of(attention) * static_cast<double>(attention.features + attention.results);
}
/// Scores and their gradients, which each kernel computes, then their products.
double operations_of(const AttentionGradientKernel& gradient) {
  const auto features = static_cast<double>(gradient.features), results = static_cast<double>(gradient.results);
  return 2 * scores_of(gradient) *
         ((gradient.is_of_all() ? 3 : 2) * features + (gradient.is_of_keys() ? 2 : 1) * results);
}
template <class K>
double operations_of(const K&) {
  return 0;
}

double elements(const Shape& shape) { return static_cast<double>(shape.elements()); }

double work_in(const MapKernel& map) { return elements(map.value.domain); }
double work_in(const RowKernel& row) { return elements(row.value.domain); }
double work_in(const MatmulKernel& matmul) { return operations_of(matmul) / 2 + elements(matmul.epilogue.domain); }
double work_in(const FewColumnsKernel& product) {
  return operations_of(product) / 2 + elements(product.epilogue.domain);
}
double work_in(const ContractionKernel& product) {
  return operations_of(product) / 2 + elements(product.epilogue.domain);
}
double work_in(const AttentionKernel& attention) {
  return operations_of(attention) / 2 + elements(attention.epilogue.domain);
}
double work_in(const AttentionGradientKernel& gradient) {
  return operations_of(gradient) / 2 + elements(gradient.out.layout.shape);
}
double work_in(const GatherKernel& gather) { return elements(gather.index.domain); }
double work_in(const ScatterKernel& scatter) { return elements(scatter.index.domain); }
double work_in(const SortKernel& sort) { return elements(sort.keys.domain); }
template <class K>  // reduce, scan, tile
double work_in(const K& kernel) {
  return elements(kernel.prologue.domain);
}

}  // namespace

double work_of(const Kernel& kernel) {
  return std::visit([](const auto& family) { return work_in(family); }, kernel);
}

KernelCost cost_of(const Kernel& kernel) {
  Traffic traffic;
  std::visit([&](const auto& family) { count(family, traffic); }, kernel);
  if (!std::holds_alternative<ScatterKernel>(kernel)) traffic.write(output_of(kernel));
  return {traffic.bytes(), std::visit([](const auto& family) { return operations_of(family); }, kernel)};
}

}  // namespace eglantine
