#include <algorithm>
#include <vector>

#include "codegen/value_text.hpp"
#include "eglantine/error.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/reduce/across.hpp"
#include "lower/reduce/any_order.hpp"
#include "lower/reduce/boolean_words.hpp"
#include "lower/reduce/boxes.hpp"
#include "lower/reduce/kept_order.hpp"
#include "lower/reduce/kept_parts.hpp"
#include "lower/reduce/materialized_window.hpp"
#include "lower/reduce/program.hpp"
#include "lower/reduce/read_again.hpp"
#include "lower/reduce/rows_in_fours.hpp"
#include "lower/reduce/shared_columns.hpp"
#include "lower/reduce/short_runs.hpp"
#include "lower/reduce/text.hpp"
#include "lower/reduce/together.hpp"
#include "lower/reduce/unrolled.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

/// About half of a count above `multiple`, as a multiple of it.
int64_t halved(int64_t count, int64_t multiple) { return ceil_divide(count, 2 * multiple) * multiple; }

/// The smallest window that is tried before what it reads is copied: one that a temporary holds, and so many of them
/// that reading in place takes less.
int64_t fewest_in_place(int64_t all, int64_t storable, int64_t multiple) {
  constexpr int64_t most_windows = 16;
  return std::min(storable, std::max<int64_t>(1, ceil_divide(all, most_windows * multiple)) * multiple);
}

/// Runs one level, in as few windows as the device's limits allow. Windows are whole blocks of the tree, so they change
/// no result.
class LevelRunner {
 public:
  LevelRunner(Lowering& lowering, const ReduceLevel& level)
      : lowering_(lowering), level_(level), row_(level.tree == layout::ReduceTree::row) {}

  /// Whether one dispatch does the level.
  bool fits_whole() const { return fits({{0, level_.kept}, {0, level_.blocks}}); }

  /// Whether dispatches of as many rows each as can be counted do the level.
  bool fits_in_rows() const {
    const Window blocks{0, level_.blocks};
    const int64_t count = most_kept(blocks);
    for (int64_t first = 0; first < level_.kept; first += count)
      if (!fits({{first, std::min(count, level_.kept - first)}, blocks})) return false;
    return true;
  }

  void run() {
    // First cuts what is far apart in memory: the kept coordinates of a row tree, the blocks of a column tree.
    row_ ? run_kept({0, level_.blocks}) : run_blocks({0, level_.kept});
  }

 private:
  ReduceProgram program(const ReduceWindow& window) const {
    return program_of<ReduceProgram>(lowering_.target(), level_, window);
  }

  bool small_enough(const ReduceWindow& window) const {
    const int64_t block = std::min(level_.length, level_.block());
    const int64_t blocks = window.kept.count * window.blocks.count;
    return blocks <= elements_a_dispatch / block && std::max(level_.kept, level_.length) < elements_a_dispatch;
  }

  bool fits(const ReduceWindow& window) const {
    if (!small_enough(window)) return false;
    const ReduceProgram one = program(window);
    return one.fits() && one.bindings() <= lowering_.target().max_bindings;
  }

  /// Kept coordinates come in multiples of these: rows that are taken at once, or whose elements are whole vectors,
  /// columns of a vector.
  int64_t least_kept() const {
    const bool in_vectors = !row_ || pattern_of(lowering_.target(), level_) == ReducePattern::row_staged;
    return in_vectors ? vector_width : level_.at_once();
  }

  /// All kept coordinates, or about a half, a quarter ... of them, that with these blocks can be counted.
  int64_t most_kept(const Window& blocks) const {
    int64_t count = level_.kept;
    while (count > least_kept() && !small_enough({{0, count}, blocks})) count = halved(count, least_kept());
    return count;
  }

  /// Dispatches a window if it fits.
  bool run_window(const ReduceWindow& window) {
    if (!small_enough(window)) return false;
    const ReduceProgram whole = program(window);
    if (!whole.fits()) return false;
    lowering_.dispatch(whole.dispatch());
    return true;
  }

  /// Elements of a temporary that one range covers.
  int64_t temporary_capacity() const { return lowering_.target().max_block_bytes / size_of(level_.prologue.dtype()); }

