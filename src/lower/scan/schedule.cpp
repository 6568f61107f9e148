#include "lower/scan/schedule.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "codegen/addresses/access_pattern.hpp"
#include "codegen/addresses/addresses.hpp"
#include "layout/divide.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t word = 4;  // bytes
constexpr int64_t hardware_row_group = 512, smallest_row_group = 128, hardware_column_group = 256;
// A software device runs one SIMD vector of eight invocations through all its trips before the next: groups of eight
// access memory in order.
constexpr int64_t software_group = 8;

// Single pass: vectors of an invocation; invocations of a group with several rows, with the longest row, and with a
// tile.
constexpr int64_t vectors_in_registers = 4, register_resident_group = 256, widest_register_resident_group = 1024,
                  look_back_group = 1024;

// Lanes that access a line of memory at a time, of rows of whole vectors. Others begin anywhere.
constexpr int64_t lanes_of_a_line = 8;

// Tiles that a group scans one after another: few for one long row, so that the totals of its chunks fit into one tile;
// more where rows are enough for all groups, and one pass suffices. Each adds to the error.
constexpr int64_t most_tiles_of_few_rows = 16, most_tiles_of_many_rows = 64;

// Elements that an invocation combines serially: in one of several chunks, and in one pass, for which there must be
// rows (or columns) enough.
constexpr int64_t serial_chunk = 1024, smallest_serial_chunk = 64;
constexpr int64_t longest_serial_row = 16384, longest_serial_column = 4096;
constexpr int64_t enough_serial_rows = 64;

int64_t power_of_two_from(int64_t n) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n))); }

ScanPlan plan_row(const Target& target, ScanPlan plan) {
  plan.group_size = group_size_of(target, hardware_row_group);
  const auto tiles = [&] { return ceil_divide(plan.length, tile_of(plan.group_size)); };
  const auto halve = [&] { return plan.group_size > smallest_row_group ? plan.group_size /= 2 : 0; };
  const auto too_large = [&] {
    return scan_shared_values(plan.group_size) * word > target.max_shared_bytes ||
           tile_of(plan.group_size) * word + target.binding_alignment > target.max_block_bytes;
  };
  while (too_large() && halve() > 0) {
  }
  // Few tiles are spread over more groups.
  while (tiles() > 1 && plan.kept * tiles() * plan.group_size < target.resident_invocations / 2 && halve() > 0) {
  }
  const int64_t tile = tile_of(plan.group_size);
  plan.pattern = tiles() == 1 ? ScanPattern::rows : ScanPattern::row;
  if (tiles() == 1) {
    plan.chunk = plan.length;
  } else if (plan.kept * plan.group_size >= target.resident_invocations && tiles() <= most_tiles_of_many_rows) {
    plan.chunk = tiles() * tile;
  } else {
    plan.chunk = tile * std::clamp<int64_t>(ceil_divide(tiles(), tile), 1, most_tiles_of_few_rows);
  }
  return plan;
}

/// Rows in the registers of neighbouring invocations, several a group; or a row's tiles, one a group, by decoupled
/// look-back.
ScanPlan plan_single_pass(const Target& target, ScanPlan plan) {
  const int64_t vectors = ceil_divide(plan.length, vector_width),
                most = group_size_of(target, widest_register_resident_group);
  const int64_t side_by_side = plan.length % vector_width == 0 ? std::min(lanes_of_a_line, vectors) : 1;
  plan.vectors = std::min(vectors_in_registers, power_of_two_from(ceil_divide(vectors, side_by_side)));
  plan.lanes = power_of_two_from(ceil_divide(vectors, plan.vectors));
  if (plan.lanes <= most) {
    plan.pattern = ScanPattern::register_resident;
    plan.chunk = plan.length;
    plan.group_size = std::max(plan.lanes, group_size_of(target, register_resident_group));
    return plan;
  }
  plan.pattern = ScanPattern::look_back;
  plan.group_size = group_size_of(target, look_back_group);
  const auto tile = [&] { return plan.group_size * plan.vectors * vector_width; };
  const auto too_large = [&] { return tile() * word + target.binding_alignment > target.max_block_bytes; };
  // A short row is spread over more groups.
  const bool few = plan.kept * vectors / plan.vectors < target.resident_invocations / 2;
  while (plan.group_size > smallest_row_group && (few || too_large())) plan.group_size /= 2;
  plan.lanes = plan.group_size;
  plan.chunk = tile();
  return plan;
}

ScanPlan plan_row_serial(const Target& target, ScanPlan plan) {
  plan.pattern = ScanPattern::row_serial;
  plan.group_size = group_size_of(target, software_group);
  const bool whole =
      plan.length <= serial_chunk || (plan.length <= longest_serial_row && plan.kept >= enough_serial_rows);
  plan.chunk = whole ? ceil_divide(plan.length, vector_width) * vector_width : serial_chunk;
  return plan;
}

