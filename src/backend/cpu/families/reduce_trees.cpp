#include <algorithm>
#include <bit>
#include <cstring>

#include "backend/cpu/families/reduce.hpp"

// The order is that of layout/reduce_tree.hpp; results depend on it. Absent elements are skipped, or are identities.
namespace eglantine::cpu {

namespace {

void copy(Word* to, const Word* from, int64_t count) { std::memcpy(to, from, static_cast<size_t>(count * word_bytes)); }

/// Accumulators of a level: one where the order is no part of the result and several would fill the first-level cache.
int64_t accumulators_of(const ReductionBlocks& blocks, int64_t width) {
  constexpr int64_t wide = 512;
  return blocks.exact && width >= wide ? 1 : layout::column_accumulators;
}

}  // namespace

void RowBlock::add(const Word* values, int64_t count) {
  while (count > 0) {
    const int64_t at = added_ % width;
    const int64_t taken = std::min(count, width - at);
    if (added_ < width)
      copy(accumulators_.data() + at, values, taken);
    else
      blocks_.accumulate(accumulators_.data() + at, values, taken);
    values += taken;
    count -= taken;
    added_ += taken;
  }
}

Word RowBlock::finish() {
  const int64_t used = std::min(added_, width);
  const int64_t lanes = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>((used + 3) / 4)));
  std::fill(accumulators_.data() + used, accumulators_.data() + lanes * 4, blocks_.identity);
  added_ = 0;
  return blocks_.fold_lanes(accumulators_.data(), lanes);
}

Word reduce_run(std::vector<Word>& run, RowBlock& block) {
  while (run.size() > 1) {
    const int64_t size = static_cast<int64_t>(run.size());
    size_t blocks = 0;
    for (int64_t at = 0; at < size; at += layout::row_block) {
      block.add(run.data() + at, std::min(layout::row_block, size - at));
      run[blocks++] = block.finish();
    }
    run.resize(blocks);
  }
  return run[0];
}

void ColumnTree::add(size_t number, const Word* rows, int64_t count) {
  const int64_t accumulators = accumulators_of(blocks_, width_);
  if (number == levels_.size()) levels_.push_back({Words(accumulators * width_), 0});
  while (count > 0) {
    TreeLevel& level = levels_[number];
    const int64_t accumulator = level.rows % accumulators;
    // Accumulators are consecutive in memory, as the rows are: up to all of them at once.
    const int64_t taken = std::min(count, accumulators - accumulator);
    Word* to = level.accumulators.data() + accumulator * width_;
    if (level.rows < accumulators)
      copy(to, rows, taken * width_);
    else
      blocks_.accumulate(to, rows, taken * width_);
    rows += taken * width_;
    count -= taken;
    level.rows += taken;
    if (level.rows < layout::column_block) continue;
    const Word* value = fold(level);  // its memory outlives the growth of levels_
    add(number + 1, value, 1);
  }
}

const Word* ColumnTree::fold(TreeLevel& level) const {
  Word* values = level.accumulators.data();
  const int64_t present = std::min(level.rows, accumulators_of(blocks_, width_));
  for (int64_t step = 1; step < present; step *= 2)
    for (int64_t i = 0; i + step < present; i += 2 * step)
      blocks_.accumulate(values + i * width_, values + (i + step) * width_, width_);
  level.rows = 0;
  return values;
}

const Word* ColumnTree::finish() {
  const Word* value = nullptr;
  for (size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].rows == 0) continue;
    value = fold(levels_[i]);
    const bool more = std::any_of(levels_.begin() + static_cast<std::ptrdiff_t>(i) + 1, levels_.end(),
                                  [](const TreeLevel& level) { return level.rows > 0; });
    if (!more) break;
    add(i + 1, value, 1);
  }
  return value;
}

}  // namespace eglantine::cpu
