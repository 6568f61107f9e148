#pragma once

#include <cstdint>
#include <vector>

#include "eglantine/shape.hpp"

/// The order in which a reduction combines elements, part of every float sum's bits (formulas, measured constants:
/// docs/reduction-tree.md). It depends on shapes, axes and the operands' memory layout alone, never on the device.
namespace eglantine::layout {

/// Lanes of the row tree and the lengths of its serial runs; accumulators and serial runs of the column tree.
inline constexpr int64_t row_lanes = 64;
inline constexpr int64_t row_trips = 32;
inline constexpr int64_t row_block = row_lanes * 4 * row_trips;
inline constexpr int64_t column_accumulators = 8;
inline constexpr int64_t column_trips = 16;
inline constexpr int64_t column_block = column_accumulators * column_trips;

/// Up to so many elements both trees add neighbours by twos: ((a + b) + (c + d)) + ...
inline constexpr int64_t longest_pairwise_sum = 8;

/// row: lanes along the reduced elements, the innermost in memory. column: along the kept ones, each down the reduced.
/// any: row, of no kept elements, where a kernel may add in another order, whose bits are those of one device.
enum class ReduceTree : uint8_t { row, column, any };

/// The tree of one reduction and the order of its reduced axes, outermost first.
struct ReduceOrder {
  ReduceTree tree = ReduceTree::row;
  Axes reduced;  ///< by decreasing stride of the dominant operand: memory order
};

/// Chooses the order from the operands' layouts (all of shape `shape`) and the axes to reduce (sorted, not negative).
/// The dominant operand is the first of largest reach (layout.hpp), or, when none reaches more than one element, the
/// domain as if stored row-major. A row tree if no axis is kept, or if the dominant operand's axis of smallest non-zero
/// stride (in magnitude; the last among equals) is reduced; else a column tree. Axes of length 1, offsets and signs of
/// strides do not matter. Reduced axes of equal stride stay in order; those of stride 0 come last.
ReduceOrder reduce_order(const Shape& shape, const std::vector<Layout>& operands, const Axes& reduced);

}  // namespace eglantine::layout
