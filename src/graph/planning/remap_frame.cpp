#include "graph/planning/remap_frame.hpp"

#include <algorithm>

#include "graph/planning/recomputation/repeated_values.hpp"

namespace eglantine {

namespace {

/// a + b * c. What lies outside the bounds may be beyond 64 bits, and is never read.
int64_t multiply_add(int64_t a, int64_t b, int64_t c) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b) * static_cast<uint64_t>(c));
}

/// The axes [first, end) of a shape as one coordinate: a layout over the shape.
Layout coordinate_of(const Shape& shape, int first, int end) {
  Layout result{shape, std::vector<int64_t>(static_cast<size_t>(shape.rank()), 0), 0};
  int64_t stride = 1;
  for (int axis = end - 1; axis >= first; --axis) {
    result.strides[static_cast<size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return result;
}

/// Also a roll along an axis along which the source is the same everywhere.
bool moves_nothing(const nodes::Remap& x, int axis) {
  const layout::AxisMap& map = x.axes[static_cast<size_t>(axis)];
  return map.is_identity() || (map.is_total() && map.length == x.source->shape[axis] && repeats_along(*x.source, axis));
}

}  // namespace

bool RemapFrame::is_identity(const nodes::Remap& x) {
  for (int axis = 0; axis < x.source->shape.rank(); ++axis)
    if (!moves_nothing(x, axis)) return false;
  return true;
}

std::optional<RemapFrame> RemapFrame::make(ExpressionBuilder& builder, const nodes::Remap& x, const Shape& shape,
                                           const Layout& at, const RemapFrame* outer) {
  // Each axis by itself, as any source can be read; or neighbours as one, where `at` tells them apart no more.
  std::optional<RemapFrame> frame = make(builder, x, shape, at, outer, false);
  return frame ? std::move(frame) : make(builder, x, shape, at, outer, true);
}

std::optional<RemapFrame> RemapFrame::make(ExpressionBuilder& builder, const nodes::Remap& x, const Shape& shape,
                                           const Layout& at, const RemapFrame* outer, bool merge) {
  RemapFrame frame;
  frame.domain_ = outer != nullptr ? outer->domain_ : at.shape;
  if (outer != nullptr) frame.bounds_ = outer->bounds_;
  frame.own_bounds_ = frame.bounds_.size();
  std::vector<std::pair<const layout::AxisMap*, Layout>> axes;
  const auto is_identity = [&](int axis) { return moves_nothing(x, axis); };
  for (int first = 0, end = 0; first < shape.rank(); first = end) {
    int64_t length = x.source->shape[first];
    for (end = first + 1; merge && is_identity(first) && end < shape.rank() && is_identity(end); ++end)
      length *= shape[end];
    const std::optional<Layout> coordinate = layout::compose(at, coordinate_of(shape, first, end));
    if (!coordinate || (outer != nullptr && !frame.take_jumps(*outer, *coordinate, axes.size(), is_identity(first))))
      return std::nullopt;
    axes.emplace_back(is_identity(first) ? nullptr : &x.axes[static_cast<size_t>(first)],
                      outer != nullptr ? outer->through(*coordinate) : *coordinate);
    frame.shape_.push_back(length);
  }
  // Only now, as nothing may be left behind of what is given up.
  for (auto& [map, coordinate] : axes) {
    if (map != nullptr) frame.add_conditions(builder, *map, coordinate);
    frame.coordinates_.push_back(std::move(coordinate));
  }
  return frame;
}

/// What jumps along an axis that is as it is jumps there, too; what is remapped again has no one place to jump at.
bool RemapFrame::take_jumps(const RemapFrame& outer, const Layout& coordinate, size_t axis, bool as_it_is) {
  for (const AxisJump& jump : outer.jumps_) {
    const int64_t stride = coordinate.strides[jump.axis];
    if (stride == 0 || outer.shape_[static_cast<int>(jump.axis)] == 1) continue;
    if (!as_it_is) return false;
    jumps_.push_back({axis, jump.iota, jump.from, jump.add * stride, jump.times * stride});
  }
  return true;
}

void RemapFrame::add_conditions(ExpressionBuilder& builder, const layout::AxisMap& map, Layout& coordinate) {
  coordinate.offset -= map.begin;
  const auto base = [&](const layout::LinearPiece& piece) {
    return piece.first - piece.step * (piece.start - map.begin);
  };
  const int32_t iota = map.is_total() && map.pieces.size() == 1 ? -1 : builder.coordinate(coordinate);
  if (!map.is_total()) bounds_.push_back({iota, map.end - map.begin});
  for (size_t k = 1; k < map.pieces.size(); ++k) {
    const layout::LinearPiece &last = map.pieces[k - 1], &piece = map.pieces[k];
    jumps_.push_back(
        {coordinates_.size(), iota, piece.start - map.begin, base(piece) - base(last), piece.step - last.step});
  }
  const layout::LinearPiece& first = map.pieces.front();
  coordinate.offset = base(first) + first.step * coordinate.offset;
  for (int64_t& stride : coordinate.strides) stride *= first.step;
}

Layout RemapFrame::through(const Layout& at) const {
  Layout result{domain_, std::vector<int64_t>(static_cast<size_t>(domain_.rank()), 0), at.offset};
  for (size_t axis = 0; axis < coordinates_.size(); ++axis) {
    const int64_t stride = shape_[static_cast<int>(axis)] == 1 ? 0 : at.strides[axis];
    result.offset = multiply_add(result.offset, stride, coordinates_[axis].offset);
    for (size_t i = 0; i < result.strides.size(); ++i)
      result.strides[i] = multiply_add(result.strides[i], stride, coordinates_[axis].strides[i]);
  }
  return result;
}

std::vector<PiecewiseRead::Jump> RemapFrame::jumps_of(const Layout& at) const {
  std::vector<PiecewiseRead::Jump> jumps;
  for (const AxisJump& jump : jumps_)
    if (const int64_t stride = at.strides[jump.axis]; stride != 0 && shape_[static_cast<int>(jump.axis)] > 1)
      jumps.push_back({jump.iota, jump.from, jump.add * stride, jump.times * stride});
  return jumps;
}

int RemapFrame::load(ExpressionBuilder& builder, Strided operand) const {
  PiecewiseRead read{0, jumps_of(operand.layout), bounds_, otherwise_, layout::reach(operand.layout)};
  operand.layout = through(operand.layout);
  return builder.load(std::move(operand), std::move(read));
}

int RemapFrame::iota(ExpressionBuilder& builder, const Layout& at) const {
  int value = builder.iota(through(at));
  const auto word = [&](int64_t x) { return builder.parameter(DType::u32, {static_cast<uint32_t>(x)}); };
  const auto u32 = [&](Op op, int a, int b, int c = -1) { return builder.operation(op, DType::u32, {a, b, c}); };
  for (const PiecewiseRead::Jump& jump : jumps_of(at)) {
    const int i = builder.coordinate_value(jump.iota);
    const int there = builder.operation(Op::ge, DType::boolean, {i, word(jump.from), -1});
    const int distance = u32(Op::add, word(jump.add), u32(Op::mul, word(jump.times), i));
    value = u32(Op::add, value, u32(Op::where, there, distance, word(0)));
  }
  return value;
}

int RemapFrame::inside(ExpressionBuilder& builder) const {
  int all = -1;
  for (size_t k = own_bounds_; k < bounds_.size(); ++k) {
    const int count = builder.parameter(DType::u32, {static_cast<uint32_t>(bounds_[k].count)});
    const int one = builder.operation(Op::lt, DType::boolean, {builder.coordinate_value(bounds_[k].iota), count, -1});
    all = all < 0 ? one : builder.operation(Op::logical_and, DType::boolean, {all, one, -1});
  }
  return all;
}

}  // namespace eglantine
