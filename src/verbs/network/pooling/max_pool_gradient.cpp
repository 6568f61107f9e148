#include "verbs/network/pooling/max_pool_gradient.hpp"

#include "verbs/build.hpp"
#include "verbs/composite.hpp"
#include "verbs/network/pooling/gathered_windows.hpp"
#include "verbs/network/pooling/window_numbers.hpp"
#include "verbs/network/pooling/windows_by_remainders.hpp"

namespace eglantine::verbs {

namespace {

/// The cotangent of each window's result, added at the place that it came from.
Tensor scattered(const Pool& pool, const Tensor& places, const Tensor& g) {
  const Shape& shape = pool.x.shape();
  Shape flat(shape.begin(), shape.begin() + pool.axes.front().axis), windows = flat;
  flat.push_back(pool.spatial().elements());
  windows.push_back(g.size() / windows.elements());
  const Tensor none = zeros(flat, g.dtype(), g.device());
  return scatter_add(none, flat.rank() - 1, places.reshape(windows), g.reshape(windows)).reshape(shape);
}

/// Of x, the windows' largest elements and their cotangents.
NodePtr parts_of_cotangent(const nodes::Composite& of) {
  const Tensor x(of.args[0]), values(of.args[1]), g(of.args[2]);
  const Pool pool{"max_pool", x, axes_of_words(of.numbers)};
  const Tensor numbers = numbers_of_largest(pool, values);
  return (has_few_remainders(pool) ? windows_by_remainders : gathered_windows)(pool, numbers, g).node();
}

}  // namespace

Tensor cotangent_of_largest(const Pool& pool, const Tensor& values, const Tensor& g) {
  constexpr int64_t nodes_of_window = 25, most_in_float = int64_t{1} << 24;
  const bool few = pool.x.size() > 0 && g.size() > 0 && has_few_taps(pool.axes) && numbers_in(pool) <= most_in_float;
  if (few && (has_few_remainders(pool) || can_gather_windows(pool, g)))
    return composite(g.dtype(), pool.x.shape(),
                     {parts_of_cotangent,
                      {pool.x.node(), values.node(), g.node()},
                      words_of(pool.axes),
                      nodes_of_window * windows_of_element(pool)});
  return scattered(pool, places_of_largest(pool, values), g);
}

}  // namespace eglantine::verbs