  /// Some blocks of all kept coordinates, cut along the latter.
  void run_kept(const Window& blocks) {
    const int64_t elements = std::min(level_.length, blocks.count * level_.block());
    const int64_t least = least_kept();
    const int64_t storable = std::max(least, temporary_capacity() / elements / vector_width * vector_width);
    const int64_t fewest = fewest_in_place(level_.kept, storable, least);
    int64_t count = row_ ? most_kept(blocks) : level_.kept;
    for (int64_t first = 0; first < level_.kept; first += count) {
      count = std::min(count, level_.kept - first);
      while (!run_window({{first, count}, blocks})) {
        if (count <= fewest) {
          count = std::min(storable, level_.kept - first);
          blocks.count > 1 ? run_blocks({first, count}) : run_materialized({{first, count}, blocks});
          break;
        }
        count = std::max(fewest, halved(count, least));
      }
    }
  }

  /// All blocks of some kept coordinates, cut along the former.
  void run_blocks(const Window& kept) {
    const int64_t storable = temporary_capacity() / (level_.block() * kept.count);
    const int64_t fewest = fewest_in_place(level_.blocks, std::max<int64_t>(1, storable), 1);
    int64_t count = level_.blocks;
    for (int64_t first = 0; first < level_.blocks; first += count) {
      count = std::min(count, level_.blocks - first);
      while (!run_window({kept, {first, count}})) {
        if (count <= fewest) {
          count = std::min(std::max<int64_t>(1, storable), level_.blocks - first);
          storable == 0 && kept.count > vector_width ? run_kept({first, count})
                                                     : run_materialized({kept, {first, count}});
          break;
        }
        count = std::max(fewest, halved(count, 1));
      }
    }
  }

  void run_materialized(const ReduceWindow& window) {
    const ReduceLevel materialized = materialized_window(lowering_, level_, window);
    const Window blocks{window.blocks.first - materialized.first_block, window.blocks.count};
    const ReduceProgram whole(lowering_.target(), materialized, ReduceWindow{window.kept, blocks}, true);
    if (!whole.fits()) throw_too_small();
    lowering_.dispatch(whole.dispatch());
  }

  [[noreturn]] void throw_too_small() const {
    throw DeviceError("[reduce] one storage buffer binding covers " +
                      std::to_string(lowering_.target().max_block_bytes) +
                      " bytes, and a block of the reduction takes " +
                      std::to_string(level_.block() * size_of(level_.prologue.dtype()) * (row_ ? 1 : vector_width)) +
                      "; raise EGLANTINE_MAX_BLOCK_BYTES");
  }

  Lowering& lowering_;
  const ReduceLevel& level_;
  bool row_;
};

/// What the groups of a level's tiles share.
void share_tiles(Lowering& lowering, ReduceLevel& level, const TilePlan& plan) {
  level.counters = lowering.exchange();
  level.left = lowering.temporary(plan.words() * int64_t{sizeof(uint32_t)});
}

/// Takes all rows at once where that pays and fits.
bool chooses_any_order(Lowering& lowering, ReduceLevel& level) {
  if (!worth_any_order(lowering.target(), level)) return false;
  ReduceLevel whole = level;
  whole.any_order = true;
  whole.singly = worth_taking_singly(level);
  const TilePlan plan = any_order_plan(lowering.target(), whole);
  if (plan.shares > 1) share_tiles(lowering, whole, plan);
  if (!LevelRunner(lowering, whole).fits_whole()) return false;
  level = std::move(whole);
  return true;
}

void set_blocks(ReduceLevel& level, bool two_level) {
  level.two_level = two_level;
  level.blocks = ceil_divide(level.length, level.block());
}

/// Computes results at once where that pays and fits; of columns with two levels fused, where that does too.
bool chooses_together(Lowering& lowering, ReduceLevel& level) {
  level.together = axes_together(lowering.target(), level);
  const bool of_columns = level.tree == layout::ReduceTree::column;
  for (const bool two_level : {true, false}) {
    if (level.together == 0 || (two_level && !(of_columns && worth_fusing_levels(lowering.target(), level)))) continue;
    set_blocks(level, two_level);
    const LevelRunner runner(lowering, level);
    if (of_columns ? runner.fits_whole() : runner.fits_in_rows()) return true;
  }
  level.together = 0;
  return false;
}

/// Has groups share two levels of columns where that pays and fits.
bool chooses_shared(Lowering& lowering, ReduceLevel& level) {
  if (!worth_sharing_columns(lowering.target(), level)) return false;
  ReduceLevel whole = level;
  whole.shared = true;
  set_blocks(whole, true);
  share_tiles(lowering, whole, shared_columns_plan(lowering.target(), whole));
  if (!LevelRunner(lowering, whole).fits_whole()) return false;
  level = std::move(whole);
  return true;
}

