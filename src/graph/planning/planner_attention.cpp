#include <bit>

#include "graph/planning/planner.hpp"

namespace eglantine {

/// A constant is one element for all, not memory of its shape.
Strided Planner::operand_of_attention(const Node& x) {
  const auto* constant = x.as<nodes::Constant>();
  if (constant == nullptr) return operand(x);
  const StorageType storage = dense_storage(x.dtype);
  const Strided one{allocate_(bytes_of(storage)), storage, layout::contiguous({1}), true};
  ExpressionBuilder builder(one.layout.shape);
  builder.parameter(computed_type(x.dtype), parameter_of(x, *constant));
  emit(MapKernel{builder.take(), one}, x);
  return {one.buffer, storage, layout::expand(one.layout, x.shape)};
}

void Planner::attention(const Node& x, const Node* epilogue) {
  const auto& what = *x.as<nodes::Attention>();
  const int rank = x.shape.rank();
  AttentionKernel kernel;
  const auto heads_of = [&](const NodePtr& node) { return node->shape[rank - 3]; };
  kernel.results = x.shape[rank - 1];
  kernel.rows = what.q->shape[rank - 2];
  kernel.heads = x.shape.elements() / (kernel.rows * kernel.results);
  kernel.columns = what.k->shape[rank - 2];
  kernel.features = what.k->shape[rank - 1];
  kernel.key_share = heads_of(what.q) / heads_of(what.k);
  kernel.value_share = heads_of(what.q) / heads_of(what.v);
  kernel.q = operand_of_attention(*what.q);
  kernel.k = operand_of_attention(*what.k);
  kernel.v = operand_of_attention(*what.v);
  if (what.mask) kernel.mask = operand_of_attention(*what.mask);
  kernel.causal = what.causal;
  kernel.scale = std::bit_cast<uint32_t>(what.scale);
  Layout at = layout::contiguous(x.shape);  // of the kernel's results, whatever the epilogue's shape
  if (what.rows_first) {
    std::swap(at.shape[rank - 2], at.shape[rank - 3]);
    std::swap(at.strides[static_cast<size_t>(rank - 2)], at.strides[static_cast<size_t>(rank - 3)]);
  }
  kernel.epilogue = epilogue_at(x, epilogue, at);
  const Node& result = epilogue != nullptr ? *epilogue : x;
  kernel.out = output(result, at);
  if (what.both) {
    const int64_t rows = kernel.heads * kernel.rows;
    const Stored second{allocate_(rows * bytes_of(StorageType::f32)), StorageType::f32};
    kernel.second = whole_at(plan_.seconds[&x] = second, layout::contiguous({rows}));
  }
  emit(std::move(kernel), result);
}

void Planner::attention_gradient(const Node& x) {
  const auto& what = *x.as<nodes::AttentionGradient>();
  const Shape& q = what.q->shape;
  const int rank = q.rank();
  AttentionGradientKernel kernel;
  kernel.rows = q[rank - 2];
  kernel.features = q[rank - 1];
  kernel.heads = q.elements() / (kernel.rows * kernel.features);
  kernel.columns = what.v->shape[rank - 2];
  kernel.results = what.v->shape[rank - 1];
  kernel.key_share = q[rank - 3] / what.k->shape[rank - 3];
  kernel.value_share = q[rank - 3] / what.v->shape[rank - 3];
  kernel.together = what.together;
  kernel.q = operand_of_attention(*what.q);
  kernel.k = operand_of_attention(*what.k);
  kernel.v = operand_of_attention(*what.v);
  if (what.mask) kernel.mask = operand_of_attention(*what.mask);
  kernel.cotangent = operand_of_attention(*what.cotangent);
  const auto of_rows = [&](const Node& node) {
    Strided one = operand_of_attention(node);
    one.layout.shape.push_back(1);
    one.layout.strides.push_back(1);
    return one;
  };
  kernel.logsumexp = of_rows(*what.logsumexp);
  kernel.delta = of_rows(*what.delta);
  kernel.causal = what.causal;
  kernel.scale = std::bit_cast<uint32_t>(what.scale);
  results_of(x, kernel);
  emit(std::move(kernel), x);
}

void Planner::results_of(const Node& x, AttentionGradientKernel& kernel) {
  const auto& what = *x.as<nodes::AttentionGradient>();
  const int64_t heads = what.q->shape[what.q->shape.rank() - 3], batches = kernel.heads / heads,
                groups = what.together > 0 ? heads / what.together : 0, lines = batches * groups * kernel.columns;
  if (what.joined) {
    const int64_t line = heads * kernel.features, pitch = 3 * line;
    const auto part = [&](int64_t which) {
      return Layout{{batches, heads, kernel.rows, kernel.features},
                    {kernel.rows * pitch, kernel.features, pitch, 1},
                    which * line};
    };
    kernel.out = output(x, part(0));
    kernel.second = {kernel.out.buffer, kernel.out.storage, part(1)};
    kernel.third = part(2);
    return;
  }
  const auto at = [&](int64_t first, const Shape& shape) {  // (batches, heads, lines, elements)
    Layout all = layout::contiguous(shape, first);
    if (what.rows_first) {
      all.strides[1] = shape[3];
      all.strides[2] = shape[1] * shape[3];
    }
    return all;
  };
  kernel.out = output(
      x, what.all ? at(0, {batches, heads, kernel.rows, kernel.features}) : layout::contiguous({x.shape.elements()}));
  if (!kernel.is_of_keys()) return;
  const int64_t of_keys = lines * kernel.features, of_values = lines * kernel.results,
                count = what.all ? of_keys + of_values : of_values;
  const Stored second{allocate_(count * bytes_of(StorageType::f32)), StorageType::f32};
  plan_.seconds[&x] = second;
  kernel.second = whole_at(
      second, what.all ? at(0, {batches, groups, kernel.columns, kernel.features}) : layout::contiguous({count}));
  if (what.all) kernel.third = at(of_keys, {batches, groups, kernel.columns, kernel.results});
}

}  // namespace eglantine
