#pragma once

#include <cstdint>
#include <string_view>

#include "eglantine/dtype.hpp"

namespace eglantine {

/// Every element-wise operation, from the operation table, and the structural instructions of an expression.
enum class Op : uint16_t {
#define EG_ELEMENTWISE(name, ...) name,
#define EG_REDUCTION(...)
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
  cast,       ///< the argument converted to the instruction's dtype
  load,       ///< reads operand args[0]
  load_at,    ///< reads operand args[0] as many elements on as instruction args[1], an i32, says (PiecewiseRead)
  parameter,  ///< scalar args[0], a kernel parameter
  iota,       ///< an affine function of the coordinates, layout args[0] of Expr::iotas, as u32 (modulo 2^32)
  /// The value that the kernel's reduction or product computed; only in an epilogue. In a step of a row chain
  /// (graph/row/chain.hpp) value args[0] of the chain, which under args[1] = 1 is one for all elements of a vector.
  accumulator,
  custom,  ///< a user's operation: call args[0] of Expr::calls
  store,   ///< puts instruction args[0] into operand args[1] on the way; nothing reads it, and it is never the last
  /// Instruction args[0] combined over a row of a RowKernel by Reduction args[1]: one value for all elements of the
  /// row. args[2] = 1: it may drop a NaN.
  fold,
  /// Instruction args[0], an i32, as an index along an axis of length args[2]: from the end if negative. Of one out of
  /// range 0, and the kernel fails with IndexError, which names the least place args[1], a u32, of such ones.
  checked_index,
};

enum class Reduction : uint8_t {
#define EG_ELEMENTWISE(...)
#define EG_REDUCTION(name, ...) name,
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
  custom,  ///< a user's operation, which stands beside it
};

}  // namespace eglantine
