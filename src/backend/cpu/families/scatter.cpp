#include <bit>

#include "backend/cpu/families/families.hpp"
#include "backend/cpu/families/indices.hpp"
#include "backend/cpu/instructions/runs.hpp"

namespace eglantine::cpu {

namespace {

struct Job {
  explicit Job(const ScatterKernel& kernel)
      : index(kernel.index),
        updates(kernel.updates),
        target(kernel.target),
        out(kernel.out),
        axis{kernel.length, kernel.stride},
        partial(kernel.partial) {}

  Program index, updates;
  Layout target;
  Elements out;
  IndexedAxis axis;
  bool partial;
  FirstOutside outside;
};

void put(Word& element, Word update) { element = update; }
void add_integer(Word& element, Word update) { element += update; }
void add_float(Word& element, Word update) {
  element = std::bit_cast<Word>(std::bit_cast<float>(element) + std::bit_cast<float>(update));
}

// Updates [start, start + count) in order. Their numbers are their places in the index tensor.
template <void combine(Word&, Word)>
void scatter(Job& job, const Word* index, const Word* update, int64_t start, int64_t count) {
  const int64_t step = job.target.strides.back();
  for_runs(job.target, start, count, [&](int64_t position, int64_t length, int64_t address) {
    for (int64_t j = position; j < position + length; ++j, address += step) {
      if (const std::optional<int64_t> offset = job.axis.offset(index[j]))
        combine(job.out.data[address + *offset], update[j]);
      else if (!job.partial || static_cast<int32_t>(index[j]) != job.axis.length)
        job.outside.meet(start + j, index[j]);
    }
  });
}

template <void combine(Word&, Word)>
void scatter_all(Job& job, int64_t begin, int64_t end) {
  Evaluator index(job.index), updates(job.updates);
  for (int64_t at = begin, count = 0; at < end; at += count) {
    count = std::min(job.index.span(at, end), job.updates.span(at, end));
    scatter<combine>(job, index(at, count), updates(at, count), at, count);
  }
}

}  // namespace

void run_scatter(const ScatterKernel& kernel, ThreadPool& pool) {
  Job job(kernel);
  const int64_t elements = job.index.elements();
  // The order of updates to one element counts, so only updates that never meet are shared out.
  if (kernel.add)
    kernel.out.dtype == DType::f32 ? scatter_all<add_float>(job, 0, elements)
                                   : scatter_all<add_integer>(job, 0, elements);
  else if (!kernel.distinct)
    scatter_all<put>(job, 0, elements);
  else
    pool.parallel_for(elements, piece_elements, [&](int64_t begin, int64_t end) { scatter_all<put>(job, begin, end); });
  job.outside.throw_if_any(kernel.check);
}

}  // namespace eglantine::cpu
