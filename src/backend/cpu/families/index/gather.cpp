#include <algorithm>

#include "backend/cpu/families/families.hpp"
#include "backend/cpu/families/index/gather_columns.hpp"
#include "backend/cpu/families/index/indices.hpp"
#include "backend/cpu/instructions/runs.hpp"

namespace eglantine::cpu {

namespace {

struct GatherTask {
  explicit GatherTask(const GatherKernel& kernel)
      : index(kernel.index),
        epilogue(kernel.epilogue),
        source(kernel.source),
        out(kernel.out),
        axis{kernel.length, kernel.stride},
        places(kernel.place) {}

  EvaluatorProgram index, epilogue;
  Elements source, out;
  CheckedAxis axis;
  Layout places;
  FirstOutside outside;
};

// accumulator[j] = the source element that index[j] selects for element start + j; 0 for an index out of range.
void fetch(GatherTask& task, const Word* index, int64_t start, int64_t count, Word* accumulator) {
  const int64_t step = task.source.layout().strides.back();
  task.source.with_memory([&]<class T>(const T* memory) {
    Scratch<T, block_elements> apart;
    T* found = apart.data();
    if constexpr (std::is_same_v<T, Word>) found = accumulator;
    for_runs(task.source.layout(), start, count, [&](int64_t position, int64_t length, int64_t address) {
      for (int64_t j = position; j < position + length; ++j, address += step) {
        const std::optional<int64_t> offset = task.axis.offset(index[j]);
        found[j] = offset ? memory[address + *offset] : T{};
        if (!offset) task.outside.record(place_of(task.places, start + j), index[j]);
      }
    });
    if constexpr (!std::is_same_v<T, Word>) widen(found, accumulator, count);
  });
}

void gather_elements(GatherTask& task, ThreadPool& pool) {
  const int64_t elements = task.index.elements();
  const int64_t blocks = (elements + block_elements - 1) / block_elements;
  pool.parallel_for(blocks, grain(block_elements), [&](int64_t first, int64_t last) {
    Evaluator index(task.index), epilogue(task.epilogue);
    const Words accumulator(block_elements);
    const int64_t end = std::min(elements, last * block_elements);
    for (int64_t at = first * block_elements, count = 0; at < end; at += count) {
      count = std::min(task.index.span(at, end), task.epilogue.span(at, end));
      fetch(task, index(at, count), at, count, accumulator.data());
      task.out.write(at, count, epilogue(at, count, accumulator.data()));
    }
  });
}

// ---- whole rows: one index for each

// Whether each index selects a whole row: it is constant along the innermost axis, and the epilogue is the accumulator.
bool takes_rows(const GatherKernel& kernel) {
  return is_constant_in_rows(kernel.index) && kernel.epilogue.code.size() == 1 && kernel.out.layout.is_contiguous();
}

template <class From, class To>
void gather_rows(GatherTask& task, const EvaluatorProgram& index, const From* from, To* to, int64_t first,
                 int64_t last) {
  const int64_t length = task.index.elements() / index.elements();
  const int64_t step = task.source.layout().strides.back(), row_step = task.source.rows().strides.back();
  Evaluator evaluate(index);
  for (int64_t start = first, count = 0; start < last; start += count) {
    count = index.span(start, last);
    const Word* found = evaluate(start, count);
    for_runs(task.source.rows(), start, count, [&](int64_t position, int64_t rows, int64_t address) {
      for (int64_t row = position; row < position + rows; ++row, address += row_step) {
        const int64_t at = (start + row) * length;
        const std::optional<int64_t> offset = task.axis.offset(found[row]);
        if (offset)
          gather_run(from + address + *offset, step, to + at, length);
        else
          task.outside.record(place_of(task.places, at), found[row]);
      }
    });
  }
}

void gather_rows(GatherTask& task, const GatherKernel& kernel, ThreadPool& pool) {
  const EvaluatorProgram index(index_of_rows(kernel.index));
  const int64_t rows = index.elements(), length = task.index.elements() / rows;
  task.source.with_memory([&](const auto* from) {
    task.out.with_memory([&](auto* to) {
      to += task.out.layout().offset;
      pool.parallel_for(rows, grain(length),
                        [&, to](int64_t first, int64_t last) { gather_rows(task, index, from, to, first, last); });
    });
  });
}

}  // namespace

void run_gather(const GatherKernel& kernel, ThreadPool& pool) {
  if (kernel.lookup != Lookup::element) return run_search(kernel, pool);
  GatherTask task(kernel);
  if (takes_rows(kernel))
    gather_rows(task, kernel, pool);
  else if (!gather_columns(kernel, pool))
    gather_elements(task, pool);
  task.outside.throw_if_any(*kernel.check);
}

}  // namespace eglantine::cpu
