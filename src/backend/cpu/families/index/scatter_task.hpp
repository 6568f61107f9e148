#pragma once

#include <algorithm>

#include "backend/cpu/families/families.hpp"
#include "backend/cpu/families/index/indices.hpp"
#include "backend/cpu/instructions/runs.hpp"

namespace eglantine::cpu {

/// Whether one index serves each run of the innermost axis.
inline bool repeats_inside(const Expr& index) {
  const auto moves = [](const Layout& x) { return inner_stride(x) != 0; };
  return index.piecewise.empty() && std::none_of(index.iotas.begin(), index.iotas.end(), moves) &&
         std::none_of(index.operands.begin(), index.operands.end(), [&](const Strided& x) { return moves(x.layout); });
}

struct ScatterTask {
  ScatterTask(const ScatterKernel& kernel, FirstOutside& first_outside)
      : index(kernel.index),
        updates(kernel.updates),
        target(kernel.target),
        out(kernel.out),
        axis{kernel.length, kernel.stride},
        places(kernel.place),
        partial(kernel.partial),
        repeats(repeats_inside(kernel.index)),
        outside(first_outside) {}

  EvaluatorProgram index, updates;
  Layout target;
  Elements out;
  CheckedAxis axis;
  Layout places;
  bool partial, repeats;
  FirstOutside& outside;
  Word* table = nullptr;  ///< where set, it takes the place of the output's memory

  template <class F>
  void with_memory(F&& f) const {
    table != nullptr ? f(table) : out.with_memory(std::forward<F>(f));
  }
};

/// The offset of an index, or nothing where it is out of range, which is noted unless its update is to be dropped.
inline std::optional<int64_t> checked_offset(const ScatterTask& task, Word index, int64_t number) {
  const std::optional<int64_t> offset = task.axis.offset(index);
  if (!offset && !(task.partial && static_cast<int32_t>(index) == task.axis.length))
    task.outside.record(place_of(task.places, number), index);
  return offset;
}

template <Word combine(Word, Word), class T>
void scatter_one(T* memory, Word update) {
  *memory = stored_element<T>(combine(computed_bits(*memory), update));
}

template <Word combine(Word, Word), class T>
void scatter_run(T* memory, int64_t step, const Word* update, int64_t count) {
  if (step == 1)
    for (int64_t i = 0; i < count; ++i) scatter_one<combine>(memory + i, update[i]);
  else
    for (int64_t i = 0; i < count; ++i) scatter_one<combine>(memory + i * step, update[i]);
}

/// Applies updates [start, start + count) in order.
template <Word combine(Word, Word)>
void scatter(const ScatterTask& task, const Word* index, const Word* update, int64_t start, int64_t count) {
  const int64_t step = task.target.strides.back();
  task.with_memory([&]<class T>(T* memory) {
    for_runs(task.target, start, count, [&](int64_t position, int64_t length, int64_t address) {
      if (task.repeats) {
        if (const std::optional<int64_t> offset = checked_offset(task, index[position], start + position))
          scatter_run<combine>(memory + address + *offset, step, update + position, length);
        return;
      }
      for (int64_t j = position; j < position + length; ++j, address += step)
        if (const std::optional<int64_t> offset = checked_offset(task, index[j], start + j))
          scatter_one<combine>(memory + address + *offset, update[j]);
    });
  });
}

template <Word combine(Word, Word)>
void scatter_all(const ScatterTask& task, int64_t begin, int64_t end) {
  Evaluator index(task.index), updates(task.updates);
  for (int64_t at = begin, count = 0; at < end; at += count) {
    count = std::min(task.index.span(at, end), task.updates.span(at, end));
    scatter<combine>(task, index(at, count), updates(at, count), at, count);
  }
}

/// Combines updates with the kernel's output; on all threads in ways that give the same bits on any number of them.
void scatter_combined(const ScatterKernel& kernel, FirstOutside& outside, ThreadPool& pool);

}  // namespace eglantine::cpu
