#include <algorithm>

#include "graph/planning/planner.hpp"
#include "graph/planning/view_splits.hpp"

namespace eglantine {

namespace {

/// x's axes with one moved to the end.
Layout with_last(const Shape& shape, int axis) {
  Axes order;
  for (int i = 0; i < shape.rank(); ++i)
    if (i != axis) order.push_back(i);
  order.push_back(axis);
  return layout::permute(layout::contiguous(shape), order);
}

/// The layout over a domain whose axis i is axis axes[i] of x, or none of them (-1).
Layout along(const Layout& x, const IntList& axes, const Shape& domain) {
  Layout result{domain, {}, x.offset};
  for (int64_t axis : axes) result.strides.push_back(axis < 0 ? 0 : x.strides[static_cast<size_t>(axis)]);
  return result;
}

}  // namespace

void Planner::map(const Node& x) {
  Layout at = layout::contiguous(x.shape);
  for (const AxisSplit& split : view_splits(x, at, owners_, &x)) at = split_axis(std::move(at), split);
  Expr value = write(x, at, &x, nullptr);
  const Stored& result = produce(x, dense_storage(x.dtype));
  emit(MapKernel{std::move(value), whole_at(result, at)}, x);
}

void Planner::scan(const Node& x, const Node* epilogue) {
  const auto& what = *x.as<nodes::Scan>();
  const int last = x.shape.rank() - 1;
  Layout at = with_last(x.shape, what.axis);
  if (what.reverse) at = layout::flip(at, last);
  const Node& result = epilogue != nullptr ? *epilogue : x;
  ScanKernel kernel{argument(*what.arg, at),      last, what.reduction, what.exclusive,
                    epilogue_at(x, epilogue, at), {},   what.custom};
  kernel.out = output(result, at);
  emit(std::move(kernel), result);
}

void Planner::row(const Node& x, const RowFolds& folds) {
  const bool of_rows = x.shape.elements() != folds.shape.elements();
  const bool stores_elements = std::ranges::any_of(owners_.stored_by, [&](const auto& stored) {
    return stored.second == &x && stored.first->shape.elements() == folds.shape.elements();
  });
  const Axes columns = of_rows && !stores_elements ? order_of_columns(folds, device_) : Axes{};
  RowDomain rows = row_domain(folds, columns);
  split_at_views(rows, x, owners_, x);
  if (const auto beside = owners_.beside.find(&x); beside != owners_.beside.end())
    for (const Node* other : beside->second) split_at_views(rows, *other, owners_, x);
  const Layout& at = rows.layout_of(x);
  Writing writing{ExpressionBuilder(at.shape), &x, nullptr, {}, nullptr, &rows};
  lower_beside(writing, at);
  const int value = lower(writing, x, at);
  if (too_large_ != nullptr) return;
  writing.builder.end_with(value);
  if (writing.builder.size() > max_kernel_instructions) return split_at(x);
  const Node& elements = *folds.first->as<nodes::Reduce>()->arg;
  const bool may_lie_across = !of_rows && device_.rows_across > 0 && folds.shape.elements() >= device_.rows_across;
  emit(RowKernel{writing.builder.take(), rows.kept, output(x, at),
                 !columns.empty() || is_strided(elements, folds.axes, !of_rows),
                 may_lie_across && lies_across(elements, folds.axes), std::move(writing.gathered)},
       x);
}

void Planner::sort(const Node& x, const Node* epilogue) {
  const auto& what = *x.as<nodes::Sort>();
  const Layout at = with_last(what.keys->shape, what.axis), out = with_last(x.shape, what.axis);
  const Node& result = epilogue != nullptr ? *epilogue : x;
  SortKernel kernel;
  kernel.keys = argument(*what.keys, at);
  if (what.payload) kernel.payload = argument(*what.payload, at);
  kernel.kept_rank = at.shape.rank() - 1;
  kernel.descending = what.descending;
  kernel.keep = x.shape[what.axis];
  kernel.epilogue = epilogue_at(x, epilogue, out);
  kernel.out = output(result, out);
  kernel.places = what.wanted == nodes::Sorted::places;
  kernel.read = what.read;
  if (what.wanted == nodes::Sorted::both) {
    const DType dtype = what.payload ? what.payload->dtype : DType::i32;
    kernel.second = second_output(x, dtype, out);
  }
  emit(std::move(kernel), result);
}

void Planner::take_second(const Node& x, const Node& first) {
  if (!first.is_computed()) in_memory(first);
  plan_.produced[&x] = first.is_computed() ? first.second() : plan_.seconds.at(&first);
}

GatherKernel Planner::gather_of(const Node& x, const Node* of) {
  const auto& what = *x.as<nodes::Gather>();
  const Layout at = layout::contiguous(x.shape);
  const Strided source = operand(*what.source);
  GatherKernel kernel;
  kernel.index = write(*what.index, at, of, nullptr);
  kernel.source = {source.buffer, source.storage, along(source.layout, what.axes, x.shape)};
  kernel.length = what.source->shape[what.axis];
  kernel.stride = source.layout.strides[static_cast<size_t>(what.axis)];
  kernel.epilogue = epilogue_of(x, nullptr);
  kernel.out.layout = at;
  kernel.check = what.check;
  kernel.place = what.check ? what.check->place : at;
  kernel.lookup = what.lookup;
  return kernel;
}

void Planner::gather(const Node& x, const Node* epilogue) {
  GatherKernel kernel = gather_of(x);
  const Node& result = epilogue != nullptr ? *epilogue : x;
  const Layout at = layout::contiguous(x.shape);
  if (epilogue != nullptr) kernel.epilogue = epilogue_at(x, epilogue, at);
  kernel.out = output(result, at);
  emit(std::move(kernel), result);
}

void Planner::scatter(const Node& x) {
  const auto& what = *x.as<nodes::Scatter>();
  const Layout at = layout::contiguous(what.updates->shape);
  const auto [out, taken_over] = target(x, what.base ? &what.base : nullptr, result_storage(x.dtype));
  if (what.base && !taken_over) {
    Expr base = argument(*what.base, out.layout);
    emit(MapKernel{std::move(base), out}, *what.base);
  }
  ScatterKernel kernel;
  kernel.index = argument(*what.index, at);
  kernel.updates = argument(*what.updates, at);
  kernel.target = along(out.layout, what.axes, at.shape);
  kernel.length = x.shape[what.axis];
  kernel.stride = out.layout.strides[static_cast<size_t>(what.axis)];
  kernel.combine = what.combine;
  kernel.distinct = what.distinct;
  kernel.partial = what.partial;
  kernel.out = out;
  kernel.check = what.check;
  kernel.place = what.check ? what.check->place : at;
  if (what.ends) kernel.ends = operand(*what.ends);
  kernel.coordinates = what.coordinates;
  emit(std::move(kernel), x);
}

void Planner::tiles(const Node& x, const Node* epilogue) {
  const auto& what = *x.as<nodes::Tiles>();
  const Layout at = layout::contiguous(what.arg->shape), grid = layout::contiguous(x.shape);
  const Node& result = epilogue != nullptr ? *epilogue : x;
  TileKernel kernel{argument(*what.arg, at),        what.tile, what.reduction,
                    epilogue_at(x, epilogue, grid), {},        what.custom};
  kernel.out = output(result, grid);
  emit(std::move(kernel), result);
}

void Planner::reduce(const Node& x, const Node* epilogue) {
  const auto& what = *x.as<nodes::Reduce>();
  const Shape& shape = what.arg->shape;
  Axes order;
  for (int i = 0; i < shape.rank(); ++i)
    if (std::find(what.order.reduced.begin(), what.order.reduced.end(), i) == what.order.reduced.end())
      order.push_back(i);
  const int kept = order.rank();
  for (int64_t axis : what.order.reduced) order.push_back(axis);
  const Layout at = layout::permute(layout::contiguous(shape), order);
  const layout::ReduceTree tree = what.any_order && kept == 0 ? layout::ReduceTree::any : what.order.tree;
  ReduceKernel kernel{argument(*what.arg, at), kept, what.reduction, tree, epilogue_of(x, epilogue), {}, what.custom};
  const Node& result = epilogue != nullptr ? *epilogue : x;
  kernel.out = output(result, layout::contiguous(result.shape));
  emit(std::move(kernel), result);
}

void Planner::matmul(const Node& x, const Node* epilogue) {
  if (const std::optional<FewColumns> few = few_columns_of(x)) return few_columns(x, *few, epilogue);
  const auto& what = *x.as<nodes::Matmul>();
  MatmulKernel kernel;
  const int batch = x.shape.rank() - 2;
  for (int i = 0; i < batch; ++i) kernel.batch.push_back(x.shape[i]);
  kernel.m = x.shape[batch];
  kernel.n = x.shape[batch + 1];
  kernel.k = what.a->shape[batch + 1];
  kernel.a = operand(*what.a);
  kernel.b = operand(*what.b);
  kernel.epilogue = epilogue_of(x, epilogue);
  const Node& result = epilogue != nullptr ? *epilogue : x;
  kernel.out = output(result, layout::contiguous(result.shape));
  emit(std::move(kernel), result);
}

}  // namespace eglantine
