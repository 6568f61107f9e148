#include <algorithm>
#include <functional>
#include <vector>

#include "backend/cpu/families/families.hpp"

// A band, a row of tiles along the innermost axis, is reduced to one row in the order of memory, then folded by tiles.
namespace eglantine::cpu {

namespace {

/// The combining function: the table's, or a user's.
struct Combine {
  explicit Combine(const TileKernel& kernel)
      : accumulate(reduction_blocks(kernel.reduction, kernel.prologue.dtype(), kernel.custom).accumulate) {}

  /// values[0] = the combination of values[0 .. count), by pairwise halving.
  Word fold(Word* values, int64_t count) const {
    while (count > 1) {
      const int64_t half = (count + 1) / 2;
      accumulate(values, values + half, count - half);
      count = half;
    }
    return values[0];
  }

  std::function<void(Word* accumulator, const Word* x, int64_t n)> accumulate;
};

/// Combines rows in a tree, runs of rows, then runs of their results: a float sum's error does not grow with the rows.
class Cascade {
 public:
  Cascade(const Combine& combine, int64_t width) : combine_(combine), width_(width) {}

  void add(const Word* row) { add(0, row); }

  /// The combination of all rows, valid until the next call. At least one row was added.
  Word* finish() {
    for (size_t i = 0; i + 1 < levels_.size(); ++i)
      if (levels_[i].rows > 0) close(i);
    levels_.back().rows = 0;
    return levels_.back().sum.data();
  }

 private:
  static constexpr int64_t run = 32;
  struct CascadeLevel {
    Words sum;
    int64_t rows;
  };

  void add(size_t number, const Word* row) {
    if (number == levels_.size()) levels_.push_back({Words(width_), 0});
    CascadeLevel& level = levels_[number];
    if (level.rows++ == 0)
      std::copy_n(row, width_, level.sum.data());
    else
      combine_.accumulate(level.sum.data(), row, width_);
    if (level.rows == run) close(number);
  }

  void close(size_t number) {
    levels_[number].rows = 0;
    const Word* sum = levels_[number].sum.data();  // its memory outlives the growth of levels_
    add(number + 1, sum);
  }

  const Combine& combine_;
  int64_t width_;
  std::vector<CascadeLevel> levels_;
};

/// The tiling, with each band cut into spans: adjacent tiles as wide as a block of the interpreter, or one wider tile.
struct TileTask {
  explicit TileTask(const TileKernel& kernel)
      : combine(kernel),
        prologue(kernel.prologue),
        lengths(kernel.prologue.domain),
        tile(kernel.tile),
        grid(kernel.epilogue.domain),
        inner(lengths.rank() - 1),
        together(std::max<int64_t>(1, block_elements / tile[inner])),
        spans((grid[inner] + together - 1) / together) {}

  int64_t bands() const { return grid.elements() / grid[inner]; }

  Combine combine;
  EvaluatorProgram prologue;
  Shape lengths, tile, grid;
  int inner;
  int64_t together;  ///< tiles of a span
  int64_t spans;     ///< spans of a band
};

/// The row-major numbers of the first elements of a band's rows.
std::vector<int64_t> rows_of(const TileTask& task, int64_t band) {
  std::vector<int64_t> rows{0};
  int64_t pitch = task.lengths[task.inner];
  for (int axis = task.inner - 1; axis >= 0; --axis) {
    const int64_t start = band % task.grid[axis] * task.tile[axis];
    band /= task.grid[axis];
    const int64_t end = std::min(task.lengths[axis], start + task.tile[axis]);
    std::vector<int64_t> outer;
    for (int64_t i = start; i < end; ++i)
      for (int64_t row : rows) outer.push_back(row + i * pitch);
    rows = std::move(outer);
    pitch *= task.lengths[axis];
  }
  return rows;
}

/// Combines columns [start, end) over all rows.
Word* column_values(const std::vector<int64_t>& rows, Evaluator& prologue, Cascade& cascade, int64_t start,
                    int64_t end) {
  for (int64_t row : rows) cascade.add(prologue(row + start, end - start));
  return cascade.finish();
}

/// Reduces the tiles of one span of a band into `results`.
void run_span(const TileTask& task, Evaluator& prologue, int64_t band, int64_t span, Word* results) {
  const int64_t width = task.tile[task.inner], first = span * task.together;
  const int64_t last = std::min(task.grid[task.inner], first + task.together);
  const int64_t start = first * width, end = std::min(task.lengths[task.inner], last * width);
  const std::vector<int64_t> rows = rows_of(task, band);
  if (width <= block_elements) {
    Cascade cascade(task.combine, end - start);
    Word* values = column_values(rows, prologue, cascade, start, end);
    for (int64_t at = start; at < end; at += width)
      *results++ = task.combine.fold(values + (at - start), std::min(width, end - at));
    return;
  }
  std::vector<Word> partials;
  for (int64_t at = start; at < end; at += block_elements) {
    const int64_t stop = std::min(end, at + block_elements);
    Cascade cascade(task.combine, stop - at);
    partials.push_back(task.combine.fold(column_values(rows, prologue, cascade, at, stop), stop - at));
  }
  *results = task.combine.fold(partials.data(), static_cast<int64_t>(partials.size()));
}

}  // namespace

void run_tiles(const TileKernel& kernel, ThreadPool& pool) {
  const TileTask task(kernel);
  const Words results(task.grid.elements());
  pool.parallel_for(
      task.bands() * task.spans, grain(task.tile.elements() * task.together), [&](int64_t begin, int64_t end) {
        Evaluator prologue(task.prologue);
        for (int64_t i = begin; i < end; ++i) {
          const int64_t band = i / task.spans, span = i % task.spans;
          run_span(task, prologue, band, span, results.data() + band * task.grid[task.inner] + span * task.together);
        }
      });
  run_epilogue(EvaluatorProgram(kernel.epilogue), results.data(), Elements(kernel.out), pool);
}

}  // namespace eglantine::cpu
