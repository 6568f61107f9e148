#include "backend/cpu/instructions/elements.hpp"

#include <algorithm>
#include <cstdlib>

#include "backend/cpu/instructions/runs.hpp"
#include "backend/cpu/memory_pool.hpp"

namespace eglantine::cpu {

namespace {

constexpr int64_t long_row = 256;  ///< shorter rows are gathered two axes at a time

int64_t inner_stride(const Layout& x) { return x.strides.back(); }
int64_t inner_length(const Layout& x) { return x.shape[x.shape.rank() - 1]; }

template <class T>
void scatter(T* to, int64_t stride, const Word* values, int64_t count) {
  if (stride == 1)
    for (int64_t i = 0; i < count; ++i) to[i] = stored<T>(values[i]);
  else
    for (int64_t i = 0; i < count; ++i) to[i * stride] = stored<T>(values[i]);
}

}  // namespace

Elements::Elements(const Strided& strided)
    : data_(data_of(*strided.buffer)),
      storage_(strided.storage),
      layout_(strided.layout),
      rows_(layout_),
      contiguous_(layout_.is_contiguous()),
      splat_(std::all_of(layout_.strides.begin(), layout_.strides.end(), [](int64_t stride) { return stride == 0; })) {
  rows_.shape.erase(rows_.shape.rank() - 1);
  rows_.strides.pop_back();
}

Word* Elements::in_place(int64_t start, int64_t count) const {
  if (is_narrow(storage_)) return nullptr;
  if (contiguous_) return at<Word>(layout_.offset + start);
  const int64_t row = inner_length(layout_);
  if (inner_stride(layout_) != 1 || start % row + count > row) return nullptr;
  Word* place = nullptr;
  for_runs(layout_, start, count, [&](int64_t, int64_t, int64_t address) { place = at<Word>(address); });
  return place;
}

// Along the axis in which memory is closer together.
template <class T>
void Elements::gather_rows(int64_t start, int64_t count, Word* scratch) const {
  const int64_t length = inner_length(layout_), step = inner_stride(layout_), row_step = inner_stride(rows_);
  for_runs(rows_, start / length, count / length, [&](int64_t position, int64_t run, int64_t address) {
    const T* from = at<T>(address);
    Word* to = scratch + position * length;
    if (std::abs(row_step) < std::abs(step)) {
      for (int64_t i = 0; i < length; ++i)
        for (int64_t j = 0; j < run; ++j) to[j * length + i] = from[j * row_step + i * step];
    } else {
      for (int64_t j = 0; j < run; ++j)
        for (int64_t i = 0; i < length; ++i) to[j * length + i] = from[j * row_step + i * step];
    }
  });
}

template <class T>
void Elements::gather(int64_t start, int64_t count, Word* scratch) const {
  const int64_t row = inner_length(layout_), stride = inner_stride(layout_);
  if (!rows_.strides.empty() && row < long_row && start % row == 0 && count % row == 0)
    return gather_rows<T>(start, count, scratch);
  for_runs(layout_, start, count, [&](int64_t position, int64_t length, int64_t address) {
    gather_run(at<T>(address), stride, scratch + position, length);
  });
}

const Word* Elements::read(int64_t start, int64_t count, Word* scratch) const {
  if (const Word* place = in_place(start, count)) return place;
  is_narrow(storage_) ? gather<uint8_t>(start, count, scratch) : gather<Word>(start, count, scratch);
  return scratch;
}

void Elements::write(int64_t start, int64_t count, const Word* values) const {
  if (contiguous_ && !is_narrow(storage_)) return void(std::copy_n(values, count, at<Word>(layout_.offset + start)));
  const int64_t stride = inner_stride(layout_);
  with_memory([&](auto* memory) {
    for_runs(layout_, start, count, [&](int64_t position, int64_t length, int64_t address) {
      scatter(memory + address, stride, values + position, length);
    });
  });
}

}  // namespace eglantine::cpu
