#include "backend/cpu/instructions/elements.hpp"

#include <algorithm>
#include <cstdlib>

#include "backend/cpu/instructions/runs.hpp"
#include "backend/cpu/memory_pool.hpp"

namespace eglantine::cpu {

namespace {

constexpr int64_t long_row = 256;  ///< shorter rows are gathered two axes at a time
constexpr int64_t long_run = 16;   ///< so many elements side by side are worth a call that copies them

int64_t inner_length(const Layout& x) { return x.shape[x.shape.rank() - 1]; }

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

template <class T>
T* Elements::together(T* memory, int64_t start, int64_t count) const {
  if (contiguous_) return memory + layout_.offset + start;
  const int64_t row = inner_length(layout_);
  if (inner_stride(layout_) != 1 || start % row + count > row) return nullptr;
  T* place = nullptr;
  for_runs(layout_, start, count, [&](int64_t, int64_t, int64_t address) { place = memory + address; });
  return place;
}

Word* Elements::in_place(int64_t start, int64_t count) const {
  return is_narrow(storage_) ? nullptr : together(at<Word>(0), start, count);
}

// Rows that are all alike are read once; others along the axis in which memory is closer together.
template <class T>
void Elements::gather_rows(const T* memory, int64_t start, int64_t count, T* values) const {
  const int64_t length = inner_length(layout_), step = inner_stride(layout_), row_step = inner_stride(rows_);
  for_runs(rows_, start / length, count / length, [&](int64_t position, int64_t run, int64_t address) {
    const T* from = memory + address;
    T* to = values + position * length;
    if (length >= long_run && row_step == 0) {
      move_run(from, step, to, length);
      for (int64_t j = 1; j < run; ++j) std::copy_n(to, length, to + j * length);
    } else if (length >= long_run && std::abs(step) <= 1) {
      for (int64_t j = 0; j < run; ++j) move_run(from + j * row_step, step, to + j * length, length);
    } else if (std::abs(row_step) < std::abs(step)) {
      for (int64_t i = 0; i < length; ++i)
        for (int64_t j = 0; j < run; ++j) to[j * length + i] = from[j * row_step + i * step];
    } else {
      for (int64_t j = 0; j < run; ++j)
        for (int64_t i = 0; i < length; ++i) to[j * length + i] = from[j * row_step + i * step];
    }
  });
}

template <class T>
void Elements::gather(const T* memory, int64_t start, int64_t count, T* to) const {
  const int64_t row = inner_length(layout_), stride = inner_stride(layout_);
  if (!rows_.strides.empty() && row < long_row && start % row == 0 && count % row == 0)
    return gather_rows(memory, start, count, to);
  for_runs(layout_, start, count, [&](int64_t position, int64_t length, int64_t address) {
    move_run(memory + address, stride, to + position, length);
  });
}

template <class T>
void Elements::scatter(T* memory, int64_t start, int64_t count, const T* values) const {
  const int64_t stride = inner_stride(layout_);
  for_runs(layout_, start, count, [&](int64_t position, int64_t length, int64_t address) {
    const T* from = values + position;
    T* to = memory + address;
    if (stride == 1)
      std::copy_n(from, length, to);
    else
      for (int64_t i = 0; i < length; ++i) to[i * stride] = from[i];
  });
}

const Word* Elements::read(int64_t start, int64_t count, Word* scratch) const {
  if (const Word* place = in_place(start, count)) return place;
  with_memory([&]<class T>(const T* memory) {
    if constexpr (std::is_same_v<T, Word>) return gather(memory, start, count, scratch);
    Scratch<T, block_elements> apart;
    const T* from = together(memory, start, count);
    if (from == nullptr) gather(memory, start, count, apart.data());
    widen(from != nullptr ? from : apart.data(), scratch, count);
  });
  return scratch;
}

Word Elements::element(int64_t address) const {
  Word value = 0;
  with_memory([&](const auto* memory) { value = computed_bits(memory[address]); });
  return value;
}

void Elements::write(int64_t start, int64_t count, const Word* values) const {
  with_memory([&]<class T>(T* memory) {
    T* to = together(memory, start, count);
    if (to != nullptr) return narrow(values, to, count);
    if constexpr (std::is_same_v<T, Word>) return scatter(memory, start, count, values);
    Scratch<T, block_elements> apart;
    narrow(values, apart.data(), count);
    scatter(memory, start, count, apart.data());
  });
}

void Elements::copy_from(const Elements& from, int64_t start, int64_t count) const {
  with_memory([&]<class T>(T* memory) {
    const T* source = from.at<T>(0);
    T* to = together(memory, start, count);
    const T* place = from.together(source, start, count);
    if (to != nullptr)
      return place != nullptr ? void(std::copy_n(place, count, to)) : from.gather(source, start, count, to);
    Scratch<T, block_elements> apart;
    if (place == nullptr) from.gather(source, start, count, apart.data());
    scatter(memory, start, count, place != nullptr ? place : apart.data());
  });
}

}  // namespace eglantine::cpu
