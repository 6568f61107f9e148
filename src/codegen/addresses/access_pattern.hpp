#pragma once

#include <cstdint>

#include "layout/layout.hpp"

/// How the address of a layout follows from linear indices in a shader.
namespace eglantine::codegen {

/// Elements of a vector: what an invocation handles at a time, as one vec4 where the layout allows it.
inline constexpr int64_t vector_width = 4;

/// Consecutive axes of a domain with one linear (row-major) index.
struct AxisSpan {
  int first = 0;
  int rank = 0;
};

/// The linear indices of a span that one dispatch covers.
struct Window {
  int64_t first = 0;
  int64_t count = 0;
};

/// How an address moves with a span's linear index: not, by 1, by a fixed stride, or with the index's coordinates.
enum class AccessPattern : char { broadcast, contiguous, strided, coordinates };

/// How a vector lies in memory: as one vec4, contiguous from any element on, one element for all, at a fixed stride, at
/// four addresses; `single`: vectors of one element.
enum class VectorAccess : char { vec4 = 'v', anywhere = 'a', splat = 's', strided = 't', gather = 'g', single = '1' };

inline bool is_contiguous(VectorAccess access) {
  return access == VectorAccess::vec4 || access == VectorAccess::anywhere;
}

/// What is read by whole vectors: nothing; those that begin at multiples of four elements, and of narrow storage
/// contiguous ones that begin anywhere, by the two vectors that cover them; or such ones of every storage.
enum class Vectors : char { none, narrow, anywhere };

int64_t count_of(const Shape& domain, const AxisSpan& span);
AccessPattern access_pattern_of(const Layout& x, const AxisSpan& span);
int64_t span_stride(const Layout& x, const AxisSpan& span);  ///< of a contiguous or strided access
/// Whether every vector from a multiple of four on lies in one innermost row.
bool rows_of_whole_vectors(const Shape& domain, const AxisSpan& span);

/// What is reached over a window of one span, relative to the address at its origin. `window` is not empty.
layout::Reach reach_of(const Layout& x, const AxisSpan& span, const Window& window);

/// Whether all of a's places are a multiple of four from b's.
bool differ_by_fours(const Layout& a, const Layout& b);

}  // namespace eglantine::codegen
