#include "eglantine/ops.hpp"
#include "support/random/verbs/verbs.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_interpolation.hpp"
#include "support/reference/naive_pooling.hpp"

/// Interpolation and pools of an n x n picture, and channels as places.
namespace eglantine::test {
namespace {

/// One channel.
Tensor picture(const Tensors& o) { return full(o.a, o.n).unsqueeze(0); }

naive::PoolRule square(int64_t window, int64_t before, int64_t after) {
  return {{window, window}, {1, 1}, {1, 1}, {{before, after}, {before, after}}};
}

/// Of the same lengths: windows around each element, or from it on.
PoolOptions around(const Tensors& o) {
  if (o.q % 2 == 0) return {.stride = 1, .padding = 1};
  return {.stride = 1, .padding = Padding::same};
}

Tensor averaged(const Tensors& o) {
  switch (variant(o, 4)) {
    case 0:
      return avg_pool(picture(o), {3, 3}, around(o)).squeeze(0);
    case 1:
      return avg_pool(picture(o), {2, 3}, {.stride = 1, .padding = Padding::same, .count_padding = false}).squeeze(0);
    case 2:
      return lp_pool(abs(picture(o)), 2, {3, 3}, {.stride = 1, .padding = 1}).squeeze(0);
    default:
      return avg_pool(full(o.a, o.n), {o.n}).expand({o.n, o.n});
  }
}

/// As long as it was after windows that double it, or of one window.
Tensor adapted(const Tensors& o) {
  const int64_t half = (o.n + 1) / 2;
  switch (variant(o, 3)) {
    case 0:
      return tile(adaptive_avg_pool(full(o.a, o.n), {half}), {1, 2}).slice(1, 0, o.n);
    case 1:
      return tile(adaptive_max_pool(full(o.a, o.n), {half}), {1, 2}).slice(1, 0, o.n);
    default:
      return adaptive_avg_pool(full(o.a, o.n), {1});
  }
}

/// Four pictures in one, by rows and columns of the picture or as four channels.
Tensor shuffled(const Tensors& o) {
  const Tensor x = full(o.a, o.n);
  const Tensor four = stack({x, x.flip({0}), full(o.b, o.n), x.flip({1})}, 0);
  const Tensor large = o.q % 2 == 0 ? depth_to_space(four, 2) : pixel_shuffle(four, 2);
  return (o.p == 0 ? space_to_depth(large.flip({1}), 2)
                   : pixel_unshuffle(large.flip({2}), 2))(static_cast<int>(o.q % 4));
}

/// One channel: both orders of channels are the same.
Array shuffled_reference(const Arrays& o) {
  const Array x = full(o.a, o.n);
  const Array four = naive::stack({x, naive::flip(x, {0}), full(o.b, o.n), naive::flip(x, {1})}, 0);
  const int64_t row = o.q % 4 / 2, column = o.q % 4 % 2, size = 2 * o.n;
  return generate(x.dtype, {o.n, o.n}, [&](const Dims& at) {
    int64_t i = 2 * at[0] + row, j = 2 * at[1] + column;
    if (o.p == 0)
      i = size - 1 - i;
    else
      j = size - 1 - j;
    return four.at({i % 2 * 2 + j % 2, i / 2, j / 2});
  });
}

/// Of another size, and back.
Tensor interpolated(const Tensors& o) {
  const int64_t other = o.p == 0 ? 2 * o.n : (o.n + 1) / 2;
  const Tensor x = picture(o);
  switch (variant(o, 5)) {
    case 0:
      return interpolate(interpolate(x, {other, o.n + 1}), {o.n, o.n}).squeeze(0);
    case 1:
      return interpolate(interpolate(x, {other, other}, {.mode = Interpolation::linear}), {o.n, o.n},
                         {.mode = Interpolation::linear, .align_corners = true})
          .squeeze(0);
    case 2:
      return interpolate(interpolate(x, {o.n + 2, other}, {.mode = Interpolation::cubic}), {o.n, o.n}).squeeze(0);
    case 3:
      return interpolate(interpolate(x, {other, other}), {o.n, o.n}, {.mode = Interpolation::linear, .antialias = true})
          .squeeze(0);
    default:
      return interpolate(x, {o.n, o.n}, {.scale = {1.5, 0.75}}).squeeze(0);
  }
}

/// Places that another picture's elements give.
Tensor sampled(const Tensors& o) {
  const Tensor x = picture(o).unsqueeze(0), b = remainder(full(o.b, o.n), 3.0F) - 1.5F;
  const Tensor grid = stack({b, b.transpose(0, 1)}, 2).unsqueeze(0);
  const Interpolation mode = o.q % 2 == 0 ? Interpolation::nearest : Interpolation::linear;
  const PadMode padding = o.p == 0 ? PadMode::edge : static_cast<PadMode>(o.q % 4);
  return grid_sample(x, grid, {.mode = mode, .padding = padding, .align_corners = o.q % 3 == 0}).squeeze({0, 1});
}

Array nearest_reference(const Arrays& o) {
  const int64_t other = o.p == 0 ? 2 * o.n : (o.n + 1) / 2;
  const Array x = full(o.a, o.n);
  return naive::interpolate(naive::interpolate(x, {other, o.n + 1}, {}), {o.n, o.n}, {});
}

const GraphVerb lines_of_pooling[] = {
    {"interpolate", 3, interpolated, nullptr},
    {"nearest", 2,
     [](const Tensors& o) {
       const int64_t other = o.p == 0 ? 2 * o.n : (o.n + 1) / 2;
       return interpolate(interpolate(picture(o), {other, o.n + 1}), {o.n, o.n}).squeeze(0);
     },
     nearest_reference},
    {"grid_sample", 2, sampled, nullptr},
    {"max_pool", 3,
     [](const Tensors& o) {
       return max_pool(picture(o), {3, 3}, around(o)).squeeze(0);
     },
     [](const Arrays& o) { return naive::max_pool(full(o.a, o.n), square(3, 1, 1)); }},
    {"max_pool_with_indices", 2,
     [](const Tensors& o) {
       const auto [values, places] = max_pool_with_indices(picture(o), {2, 2}, {.stride = 1, .padding = Padding::same});
       return (o.q % 2 == 0 ? places.astype(o.a.dtype()) : values).squeeze(0);
     },
     [](const Arrays& o) {
       const Array x = full(o.a, o.n);
       const naive::PoolRule rule = square(2, 0, 1);
       return o.q % 2 == 0 ? naive::cast(naive::max_pool_indices(x, rule), x.dtype) : naive::max_pool(x, rule);
     }},
    {"avg_pool", 2, averaged, nullptr},
    {"adaptive_pool", 2, adapted, nullptr},
    {"pixel_shuffle", 2, shuffled, shuffled_reference},
};

}  // namespace

std::span<const GraphVerb> pooling_graph_verbs() { return lines_of_pooling; }

}  // namespace eglantine::test
