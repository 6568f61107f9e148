#include <span>
#include <vector>

#include "layout/layout.hpp"
#include "verbs/index/index.hpp"

/// Selection by a mask: a scan of it gives elements' positions. The result's shape depends on data: these verbs wait.
namespace eglantine {

namespace verbs {

Tensor compact(std::string_view function, const Tensor& index, const Tensor& updates, int64_t count,
               const NodePtr& base) {
  if (is_narrow(updates.dtype())) {
    const NodePtr wide = base ? widened(Tensor(base)).node() : nullptr;
    return compact(function, index, widened(updates), count, wide).astype(updates.dtype());
  }
  const NodePtr aligned = make_view(index.node(), layout::expand(layout::contiguous(index.shape()), updates.shape()));
  Shape shape = updates.shape();
  shape[0] = count;
  IntList axes;
  for (int i = 0; i < shape.rank(); ++i) axes.push_back(i == 0 ? -1 : i);
  const IndexCheck check{std::string(function), shape, 0, updates.shape(), layout::contiguous(updates.shape())};
  return pend(make_scatter(
      {base, aligned, updates.node(), axes, 0, {}, true, true, std::make_shared<const IndexCheck>(check)}, shape));
}

Tensor Counted::index() const { return where(mask, places - 1, static_cast<int32_t>(count)); }

Counted counted(std::string_view function, const Tensor& mask) {
  check::require_i32_count(function, mask.shape());
  const Tensor flat = mask.reshape({mask.size()});
  if (mask.size() == 0) return {flat, flat.astype(DType::i32), 0};
  const Tensor places = cumsum(flat, 0);
  eval({flat, places});  // both, since the scatter that follows reads the mask too
  return {flat, places, places.slice(0, -1).item<int32_t>()};
}

}  // namespace verbs

namespace {

using check::fail;
using verbs::Counted;
using verbs::counted;

void require_mask(const Tensor& x, const Tensor& mask) {
  check::require_same_device("compress", x, mask);
  check::require_types("compress", Types::logical, mask.dtype());
  bool fits = mask.rank() <= x.rank();
  for (int i = 0; fits && i < mask.rank(); ++i) fits = mask.shape()[i] == x.shape()[i];
  if (!fits)
    fail<ShapeError>("compress", "the mask ", to_string(mask.shape()), " must have the shape of the first axes of ",
                     to_string(x.shape()));
  if (mask.rank() == 0 && x.rank() == max_rank)
    fail<ShapeError>("compress", to_string(x.shape()), " has the largest rank already, ", std::to_string(max_rank),
                     ", and a scalar mask adds an axis");
}

/// numbers[i] as an element of axis i: by comparisons, since an upload takes longer than the kernel that reads it.
Tensor by_axis(const Tensor& axis, std::span<const int64_t> numbers) {
  Tensor chosen = full({}, static_cast<int32_t>(numbers.back()), DType::i32, axis.device());
  for (size_t i = 0; i + 1 < numbers.size(); ++i)
    chosen = where(axis == static_cast<int32_t>(i), static_cast<int32_t>(numbers[i]), chosen);
  return chosen;
}

/// (count, rank) of the places (count) in a shape's row-major order.
Tensor coordinates(const Tensor& places, const Shape& shape) {
  const Tensor axis = verbs::iota(places.device(), {shape.rank()}).astype(DType::i32);
  const std::vector<int64_t> lengths = shape.to_vector();
  return remainder(places.unsqueeze(1) / by_axis(axis, layout::contiguous(shape).strides), by_axis(axis, lengths));
}

}  // namespace

Tensor compress(const Tensor& x, const Tensor& mask) {
  require_mask(x, mask);
  const Counted chosen = counted("compress", mask);
  Shape rows{mask.size()}, shape{chosen.count}, aligned{mask.size()};
  for (int i = mask.rank(); i < x.rank(); ++i) {
    rows.push_back(x.shape()[i]);
    shape.push_back(x.shape()[i]);
    aligned.push_back(1);
  }
  if (shape.elements() == 0) return zeros(shape, x.dtype(), x.device());
  return verbs::compact("compress", chosen.index().reshape(aligned), x.reshape(rows), chosen.count);
}

Tensor nonzero(const Tensor& mask) {
  check::require_types("nonzero", Types::logical, mask.dtype());
  const Counted chosen = counted("nonzero", mask);
  if (chosen.count == 0 || mask.rank() == 0) return zeros({chosen.count, mask.rank()}, DType::i32, mask.device());
  const Tensor numbers = verbs::iota(mask.device(), {mask.size()}).astype(DType::i32);
  const Tensor places = verbs::compact("nonzero", chosen.index(), numbers, chosen.count);
  return mask.rank() == 1 ? places.unsqueeze(1) : coordinates(places, mask.shape());
}

}  // namespace eglantine
