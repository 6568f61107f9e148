#pragma once

#include <eglantine/eglantine.hpp>
#include <functional>
#include <string>
#include <vector>

namespace eglantine::perf {

/// One thing to measure: expressions over prepared inputs. Several sets of inputs take turns, so that a cache does not
/// flatter.
struct Work {
  std::string name;  ///< "sum_scalar/2048": the operation, then the size
  std::vector<std::function<Tensor()>> calls;
  double bytes = 0;       ///< read and written by one call, at the least
  double operations = 0;  ///< floating-point operations of one call; 0 where bandwidth is what counts
};

/// The classic set on a device: exp, mul (contiguous, and of a transposed and reshaped operand) and matmul at 64^2 to
/// 1024^2, sum over axis 0 and to a scalar at 64^2 to 2048^2. The inputs are random and computed already.
std::vector<Work> classic_works(const Device& device);

/// cumsum of one row of 2^20 and 2^24 elements, and along both axes of 4096 x 1024.
std::vector<Work> scan_works(const Device& device);

/// sort, argsort, sort_by_key and topk of one row of random u32 keys, and of many rows.
std::vector<Work> order_works(const Device& device);

/// take of 65,536 rows of 1,024 from a table of 16,384; gather, scatter, scatter_add (all over, to one element, and of
/// integers) and compress of 2^22 elements.
std::vector<Work> index_works(const Device& device);

/// What one measurement found, for one call.
struct Timing {
  double wall_seconds = 0;    ///< from the verb to the end of synchronize()
  double device_seconds = 0;  ///< between two timestamps of the device around many calls
};

/// Runs each of the work's calls `rounds` times. Throws what the kernels throw.
Timing measure(const Work& work, const Device& device, int rounds);

}  // namespace eglantine::perf
