#pragma once

#include <vector>

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// How a scan walks memory.
enum class ScanPattern : uint8_t {
  look_back,          ///< rows along memory, where groups may wait for others: a group a tile, in one pass
  register_resident,  ///< there too, rows no longer than a tile: a row in the registers of neighbours
  row,                ///< rows along memory: a group scans tile after tile of a chunk, side by side, in shared memory
  rows,               ///< the same for rows no longer than a tile: several share one
  row_serial,         ///< rows along memory, software devices: an invocation runs down a chunk of a row
  column,             ///< rows across memory: an invocation runs down a chunk of four neighbouring ones
  column_spread,      ///< the same, software devices: a group takes many such columns one short run after the other
};

/// A scan's sizes. Rows are cut into chunks; where there are several, a first pass leaves what each combines to, a scan
/// of those gives what comes before each chunk, and a second pass scans. It depends on shapes, layouts and the device,
/// and decides in which order floats are combined (docs/scan.md).
struct ScanPlan {
  ScanPattern pattern;
  int64_t kept = 1, length = 1;  ///< rows, and elements of a row
  int64_t chunk = 1;             ///< elements
  int64_t group_size = 1;        ///< invocations
  int64_t vectors = 0;           ///< of four elements that an invocation holds, and
  int64_t lanes = 0;             ///< invocations that hold a row (or a tile of one): of chain and held

  int64_t chunks() const { return (length + chunk - 1) / chunk; }
  bool single_pass() const { return pattern == ScanPattern::look_back || pattern == ScanPattern::register_resident; }
  bool contiguous() const { return pattern != ScanPattern::column && pattern != ScanPattern::column_spread; }
};

/// What a chain's tiles publish for each row: tiles, runs of 32 of them, and runs of 32 runs.
int64_t look_back_partials(const ScanPlan& plan);

/// Units of four elements that an invocation of ScanPattern::row holds, and the elements of a group's tile.
inline constexpr int64_t scan_vectors = 4;
int64_t tile_of(int64_t group_size);
/// Values of shared memory that a tile's slots and the levels above them take.
int64_t scan_shared_values(int64_t group_size);

/// Elements whose steps a serial pattern combines by themselves, and blocks of such runs.
inline constexpr int64_t scan_run = 16, scan_block = 256;

/// From the shape and from where results lie, and from nothing of the operands: it is the order of the additions, which
/// must not depend on whether an operand was computed before.
ScanPlan plan_scan(const Target& target, const ScanKernel& kernel);

/// The layouts of everything a scan reads and writes over its domain.
std::vector<Layout> layouts_of(const ScanKernel& kernel);
/// Where the domain may be cut: whole chunks, and whole vectors of columns.
Shape cuts_of(const ScanPlan& plan, const ScanKernel& kernel);
/// Whether one binding always covers the smallest piece of the results between cuts.
bool results_can_be_cut(const Target& target, const ScanPlan& plan, const ScanKernel& kernel);
/// The same of everything that the scan reads and writes.
bool can_be_cut(const Target& target, const ScanPlan& plan, const ScanKernel& kernel);

}  // namespace eglantine::lower
