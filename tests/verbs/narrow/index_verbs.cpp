#include "eglantine/ops.hpp"
#include "eglantine/tile.hpp"
#include "verbs/narrow/narrow_verbs.hpp"

namespace eglantine::test {
namespace {

using T = const Tensor&;

/// 2, 0, 2 for the rows of x.
Tensor rows() { return Tensor::from({2, 0, 2}, {3}); }
Tensor everywhere(T x) { return rows().unsqueeze(1).expand(x.shape()); }
Tensor backwards(T x) { return x.flip({0, 1}); }

const NarrowVerb scatters[] = {
    {"scatter", OfBytes::bytes, [](T x) { return scatter(x, 0, everywhere(x), backwards(x)); }},
    {"scatter_add", OfBytes::bytes, [](T x) { return scatter_add(x, 0, everywhere(x), backwards(x)); }},
    {"scatter_mul", OfBytes::bytes, [](T x) { return scatter_mul(x, 0, everywhere(x), backwards(x)); }},
    {"scatter_max", OfBytes::bytes, [](T x) { return scatter_max(x, 0, everywhere(x), backwards(x)); }},
    {"scatter_min", OfBytes::bytes, [](T x) { return scatter_min(x, 0, everywhere(x), backwards(x)); }},
    {"scatter_nd", OfBytes::bytes, [](T x) { return scatter_nd(x, rows().unsqueeze(1), backwards(x)); }},
    {"scatter_nd_add", OfBytes::bytes, [](T x) { return scatter_nd_add(x, rows().unsqueeze(1), backwards(x)); }},
    {"index_add", OfBytes::bytes, [](T x) { return index_add(x, 0, rows(), backwards(x)); }},
    {"segment_sum", OfBytes::counts, [](T x) { return segment_sum(x, rows(), 4); }},
    {"index_put_at", OfBytes::bytes, [](T x) { return x.index_put({rows()}, backwards(x)); }},
    {"index_put_add", OfBytes::bytes, [](T x) { return x.index_put_add({rows()}, x(1)); }},
    {"compress", OfBytes::bytes, [](T x) { return compress(x, x > 0); }},
    {"clip", OfBytes::bytes, [](T x) { return clip(x, 1, x.flip({0})); }},
    {"where", OfBytes::bytes, [](T x) { return where(x > x.flip({0}), x, 1); }},
    {"outer", OfBytes::bytes, [](T x) { return outer(x(0), x(1)); }},
    {"cross", OfBytes::bytes,
     [](T x) {
       return cross(x, x.flip({0, 1}), 0);
     }},
};

}  // namespace

std::span<const NarrowVerb> narrow_index_verbs() { return scatters; }

namespace {

/// Three channels of 2 rows, whose lengths are even.
Tensor quarters(T x) { return concatenate({x, x.flip({0})}, 1).unsqueeze(1).expand({3, 2, 2 * x.shape()[1]}); }

const NarrowVerb movements[] = {
    {"masked", OfBytes::bytes,
     [](T x) {
       return x(Tensor::from({true, false, true}, {3}));
     }},
    {"take", OfBytes::bytes, [](T x) { return take(x, rows(), 0); }},
    {"gather", OfBytes::bytes, [](T x) { return gather(x, 0, everywhere(x)); }},
    {"gather_nd", OfBytes::bytes, [](T x) { return gather_nd(x, rows().unsqueeze(1)); }},
    {"take_along_axis", OfBytes::bytes, [](T x) { return take_along_axis(x, rows().unsqueeze(1), 0); }},
    {"index", OfBytes::bytes, [](T x) { return x(rows(), ellipsis); }},
    {"index_put", OfBytes::bytes, [](T x) { return x.index_put({1}, x(2)); }},
    {"index_put_slice", OfBytes::bytes,
     [](T x) {
       return x.index_put({ellipsis, Slice{{}, {}, 2}}, 3);
     }},
    {"index_put_add_slice", OfBytes::bytes,
     [](T x) {
       return x.index_put_add({Slice{1, {}}}, x(0));
     }},
    {"index_put_add_mask", OfBytes::bytes, [](T x) { return x.index_put_add({x > 1}, 2); }},
    {"tile_min", OfBytes::bytes,
     [](T x) {
       return PartitionView(x, {1, 1}).min();
     }},
    {"flip", OfBytes::bytes,
     [](T x) {
       return x.flip({0, 1});
     }},
    {"transpose", OfBytes::bytes,
     [](T x) {
       return x.transpose(0, 1).reshape({3, -1});
     }},
    {"slice", OfBytes::bytes, [](T x) { return x.slice(1, 0, {}, 3); }},
    {"expand", OfBytes::bytes,
     [](T x) {
       return x.slice(0, 1, 2).expand({5, x.shape()[1]});
     }},
    {"pad", OfBytes::bytes,
     [](T x) {
       return pad(x, {{1, 0}, {2, 3}}, 1);
     }},
    {"pad_edge", OfBytes::bytes,
     [](T x) {
       return has_rows(x) ? pad(x, {{0, 1}, {3, 5}}, PadMode::edge) : x;
     }},
    {"pad_reflect", OfBytes::bytes,
     [](T x) {
       return pad(x, {{2, 5}, {0, 0}}, PadMode::reflect);
     }},
    {"pad_wrap", OfBytes::bytes,
     [](T x) {
       return pad(x, {{5, 1}, {0, 0}}, PadMode::wrap);
     }},
    {"roll", OfBytes::bytes,
     [](T x) {
       return roll(x, {1, -2}, {0, 1});
     }},
    {"roll_flat", OfBytes::bytes, [](T x) { return roll(x, 3); }},
    {"tile", OfBytes::bytes,
     [](T x) {
       return tile(x, {2, 3});
     }},
    {"repeat", OfBytes::bytes, [](T x) { return repeat(x, 3, 1); }},
    {"rot90", OfBytes::bytes, [](T x) { return rot90(x); }},
    {"windows", OfBytes::bytes, [](T x) { return windows(x, 0, {2}); }},
    {"concatenate", OfBytes::bytes,
     [](T x) {
       return concatenate({x, x.flip({1}), x}, 1);
     }},
    {"stack", OfBytes::bytes,
     [](T x) {
       return stack({x, x.flip({0})}, 1);
     }},
    {"split", OfBytes::bytes, [](T x) { return split(x, 3, 0)[1]; }},
    {"pixel_unshuffle", OfBytes::bytes, [](T x) { return pixel_unshuffle(quarters(x), 2); }},
    {"space_to_depth", OfBytes::bytes, [](T x) { return depth_to_space(space_to_depth(quarters(x), 2).flip({0}), 2); }},
    {"pixel_shuffle", OfBytes::bytes, [](T x) { return pixel_shuffle(pixel_unshuffle(quarters(x), 2).flip({0}), 2); }},
    {"tril", OfBytes::bytes, [](T x) { return tril(x, 1); }},
    {"triu", OfBytes::bytes, [](T x) { return triu(x); }},
    {"diagonal", OfBytes::bytes, [](T x) { return diagonal(x, 1); }},
    {"diag", OfBytes::bytes, [](T x) { return diag(x(1), 1); }},
    {"meshgrid", OfBytes::bytes,
     [](T x) {
       return meshgrid({x(0), x(1)})[1];
     }},
    {"shuffle", OfBytes::bytes, [](T x) { return shuffle(x, 7, 1); }},
    {"likenesses", OfBytes::bytes, [](T x) { return full_like(x, 3); }},
    {"tile_of_a_view", OfBytes::bytes,
     [](T x) {
       return has_rows(x) ? PartitionView(x, {2, 3}).tile({1, 0}) : x;
     }},
};

}  // namespace

std::span<const NarrowVerb> narrow_movements() { return movements; }

}  // namespace eglantine::test
