#include <bit>

#include "graph/structure/writer.hpp"

/// One function a kind of node.
namespace eglantine {

namespace {

template <class Enum>
int64_t word_of(const std::optional<Enum>& x) {
  return x ? static_cast<int64_t>(*x) : -1;
}

}  // namespace

void StructureWriter::write_numbers(const std::vector<NodePtr>& list) {
  write_count(list.size());
  for (const NodePtr& node : list) write_number(node);
}

void StructureWriter::write_value(const nodes::View& x) {
  const auto& [source, layout, boundary] = x;
  write_number(source);
  put(layout);
  put(int64_t{boundary != nullptr});
}

void StructureWriter::write_value(const nodes::Elementwise& x) {
  const auto& [op, args] = x;
  put(static_cast<int64_t>(op));
  for (const NodePtr& arg : args) write_number(arg);
}

void StructureWriter::write_value(const nodes::Reduce& x) {
  const auto& [reduction, arg, order, custom, any_order] = x;
  write_number(arg);
  put(static_cast<int64_t>(reduction) << 16 | static_cast<int64_t>(order.tree) << 8 | int64_t{any_order});
  put(order.reduced);
  note_custom(custom);
}

void StructureWriter::write_value(const nodes::Matmul& x) {
  const auto& [a, b] = x;
  write_number(a);
  write_number(b);
}

void StructureWriter::write_value(const nodes::Contraction& x) {
  const auto& [a, b, batch, rows, columns, order] = x;
  write_number(a);
  write_number(b);
  put(int64_t{batch} << 32 | int64_t{rows} << 16 | int64_t{columns});
  put(order);
}

void StructureWriter::write_value(const nodes::Placement& x) {
  const auto& [pieces, regions, fill] = x;
  write_numbers(pieces);
  for (const Layout& region : regions) put(region);
  put(word_of(fill));
  if (pieces.size() > 1 && !fill) write_taken_over(pieces.front());
}

void StructureWriter::write_value(const nodes::Remap& x) {
  const auto& [source, axes, fill] = x;
  write_number(source);
  write_count(axes.size());
  for (const layout::AxisMap& axis : axes) put(axis);
  put(int64_t{fill});
}

void StructureWriter::write_value(const nodes::LoadAt& x) {
  const auto& [source, indices, indexed, axes] = x;
  write_number(source);
  write_numbers(indices);
  put(indexed);
  put(axes);
}

void StructureWriter::write_value(const nodes::Stencil& x) {
  const auto& [source, factor, at, factor_at, taps, steps, op] = x;
  write_number(source);
  write_number(factor);
  put(at);
  if (factor) put(factor_at);
  put(taps);
  put(steps);
  put(static_cast<int64_t>(op));
}

void StructureWriter::write_value(const nodes::Composite& x) {
  const auto& [parts, args, numbers, weight, shares] = x;  // `parts` says whether it shares
  put(static_cast<int64_t>(reinterpret_cast<std::intptr_t>(parts)));
  write_numbers(args);
  write_count(numbers.size());
  for (const int64_t number : numbers) put(number);
}

void StructureWriter::write_value(const nodes::Custom& x) {
  const auto& [op, args] = x;
  write_numbers(args);
  out_.has_custom_ = true;
}

void StructureWriter::write_value(const nodes::Scan& x) {
  const auto& [reduction, arg, axis, exclusive, reverse, custom] = x;
  write_number(arg);
  put(static_cast<int64_t>(reduction) << 16 | int64_t{axis} << 8 | int64_t{exclusive} << 1 | int64_t{reverse});
  note_custom(custom);
}

void StructureWriter::write_value(const nodes::Sort& x) {
  const auto& [keys, payload, axis, descending, wanted, read] = x;
  write_number(keys);
  write_number(payload);
  put(int64_t{axis} << 16 | int64_t{descending} << 8 | static_cast<int64_t>(wanted));
  put(read);
}

void StructureWriter::write_value(const nodes::Attention& x) {
  const auto& [q, k, v, mask, causal, scale, both, rows_first] = x;
  for (const NodePtr* operand : {&q, &k, &v, &mask}) write_number(*operand);
  put(int64_t{std::bit_cast<uint32_t>(scale)} << 3 | int64_t{rows_first} << 2 | int64_t{causal} << 1 | int64_t{both});
}

void StructureWriter::write_value(const nodes::AttentionGradient& x) {
  const auto& [q, k, v, mask, cotangent, logsumexp, delta, causal, scale, together, all, rows_first, joined] = x;
  for (const NodePtr* operand : {&q, &k, &v, &mask, &cotangent, &logsumexp, &delta}) write_number(*operand);
  put(int64_t{std::bit_cast<uint32_t>(scale)} << 4 | int64_t{joined} << 3 | int64_t{rows_first} << 2 |
      int64_t{all} << 1 | int64_t{causal});
  put(together);
}

void StructureWriter::write_value(const nodes::SecondOutput& x) {
  const auto& [first] = x;
  write_number(first);
}

void StructureWriter::write_value(const nodes::Gather& x) {
  const auto& [source, index, axes, axis, check, lookup] = x;
  write_number(source);
  write_number(index);
  put(axes);
  put(int64_t{axis} << 8 | static_cast<int64_t>(lookup));
  put(check);
}

void StructureWriter::write_value(const nodes::Scatter& x) {
  const auto& [base, index, updates, axes, axis, combine, distinct, partial, check, ends, coordinates] = x;
  for (const NodePtr* source : {&base, &index, &updates, &ends}) write_number(*source);
  put(axes);
  put(int64_t{axis} << 2 | int64_t{distinct} << 1 | int64_t{partial});
  put(word_of(combine));
  put(check);
  put(coordinates);
  if (base) write_taken_over(base);
}

void StructureWriter::write_value(const nodes::Tiles& x) {
  const auto& [reduction, arg, tile, custom] = x;
  write_number(arg);
  put(static_cast<int64_t>(reduction));
  put(tile);
  note_custom(custom);
}

}  // namespace eglantine
