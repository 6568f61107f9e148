#include "backend/cpu/block_ops.hpp"

#include <string>

#include "eglantine/error.hpp"
#include "graph/op_info.hpp"

namespace eglantine::cpu {

namespace {

const BlockTable& widest() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
    return avx512::table;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::table;
#endif
  return baseline::table;
}

const BlockTable& table() {
  static const BlockTable& chosen = widest();
  return chosen;
}

template <class Function>
Function present(Function function, std::string_view operation, DType dtype) {
  if (function == nullptr)
    throw DTypeError("[cpu] the operation table has no " + std::string(operation) + " of " +
                     std::string(name_of(dtype)));
  return function;
}

}  // namespace

ElementwiseBlock elementwise_block(Op op, DType argument) {
  return present(table().elementwise(op, argument), name_of(op), argument);
}

ElementwiseBlock cast_block(DType from, DType to) { return table().cast(from, to); }

ReductionBlocks reduction_blocks(Reduction reduction, DType dtype) {
  const ReductionBlocks blocks = table().reduction(reduction, dtype);
  present(blocks.accumulate, name_of(reduction), dtype);
  return blocks;
}

ArgBlocks arg_blocks(Reduction reduction, DType dtype) {
  const ArgBlocks blocks = table().arg(reduction, dtype);
  present(blocks.scan, name_of(reduction), dtype);
  return blocks;
}

IntegerTile integer_tile() { return table().tile; }

}  // namespace eglantine::cpu
