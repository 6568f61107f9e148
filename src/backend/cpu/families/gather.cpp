#include <algorithm>
#include <cstring>

#include "backend/cpu/families/families.hpp"
#include "backend/cpu/families/indices.hpp"
#include "backend/cpu/instructions/runs.hpp"

namespace eglantine::cpu {

namespace {

struct Job {
  explicit Job(const GatherKernel& kernel)
      : index(kernel.index),
        epilogue(kernel.epilogue),
        source(kernel.source),
        out(kernel.out),
        axis{kernel.length, kernel.stride},
        places(kernel.check.place) {}

  Program index, epilogue;
  Elements source, out;
  IndexedAxis axis;
  Layout places;
  FirstOutside outside;
};

int64_t place_of(const Layout& places, int64_t number) {
  int64_t place = 0;
  for_runs(places, number, 1, [&](int64_t, int64_t, int64_t address) { place = address; });
  return place;
}

// accumulator[j] for elements start + j; an index out of range gives 0.
void fetch(Job& job, const Word* index, int64_t start, int64_t count, Word* accumulator) {
  const int64_t step = job.source.layout.strides.back();
  for_runs(job.source.layout, start, count, [&](int64_t position, int64_t length, int64_t address) {
    for (int64_t j = position; j < position + length; ++j, address += step) {
      const std::optional<int64_t> offset = job.axis.offset(index[j]);
      accumulator[j] = offset ? job.source.data[address + *offset] : 0;
      if (!offset) job.outside.meet(place_of(job.places, start + j), index[j]);
    }
  });
}

void gather_elements(Job& job, ThreadPool& pool) {
  const int64_t elements = job.index.elements();
  const int64_t blocks = (elements + block_elements - 1) / block_elements;
  pool.parallel_for(blocks, grain(block_elements), [&](int64_t first, int64_t last) {
    Evaluator index(job.index), apply_epilogue(job.epilogue);
    const Words accumulator(block_elements);
    const int64_t end = std::min(elements, last * block_elements);
    for (int64_t at = first * block_elements, count = 0; at < end; at += count) {
      count = std::min(job.index.span(at, end), job.epilogue.span(at, end));
      fetch(job, index(at, count), at, count, accumulator.data());
      job.out.write(at, count, apply_epilogue(at, count, accumulator.data()));
    }
  });
}

// ---- whole rows: one index for each

bool still(const Layout& x) { return x.strides.back() == 0; }

// The index does not change along the innermost axis, and nothing is done to what is found.
bool takes_rows(const GatherKernel& kernel) {
  return kernel.index.domain.rank() > 1 && kernel.epilogue.code.size() == 1 &&
         std::all_of(kernel.index.operands.begin(), kernel.index.operands.end(),
                     [](const Strided& operand) { return still(operand.layout); }) &&
         std::all_of(kernel.index.iotas.begin(), kernel.index.iotas.end(), still);
}

void drop_innermost(Layout& x) {
  x.shape.erase(x.shape.rank() - 1);
  x.strides.pop_back();
}

// The index of each row.
Expr index_of_rows(Expr index) {
  for (Strided& operand : index.operands) drop_innermost(operand.layout);
  for (Layout& x : index.iotas) drop_innermost(x);
  index.domain.erase(index.domain.rank() - 1);
  return index;
}

void copy_row(const Word* from, int64_t step, Word* to, int64_t length) {
  if (step == 1) return static_cast<void>(std::memcpy(to, from, static_cast<size_t>(length * word_bytes)));
  for (int64_t i = 0; i < length; ++i) to[i] = from[i * step];
}

void gather_rows(Job& job, const Program& index, ThreadPool& pool) {
  const int64_t length = job.index.elements() / index.elements(), step = job.source.layout.strides.back();
  pool.parallel_for(index.elements(), grain(length), [&](int64_t first, int64_t last) {
    Evaluator evaluate(index);
    for (int64_t start = first, count = 0; start < last; start += count) {
      count = index.span(start, last);
      const Word* found = evaluate(start, count);
      for_runs(job.source.rows, start, count, [&](int64_t position, int64_t rows, int64_t address) {
        for (int64_t row = position; row < position + rows; ++row, address += job.source.rows.strides.back()) {
          const int64_t at = (start + row) * length;
          const std::optional<int64_t> offset = job.axis.offset(found[row]);
          if (!offset) job.outside.meet(place_of(job.places, at), found[row]);
          if (offset) copy_row(job.source.data + address + *offset, step, job.out.in_place(at, length), length);
        }
      });
    }
  });
}

}  // namespace

void run_gather(const GatherKernel& kernel, ThreadPool& pool) {
  Job job(kernel);
  takes_rows(kernel) ? gather_rows(job, Program(index_of_rows(kernel.index)), pool) : gather_elements(job, pool);
  job.outside.throw_if_any(kernel.check);
}

}  // namespace eglantine::cpu
