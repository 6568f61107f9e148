#pragma once

#include <cstdint>

#include "layout/layout.hpp"

/// How the address of a layout follows from the numbers that a shader counts.
namespace eglantine::codegen {

/// Elements of a vector, which an invocation reads and writes at once where it can: a vec4.
inline constexpr int64_t vector_width = 4;

/// Neighbouring axes of a domain, numbered together in row-major order by one uint.
struct AxisSpan {
  int first = 0;
  int rank = 0;
};

/// Consecutive numbers of a part.
struct Window {
  int64_t first = 0;
  int64_t count = 0;
};

/// How an address moves with the number of a part: not at all; by one element; by a fixed stride; or by the
/// coordinates that the number stands for.
enum class AccessPattern : char { broadcast, contiguous, strided, coordinates };

/// How four elements that follow each other in the vector part are read: as one vec4; as one element for all four; by a
/// fixed stride; or at four addresses. Or one element alone.
enum class VectorAccess : char { vec4 = 'v', splat = 's', strided = 't', gather = 'g', single = '1' };

int64_t count_of(const Shape& domain, const AxisSpan& span);
AccessPattern access_pattern_of(const Layout& x, const AxisSpan& span);
/// The stride of a vector or linear walk.
int64_t span_stride(const Layout& x, const AxisSpan& span);
/// Whether four consecutive numbers from a multiple of four lie in one innermost row.
bool rows_of_whole_vectors(const Shape& domain, const AxisSpan& span);

/// What is reached over numbers of one part, relative to the address where all its coordinates are 0. `numbers` is not
/// empty.
layout::Reach reach_of(const Layout& x, const AxisSpan& span, const Window& window);

}  // namespace eglantine::codegen
