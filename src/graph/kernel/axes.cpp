#include <vector>

#include "graph/kernel/expression.hpp"
#include "layout/collapse.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// The layouts of several expressions and outputs over one domain, collapsed together.
class Joint {
 public:
  Joint& add(Layout& x) {
    places_.push_back(&x);
    return *this;
  }
  Joint& add(Expr& expr) {
    for (Strided& operand : expr.operands) add(operand.layout);
    for (Layout& iota : expr.iotas) add(iota);
    domains_.push_back(&expr.domain);
    return *this;
  }

  std::vector<int> collapse(const std::vector<int>& barriers = {}) {
    std::vector<Layout> layouts;
    for (const Layout* place : places_) layouts.push_back(*place);
    layouts.push_back(layout::contiguous(*domains_.front()));
    std::vector<int> starts = layout::collapse(layouts, barriers);
    for (size_t i = 0; i < places_.size(); ++i) *places_[i] = layouts[i];
    for (Shape* domain : domains_) *domain = layouts.back().shape;
    return starts;
  }

 private:
  std::vector<Layout*> places_;
  std::vector<Shape*> domains_;
};

struct Collapsed {
  Layout last;
  std::vector<int> starts;
};

/// Collapses an expression together with one more layout over its domain: an output's, or row-major order.
Collapsed collapse_with(Expr& expr, const Layout& last, const std::vector<int>& barriers = {}) {
  std::vector<Layout> layouts;
  for (const Strided& operand : expr.operands) layouts.push_back(operand.layout);
  layouts.insert(layouts.end(), expr.iotas.begin(), expr.iotas.end());
  layouts.push_back(last);
  std::vector<int> starts = layout::collapse(layouts, barriers);
  size_t next = 0;
  for (Strided& operand : expr.operands) operand.layout = layouts[next++];
  for (Layout& iota : expr.iotas) iota = layouts[next++];
  expr.domain = layouts.back().shape;
  return {layouts.back(), std::move(starts)};
}

}  // namespace

void collapse(MapKernel& kernel) { kernel.out.layout = collapse_with(kernel.value, kernel.out.layout).last; }

void collapse(ReduceKernel& kernel) {
  kernel.kept_rank =
      collapse_with(kernel.prologue, layout::contiguous(kernel.prologue.domain), {kernel.kept_rank}).starts.front();
  kernel.out.layout = collapse_with(kernel.epilogue, kernel.out.layout).last;
}

void collapse(MatmulKernel& kernel) { kernel.out.layout = collapse_with(kernel.epilogue, kernel.out.layout).last; }

void collapse(FewColumnsKernel& kernel) {
  Joint all;
  all.add(kernel.prologue).add(kernel.vectors.layout);
  const std::vector<int> starts = all.collapse({kernel.batch_rank, kernel.kept_rank});
  kernel.batch_rank = starts[0];
  kernel.kept_rank = starts[1];
  kernel.out.layout = collapse_with(kernel.epilogue, kernel.out.layout).last;
}

void collapse(ContractionKernel& kernel) {
  const auto collapse_side = [](Expr& side, int& kept) {
    Joint all;
    all.add(side);
    kept = all.collapse({kept}).front();
  };
  collapse_side(kernel.left, kernel.left_kept);
  collapse_side(kernel.right, kernel.right_kept);
  kernel.out.layout = collapse_with(kernel.epilogue, kernel.out.layout).last;
}

void collapse(ScanKernel& kernel) {
  Joint all;
  all.add(kernel.prologue).add(kernel.epilogue).add(kernel.out.layout);
  kernel.kept_rank = all.collapse({kernel.kept_rank}).front();
}

void collapse(RowKernel& kernel) {
  Joint all;
  all.add(kernel.value).add(kernel.out.layout);
  kernel.kept_rank = all.collapse({kernel.kept_rank}).front();
  if (kernel.gathered) collapse(*kernel.gathered);
}

void collapse(SortKernel& kernel) {
  Joint all;
  all.add(kernel.keys);
  if (kernel.payload) all.add(*kernel.payload);
  kernel.kept_rank = all.collapse({kernel.kept_rank}).front();
  Joint results;
  results.add(kernel.epilogue).add(kernel.out.layout);
  if (kernel.second.buffer) results.add(kernel.second.layout);
  results.collapse();
}

void collapse(GatherKernel& kernel) {
  Joint all;
  all.add(kernel.index).add(kernel.source.layout).add(kernel.epilogue).add(kernel.out.layout).add(kernel.place);
  all.collapse();
}

void collapse(ScatterKernel& kernel) {
  Joint all;
  all.add(kernel.index).add(kernel.updates).add(kernel.target).add(kernel.place);
  all.collapse();
}

namespace {

/// Merges an operand's axes before its last two.
void collapse_leading(Strided& x) {
  Layout& at = x.layout;
  const size_t leading = at.strides.size() - 2;
  std::vector<Layout> joint{{Shape(at.shape.begin(), at.shape.end() - 2), {at.strides.begin(), at.strides.end() - 2}}};
  layout::collapse(joint);
  for (size_t i = leading; i < leading + 2; ++i) {
    joint[0].shape.push_back(at.shape[static_cast<int>(i)]);
    joint[0].strides.push_back(at.strides[i]);
  }
  joint[0].offset += at.offset;
  at = joint[0];
}

}  // namespace

void collapse(AttentionKernel& kernel) {
  for (Strided* x : {&kernel.q, &kernel.k, &kernel.v, &kernel.mask})
    if (x->buffer) collapse_leading(*x);
  kernel.out.layout = collapse_with(kernel.epilogue, kernel.out.layout).last;
}

void collapse(AttentionGradientKernel& kernel) {
  for (Strided* x :
       {&kernel.q, &kernel.k, &kernel.v, &kernel.mask, &kernel.cotangent, &kernel.logsumexp, &kernel.delta})
    if (x->buffer) collapse_leading(*x);
}

}  // namespace eglantine
