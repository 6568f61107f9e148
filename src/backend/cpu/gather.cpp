#include "backend/cpu/families.hpp"
#include "backend/cpu/indices.hpp"
#include "backend/cpu/runs.hpp"

namespace eglantine::cpu {

namespace {

struct Job {
  explicit Job(const GatherKernel& kernel)
      : index(kernel.index),
        consumer(kernel.consumer),
        source(kernel.source),
        out(kernel.out),
        axis{kernel.length, kernel.stride},
        places(kernel.check.place) {}

  Program index, consumer;
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

// core[j] for elements start + j; an index out of range gives 0.
void fetch(Job& job, const Word* index, int64_t start, int64_t count, Word* core) {
  const int64_t step = job.source.layout.strides.back();
  for_runs(job.source.layout, start, count, [&](int64_t position, int64_t length, int64_t address) {
    for (int64_t j = position; j < position + length; ++j, address += step) {
      const std::optional<int64_t> offset = job.axis.offset(index[j]);
      core[j] = offset ? job.source.data[address + *offset] : 0;
      if (!offset) job.outside.meet(place_of(job.places, start + j), index[j]);
    }
  });
}

}  // namespace

void run_gather(const GatherKernel& kernel, ThreadPool& pool) {
  Job job(kernel);
  const int64_t elements = job.index.elements();
  const int64_t blocks = (elements + block_elements - 1) / block_elements;
  pool.parallel_for(blocks, grain(block_elements), [&](int64_t first, int64_t last) {
    Evaluator index(job.index), consume(job.consumer);
    const Words core(block_elements);
    const int64_t end = std::min(elements, last * block_elements);
    for (int64_t at = first * block_elements, count = 0; at < end; at += count) {
      count = std::min(job.index.span(at, end), job.consumer.span(at, end));
      fetch(job, index(at, count), at, count, core.data());
      job.out.write(at, count, consume(at, count, core.data()));
    }
  });
  job.outside.throw_if_any(kernel.check);
}

}  // namespace eglantine::cpu
