#pragma once

#include <cstdint>
#include <vector>

#include "eglantine/shape.hpp"

/// The order in which a reduction combines its elements (formulas, and measurements behind the constants:
/// docs/reduction-tree.md). It depends on shapes, axes and the memory layout of the operands alone, never on the
/// device, and is part of every float sum's bits.
namespace eglantine::layout {

/// Lanes of the row tree and the lengths of its serial runs; accumulators and serial runs of the column tree.
inline constexpr int64_t row_lanes = 64;
inline constexpr int64_t row_trips = 32;
inline constexpr int64_t row_block = row_lanes * 4 * row_trips;
inline constexpr int64_t column_accumulators = 8;
inline constexpr int64_t column_trips = 16;
inline constexpr int64_t column_block = column_accumulators * column_trips;

/// row: lanes run along the reduced elements, the innermost ones in memory. column: lanes run along the kept elements,
/// and each goes down the reduced ones.
enum class ReduceTree : uint8_t { row, column };

/// The tree of one reduction and the order of its reduced axes, outermost first.
struct ReduceOrder {
  ReduceTree tree = ReduceTree::row;
  Axes reduced;  ///< by decreasing stride of the dominant operand: memory order
};

/// Chooses the order from the layouts of the operands (all of shape `shape`) and the axes to reduce (sorted, not
/// negative). The dominant operand is the first of those with the largest reach (layout.hpp); when none reaches more
/// than one element, the domain itself, as if stored row-major. The tree is a row tree when the axis of the dominant
/// operand's smallest non-zero stride (in magnitude; the last among equals) is reduced, or no axis is kept; else a
/// column tree. Axes of length 1, offsets and signs of strides do not matter. Reduced axes of equal stride stay in
/// order; those of stride 0 come last.
ReduceOrder reduce_order(const Shape& shape, const std::vector<Layout>& operands, const Axes& reduced);

}  // namespace eglantine::layout
