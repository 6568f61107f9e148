#include "backend/cpu/families/families.hpp"
#include "backend/cpu/families/index/indices.hpp"
#include "backend/cpu/instructions/runs.hpp"

// A scatter that drops some of its updates and puts the others in places of their own. Which ones it drops no processor
// foresees: what is dropped is written to a place that nobody reads, without a branch.
namespace eglantine::cpu {

namespace {

struct CompactTask {
  explicit CompactTask(const ScatterKernel& kernel)
      : index(kernel.index),
        updates(kernel.updates),
        target(kernel.target),
        out(kernel.out),
        axis{kernel.length, kernel.stride},
        places(kernel.place) {}

  EvaluatorProgram index, updates;
  Layout target;
  Elements out;
  CheckedAxis axis;
  Layout places;
  FirstOutside outside;
};

/// x or y by a mask: of a conditional expression compilers may make a branch.
template <class T>
T* either(bool first, T* x, T* y) {
  const uintptr_t mask = uintptr_t{0} - static_cast<uintptr_t>(first);
  return reinterpret_cast<T*>((reinterpret_cast<uintptr_t>(x) & mask) | (reinterpret_cast<uintptr_t>(y) & ~mask));
}

/// Puts `count` updates of a run; false, and nothing of theirs outside of `memory`, where some index is neither in
/// [0, length) nor `length`.
template <class T>
bool put_run(T* memory, const CheckedAxis& axis, const Word* index, const Word* update, int64_t address, int64_t step,
             int64_t count) {
  T dropped{};
  uint32_t wrong = 0;
  const auto length = static_cast<uint32_t>(axis.length);
  for (int64_t j = 0; j < count; ++j, address += step) {
    const uint32_t i = index[j];
    T* const place = memory + (address + static_cast<int64_t>(i) * axis.stride);
    *either(i < length, place, &dropped) = stored_element<T>(update[j]);
    wrong |= i > length ? 1U : 0U;
  }
  return wrong == 0;
}

/// The same one by one: indices from the end, and those out of range.
template <class T>
void put_checked(CompactTask& task, T* memory, const Word* index, const Word* update, int64_t address, int64_t number,
                 int64_t count) {
  const int64_t step = task.target.strides.back();
  for (int64_t j = 0; j < count; ++j, address += step) {
    if (const std::optional<int64_t> offset = task.axis.offset(index[j]))
      memory[address + *offset] = stored_element<T>(update[j]);
    else if (static_cast<int32_t>(index[j]) != task.axis.length)
      task.outside.record(place_of(task.places, number + j), index[j]);
  }
}

void put(CompactTask& task, const Word* index, const Word* update, int64_t start, int64_t count) {
  const int64_t step = task.target.strides.back();
  task.out.with_memory([&]<class T>(T* memory) {
    for_runs(task.target, start, count, [&](int64_t position, int64_t length, int64_t address) {
      if (!put_run(memory, task.axis, index + position, update + position, address, step, length))
        put_checked(task, memory, index + position, update + position, address, start + position, length);
    });
  });
}

void compact_elements(CompactTask& task, ThreadPool& pool) {
  pool.parallel_for(task.index.elements(), chunk_elements, [&](int64_t begin, int64_t end) {
    Evaluator index(task.index), updates(task.updates);
    for (int64_t at = begin, count = 0; at < end; at += count) {
      count = std::min(task.index.span(at, end), task.updates.span(at, end));
      put(task, index(at, count), updates(at, count), at, count);
    }
  });
}

// ---- whole rows: of those that are dropped nothing is computed

constexpr int64_t shortest_row = 16;  // shorter ones cost less element by element than a call for each

void put_row(CompactTask& task, Evaluator& updates, Word index, int64_t first, int64_t end) {
  const std::optional<int64_t> offset = task.axis.offset(index);
  if (!offset && static_cast<int32_t>(index) != task.axis.length)
    task.outside.record(place_of(task.places, first), index);
  if (!offset) return;
  const int64_t step = task.target.strides.back();
  for (int64_t at = first, count = 0; at < end; at += count) {
    count = task.updates.span(at, end);
    const Word* values = updates(at, count);
    task.out.with_memory([&]<class T>(T* memory) {
      for_runs(task.target, at, count, [&](int64_t position, int64_t length, int64_t address) {
        T* to = memory + (address + *offset);
        for (int64_t j = 0; j < length; ++j) to[j * step] = stored_element<T>(values[position + j]);
      });
    });
  }
}

void compact_rows(CompactTask& task, const EvaluatorProgram& index, ThreadPool& pool) {
  const int64_t rows = index.elements(), length = task.index.elements() / rows;
  pool.parallel_for(rows, grain(length), [&](int64_t begin, int64_t end) {
    Evaluator evaluate(index), updates(task.updates);
    for (int64_t start = begin, count = 0; start < end; start += count) {
      count = index.span(start, end);
      const Word* found = evaluate(start, count);
      for (int64_t row = 0; row < count; ++row)
        put_row(task, updates, found[row], (start + row) * length, (start + row + 1) * length);
    }
  });
}

}  // namespace

void run_compact(const ScatterKernel& kernel, ThreadPool& pool) {
  CompactTask task(kernel);
  const Shape& domain = kernel.index.domain;
  if (is_constant_in_rows(kernel.index) && domain[domain.rank() - 1] >= shortest_row)
    compact_rows(task, EvaluatorProgram(index_of_rows(kernel.index)), pool);
  else
    compact_elements(task, pool);
  task.outside.throw_if_any(*kernel.check);
}

}  // namespace eglantine::cpu
