#include "backend/cpu/instructions/elements.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "backend/cpu/instructions/runs.hpp"
#include "backend/cpu/memory_pool.hpp"

namespace eglantine::cpu {

namespace {

constexpr int64_t long_row = 256;  ///< shorter rows are gathered two axes at a time

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

bool Elements::in_whole_rows(int64_t start, int64_t count) const {
  const int64_t row = inner_length(layout_);
  if (rows_.strides.empty() || start % row != 0 || count % row != 0) return false;
  return row < long_row || std::abs(inner_stride(rows_)) < std::abs(inner_stride(layout_));
}

template <class T>
void Elements::gather(const T* memory, int64_t start, int64_t count, T* to) const {
  const int64_t row = inner_length(layout_), stride = inner_stride(layout_);
  if (in_whole_rows(start, count))
    return for_runs(rows_, start / row, count / row, [&](int64_t position, int64_t run, int64_t address) {
      const StridedRows<const T> from{memory + address, inner_stride(rows_), stride};
      move_rows(from, {to + position * row, row, 1}, run, row);
    });
  for_runs(layout_, start, count, [&](int64_t position, int64_t length, int64_t address) {
    move_run(memory + address, stride, to + position, length);
  });
}

template <class T>
void Elements::scatter(T* memory, int64_t start, int64_t count, const T* values) const {
  const int64_t row = inner_length(layout_), stride = inner_stride(layout_);
  if (in_whole_rows(start, count))
    return for_runs(rows_, start / row, count / row, [&](int64_t position, int64_t run, int64_t address) {
      const StridedRows<const T> from{values + position * row, row, 1};
      move_rows(from, {memory + address, inner_stride(rows_), stride}, run, row);
    });
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

void Elements::copy_rows_from(const Elements& from, int64_t start, int64_t count) const {
  const std::array<Layout, 2> rows{from.rows_, rows_};
  std::array<int64_t, 2> addresses{};
  const int64_t length = inner_length(layout_);
  with_memory([&]<class T>(T* memory) {
    const T* source = from.at<T>(0);
    for_runs(rows.data(), rows.size(), addresses.data(), start, count, [&](int64_t, int64_t run) {
      const StridedRows<const T> read{source + addresses[0], inner_stride(from.rows_), inner_stride(from.layout_)};
      const StridedRows<T> written{memory + addresses[1], inner_stride(rows_), inner_stride(layout_)};
      prefetch_to_write(written, run, length);
      move_rows(read, written, run, length);
    });
  });
}

void Elements::prefetch_rows(int64_t start, int64_t count) const {
  with_memory([&]<class T>(T* memory) {
    for_runs(rows_, start, count, [&](int64_t, int64_t run, int64_t address) {
      const StridedRows<T> rows{memory + address, inner_stride(rows_), inner_stride(layout_)};
      prefetch_to_write(rows, run, inner_length(layout_));
    });
  });
}

}  // namespace eglantine::cpu
