#include "verbs/indexing/picked.hpp"

/// Reading by indices.
namespace eglantine {

namespace {

using verbs::Picked;
using verbs::Selection;

/// compress() reads what a mask of the first axes selects in one pass.
const Tensor* only_mask(const Tensor& x, const std::vector<Index>& indices) {
  const Tensor* mask = verbs::leading_mask(x, indices);
  if (mask == nullptr || mask->rank() == 0) return nullptr;
  check::require_same_device("index", x, *mask);
  return mask;
}

Tensor read(const Picked& picked) {
  return verbs::gathered(picked.base, picked.axis, picked.index, picked.axes, picked.check, picked.places);
}

}  // namespace

void Index::fail_place(uint64_t place) {
  check::fail<IndexError>("Index", std::to_string(place), " is no place in any tensor: it is beyond int64_t");
}

Tensor Tensor::index(const std::vector<Index>& indices) const {
  if (const Tensor* mask = only_mask(*this, indices)) return compress(*this, *mask);
  const Selection selection = verbs::resolve("index", *this, indices);
  if (selection.tensors.empty()) return verbs::selected(*this, selection);
  const Shape shape = selection.result();
  check::require_countable("index", shape);
  if (shape.elements() > 0 && !verbs::joins(*this, selection))
    if (const std::optional<Picked> in_place = verbs::picked_in_place("index", *this, selection))
      return read(*in_place);
  return read(verbs::picked("index", *this, selection));
}

Tensor Tensor::operator[](const Index& index) const { return this->index({index}); }

}  // namespace eglantine
