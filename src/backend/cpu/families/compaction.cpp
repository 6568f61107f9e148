#include <algorithm>

#include "backend/cpu/families/families.hpp"
#include "layout/divide.hpp"

// A compaction: its ends say where what each tile keeps begins. Which elements those are no processor foresees: each
// element goes to the next place, from which only one that is kept moves on.
namespace eglantine::cpu {

namespace {

struct CompactionTask {
  explicit CompactionTask(const ScatterKernel& kernel)
      : mask(kernel.index), updates(kernel.updates), ends(kernel.ends), out(kernel.out), first(kernel.target.offset) {}

  /// The place in `out` of the first element that is kept from a tile on.
  int64_t place(int64_t tile) const {
    const Layout& at = ends.layout();
    return first + (tile == 0 ? 0 : static_cast<int32_t>(ends.element(at.offset + (tile - 1) * at.strides.front())));
  }

  EvaluatorProgram mask, updates;
  Elements ends, out;
  int64_t first;
};

/// Puts what is kept of `count` updates from `place` on; nothing at `end` or after it. The place after the last.
template <class T>
int64_t put_kept(T* memory, const Word* mask, const Word* update, int64_t count, int64_t place, int64_t end) {
  for (int64_t j = 0; j < count && place < end; ++j) {
    memory[place] = stored_element<T>(update[j]);
    place += mask[j] != 0 ? 1 : 0;
  }
  return place;
}

void compact_tiles(const CompactionTask& task, int64_t first_tile, int64_t end_tile) {
  Evaluator mask(task.mask), updates(task.updates);
  const int64_t last = std::min(task.mask.elements(), end_tile * compacted_tile), end = task.place(end_tile);
  int64_t place = task.place(first_tile);
  for (int64_t at = first_tile * compacted_tile, count = 0; at < last && place < end; at += count) {
    count = std::min(task.mask.span(at, last), task.updates.span(at, last));
    const Word* kept = mask(at, count);
    const Word* values = updates(at, count);
    task.out.with_memory([&]<class T>(T* memory) { place = put_kept(memory, kept, values, count, place, end); });
  }
}

}  // namespace

void run_compaction(const ScatterKernel& kernel, ThreadPool& pool) {
  const CompactionTask task(kernel);
  pool.parallel_for(ceil_divide(task.mask.elements(), compacted_tile), grain(compacted_tile),
                    [&](int64_t begin, int64_t end) { compact_tiles(task, begin, end); });
}

}  // namespace eglantine::cpu
