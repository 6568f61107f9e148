#include "lower/sort/digit_counts.hpp"

#include <algorithm>

#include "codegen/addresses/access_pattern.hpp"
#include "codegen/source.hpp"
#include "eglantine/error.hpp"
#include "layout/divide.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/sort/program.hpp"

namespace eglantine::lower {
namespace {

using codegen::Bindings;
using codegen::Uniforms;

constexpr int64_t software_group = 8, hardware_group = 256;
// Tiles that one invocation sums for a digit; more are first summed by chunks.
constexpr int64_t few_tiles = 64;
// Tiles of a row, of 256 counts each, that one invocation of a software device scans: few enough for its loops.
constexpr int64_t most_tiles_serially = 128;

std::string element_macro(const char* name, int binding, int slot) {
  return "#define " + std::string(name) + "(i) " + codegen::block_name(binding) + "[(i) + " +
         codegen::uniform_at(slot) + "]\n";
}

void dispatch(Lowering& lowering, const char* name, const std::string& defines, const Bindings& bindings,
              const Uniforms& uniforms, const Grid& grid) {
  Dispatch dispatch = dispatch_of(name, {std::string(name) + ".comp", defines, ""}, bindings, uniforms);
  dispatch.groups[0] = static_cast<uint32_t>(grid.groups);
  lowering.dispatch(std::move(dispatch));
}

std::string group_define(int64_t size) { return codegen::define("EG_GROUP_SIZE", size); }

/// tiles: those of a row, or chunks of them.
void scan_chunk_counts(Lowering& lowering, const BufferPtr& counts, int64_t rows, int64_t tiles) {
  const Target& target = lowering.target();
  const int64_t group = group_size_of(target, target.software ? software_group : hardware_group);
  const Grid grid = resident_grid(target, rows, target.software ? group : 1, group, digits * (tiles + 1) + 1);
  Bindings bindings(target.max_block_bytes, target.binding_alignment);
  const int binding = bindings.add_write(counts.get(), StorageType::u32, false, {0, rows * tiles * digits - 1});
  if (!bindings.fits())
    throw DeviceError("[sort] one storage buffer binding covers " + std::to_string(target.max_block_bytes) +
                      " bytes, and the counts of a row take " + std::to_string(tiles * digits * word) +
                      "; raise EGLANTINE_MAX_BLOCK_BYTES");
  Uniforms uniforms;
  uniforms.add(rows);
  uniforms.add(grid.chunk);
  uniforms.add(tiles);
  const int slot = uniforms.add(-bindings.first_element(binding));
  dispatch(
      lowering, "sort_bases",
      group_define(group) + (target.software ? "#define EG_SERIAL\n" : "") + element_macro("EG_COUNT", binding, slot),
      bindings, uniforms, grid);
}

/// Tiles in chunks of `each`.
struct CountChunks {
  BufferPtr counts, totals;
  int64_t rows, tiles, each;
};

/// Sums the counts of each chunk to its total or, with `replace`, turns counts into positions from those of the totals.
/// range: the chunks of each row; all, unless there is one row.
bool run_chunks(Lowering& lowering, const CountChunks& chunks, const Window& range, bool replace) {
  const Target& target = lowering.target();
  const int64_t group = group_size_of(target, target.software ? software_group : hardware_group);
  const int64_t items = chunks.rows * range.count * digits, first = range.first * chunks.each;
  const int64_t end = std::min(chunks.tiles, (range.first + range.count) * chunks.each);
  Bindings bindings(target.max_block_bytes, target.binding_alignment);
  const int counts = bindings.add_write(chunks.counts.get(), StorageType::u32, false,
                                        {first * digits, ((chunks.rows - 1) * chunks.tiles + end) * digits - 1});
  const int totals = bindings.add_write(chunks.totals.get(), StorageType::u32, false,
                                        {range.first * digits, range.first * digits + items - 1});
  if (!bindings.fits()) return false;
  const Grid grid = resident_grid(target, items, group, group, chunks.each / 8 * 17 + 20);
  Uniforms uniforms;
  uniforms.add(items);
  uniforms.add(grid.chunk);
  uniforms.add_divisor(range.count);
  uniforms.add(range.first);
  uniforms.add(chunks.tiles);
  uniforms.add(chunks.each);
  const int count_slot = uniforms.add(-bindings.first_element(counts));
  const int total_slot = uniforms.add(range.first * digits - bindings.first_element(totals));
  dispatch(lowering, "sort_totals",
           group_define(group) + (replace ? "#define EG_REPLACE\n" : "") +
               element_macro("EG_COUNT", counts, count_slot) + element_macro("EG_TOTAL", totals, total_slot),
           bindings, uniforms, grid);
  return true;
}

void run_all_chunks(Lowering& lowering, const CountChunks& chunks, bool replace) {
  const int64_t all = ceil_divide(chunks.tiles, chunks.each);
  int64_t at_once = all;
  for (int64_t first = 0; first < all; first += at_once) {
    at_once = std::min(at_once, all - first);
    while (!run_chunks(lowering, chunks, {first, at_once}, replace)) at_once = ceil_divide(at_once, 2);
  }
}

}  // namespace

void scan_counts(Lowering& lowering, const BufferPtr& counts, int64_t rows, int64_t tiles) {
  if (tiles <= few_tiles) return scan_chunk_counts(lowering, counts, rows, tiles);
  // Chunks about as long as there are chunks, so that both loops are short; at most as long as one range covers.
  const int64_t longest = std::max<int64_t>(1, lowering.target().max_block_bytes / (digits * word));
  int64_t each = std::min(few_tiles, longest);
  const auto many = [&](int64_t chunks) {
    return chunks > 2 * each || (lowering.target().software && chunks > most_tiles_serially);
  };
  while (each * 2 <= longest && many(ceil_divide(tiles, each))) each *= 2;
  const int64_t chunk_count = ceil_divide(tiles, each);
  const CountChunks chunks{counts, lowering.temporary(rows * chunk_count * digits * word), rows, tiles, each};
  run_all_chunks(lowering, chunks, false);
  scan_chunk_counts(lowering, chunks.totals, rows, chunk_count);
  run_all_chunks(lowering, chunks, true);
}

}  // namespace eglantine::lower
