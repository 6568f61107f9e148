#include "graph/structure/structure.hpp"

#include <algorithm>

#include "graph/structure/writer.hpp"

namespace eglantine {

void GraphStructure::read(const std::vector<NodePtr>& roots) {
  words_.clear();
  nodes_.clear();
  taken_over_.clear();
  buffers_.clear();
  numbers_.clear();
  buffer_numbers_.clear();
  has_custom_ = false;
  StructureWriter writer(*this);
  writer.write_count(roots.size());
  for (const NodePtr& root : roots) writer.write_number(root);
  for (size_t i = 0; i < nodes_.size(); ++i) writer.write(*nodes_[i]);  // which find further ones
}

bool GraphStructure::is_held_elsewhere(const Node& base) const {
  return std::find(taken_over_.begin(), taken_over_.end(), &base) == taken_over_.end();
}

void StructureWriter::write(const Node& x) {
  const bool row_major = x.dominant.layout == nullptr, whole = x.dominant.reach == x.shape.elements();
  const int64_t flags = int64_t{x.awaits_derivative()} << 5 | int64_t{x.is_kept()} << 4 |
                        int64_t{x.is_computed()} << 3 | int64_t{row_major} << 2 | int64_t{whole} << 1 |
                        int64_t{x.dominant.computed};
  put(static_cast<int64_t>(x.value().index()) << 24 | static_cast<int64_t>(x.dtype) << 16 | flags);
  put(x.shape);
  if (!whole) put(x.dominant.reach);
  if (!row_major) put(*x.dominant.layout);
  if (x.is_computed()) return put(x.stored()), put(x.second());
  std::visit([&](const auto& value) { write_value(value); }, x.value());
}

void StructureWriter::write_number(const NodePtr& x) {
  if (!x) return put(-1);
  const auto [number, is_new] = out_.numbers_.number(x.get());
  if (is_new) out_.nodes_.push_back(x.get());
  put(number);
}

void StructureWriter::put(const Stored& x) {
  if (!x.buffer) return put(-1);
  const auto [number, is_new] = out_.buffer_numbers_.number(x.buffer.get());
  if (is_new) out_.buffers_.push_back(&x.buffer);
  put(int64_t{number} << 8 | static_cast<int64_t>(x.storage));
}

void StructureWriter::put(const IntList& x) {
  put(x.rank());
  out_.words_.insert(out_.words_.end(), x.begin(), x.end());
}

void StructureWriter::put(const Layout& x) {
  put(x.shape);
  out_.words_.insert(out_.words_.end(), x.strides.begin(), x.strides.end());
  put(x.offset);
}

void StructureWriter::put(const IndexCheckPtr& x) {
  put(int64_t{x != nullptr});
  if (!x) return;
  const auto& [function, shape, axis, indices, place, together, from_end] = *x;
  write_count(function.size());
  out_.words_.insert(out_.words_.end(), function.begin(), function.end());
  for (const IntList* list : {static_cast<const IntList*>(&shape), static_cast<const IntList*>(&indices), &together})
    put(*list);
  put(int64_t{axis} << 1 | int64_t{from_end});
  put(place);
}

void StructureWriter::put(const layout::AxisMap& x) {
  const auto& [length, begin, end, pieces] = x;
  out_.words_.insert(out_.words_.end(), {length, begin, end});
  write_count(pieces.size());
  for (const auto& [start, first, step] : pieces) out_.words_.insert(out_.words_.end(), {start, first, step});
}

/// As far as Planner::memory_taken_over() looks.
void StructureWriter::write_taken_over(const NodePtr& base) {
  const auto may_take = [&](const NodePtr& node) {
    const bool may = node.use_count() == 1;
    put(int64_t{may});
    if (may) out_.taken_over_.push_back(node.get());
    return may;
  };
  const NodePtr* at = &base;
  for (const nodes::View* view = nullptr; may_take(*at) && (view = (*at)->as<nodes::View>()) != nullptr;)
    at = &view->source;
}

}  // namespace eglantine
