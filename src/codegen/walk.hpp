#pragma once

#include <cstdint>

#include "layout/layout.hpp"

/// How the address of a layout follows from the numbers that a shader counts.
namespace eglantine::codegen {

/// Neighbouring axes of a domain, numbered together in row-major order by one uint.
struct Part {
  int first = 0;
  int rank = 0;
};

/// Consecutive numbers of a part.
struct Numbers {
  int64_t first = 0;
  int64_t count = 0;
};

/// How an address moves with the number of a part: not at all; by one element; by a fixed stride; or by the
/// coordinates that the number stands for.
enum class Walk : char { none = 'n', unit = 'u', linear = 'l', coordinates = 'c' };

/// How four elements that follow each other in the vector part are read: as one vec4; as one element for all four; by a
/// fixed stride; or at four addresses. Or one element alone.
enum class Access : char { vec4 = 'v', splat = 's', strided = 't', gather = 'g', single = '1' };

int64_t count_of(const Shape& domain, const Part& part);
Walk walk_of(const Layout& x, const Part& part);
/// The stride of a unit or linear walk.
int64_t linear_stride(const Layout& x, const Part& part);
/// Whether four consecutive numbers from a multiple of four lie in one innermost row.
bool rows_of_fours(const Shape& domain, const Part& part);

/// What is reached over numbers of one part, relative to the address where all its coordinates are 0. `numbers` is not
/// empty.
layout::Reach reach_of(const Layout& x, const Part& part, const Numbers& numbers);

}  // namespace eglantine::codegen