/// Sets how many blocks a level has, and what one dispatch does of it, where one can do it all: rows at once, two
/// levels fused, all of one row, or whole columns.
void choose_blocks(Lowering& lowering, ReduceLevel& level) {
  level.blocks = 1;
  if (chooses_any_order(lowering, level)) return;
  if (chooses_together(lowering, level)) return;
  set_blocks(level, worth_fusing_levels(lowering.target(), level));
  if (level.two_level && !LevelRunner(lowering, level).fits_whole()) set_blocks(level, false);
  if (level.two_level || chooses_shared(lowering, level) || !worth_single_pass(lowering.target(), level)) return;
  level.single_pass = true;
  level.partials = lowering.exchange();
  if (!LevelRunner(lowering, level).fits_whole()) level.single_pass = false;
}

/// The level that combines a level's partial results.
ReduceLevel next_level(const ReduceLevel& level, DType dtype) {
  const bool pairs = is_arg(level.reduction), row = level.tree == layout::ReduceTree::row;
  const int64_t words = pairs ? 2 : 1;
  Layout values{{level.kept, level.blocks}, {level.blocks * words, words}, 0};
  if (!row) values.strides = {words, level.kept * words};
  const auto reading = [&](DType type, int64_t offset) {
    Layout layout = values;
    layout.offset = offset;
    return load_of({level.partials, word_storage(type), layout});
  };
  ReduceLevel next = level;
  next.prologue = reading(dtype, 0);
  if (pairs) next.indices = reading(DType::u32, 1);
  next.kept_rank = 1;
  next.together = 0;
  next.length = level.blocks;
  next.partials = nullptr;
  return next;
}

/// Whether one binding covers what the epilogue reads at all results: the first elements of long rows lie far apart,
/// and windows of one block may take many rows.
bool covers_epilogue(const Target& target, const Expr& epilogue) {
  return std::ranges::all_of(epilogue.operands, [&](const Strided& operand) {
    return layout::reach(operand.layout).count() * bytes_of(operand.storage) + target.binding_alignment <=
           target.max_block_bytes;
  });
}

void lower_levels(Lowering& lowering, const ReduceKernel& kernel) {
  ReduceLevel level = first_level(kernel);
  if (worth_as_column(lowering.target(), level)) level.tree = layout::ReduceTree::column;
  const DType dtype = kernel.prologue.dtype();
  const int64_t words = is_arg(kernel.reduction) ? 2 : 1;
  choose_blocks(lowering, level);
  while (!level.is_last()) {
    level.partials = lowering.temporary(level.kept * level.blocks * words * size_of(dtype));
    LevelRunner(lowering, level).run();
    level = next_level(level, dtype);
    choose_blocks(lowering, level);
  }
  LevelRunner(lowering, level).run();
}

}  // namespace

void lower(Lowering& lowering, const ReduceKernel& given) {
  ReduceKernel kernel = lowering.target().software ? given : unflipped(without_repeats(given));
  if (const std::optional<ReduceKernel> words = of_boolean_words(kernel)) return lower(lowering, *words);
  if (run_in_boxes(lowering, kernel)) return;
  if (kernel.tree == layout::ReduceTree::any) kernel.tree = layout::ReduceTree::row;
  if (run_short_runs_last(lowering, kernel) || run_in_memory_order(lowering, kernel)) return;
  if (reads_across(lowering.target(), kernel)) return lower(lowering, of_copy(lowering, kernel));
  if (const std::optional<MapKernel> map = unrolled(lowering.target(), kernel)) return lower(lowering, *map);
  kernel = with_lines_of_what_is_read_again(lowering, std::move(kernel));
  if (const std::vector<ReduceKernel> fours = fours_at_once(lowering.target(), kernel); !fours.empty()) {
    // What is left first: where the others have two levels, nothing stands between, and both run at once.
    for (auto part = fours.rbegin(); part != fours.rend(); ++part) lower(lowering, *part);
    return;
  }
  if (run_in_halves(lowering, kernel)) return;
  const Shape& results = kernel.epilogue.domain;
  if (covers_epilogue(lowering.target(), kernel.epilogue)) return lower_levels(lowering, kernel);
  ReduceKernel plain = kernel;
  plain.out = lowering.temporary(codegen::accumulator_dtype(kernel.epilogue), layout::contiguous(results));
  plain.epilogue = accumulator_over(results, plain.out.dtype());
  lower_levels(lowering, plain);
  lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, plain.out), kernel.out});
}

}  // namespace eglantine::lower
