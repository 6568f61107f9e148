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

Word narrowed(Word value, const Word*) { return value; }
uint8_t narrowed(Word value, const uint8_t*) { return value != 0; }

template <class T>
void scatter(T* to, int64_t stride, const Word* values, int64_t count) {
  if (stride == 1)
    std::transform(values, values + count, to, [&](Word value) { return narrowed(value, to); });
  else
    for (int64_t i = 0; i < count; ++i) to[i * stride] = narrowed(values[i], to);
}

template <class T>
void gather_run(const T* from, int64_t stride, Word* to, int64_t count) {
  if (stride == 1)
    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
  else if (stride == 0)
    std::fill_n(to, count, *from);
  else
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
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

const Word* Elements::read_run(int64_t address, int64_t step, int64_t count, Word* scratch) const {
  if (!is_narrow(storage_) && step == 1) return at<Word>(address);
  is_narrow(storage_) ? gather_run(at<uint8_t>(address), step, scratch, count)
                      : gather_run(at<Word>(address), step, scratch, count);
  return scratch;
}

void Elements::write(int64_t start, int64_t count, const Word* values) const {
  if (contiguous_ && !is_narrow(storage_)) return void(std::copy_n(values, count, at<Word>(layout_.offset + start)));
  const int64_t stride = inner_stride(layout_);
  for_runs(layout_, start, count, [&](int64_t position, int64_t length, int64_t address) {
    is_narrow(storage_) ? scatter(at<uint8_t>(address), stride, values + position, length)
                        : scatter(at<Word>(address), stride, values + position, length);
  });
}

}  // namespace eglantine::cpu
