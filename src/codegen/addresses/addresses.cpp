#include "codegen/addresses/addresses.hpp"

#include <algorithm>

namespace eglantine::codegen {
namespace {

bool divides(int64_t value) { return value % vector_width == 0; }

}  // namespace

Addresses::Addresses(AddressSpec spec) : spec_(std::move(spec)) {
  const AxisSpan& span = spec_.spans[static_cast<size_t>(spec_.vector_span)];
  const bool whole = span.rank == 1 || spec_.apart > 1 ? spec_.whole : rows_of_whole_vectors(spec_.domain, span);
  has_tail_ = spec_.width == 4 && !spec_.in_rows && !whole;
  divisor_slot_.fill(-1);
}

int Addresses::add(const Layout& x, bool vectors, bool anywhere) {
  Item item;
  item.layout = x;
  for (int p = 0; p < spans(); ++p)
    item.pattern[static_cast<size_t>(p)] = access_pattern_of(x, spec_.spans[static_cast<size_t>(p)]);
  item.access = vector_access_of(item, vectors, anywhere);
  item.twin = twin_of(item);
  if (item.twin >= 0) item.counted = items_[static_cast<size_t>(item.twin)].counted;
  items_.push_back(std::move(item));
  return static_cast<int>(items_.size()) - 1;
}

int Addresses::add_iota(const Layout& x, bool vectors, bool anywhere) {
  const int number = add(x, vectors, anywhere);
  const auto moving = std::ranges::find(x.strides, 1);
  const auto count = std::ranges::count_if(x.strides, [](int64_t stride) { return stride != 0; });
  if (moving != x.strides.end() && count == 1)
    items_[static_cast<size_t>(number)].counted = static_cast<int>(moving - x.strides.begin());
  return number;
}

/// The first item that differs in its offset alone, where addresses take coordinates; -1 where there is none.
int Addresses::twin_of(const Item& item) const {
  const bool multiplies =
      std::find(item.pattern.begin(), item.pattern.end(), AccessPattern::coordinates) != item.pattern.end();
  for (size_t i = 0; multiplies && i < items_.size(); ++i) {
    const Item& other = items_[i];
    if (other.twin < 0 && other.access == item.access && other.pattern == item.pattern &&
        other.layout.strides == item.layout.strides)
      return static_cast<int>(i);
  }
  return -1;
}

/// Whether each vector starts at a multiple of four, as far as offset and the axes outside the innermost decide.
bool Addresses::aligned(const Layout& x) const {
  if (!divides(x.offset)) return false;
  const AxisSpan& span = spec_.spans[static_cast<size_t>(spec_.vector_span)];
  const int innermost = span.first + span.rank - 1;
  const bool contiguous = access_pattern_of(x, span) == AccessPattern::contiguous;
  const bool at_multiples = !spec_.in_rows || (spec_.whole && contiguous);
  if (!at_multiples && !rows_of_whole_vectors(spec_.domain, span)) return false;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    const bool in_span = axis >= span.first && axis <= innermost;
    if (axis == innermost || (in_span && contiguous) || x.shape[axis] == 1) continue;
    if (!divides(x.strides[static_cast<size_t>(axis)])) return false;
  }
  return true;
}

VectorAccess Addresses::vector_access_of(const Item& item, bool vectors, bool anywhere) const {
  if (spec_.width == 1) return VectorAccess::single;
  const AxisSpan& span = spec_.spans[static_cast<size_t>(spec_.vector_span)];
  const AccessPattern pattern = item.pattern[static_cast<size_t>(spec_.vector_span)];
  if (pattern == AccessPattern::broadcast) return VectorAccess::splat;
  if (pattern == AccessPattern::coordinates && has_tail_) return VectorAccess::gather;
  const int64_t stride = pattern == AccessPattern::coordinates
                             ? item.layout.strides[static_cast<size_t>(span.first + span.rank - 1)]
                             : span_stride(item.layout, span);
  if (stride == 0) return VectorAccess::splat;
  const bool together = stride == 1 && spec_.apart == 1;
  if (together && vectors && aligned(item.layout)) return VectorAccess::vec4;
  if (together && anywhere) return VectorAccess::anywhere;
  return has_tail_ ? VectorAccess::gather : VectorAccess::strided;
}

int Addresses::first_anywhere() const {
  const auto found = std::ranges::find(items_, VectorAccess::anywhere, &Item::access);
  return found == items_.end() ? -1 : static_cast<int>(found - items_.begin());
}

bool Addresses::begins_before() const { return spec_.of_memory && first_anywhere() >= 0; }

layout::Reach Addresses::reached(int number, const std::vector<Window>& windows) const {
  const Layout& x = item(number).layout;
  layout::Reach reached{x.offset, x.offset};
  for (size_t p = 0; p < spec_.spans.size(); ++p) {
    const layout::Reach reach = reach_of(x, spec_.spans[p], windows[p]);
    reached.first += reach.first;
    reached.last += reach.last;
  }
  return reached;
}

bool Addresses::needs_coordinates(int span) const {
  for (const Item& item : items_) {
    if (item.pattern[static_cast<size_t>(span)] == AccessPattern::coordinates) return true;
  }
  return false;
}

void Addresses::add_uniforms(const std::vector<int64_t>& bases, int64_t last, Uniforms& uniforms,
                             const Addresses* same) {
  for (int p = 0; p < spans(); ++p) {
    const AxisSpan& span = spec_.spans[static_cast<size_t>(p)];
    if (!needs_coordinates(p)) continue;
    for (int axis = span.first + 1; axis < span.first + span.rank; ++axis) {
      const int slot = same != nullptr ? same->divisor_slot(axis) : -1;
      divisor_slot_[static_cast<size_t>(axis)] = slot >= 0 ? slot : uniforms.add_divisor(spec_.domain[axis]);
    }
  }
  if (has_tail_) last_slot_ = uniforms.add(last);
  for (size_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    if (item.twin >= 0) {
      const auto twin = static_cast<size_t>(item.twin);
      item.base_slot = uniforms.add(item.layout.offset - bases[i] - (items_[twin].layout.offset - bases[twin]));
      item.span_stride_slot = items_[twin].span_stride_slot;
      item.axis_stride_slot = items_[twin].axis_stride_slot;
      continue;
    }
    item.base_slot = uniforms.add(item.layout.offset - bases[i]);
    for (size_t p = 0; p < spec_.spans.size(); ++p) {
      const AxisSpan& span = spec_.spans[p];
      if (item.pattern[p] == AccessPattern::strided)
        item.span_stride_slot[p] = uniforms.add(span_stride(item.layout, span));
      if (item.pattern[p] != AccessPattern::coordinates || item.counted >= 0) continue;
      for (int axis = span.first; axis < span.first + span.rank; ++axis) {
        item.axis_stride_slot[static_cast<size_t>(axis)] = uniforms.add(item.layout.strides[static_cast<size_t>(axis)]);
      }
    }
  }
}

}  // namespace eglantine::codegen
