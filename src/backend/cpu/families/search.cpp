#include <algorithm>
#include <bit>

#include "backend/cpu/families/families.hpp"
#include "backend/cpu/families/sort_key.hpp"
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

/// How many elements of a row come before the key. Without a branch that depends on them: it could not be predicted.
template <bool after_equals, class Order, class T>
int64_t search(const T* row, int64_t length, int64_t stride, Word key, Order order) {
  const auto comes_before = [&](int64_t at) {
    const Word element = order(static_cast<Word>(row[at * stride]));
    return after_equals ? element <= key : element < key;
  };
  int64_t place = 0;
  for (int64_t count = length; count > 0;) {
    const int64_t half = count / 2, step = comes_before(place + half) ? half + 1 : 0;
    place += step;
    count = step > 0 ? count - step : half;
  }
  return place;
}

/// places[j] = the bound of keys[j], the key of element start + j.
template <bool after_equals, class Order>
void search(const SearchTask& task, const Word* keys, int64_t start, int64_t count, Word* places, Order order) {
  const int64_t step = task.source.layout().strides.back();
  task.source.with_memory([&](const auto* memory) {
    for_runs(task.source.layout(), start, count, [&](int64_t position, int64_t length, int64_t address) {
      for (int64_t j = position; j < position + length; ++j, address += step)
        places[j] =
            static_cast<Word>(search<after_equals>(memory + address, task.length, task.stride, order(keys[j]), order));
    });
  });
}

template <class Order>
void search(const SearchTask& task, const Word* keys, int64_t start, int64_t count, Word* places, Order order) {
  task.after_equals ? search<true>(task, keys, start, count, places, order)
                    : search<false>(task, keys, start, count, places, order);
}

void search(const SearchTask& task, const Word* keys, int64_t start, int64_t count, Word* places) {
  const auto by = [&]<DType dtype>() {
    search(task, keys, start, count, places, [](Word bits) { return sort_key(dtype, bits, 0); });
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
