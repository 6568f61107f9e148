#pragma once

#include <optional>

#include "perf/check.hpp"
#include "perf/work.hpp"

namespace eglantine::perf {

/// Inputs in rotation hold this much together, so that no cache flatters. An H200's has 60 MB.
inline constexpr double rotation_bytes = 256.0 * 1024 * 1024;
/// But there are no more sets than this: small inputs are launch-bound, not cache-bound.
inline constexpr size_t most_sets = 64;
/// Nor fewer, however large: calls that do not depend on one another may run at once, and two that read the same
/// tensor would read it once from memory and once from the cache; two that write the same would wait for each other.
inline constexpr size_t fewest_sets = 4;

/// How a random tensor is filled.
enum class Fill { uniform, signed_uniform, normal, positive, small, mask, bits, index, places };

/// One operand of a work.
struct Operand {
  Shape shape;
  /// uniform: [0, 1); signed_uniform: [-1, 1); positive: [0.5, 1.5); small: [-0.1, 0.1); mask: boolean; bits: any u32;
  /// places: grid_sample's (n, lengths..., coordinates) at each element's own place, give or take a twentieth
  Fill fill = Fill::uniform;
  int64_t bound = 0;  ///< index: i32 in [0, bound)
  /// What the filling is converted to; none: it stays f32, boolean, u32 or i32. Integers of bits wrap.
  std::optional<DType> dtype = {};
};

/// Elements of a shape in a dtype.
Operand in_dtype(DType dtype, const Shape& shape, Fill fill = Fill::uniform);
/// The operation's name over elements of a dtype: "mul" of f32, "mul_f16".
std::string name_in(DType dtype, const std::string& operation);
/// What a result in `dtype` may differ by where the devices' f32 may differ by `relative`: a rounding may go to the
/// neighbouring number.
double tolerance_in(DType dtype, double relative);

/// A random tensor, computed already.
Tensor random_tensor(const Operand& operand, uint64_t seed, const Device& device);

/// Random tensors of the operands; those of another `set` have other numbers.
Tensors random_set(const std::vector<Operand>& operands, uint64_t set, const Device& device);
/// How many sets the rotation takes.
size_t sets_of(const std::vector<Operand>& operands);

/// What a work does with its operands.
using Verb = std::function<Tensors(const Tensors&)>;

/// The work of applying a verb to random operands: as many sets of them as the rotation needs. It is checked against
/// another device as `check` says. bytes and operations are the caller's to fill.
Work work_of(std::string name, std::vector<Operand> operands, Verb verb, const Check& check);

/// "2^22" for powers of two from 2^10 on, else the number; "16384x1024".
std::string size_text(int64_t elements);
std::string size_text(const Shape& shape);

}  // namespace eglantine::perf
