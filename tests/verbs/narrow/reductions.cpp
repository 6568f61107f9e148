#include "eglantine/ops.hpp"
#include "eglantine/tile.hpp"
#include "verbs/narrow/narrow_verbs.hpp"

namespace eglantine::test {
namespace {

using T = const Tensor&;

const NarrowVerb lines_of_reductions[] = {
    {"sum", OfBytes::counts, [](T x) { return sum(x, 1); }},
    {"sum_of_columns", OfBytes::counts, [](T x) { return sum(x, 0); }},
    {"prod", OfBytes::counts, [](T x) { return prod(x, 1); }},
    {"max", OfBytes::bytes, [](T x) { return has_rows(x) ? max(x, 1) : x; }},
    {"min", OfBytes::bytes, [](T x) { return min(x, 0, true); }},
    {"nanmax", OfBytes::bytes, [](T x) { return nanmax(x, 0); }},
    {"nanmin", OfBytes::bytes, [](T x) { return has_rows(x) ? nanmin(x) : x; }},
    {"any", OfBytes::counts, [](T x) { return any(x, 1); }},
    {"all", OfBytes::counts, [](T x) { return all(x, 0); }},
    {"argmax", OfBytes::counts, [](T x) { return argmax(x, 0); }},
    {"argmin", OfBytes::counts, [](T x) { return has_rows(x) ? argmin(x) : argmin(x, 0); }},
    {"multiply_sum", OfBytes::counts, [](T x) { return multiply_sum(x, x.flip({0}), 1); }},
    {"matmul", OfBytes::counts, [](T x) { return matmul(x, x.transpose(0, 1)); }},
    {"matmul_of_columns", OfBytes::counts, [](T x) { return matmul(x.transpose(0, 1), x); }},
    {"dot", OfBytes::counts, [](T x) { return dot(x(0), x(1)); }},
    {"inner", OfBytes::counts, [](T x) { return inner(x, x(2)); }},
    {"inner_of_scalars", OfBytes::counts, [](T x) { return has_rows(x) ? inner(x, x(0, 0)) : sum(x); }},
    {"einsum", OfBytes::counts,
     [](T x) {
       return einsum("ij,kj,ij->ki", {x, x.flip({0}), x});
     }},
    {"einsum_of_one", OfBytes::counts, [](T x) { return einsum("ij->j", {x}); }},
    {"tensordot", OfBytes::counts, [](T x) { return tensordot(x, x, 0, 0); }},
    {"trace", OfBytes::counts, [](T x) { return trace(x); }},
    {"cumsum", OfBytes::counts, [](T x) { return cumsum(x, 1); }},
    {"cumsum_before", OfBytes::counts, [](T x) { return cumsum(x, 0, true, true); }},
    {"cumprod", OfBytes::counts, [](T x) { return cumprod(x, 1, false, true); }},
    {"cummax", OfBytes::bytes, [](T x) { return cummax(x, 1); }},
    {"cummin", OfBytes::bytes, [](T x) { return cummin(x, 0, false, true); }},
    {"diff", OfBytes::bytes, [](T x) { return diff(x, 2, 1); }},
    {"ptp", OfBytes::bytes, [](T x) { return ptp(x, 0); }},
    {"count_nonzero", OfBytes::counts, [](T x) { return count_nonzero(x, 1); }},
    {"nansum", OfBytes::counts, [](T x) { return nansum(x, 1); }},
    {"sort", OfBytes::bytes, [](T x) { return sort(x, 1, true); }},
    {"argsort", OfBytes::counts, [](T x) { return argsort(x, 1); }},
    {"topk", OfBytes::bytes, [](T x) { return topk(x, (x.shape()[1] + 1) / 2).first; }},
    {"topk_places", OfBytes::counts, [](T x) { return topk(x, 2, 0, false).second; }},
    {"sort_by_key", OfBytes::bytes, [](T x) { return sort_by_key(x, x.flip({1})).first; }},
    {"sort_by_key_values", OfBytes::bytes, [](T x) { return sort_by_key(x, x.flip({1})).second; }},
    {"unique", OfBytes::bytes, [](T x) { return unique(sort(x(0)).eval()); }},
    {"unique_values", OfBytes::bytes, [](T x) { return unique_values(x); }},
    {"unique_inverse", OfBytes::counts, [](T x) { return unique_inverse(x).inverse_indices; }},
    {"unique_counts", OfBytes::counts, [](T x) { return unique_counts(x).counts; }},
    {"searchsorted", OfBytes::counts, [](T x) { return searchsorted(sort(x, 1).eval(), x.flip({1}), true); }},
    {"searchsorted_in_one", OfBytes::counts, [](T x) { return searchsorted(sort(x(1)).eval(), x); }},
    {"tile_sum", OfBytes::counts,
     [](T x) {
       return PartitionView(x, {2, 3}).sum();
     }},
    {"tile_max", OfBytes::bytes,
     [](T x) {
       return PartitionView(x, {3, 2}).max();
     }},
};

}  // namespace

std::span<const NarrowVerb> narrow_reductions() { return lines_of_reductions; }

}  // namespace eglantine::test
