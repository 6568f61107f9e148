// Sorting with a payload: the keys decide, and what belongs to them moves along. The sort is stable: equal keys keep
// their order.

#include <algorithm>
#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>
#include <numeric>
#include <vector>

using namespace eglantine;

namespace {

/// Where the elements of the sorted keys stand, by the standard library.
std::vector<int32_t> stable_order(const std::vector<int32_t>& keys) {
  std::vector<int32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)]; });
  return order;
}

}  // namespace

int main() {
  // One payload: the pair comes back together.
  const Tensor depth = Tensor::from({2.5F, 0.5F, 2.5F, 1.0F, 0.5F}, {5});
  const Tensor sprite = Tensor::from({10, 11, 12, 13, 14}, {5});
  const auto [near_first, sprites] = sort_by_key(depth, sprite);
  const auto [far_first, painted] = sort_by_key(depth, sprite, true);
  std::cout << "depth      " << depth << "\nsprite     " << sprite << "\nnear first " << near_first << " " << sprites
            << "\nfar first  " << far_first << " " << painted << "\n\n";
  bool right = sprites.to_vector<int32_t>() == std::vector<int32_t>{11, 14, 13, 10, 12} &&
               painted.to_vector<int32_t>() == std::vector<int32_t>{10, 12, 13, 11, 14};

  // Several payloads, or wide ones: sort places once, then take whatever belongs there.
  const int64_t count = 100000;
  const Tensor key = (uniform({count}, 1) * 1000).astype(DType::i32).eval();
  const Tensor position = normal({count, 3}, 2).eval(), velocity = normal({count, 3}, 3).eval();
  const Tensor order = argsort(key).eval();
  const Tensor sorted_position = take(position, order, 0), sorted_velocity = take(velocity, order, 0);
  std::cout << count << " particles by their cells; the first one's position is now " << sorted_position.slice(0, 0, 1)
            << ", its velocity " << sorted_velocity.slice(0, 0, 1) << "\n";
  right = right && order.to_vector<int32_t>() == stable_order(key.to_vector<int32_t>());

  // Two keys, the less important one first: stability keeps its order within the other.
  const Tensor minor = argsort(remainder(key, 10));
  const Tensor both = take(minor, argsort(take(key / 100, minor, 0)), 0);
  const Tensor code = take((key / 100) * 10 + remainder(key, 10), both, 0).eval();
  right = right && all(le(code.slice(0, 0, -1), code.slice(0, 1))).item<bool>();

  // Only the best few of each row cost less than a sort.
  const Tensor scores = uniform({4, 1000}, 4).eval();
  const auto [best, places] = topk(scores, 3);
  std::cout << "the three best of each row\n" << best << "\nat\n" << places << "\n";
  right = right && all(eq(best, gather(scores, 1, places))).item<bool>() &&
          all(eq(best.slice(1, 0, 1), max(scores, {1}, true))).item<bool>();
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
