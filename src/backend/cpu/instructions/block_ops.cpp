#include "backend/cpu/instructions/block_ops.hpp"

#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "eglantine/error.hpp"
#include "graph/op/op_info.hpp"

namespace eglantine::cpu {

namespace {

#if defined(__x86_64__)
// Not every compiler's __builtin_cpu_supports knows f16c.
bool converts_halves() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

const BlockTable& widest() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!converts_halves()) return baseline::table;
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

void require(bool present, std::string_view operation, DType dtype) {
  if (!present)
    throw DTypeError("[cpu] the operation table has no " + std::string(operation) + " of " +
                     std::string(name_of(dtype)));
}

}  // namespace

ElementwiseBlock elementwise_block(Op op, DType argument) {
  const ElementwiseBlock block = table().elementwise(op, argument);
  require(block != nullptr, name_of(op), argument);
  return block;
}

ElementwiseBlock cast_block(DType from, DType to) { return table().cast(from, to); }

ReductionBlocks reduction_blocks(Reduction reduction, DType dtype, const ReduceOpPtr& custom) {
  if (custom) return custom_reduction_blocks(custom);
  ReductionBlocks blocks = table().reduction(reduction, dtype);
  require(blocks.accumulate != nullptr, name_of(reduction), dtype);
  return blocks;
}

ArgBlocks arg_blocks(Reduction reduction, DType dtype) {
  const ArgBlocks blocks = table().arg(reduction, dtype);
  require(blocks.scan != nullptr, name_of(reduction), dtype);
  return blocks;
}

IntegerTile integer_tile() { return table().tile; }

SmallProductBlock small_product_block(DType dtype) {
  return is_float(dtype) ? table().small_product_of_floats : table().small_product_of_integers;
}

FloatProductBlock float_product_block() { return table().product_of_floats; }

StorageBlocks storage_blocks(StorageType storage) { return table().storage(storage); }

SortBlock sort_block() { return table().sort; }

}  // namespace eglantine::cpu
