#include <algorithm>
#include <array>
#include <bit>

#include "backend/cpu/families/families.hpp"
#include "backend/cpu/families/sort/key.hpp"
#include "backend/cpu/instructions/runs.hpp"

/// A gather that looks up a bound: a binary search of each key in its row.
namespace eglantine::cpu {

namespace {

struct SearchTask {
  explicit SearchTask(const GatherKernel& kernel)
      : key(kernel.index),
        epilogue(kernel.epilogue),
        source(kernel.source),
        out(kernel.out),
        length(kernel.length),
        stride(kernel.stride),
        dtype(kernel.source.dtype()),
        after_equals(kernel.lookup == Lookup::upper_bound) {}

  EvaluatorProgram key, epilogue;
  Elements source, out;
  int64_t length, stride;
  DType dtype;
  bool after_equals;
};

constexpr int64_t at_once = 16;  // searches, whose steps do not wait for each other

/// places[j] = how many elements of keys[j]'s row, at rows[j], come before it, for `count` of them. The number of steps
/// follows from the length alone, and no branch from a comparison, which could not be predicted.
template <bool after_equals, class Order, class T>
void search(const SearchTask& task, const T* const* rows, const Word* keys, int64_t count, Word* places, Order order) {
  const auto comes_before = [&](int64_t j, int64_t place) {
    const Word element = order(computed_bits(rows[j][place * task.stride]));
    return after_equals ? element <= keys[j] : element < keys[j];
  };
  std::array<int64_t, at_once> found{};
  for (int64_t left = task.length; left > 0; left /= 2) {
    const int64_t half = (left + 1) / 2;
    for (int64_t j = 0; j < count; ++j) {
      int64_t& place = found[static_cast<size_t>(j)];
      place += comes_before(j, place + half - 1) ? half : 0;
    }
  }
  for (int64_t j = 0; j < count; ++j) places[j] = static_cast<Word>(found[static_cast<size_t>(j)]);
}

/// places[j] = the bound of keys[j], the key of element start + j.
template <bool after_equals, class Order>
void search(const SearchTask& task, const Word* keys, int64_t start, int64_t count, Word* places, Order order) {
  const int64_t step = task.source.layout().strides.back();
  task.source.with_memory([&]<class T>(const T* memory) {
    std::array<const T*, at_once> rows;
    std::array<Word, at_once> ordered;
    for_runs(task.source.layout(), start, count, [&](int64_t position, int64_t length, int64_t address) {
      for (int64_t first = 0; first < length; first += at_once) {
        const int64_t some = std::min(at_once, length - first);
        for (int64_t j = 0; j < some; ++j) {
          rows[static_cast<size_t>(j)] = memory + address + (first + j) * step;
          ordered[static_cast<size_t>(j)] = order(keys[position + first + j]);
        }
        search<after_equals>(task, rows.data(), ordered.data(), some, places + position + first, order);
      }
    });
  });
}

void search(const SearchTask& task, const Word* keys, int64_t start, int64_t count, Word* places) {
  const auto by = [&]<DType dtype>() {
    const auto order = [](Word bits) { return sort_key(dtype, bits, 0); };
    task.after_equals ? search<true>(task, keys, start, count, places, order)
                      : search<false>(task, keys, start, count, places, order);
  };
  if (task.dtype == DType::f32)
    by.operator()<DType::f32>();
  else if (task.dtype == DType::i32)
    by.operator()<DType::i32>();
  else
    by.operator()<DType::u32>();
}

}  // namespace

void run_search(const GatherKernel& kernel, ThreadPool& pool) {
  const SearchTask task(kernel);
  const int64_t elements = task.key.elements();
  const int64_t blocks = (elements + block_elements - 1) / block_elements;
  const auto steps = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(task.length)));
  pool.parallel_for(blocks, grain(block_elements * steps), [&](int64_t first, int64_t last) {
    Evaluator key(task.key), epilogue(task.epilogue);
    const Words places(block_elements);
    const int64_t end = std::min(elements, last * block_elements);
    for (int64_t at = first * block_elements, count = 0; at < end; at += count) {
      count = std::min(task.key.span(at, end), task.epilogue.span(at, end));
      search(task, key(at, count), at, count, places.data());
      task.out.write(at, count, epilogue(at, count, places.data()));
    }
  });
}

}  // namespace eglantine::cpu