ScanPlan plan_column(const Target& target, ScanPlan plan) {
  plan.group_size = group_size_of(target, target.software ? software_group : hardware_column_group);
  const int64_t enough = target.software ? enough_serial_rows : target.resident_invocations / 2;
  const int64_t vectors = ceil_divide(plan.kept, vector_width);
  // Of fewer vectors than half a group, invocations would be idle; each takes a chunk of its own instead.
  const bool spread = target.software && 2 * vectors >= plan.group_size;
  plan.pattern = spread ? ScanPattern::column_spread : ScanPattern::column;
  plan.chunk = plan.length;
  if (plan.length > longest_serial_column || (vectors < enough && plan.length > smallest_serial_chunk)) {
    const int64_t shared_out = ceil_divide(plan.length * vectors, enough);
    plan.chunk = std::clamp(shared_out, smallest_serial_chunk, serial_chunk);
  }
  return plan;
}

/// Four neighbouring columns, or on hardware one where four have an address each, since their rows have another length
/// or begin elsewhere: stores of single elements with gaps between the invocations' take several times as long.
int columns_at_once(const Target& target, const ScanKernel& kernel) {
  if (target.software || is_narrow(kernel.out.storage)) return vector_width;
  const int kept = kernel.kept_rank;
  codegen::Addresses addresses({"", kernel.prologue.domain, {{0, kept}, {kept, 1}}});
  const codegen::VectorAccess access = addresses.access(addresses.add(kernel.out.layout, true));
  return access == codegen::VectorAccess::vec4 ? vector_width : 1;
}

/// A smaller chunk; the same one where there is none.
int64_t smaller_chunk(const ScanPlan& plan) {
  if (plan.pattern == ScanPattern::rows) return plan.chunk;
  if (plan.pattern == ScanPattern::row) return tile_of(plan.group_size);
  return std::max(scan_run, ceil_divide(plan.chunk, 2 * scan_run) * scan_run);
}

/// Whether bindings cover a tile of the results, and the partials of look-back.
bool can_be_single(const Target& target, const ScanPlan& plan, const ScanKernel& kernel) {
  constexpr int64_t pair = 8;
  const bool published = plan.pattern == ScanPattern::register_resident ||
                         look_back_partials(plan) * pair + target.binding_alignment <= target.max_block_bytes;
  return published && results_can_be_cut(target, plan, kernel);
}

}  // namespace

int64_t look_back_partials(const ScanPlan& plan) { return plan.chunks() + plan.chunks() / 32 + plan.chunks() / 1024; }

int64_t tile_of(int64_t group_size) { return group_size * scan_vectors * vector_width; }

int64_t scan_shared_values(int64_t group_size) {
  int64_t values = 8;  // an invocation reads eight slots of the last level, which may have fewer
  int64_t count = group_size * scan_vectors;
  for (; count > 1; count = ceil_divide(count, 8)) values += count + count / 32 + 1;
  return values + 1;
}

ScanPlan plan_scan(const Target& target, const ScanKernel& kernel) {
  const Shape& domain = kernel.prologue.domain;
  ScanPlan plan;
  plan.kept = codegen::count_of(domain, {0, kernel.kept_rank});
  plan.length = domain[kernel.kept_rank];
  // The results' layout decides: they have no gaps, and scattered writes cost more than scattered reads.
  if (std::abs(kernel.out.layout.strides.back()) != 1) {
    plan = plan_column(target, plan);
    plan.columns = columns_at_once(target, kernel);
  } else if (target.forward_progress && can_be_single(target, plan_single_pass(target, plan), kernel)) {
    return plan_single_pass(target, plan);
  } else {
    plan = target.software ? plan_row_serial(target, plan) : plan_row(target, plan);
  }
  while (!results_can_be_cut(target, plan, kernel) && smaller_chunk(plan) < plan.chunk)
    plan.chunk = smaller_chunk(plan);
  return plan;
}

Cut cut_of(const ScanPlan& plan, const ScanKernel& kernel) {
  Shape multiples = kernel.prologue.domain;
  std::fill(multiples.begin(), multiples.end(), 1);
  multiples[kernel.kept_rank] = plan.chunk;
  if (!plan.contiguous()) multiples[kernel.kept_rank - 1] = vector_width;
  return {layouts_of(kernel), multiples, widest_element(kernel)};
}

bool results_can_be_cut(const Target& target, const ScanPlan& plan, const ScanKernel& kernel) {
  return can_be_cut(target, {{kernel.out.layout}, cut_of(plan, kernel).multiples, bytes_of(kernel.out.storage)});
}

}  // namespace eglantine::lower
