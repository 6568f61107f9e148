#include <vector>

#include "graph/graph_lock.hpp"
#include "layout/layout.hpp"
#include "verbs/index/compaction.hpp"
#include "verbs/index/index.hpp"

/// Selection by a mask: a scan of it, or of its tiles' counts, or these counts, give elements' positions. The result's
/// shape depends on data: these verbs wait.
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

/// (count, rank) of the places (count) in a shape's row-major order. Without signs division takes fewer instructions.
/// The caller waits for each node that is made here, behind the count.
Tensor coordinates(const Tensor& places, const Shape& shape) {
  const std::vector<int64_t> strides = layout::contiguous(shape).strides;
  std::vector<Tensor> along;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto stride = static_cast<int32_t>(strides[static_cast<size_t>(axis)]);
    const Tensor number = places.astype(DType::u32);  // of each: of all, it would be stored
    const Tensor rows = stride > 1 ? number / stride : number;
    const Tensor coordinate = axis > 0 ? remainder(rows, static_cast<int32_t>(shape[axis])) : rows;
    along.push_back(coordinate.astype(DType::i32));
  }
  return stack(along, 1);
}

/// The places, in order, of the elements of a mask that are true.
Tensor true_places(std::string_view function, const Tensor& mask) {
  if (verbs::host_finds_places(mask)) return verbs::places_by_host(function, mask);
  const Tensor numbers = verbs::iota(mask.device(), {mask.size()}).astype(DType::i32);
  if (verbs::compacts_by_tiles(mask)) return verbs::tile_counts(function, mask).compacted(numbers);
  const Counted chosen = counted(function, mask);
  if (chosen.count == 0) return zeros({0}, DType::i32, mask.device());
  return verbs::compact(function, chosen.index(), numbers, chosen.count);
}

/// x with the mask's axes as one.
Tensor rows_of_mask(const Tensor& x, const Tensor& mask) {
  Shape rows{mask.size()};
  for (int i = mask.rank(); i < x.rank(); ++i) rows.push_back(x.shape()[i]);
  return x.reshape(rows);
}

/// Whether rows are copied from where they lie. What is pending would be computed of every row, and the derivative of
/// a copy is a sum.
bool copies_rows(const Tensor& rows) {
  if (rows.size() == 0 || rows.node()->is_traced()) return false;
  const GraphLock lock;
  const NodePtr source = placed(rows.node()).source;
  return !is_pending(is_widening(*source) ? *source->as<nodes::Elementwise>()->args[0] : *source);
}

/// Whether the rows that are chosen are gathered, by the places where the mask is true.
bool gathers_rows(const Tensor& rows, const Tensor& mask) {
  return (verbs::compacts_by_tiles(mask) || verbs::host_finds_places(mask)) && copies_rows(rows);
}

Tensor scattered_rows(const Tensor& rows, const Tensor& mask) {
  const Counted chosen = counted("compress", mask);
  Shape shape = rows.shape(), aligned(std::vector<int64_t>(static_cast<size_t>(rows.rank()), 1));
  shape[0] = chosen.count;
  aligned[0] = mask.size();
  if (shape.elements() == 0) return zeros(shape, rows.dtype(), rows.device());
  return verbs::compact("compress", chosen.index().reshape(aligned), rows, chosen.count);
}

}  // namespace

Tensor compress(const Tensor& x, const Tensor& mask) {
  require_mask(x, mask);
  const Tensor rows = rows_of_mask(x, mask);
  if (verbs::compacts_by_tiles(mask) && rows.size() == mask.size()) {  // of one element each
    Shape shape = rows.shape();
    const Tensor chosen = verbs::tile_counts("compress", mask).compacted(rows.reshape({rows.size()}));
    shape[0] = chosen.size();
    return chosen.reshape(shape);
  }
  return gathers_rows(rows, mask) ? take(rows, true_places("compress", mask), 0) : scattered_rows(rows, mask);
}

Tensor nonzero(const Tensor& mask) {
  check::require_types("nonzero", Types::logical, mask.dtype());
  if (verbs::gives_coordinates(mask)) {
    const verbs::TileCounts chosen = verbs::tile_counts("nonzero", mask);
    if (chosen.count > 0) return chosen.coordinates(mask.shape());
    return zeros({0, mask.rank()}, DType::i32, mask.device());
  }
  const Tensor places = true_places("nonzero", mask);
  if (places.size() == 0 || mask.rank() == 0) return zeros({places.size(), mask.rank()}, DType::i32, mask.device());
  return mask.rank() == 1 ? places.unsqueeze(1) : coordinates(places, mask.shape());
}

}  // namespace eglantine
