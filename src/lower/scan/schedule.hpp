#pragma once

#include <vector>

#include "lower/lowering.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {

/// How a scan accesses memory.
enum class ScanPattern : uint8_t {
  look_back,  ///< contiguous rows, where groups may wait for others: one pass of decoupled look-back, a group a tile
  register_resident,  ///< the same for rows no longer than a tile: a row in the registers of neighbouring invocations
  row,                ///< contiguous rows: a group scans a chunk in shared memory, tile after tile
  rows,               ///< the same for rows no longer than a tile: several share one
  row_serial,         ///< contiguous rows, software devices: an invocation scans a chunk of a row
  column,             ///< strided rows: an invocation scans a chunk of a row, or of four neighbouring ones
  column_spread,      ///< the same, software devices: a group takes many such columns, one short run after the other
};

/// A scan's sizes. Rows are cut into chunks. Where a row has several, a first pass computes each chunk's total, a scan
/// of the totals gives the carries, and a second pass scans. The plan depends on shapes, layouts and the device, and
/// decides the order in which floats are combined (docs/scan.md).
struct ScanPlan {
  ScanPattern pattern;
  int64_t kept = 1, length = 1;  ///< rows, and elements of a row
  int64_t chunk = 1;             ///< elements
  int64_t group_size = 1;        ///< invocations
  int64_t vectors = 0;           ///< of an invocation, in registers (look_back, register_resident)
  int64_t lanes = 0;             ///< invocations of a row, or of a tile of one (look_back, register_resident)
  int columns = 4;               ///< that an invocation scans side by side (column, column_spread): 4, or 1

  int64_t chunks() const { return (length + chunk - 1) / chunk; }
  bool single_pass() const { return pattern == ScanPattern::look_back || pattern == ScanPattern::register_resident; }
  bool contiguous() const { return pattern != ScanPattern::column && pattern != ScanPattern::column_spread; }
};

/// Partials of a row that its look-back tiles publish: of tiles, runs of 32 tiles, and runs of 32 runs.
int64_t look_back_partials(const ScanPlan& plan);

/// Vectors of an invocation of ScanPattern::row, and the elements of a group's tile.
inline constexpr int64_t scan_vectors = 4;
int64_t tile_of(int64_t group_size);
/// Shared values of a tile's slots and of the levels above them.
int64_t scan_shared_values(int64_t group_size);

/// Elements of a serial pattern's runs, and of its blocks of runs.
inline constexpr int64_t scan_run = 16, scan_block = 256;

/// The plan depends on the shape and on the results' layout, not on the operands: it is the order of the additions,
/// which must be the same whether an operand was computed before or not.
ScanPlan plan_scan(const Target& target, const ScanKernel& kernel);

/// Windows hold whole chunks, and whole vectors of columns.
Cut cut_of(const ScanPlan& plan, const ScanKernel& kernel);
/// Whether one binding covers what the results reach between two cuts.
bool results_can_be_cut(const Target& target, const ScanPlan& plan, const ScanKernel& kernel);

}  // namespace eglantine::lower
