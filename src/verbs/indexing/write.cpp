#include "layout/layout.hpp"
#include "verbs/indexing/picked.hpp"

/// Writing by indices: another tensor, with some elements replaced.
namespace eglantine {

namespace {

using verbs::Picked;
using verbs::Selection;

/// A number that beside x is of another dtype is written differently, rather than converted.
void require_converts(std::string_view function, const Operand& value, DType from, DType to) {
  if (value.tensor() != nullptr || from == to) return check::require_converts(function, from, to);
  check::fail<DTypeError>(function, "the number ", value.scalar()->text(), " counts as ", name_of(from),
                          ", which does not become ", name_of(to), " by itself; write ",
                          to == DType::boolean ? "true or false" : "a whole number as an integer",
                          ", or convert the tensor with astype");
}

/// What is put, in the dtype and the shape of what it is put to.
Tensor fitting(std::string_view function, const Tensor& x, const Operand& value, const Shape& shape) {
  const Tensor given = verbs::to_tensor(function, value, x);
  check::require_same_device(function, x, given);
  require_converts(function, value, given.dtype(), x.dtype());
  // A number has x's shape.
  const Tensor element =
      value.tensor() == nullptr ? Tensor(make_view(given.node(), layout::expand({{}, {}, 0}, shape))) : given;
  bool fits = element.rank() <= shape.rank();
  for (int i = 1; fits && i <= element.rank(); ++i)
    fits = element.shape()[element.rank() - i] == 1 || element.shape()[element.rank() - i] == shape[shape.rank() - i];
  if (!fits)
    check::fail<ShapeError>(function, "a value of ", to_string(element.shape()), " does not broadcast to ",
                            to_string(shape), ", which the indices name of ", to_string(x.shape()));
  return element.astype(x.dtype()).expand(shape);
}

/// x with the elements of a view of it replaced.
Tensor placed_into(const Tensor& x, const Layout& view, const Tensor& value) {
  if (view.size() == 0) return x;
  nodes::Placement placement{{x.node(), value.node()}, {layout::contiguous(x.shape()), view}, std::nullopt};
  if (view.size() == x.size()) {
    placement.pieces.erase(placement.pieces.begin());
    placement.regions.erase(placement.regions.begin());
  }
  return pend(make_placement(x.shape(), x.dtype(), x.node()->device, std::move(placement)));
}

/// Whether the selection is all of x, and the tensors index one axis of it, or its first ones.
bool is_along_axes(const Tensor& x, const Selection& selection) {
  const Layout& view = selection.view;
  if (view.shape != x.shape() || !view.is_contiguous() || view.offset != 0) return false;
  return selection.tensors.size() == 1 ||
         selection.tensors.back().axis + 1 == static_cast<int>(selection.tensors.size());
}

Tensor scattered_into(std::string_view function, const Tensor& x, const Selection& selection, const Tensor& value,
                      bool add) {
  const verbs::Combine combine = add ? verbs::Combine(Reduction::sum) : std::nullopt;
  const auto put = [&](const Picked& to) {
    return verbs::scattered(to.base, to.axis, to.index, value, to.axes, combine, to.check, to.places);
  };
  const bool along_axes = is_along_axes(x, selection), nothing = x.size() == 0 || value.size() == 0;
  // An index for each element saves copies of x in the order of the picked axes, and of the selection into x.
  if (!along_axes && !nothing)
    if (const std::optional<Picked> to = verbs::picked_in_all(function, x, selection))
      return put(*to).reshape(x.shape());
  const Tensor base = put(verbs::picked(function, x, selection));
  if (nothing) return x;
  const Tensor part = verbs::as_selected(base, selection);
  return along_axes ? part : placed_into(x, selection.view, part);
}

/// The mask that stands alone before axes that value does not tell apart: nothing has to wait for it.
const Tensor* plain_mask(const Tensor& x, const std::vector<Index>& indices, const Operand& value) {
  const Tensor* mask = verbs::leading_mask(x, indices);
  const bool plain =
      mask != nullptr && (value.tensor() == nullptr || value.tensor()->rank() + mask->rank() <= x.rank());
  return plain ? mask : nullptr;
}

Tensor put_where(std::string_view function, const Tensor& x, const Tensor& mask, const Operand& value, bool add) {
  Shape rest = x.shape(), aligned = mask.shape();
  for (int i = 0; i < mask.rank(); ++i) rest.erase(0);
  for (int i = 0; i < rest.rank(); ++i) aligned.push_back(1);
  check::require_same_device(function, x, mask);
  const Tensor given = fitting(function, x, value, rest);
  return where(mask.reshape(aligned), add ? x + given : given, x);
}

Tensor put(std::string_view function, const Tensor& x, const std::vector<Index>& indices, const Operand& value,
           bool add) {
  if (add) check::require_types(function, Types::numeric, x.dtype());
  if (const Tensor* mask = plain_mask(x, indices, value)) return put_where(function, x, *mask, value, add);
  const Selection selection = verbs::resolve(function, x, indices);
  const Tensor given = fitting(function, x, value, selection.result());
  if (!selection.tensors.empty()) return scattered_into(function, x, selection, given, add);
  return placed_into(x, selection.view, add ? verbs::selected(x, selection) + given : given);
}

}  // namespace

Tensor Tensor::index_put(const std::vector<Index>& indices, const Operand& value) const {
  return put("index_put", *this, indices, value, false);
}

Tensor Tensor::index_put_add(const std::vector<Index>& indices, const Operand& value) const {
  return put("index_put_add", *this, indices, value, true);
}

}  // namespace eglantine
