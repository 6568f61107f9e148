#include "verbs/build.hpp"

/// Channels as places, and places as channels: (..., channels, height, width) in another order.
namespace eglantine {

namespace {

using check::fail;

/// Whether a block's places or the other channels lie next to each other in the channels.
enum class Channels { places_first, places_last };

void require_divides(std::string_view function, const Tensor& x, int axis, int64_t by, const std::string& what) {
  if (x.shape()[axis] % by != 0)
    fail<ShapeError>(function, what, " does not divide axis ", std::to_string(axis), " of ", to_string(x.shape()), ": ",
                     std::to_string(x.shape()[axis]));
}

/// Throws ShapeError where no int64_t holds length * factor.
int64_t times(std::string_view function, const Tensor& x, int64_t length, int64_t factor) {
  int64_t result = 0;
  if (__builtin_mul_overflow(length, factor, &result))
    fail<ShapeError>(function, "blocks of ", to_string(x.shape()), " would make an axis longer than 2^63 - 1");
  return result;
}

void require_block(std::string_view function, const Tensor& x, int64_t block) {
  if (x.rank() < 3) fail<ShapeError>(function, "takes (..., channels, height, width), got ", to_string(x.shape()));
  if (block < 1) fail<ShapeError>(function, "a block of ", std::to_string(block), "; it is at least 1");
}

/// x with the axes in front of its last three as at most three, and the last three as `last`.
Tensor split(const Tensor& x, std::initializer_list<int64_t> last) {
  Shape shape(x.shape().begin(), x.shape().end() - 3);
  if (shape.rank() > 3) shape = {shape.elements()};
  for (int64_t length : last) shape.push_back(length);
  return x.reshape(shape);
}

/// The axes in front as they are, the last five in this order.
Tensor permuted(const Tensor& x, std::initializer_list<int> last) {
  const int front = x.rank() - 5;
  Axes order;
  for (int i = 0; i < front; ++i) order.push_back(i);
  for (int axis : last) order.push_back(front + axis);
  return x.permute(order);
}

/// The shape of x with other last three axes.
Shape with_last(std::string_view function, const Tensor& x, std::initializer_list<int64_t> last) {
  Shape shape(x.shape().begin(), x.shape().end() - 3);
  for (int64_t length : last) shape.push_back(length);
  check::require_countable(function, shape);
  return shape;
}

Tensor to_space(std::string_view function, const Tensor& x, int64_t block, Channels channels) {
  require_block(function, x, block);
  const int axis = x.rank() - 3;
  const int64_t places = times(function, x, block, block);
  require_divides(function, x, axis, places, "the square of a block of " + std::to_string(block));
  const int64_t c = x.shape()[axis] / places, h = x.shape()[axis + 1], w = x.shape()[axis + 2];
  const Shape result = with_last(function, x, {c, times(function, x, h, block), times(function, x, w, block)});
  const bool first = channels == Channels::places_first;
  const Tensor parts = first ? split(x, {block, block, c, h, w}) : split(x, {c, block, block, h, w});
  return (first ? permuted(parts, {2, 3, 0, 4, 1}) : permuted(parts, {0, 3, 1, 4, 2})).reshape(result);
}

Tensor to_depth(std::string_view function, const Tensor& x, int64_t block, Channels channels) {
  require_block(function, x, block);
  const int axis = x.rank() - 3;
  const std::string what = "a block of " + std::to_string(block);
  require_divides(function, x, axis + 1, block, what);
  require_divides(function, x, axis + 2, block, what);
  const int64_t c = x.shape()[axis], h = x.shape()[axis + 1] / block, w = x.shape()[axis + 2] / block;
  const Shape result = with_last(function, x, {times(function, x, c, times(function, x, block, block)), h, w});
  const Tensor parts = split(x, {c, h, block, w, block});
  const bool first = channels == Channels::places_first;
  return (first ? permuted(parts, {2, 4, 0, 1, 3}) : permuted(parts, {0, 2, 4, 1, 3})).reshape(result);
}

}  // namespace

Tensor depth_to_space(const Tensor& x, int64_t block) {
  return to_space("depth_to_space", x, block, Channels::places_first);
}

Tensor space_to_depth(const Tensor& x, int64_t block) {
  return to_depth("space_to_depth", x, block, Channels::places_first);
}

Tensor pixel_shuffle(const Tensor& x, int64_t block) {
  return to_space("pixel_shuffle", x, block, Channels::places_last);
}

Tensor pixel_unshuffle(const Tensor& x, int64_t block) {
  return to_depth("pixel_unshuffle", x, block, Channels::places_last);
}

}  // namespace eglantine
