#include "codegen/addresses.hpp"

namespace eglantine::codegen {
namespace {

constexpr int64_t unit_length = 4;

bool divides(int64_t value) { return value % unit_length == 0; }

}  // namespace

Addresses::Addresses(AddressSpec spec) : spec_(std::move(spec)) {
  const Part& part = spec_.parts[static_cast<size_t>(spec_.vector_part)];
  const bool whole = part.rank == 1 ? spec_.whole : rows_of_fours(spec_.domain, part);
  has_tail_ = spec_.width == 4 && !spec_.in_rows && !whole;
}

int Addresses::add(const Layout& x, bool may_load_vec4) {
  Item item;
  item.layout = x;
  for (int p = 0; p < parts(); ++p) item.walk[static_cast<size_t>(p)] = walk_of(x, spec_.parts[static_cast<size_t>(p)]);
  item.access = access_of(item, may_load_vec4);
  items_.push_back(std::move(item));
  return static_cast<int>(items_.size()) - 1;
}

/// Whether every address at which a unit starts is a multiple of four, as far as the offset and the axes outside the
/// innermost one go.
bool Addresses::aligned(const Layout& x) const {
  if (!divides(x.offset)) return false;
  const Part& part = spec_.parts[static_cast<size_t>(spec_.vector_part)];
  if (spec_.in_rows && !rows_of_fours(spec_.domain, part)) return false;
  const int innermost = part.first + part.rank - 1;
  const bool linear = walk_of(x, part) == Walk::unit;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    const bool in_part = axis >= part.first && axis <= innermost;
    if (axis == innermost || (in_part && linear) || x.shape[axis] == 1) continue;
    if (!divides(x.strides[static_cast<size_t>(axis)])) return false;
  }
  return true;
}

Access Addresses::access_of(const Item& item, bool may_load_vec4) const {
  if (spec_.width == 1) return Access::single;
  const Part& part = spec_.parts[static_cast<size_t>(spec_.vector_part)];
  const Walk walk = item.walk[static_cast<size_t>(spec_.vector_part)];
  if (walk == Walk::none) return Access::splat;
  if (walk == Walk::coordinates && has_tail_) return Access::gather;
  const int64_t stride = walk == Walk::coordinates
                             ? item.layout.strides[static_cast<size_t>(part.first + part.rank - 1)]
                             : linear_stride(item.layout, part);
  if (stride == 0) return Access::splat;
  if (stride == 1 && may_load_vec4 && aligned(item.layout)) return Access::vec4;
  return has_tail_ ? Access::gather : Access::strided;
}

layout::Reach Addresses::reached(int number, const std::vector<Numbers>& numbers) const {
  const Layout& x = item(number).layout;
  layout::Reach reached{x.offset, x.offset};
  for (size_t p = 0; p < spec_.parts.size(); ++p) {
    const layout::Reach part = reach_of(x, spec_.parts[p], numbers[p]);
    reached.first += part.first;
    reached.last += part.last;
  }
  return reached;
}

bool Addresses::walks_coordinates(int part) const {
  for (const Item& item : items_) {
    if (item.walk[static_cast<size_t>(part)] == Walk::coordinates) return true;
  }
  return false;
}

void Addresses::place(const std::vector<int64_t>& bases, int64_t last, Uniforms& uniforms) {
  for (int p = 0; p < parts(); ++p) {
    const Part& part = spec_.parts[static_cast<size_t>(p)];
    if (!walks_coordinates(p)) continue;
    for (int axis = part.first + 1; axis < part.first + part.rank; ++axis)
      divisor_slot_[static_cast<size_t>(axis)] = uniforms.add_divisor(spec_.domain[axis]);
  }
  if (has_tail_) last_slot_ = uniforms.add(last);
  for (size_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    item.base_slot = uniforms.add(item.layout.offset - bases[i]);
    for (size_t p = 0; p < spec_.parts.size(); ++p) {
      const Part& part = spec_.parts[p];
      if (item.walk[p] == Walk::linear) item.linear_slot[p] = uniforms.add(linear_stride(item.layout, part));
      if (item.walk[p] != Walk::coordinates) continue;
      for (int axis = part.first; axis < part.first + part.rank; ++axis) {
        item.stride_slot[static_cast<size_t>(axis)] = uniforms.add(item.layout.strides[static_cast<size_t>(axis)]);
      }
    }
  }
}

}  // namespace eglantine::codegen
