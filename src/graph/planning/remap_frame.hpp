#pragma once

#include <optional>
#include <vector>

#include "graph/kernel/expression.hpp"
#include "graph/node.hpp"

namespace eglantine {

/// The coordinates of a remapped tensor's source as functions of a kernel's domain: what the source's expression is
/// written over. Layouts over `shape` become layouts over the domain, and what they load is read piecewise.
class RemapFrame {
 public:
  /// x: a remapped tensor, read at the positions `at` over the shape of `outer`, or over the domain where that is null.
  /// Nothing where its coordinates are no linear functions there, or x moves an axis along which outer jumps; never of
  /// all of x in order.
  static std::optional<RemapFrame> make(ExpressionBuilder& builder, const nodes::Remap& x, const Shape& shape,
                                        const Layout& at, const RemapFrame* outer);

  /// Whether each element is the source's at the same coordinates, or one that is the same.
  static bool is_identity(const nodes::Remap& x);

  const Shape& shape() const { return shape_; }  ///< of the source; neighbouring axes as they are may be one
  /// Of loads outside the bounds; of instructions only by inside().
  void set_otherwise(uint32_t bits) { otherwise_ = bits; }

  int load(ExpressionBuilder& builder, Strided operand) const;
  int iota(ExpressionBuilder& builder, const Layout& at) const;
  /// Whether the element is one of the source's: a boolean; -1 where it always is.
  int inside(ExpressionBuilder& builder) const;

 private:
  static std::optional<RemapFrame> make(ExpressionBuilder& builder, const nodes::Remap& x, const Shape& shape,
                                        const Layout& at, const RemapFrame* outer, bool merge);

  /// Of the coordinate along an axis, as in a PiecewiseRead.
  struct AxisJump {
    size_t axis;
    int32_t iota;
    int64_t from, add, times;
  };

  /// Outer's jumps that move an axis, which lies there at `coordinate`; false where that is moved again.
  bool take_jumps(const RemapFrame& outer, const Layout& coordinate, size_t axis, bool as_it_is);
  Layout through(const Layout& at) const;  ///< but for the jumps
  /// The jumps and bounds of an axis; `coordinate`: of the result, becomes that of the source but for the jumps.
  void add_conditions(ExpressionBuilder& builder, const layout::AxisMap& map, Layout& coordinate);
  std::vector<PiecewiseRead::Jump> jumps_of(const Layout& at) const;

  Shape shape_, domain_;
  std::vector<Layout> coordinates_;  ///< by axis, over the domain
  std::vector<AxisJump> jumps_;
  std::vector<PiecewiseRead::Bound> bounds_;  ///< the outer frame's first
  size_t own_bounds_ = 0;                     ///< where those of this frame start
  uint32_t otherwise_ = 0;
};

}  // namespace eglantine
