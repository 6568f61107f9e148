#include "lower/contraction/few_columns/wide_blocks.hpp"

#include <algorithm>

#include "layout/divide.hpp"
#include "layout/reduce_tree.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t wide_group = 128, most_sums = 64, most_wide_chunks = layout::column_block;
// Groups that a multiprocessor holds, of invocations with so many sums, and rounds of them; quads of a chunk of k whose
// results take an eighth of its reading, and of the shortest one, where these fill no device.
constexpr int64_t wide_groups_each = 4, wide_rounds = 2, wide_chunk = 128, shortest_wide_chunk = 32;

int64_t wide_blocks(const Target& target, const FewColumnsProduct& product) {
  return ceil_divide(product.sizes.rows, vector_width * group_size_of(target, wide_group));
}

}  // namespace

bool has_many_sums(const FewColumnsProduct& product) { return 2 * vector_width * product.sizes.columns > most_sums; }

bool splits_vectors(const FewColumnsProduct& product) {
  codegen::Addresses addresses(matrix_spec(product));
  const Expr& matrix = product.matrix;
  return matrix.piecewise.empty() && std::ranges::any_of(matrix.operands, [&](const Strided& operand) {
           const codegen::VectorAccess access = addresses.access(addresses.add(operand.layout, true, true));
           return !is_narrow(operand.storage) && access != codegen::VectorAccess::vec4 &&
                  access != codegen::VectorAccess::splat;
         });
}

bool reads_rows_one_by_one(const FewColumnsProduct& product) {
  codegen::Addresses addresses(matrix_spec(product));
  return std::ranges::any_of(product.matrix.operands, [&](const Strided& operand) {
    const codegen::VectorAccess access =
        addresses.access(addresses.add(operand.layout, true, is_narrow(operand.storage)));
    return access == codegen::VectorAccess::gather || access == codegen::VectorAccess::strided;
  });
}

void plan_wide_blocks(const Target& target, const FewColumnsProduct& product, FewColumnsPlan& plan) {
  plan.group_size = group_size_of(target, wide_group);
  plan.apart = product.matrix.piecewise.empty() && product.matrix.stored.empty() && reads_rows_one_by_one(product);
}

int64_t wide_chunk_quads(const Target& target, const FewColumnsProduct& product) {
  const int64_t blocks = wide_blocks(target, product), fewest = 2 * multiprocessors_of(target);
  const auto most = [&](int64_t quads) { return std::clamp<int64_t>(product.quads() / quads, 1, most_wide_chunks); };
  int64_t chunks = std::min(wide_rounds * wide_groups_each * multiprocessors_of(target) / blocks, most(wide_chunk));
  if (chunks * blocks < fewest) chunks = std::min(ceil_divide(fewest, blocks), most(shortest_wide_chunk));
  return ceil_divide(product.quads(), std::max<int64_t>(1, chunks));
}

bool gains_by_wide_blocks(const Target& target, const FewColumnsProduct& product) {
  constexpr int64_t few = 4;
  const FewColumnsSizes& sizes = product.sizes;
  if (target.software || !product.along_rows || sizes.batches > 1 || sizes.columns <= few) return false;
  // Of fewer rows most invocations have none, and the others the whole of k.
  if (sizes.rows < wide_group) return false;
  const auto is_narrow_one = [](const Strided& x) { return is_narrow(x.storage); };
  const bool many = has_many_sums(product), narrow = std::ranges::any_of(product.matrix.operands, is_narrow_one);
  const int64_t blocks = wide_blocks(target, product), fewest = multiprocessors_of(target);
  // Of narrow ones small blocks read as much of the columns as of the matrix, or more.
  if (many && narrow) return blocks * (product.quads() / shortest_wide_chunk) >= fewest;
  return (narrow || (many && splits_vectors(product))) && blocks * (product.quads() / wide_chunk) >= 2 * fewest;
}

}  // namespace eglantine::lower
