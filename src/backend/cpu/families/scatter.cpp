#include <bit>
#include <string>

#include "backend/cpu/families/families.hpp"
#include "backend/cpu/families/indices.hpp"
#include "backend/cpu/instructions/math.hpp"
#include "backend/cpu/instructions/runs.hpp"
#include "eglantine/error.hpp"
#include "graph/op_info.hpp"

namespace eglantine::cpu {

namespace {

struct ScatterTask {
  explicit ScatterTask(const ScatterKernel& kernel)
      : index(kernel.index),
        updates(kernel.updates),
        target(kernel.target),
        out(kernel.out),
        axis{kernel.length, kernel.stride},
        places(kernel.place),
        partial(kernel.partial) {}

  EvaluatorProgram index, updates;
  Layout target;
  Elements out;
  CheckedAxis axis;
  Layout places;
  bool partial;
  FirstOutside outside;
};

Word put(Word, Word update) { return update; }

template <Reduction reduction, class T>
T combined(T a, T b) {
  if constexpr (reduction == Reduction::sum) return cpu_math::add(a, b);
  if constexpr (reduction == Reduction::prod) return cpu_math::mul(a, b);
  if constexpr (reduction == Reduction::max) return cpu_math::maximum(a, b);
  if constexpr (reduction == Reduction::min) return cpu_math::minimum(a, b);
}

template <Reduction reduction, class T>
Word combined_words(Word element, Word update) {
  return std::bit_cast<Word>(combined<reduction>(std::bit_cast<T>(element), std::bit_cast<T>(update)));
}

// Applies updates [start, start + count) in order.
template <Word combine(Word, Word)>
void scatter(ScatterTask& task, const Word* index, const Word* update, int64_t start, int64_t count) {
  const int64_t step = task.target.strides.back();
  task.out.with_memory([&]<class T>(T* memory) {
    for_runs(task.target, start, count, [&](int64_t position, int64_t length, int64_t address) {
      for (int64_t j = position; j < position + length; ++j, address += step) {
        if (const std::optional<int64_t> offset = task.axis.offset(index[j]))
          memory[address + *offset] = stored_element<T>(combine(computed_bits(memory[address + *offset]), update[j]));
        else if (!task.partial || static_cast<int32_t>(index[j]) != task.axis.length)
          task.outside.record(place_of(task.places, start + j), index[j]);
      }
    });
  });
}

template <Word combine(Word, Word)>
void scatter_all(ScatterTask& task, int64_t begin, int64_t end) {
  Evaluator index(task.index), updates(task.updates);
  for (int64_t at = begin, count = 0; at < end; at += count) {
    count = std::min(task.index.span(at, end), task.updates.span(at, end));
    scatter<combine>(task, index(at, count), updates(at, count), at, count);
  }
}

template <Reduction reduction>
void combine_all(ScatterTask& task, DType dtype) {
  const int64_t elements = task.index.elements();
  if (dtype == DType::f32)
    scatter_all<combined_words<reduction, float>>(task, 0, elements);
  else if (dtype == DType::i32)
    scatter_all<combined_words<reduction, int32_t>>(task, 0, elements);
  else
    scatter_all<combined_words<reduction, uint32_t>>(task, 0, elements);
}

void combine_all(ScatterTask& task, Reduction reduction, DType dtype) {
  switch (reduction) {
    case Reduction::sum:
      return combine_all<Reduction::sum>(task, dtype);
    case Reduction::prod:
      return combine_all<Reduction::prod>(task, dtype);
    case Reduction::max:
      return combine_all<Reduction::max>(task, dtype);
    case Reduction::min:
      return combine_all<Reduction::min>(task, dtype);
    default:
      throw Error("[scatter] updates are combined by sum, prod, max or min, not by " + std::string(name_of(reduction)));
  }
}

}  // namespace

void run_scatter(const ScatterKernel& kernel, ThreadPool& pool) {
  ScatterTask task(kernel);
  const int64_t elements = task.index.elements();
  // The order of updates to one element matters, so only updates to distinct elements are distributed.
  if (kernel.combine)
    combine_all(task, *kernel.combine, kernel.out.dtype());
  else if (!kernel.distinct)
    scatter_all<put>(task, 0, elements);
  else
    pool.parallel_for(elements, chunk_elements,
                      [&](int64_t begin, int64_t end) { scatter_all<put>(task, begin, end); });
  task.outside.throw_if_any(*kernel.check);
}

}  // namespace eglantine::cpu
