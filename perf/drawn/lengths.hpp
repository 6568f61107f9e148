#pragma once

#include <eglantine/shape.hpp>

#include "perf/drawn/dice.hpp"

namespace eglantine::perf::drawn {

/// The length itself, or one near it that is odd, prime, or a multiple of 4, 32 or 1024 (where it is half of that).
int64_t styled(Dice& dice, int64_t length);

/// A shape of about so many elements whose rank lies within the bounds: log-uniform lengths in any order, each styled.
Shape drawn_shape(Dice& dice, int64_t elements, int least_rank, int most_rank);

/// A power of two near the square root of a positive number, not above it.
int64_t root_of(int64_t number);

}  // namespace eglantine::perf::drawn
