#include "backend/cpu/families/contraction/few_columns_panels.hpp"

#include <algorithm>

#include "graph/kernel/contraction.hpp"

namespace eglantine::cpu {

namespace {

// Words of a panel, which stays in the second-level cache, and its rows: side by side at least as many as an
// expression's evaluation amortises.
constexpr int64_t panel_words = int64_t{1} << 15, most_panel_rows = 32, rows_side_by_side = 128;

Matrix of_words(Word* words, int64_t row_stride, int64_t column_stride) {
  return {reinterpret_cast<std::byte*>(words), StorageType::f32, row_stride, column_stride};
}

}  // namespace

PanelColumns::PanelColumns(const FewColumnsKernel& kernel)
    : elements(columns_of(kernel)),
      count(elements.layout().size()),
      copy(elements.in_place(0, count) != nullptr ? 0 : count),
      data(elements.in_place(0, count)) {
  if (data != nullptr) return;
  for (int64_t at = 0, some = 0; at < count; at += some) {
    some = std::min(block_elements, count - at);
    Word* to = copy.data() + at;
    const Word* found = elements.read(at, some, to);
    if (found != to) std::copy_n(found, some, to);
  }
  data = copy.data();
}

PanelTask::PanelTask(const FewColumnsKernel& kernel)
    : sizes(sizes_of(kernel)),
      columns_first(kernel.columns_first),
      along_rows(lies_along_rows(kernel)),
      matrix(along_rows ? turned(kernel.prologue, kernel.batch_rank, kernel.kept_rank) : kernel.prologue),
      columns(kernel),
      multiply(kernel.prologue.dtype() == DType::f32 ? multiply_floats : multiply_integers),
      add(reduction_blocks(Reduction::sum, kernel.prologue.dtype())) {
  rows = std::min(sizes.rows, along_rows ? rows_side_by_side : most_panel_rows);
  steps = std::min(sizes.length, panel_words / rows);
}

int64_t PanelTask::result(int64_t batch, int64_t row, int64_t column) const {
  return columns_first ? (batch * sizes.columns + column) * sizes.rows + row
                       : (batch * sizes.rows + row) * sizes.columns + column;
}

Panel::Panel(const PanelTask& task)
    : task_(task),
      matrix_(task.matrix),
      values_(task.rows * task.steps),
      sums_(task.rows * task.sizes.columns),
      products_(task.rows * task.sizes.columns) {}

void Panel::multiply(int64_t batch, int64_t first, int64_t rows, Word* results) {
  const FewColumnsSizes& sizes = task_.sizes;
  for (int64_t k = 0; k < sizes.length; k += task_.steps) {
    const int64_t steps = std::min(task_.steps, sizes.length - k);
    task_.along_rows ? read_steps(batch, first, rows, k, steps) : read_rows(batch, first, rows, k, steps);
    const Matrix matrix = task_.along_rows ? of_words(values_.data(), 1, rows) : of_words(values_.data(), steps, 1);
    const Matrix columns = of_words(task_.columns.data + batch * sizes.columns * sizes.length + k, 1, sizes.length);
    const Words& to = k == 0 ? sums_ : products_;
    task_.multiply({matrix, columns, to.data(), sizes.columns, rows, sizes.columns, steps});
    if (k > 0) task_.add.accumulate(sums_.data(), products_.data(), rows * sizes.columns);
  }
  for (int64_t i = 0; i < rows * sizes.columns; ++i)
    results[task_.result(batch, first + i / sizes.columns, i % sizes.columns)] = sums_.data()[i];
}

void Panel::read_rows(int64_t batch, int64_t first, int64_t rows, int64_t k, int64_t steps) {
  const int64_t length = task_.sizes.length, start = (batch * task_.sizes.rows + first) * length + k;
  if (steps == length) return read(start, rows * length, values_.data());
  for (int64_t row = 0; row < rows; ++row) read(start + row * length, steps, values_.data() + row * steps);
}

void Panel::read_steps(int64_t batch, int64_t first, int64_t rows, int64_t k, int64_t steps) {
  const int64_t start = (batch * task_.sizes.length + k) * task_.sizes.rows + first;
  for (int64_t step = 0; step < steps; ++step)
    read(start + step * task_.sizes.rows, rows, values_.data() + step * rows);
}

void Panel::read(int64_t start, int64_t count, Word* to) {
  for (int64_t at = 0, length = 0; at < count; at += length) {
    length = task_.matrix.span(start + at, start + count);
    matrix_(start + at, length, nullptr, to + at);
  }
}

}  // namespace eglantine::cpu
