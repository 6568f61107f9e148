#include <algorithm>
#include <vector>

#include "backend/cpu/families/families.hpp"
#include "layout/divide.hpp"

// A compaction: its ends, or counts, say where what each tile keeps begins. Which elements those are no processor
// foresees: each element goes to the next place, from which only one that is kept moves on.
namespace eglantine::cpu {

namespace {

struct CompactionTask {
  explicit CompactionTask(const ScatterKernel& kernel)
      : mask(kernel.index),
        updates(kernel.updates),
        out(kernel.out),
        coordinates(kernel.coordinates),
        first(kernel.target.offset),
        places(places_of(Elements(kernel.ends), ceil_divide(mask.elements(), compacted_tile))) {}

  /// How many elements are kept before each tile, and in all.
  static std::vector<int64_t> places_of(const Elements& ends, int64_t tiles) {
    const Layout& at = ends.layout();
    std::vector<int64_t> places{0};
    for (int64_t tile = 0; tile < tiles; ++tile) {
      const auto end = static_cast<int32_t>(ends.element(at.offset + tile * at.strides.front()));
      places.push_back(are_counted(tiles) ? places.back() + end : end);
    }
    return places;
  }

  EvaluatorProgram mask, updates;
  Elements out;
  Shape coordinates;
  int64_t first;
  std::vector<int64_t> places;
};

/// Puts the coordinates of a place in a shape's row-major order.
template <class T>
void put_coordinates(T* to, const Shape& shape, uint32_t place) {
  for (int axis = shape.rank() - 1; axis > 0; --axis) {
    const auto length = static_cast<uint32_t>(shape[axis]);
    to[axis] = stored_element<T>(place % length);
    place /= length;
  }
  to[0] = stored_element<T>(place);
}

/// As put_kept(), each with its coordinates.
template <class T>
int64_t put_kept_coordinates(T* memory, const CompactionTask& task, const Word* mask, const Word* update, int64_t count,
                             int64_t place) {
  for (int64_t j = 0; j < count; ++j)
    if (mask[j] != 0) put_coordinates(memory + place++ * task.coordinates.rank(), task.coordinates, update[j]);
  return place;
}

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
  const int64_t last = std::min(task.mask.elements(), end_tile * compacted_tile),
                end = task.places[static_cast<size_t>(end_tile)];
  int64_t place = task.places[static_cast<size_t>(first_tile)];
  for (int64_t at = first_tile * compacted_tile, count = 0; at < last && place < end; at += count) {
    count = std::min(task.mask.span(at, last), task.updates.span(at, last));
    const Word* kept = mask(at, count);
    const Word* values = updates(at, count);
    task.out.with_memory([&]<class T>(T* memory) {
      T* const to = memory + task.first;
      place = task.coordinates.empty() ? put_kept(to, kept, values, count, place, end)
                                       : put_kept_coordinates(to, task, kept, values, count, place);
    });
  }
}

}  // namespace

void run_compaction(const ScatterKernel& kernel, ThreadPool& pool) {
  const CompactionTask task(kernel);
  pool.parallel_for(ceil_divide(task.mask.elements(), compacted_tile), grain(compacted_tile),
                    [&](int64_t begin, int64_t end) { compact_tiles(task, begin, end); });
}

}  // namespace eglantine::cpu
