#pragma once

#include <limits>

#include "backend/cpu/families/families.hpp"
#include "backend/cpu/instructions/runs.hpp"
#include "backend/cpu/memory_pool.hpp"

/// What attention and its gradient read.
namespace eglantine::cpu {

// A tile of scores and what they are made of stay in L2. Sums depend on the tiles, and so not on the threads.
inline constexpr int64_t most_rows = 64, most_columns = 256;

inline constexpr float infinity = std::numeric_limits<float>::infinity();

/// The matrix of a head, of (heads..., lines, elements); `share` neighbouring heads have one.
class Heads {
 public:
  Heads(const Strided& x, int64_t share)
      : first_{data_of(*x.buffer), x.storage, *(x.layout.strides.end() - 2), x.layout.strides.back()},
        leading_{Shape(x.layout.shape.begin(), x.layout.shape.end() - 2),
                 {x.layout.strides.begin(), x.layout.strides.end() - 2},
                 x.layout.offset},
        share_(share) {}

  Matrix of(int64_t head) const {
    int64_t place = 0;
    for_runs(leading_, head / share_, 1, [&](int64_t, int64_t, int64_t at) { place = at; });
    return first_.moved(place);
  }

 private:
  Matrix first_;
  Layout leading_;
  int64_t share_;
};

inline float* floats(Words& words) { return reinterpret_cast<float*>(words.data()); }

/// `count` neighbouring elements of a row of a matrix, widened.
inline void gather_row(const Matrix& row, Words& to, int64_t count) {
  with_memory(row.storage, row.data, [&](const auto* from) { gather_run(from, row.column_stride, to.data(), count); });
}

}  // namespace eglantine::cpu
