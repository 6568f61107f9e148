#pragma once

#include <span>

#include "eglantine/tensor.hpp"

/// One line for each verb beside those of ops.def, for tests that call all of them on f16, bf16, i8 and u8.
namespace eglantine::test {

/// What a verb gives of narrow integers; of narrow floats it gives their dtype where it gives f32 of f32.
enum class OfBytes {
  bytes,   ///< their dtype, of what i32 would give
  counts,  ///< what it gives of i32
};

struct NarrowVerb {
  const char* name;
  OfBytes of_bytes;
  Tensor (*call)(const Tensor& x);  ///< x has shape (3, n)
};

std::span<const NarrowVerb> narrow_reductions();
std::span<const NarrowVerb> narrow_statistics();
std::span<const NarrowVerb> narrow_network_verbs();
std::span<const NarrowVerb> narrow_index_verbs();
/// They read padding beside elements as these are stored, which an expression of wide ones takes an operation for.
std::span<const NarrowVerb> narrow_pools();
/// Those that read elements as they are stored, or are made of element-wise verbs.
std::span<const NarrowVerb> narrow_movements();

/// Whether x has elements in each row.
inline bool has_rows(const Tensor& x) { return x.shape()[1] > 0; }

/// x in the dtype that computes for it: f32 or i32.
Tensor widened(const Tensor& x);
/// What the verb gives of x, of `dtype`, by what it gives of x widened.
Tensor rounded_once(const NarrowVerb& verb, DType dtype, const Tensor& wide);

}  // namespace eglantine::test
