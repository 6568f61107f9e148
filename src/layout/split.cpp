#include "layout/split.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "eglantine/error.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"

namespace eglantine::layout {
namespace {

constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();

int64_t round_down(int64_t a, int64_t to) { return a / to * to; }

class Splitter {
 public:
  Splitter(const std::vector<Layout>& layouts, const Shape& multiples, int64_t element_bytes, const SplitLimits& limits)
      : layouts_(layouts), multiples_(multiples), element_bytes_(element_bytes), limits_(limits) {}

  void cut(const Box& box);
  std::vector<Box> take() { return std::move(boxes_); }

 private:
  /// Bytes between a binding's start and the element at `first`.
  int64_t skew(int64_t first) const { return first % limits_.alignment * element_bytes_ % limits_.alignment; }
  int64_t worst_skew() const { return std::max<int64_t>(limits_.alignment - element_bytes_, 0); }
  /// Elements that a binding covers after `skew` bytes.
  int64_t capacity(int64_t skew) const { return (limits_.block_bytes - skew) / element_bytes_; }
  bool fits(const Reach& reached) const { return reached.count() <= capacity(skew(reached.first)); }

  const Layout* furthest_misfit(const Box& box) const;
  int axis_to_cut(const Box& box, const Layout* misfit) const;
  int64_t box_length(const Box& box, int axis, const Layout* misfit) const;
  int64_t longest_box(const Box& box, int axis, const Layout* misfit, bool aligned) const;
  int64_t longest_of_layout(const Box& box, int axis, const Layout& x, bool aligned) const;
  int64_t aligned_grid(int axis) const;
  [[noreturn]] void throw_too_coarse(const Box& box, const Layout* misfit) const;

  const std::vector<Layout>& layouts_;
  const Shape& multiples_;
  const int64_t element_bytes_;
  const SplitLimits& limits_;
  std::vector<Box> boxes_;
};

void Splitter::cut(const Box& box) {
  const Layout* misfit = furthest_misfit(box);
  if (misfit == nullptr && box.length.elements() <= limits_.box_elements) {
    boxes_.push_back(box);
    return;
  }
  const int axis = axis_to_cut(box, misfit);
  if (axis < 0) throw_too_coarse(box, misfit);
  const int64_t step = box_length(box, axis, misfit);
  for (int64_t done = 0; done < box.length[axis]; done += step) {
    Box cut_box = box;
    cut_box.start[axis] += done;
    cut_box.length[axis] = std::min(step, box.length[axis] - done);
    cut(cut_box);
  }
}

/// Of the layouts that one binding cannot cover, the one that reaches furthest.
const Layout* Splitter::furthest_misfit(const Box& box) const {
  const Layout* result = nullptr;
  int64_t furthest = 0;
  for (const Layout& x : layouts_) {
    const Reach reached = reach(restrict_to(x, box));
    if (fits(reached) || reached.count() <= furthest) continue;
    furthest = reached.count();
    result = &x;
  }
  return result;
}

/// The axis along which the misfit reaches furthest; without a misfit (only too many elements) the outermost one.
int Splitter::axis_to_cut(const Box& box, const Layout* misfit) const {
  int result = -1;
  int64_t furthest = 0;
  for (int i = 0; i < box.length.rank(); ++i) {
    if (box.length[i] <= multiples_[i]) continue;
    if (misfit == nullptr) return i;
    const int64_t distance = (box.length[i] - 1) * std::abs(misfit->strides[i]);
    if (distance <= furthest) continue;
    furthest = distance;
    result = i;
  }
  return result;
}

/// Few boxes along `axis`, nearly equal. Equally aligned ones use a binding to its end, unless that grid is too coarse;
/// else leaves space for the worst start. If no length of this axis suffices, halves it: another axis is cut too.
int64_t Splitter::box_length(const Box& box, int axis, const Layout* misfit) const {
  const int64_t length = box.length[axis];
  int64_t boxes = unbounded;
  int64_t result = round_up(ceil_divide(length, 2), multiples_[axis]);
  for (const bool aligned : {true, false}) {
    const int64_t grid = aligned ? aligned_grid(axis) : multiples_[axis];
    const int64_t longest = round_down(longest_box(box, axis, misfit, aligned), grid);
    if (longest == 0 || ceil_divide(length, longest) >= boxes) continue;
    boxes = ceil_divide(length, longest);
    result = round_up(ceil_divide(length, boxes), grid);
  }
  return result;
}

/// The longest box within every limit this axis can satisfy; 0 if not the misfit's (without one: the element count's).
int64_t Splitter::longest_box(const Box& box, int axis, const Layout* misfit, bool aligned) const {
  const int64_t least = multiples_[axis];
  Shape others = box.length;
  others[axis] = 1;
  const int64_t by_count = limits_.box_elements / others.elements();
  if (by_count < least && misfit == nullptr) return 0;
  int64_t result = by_count < least ? unbounded : by_count;
  for (const Layout& x : layouts_) {
    const int64_t longest = longest_of_layout(box, axis, x, aligned);
    if (longest < least && &x == misfit) return 0;
    if (longest >= least) result = std::min(result, longest);
  }
  return result;
}

int64_t Splitter::longest_of_layout(const Box& box, int axis, const Layout& x, bool aligned) const {
  const int64_t stride = std::abs(x.strides[axis]);
  if (stride == 0) return unbounded;
  const Reach reached = reach(restrict_to(x, box));
  // Along a negative stride a box starts in memory at its last element, whose alignment is not that of the whole.
  const bool known = aligned && x.strides[axis] > 0;
  const int64_t others = reached.count() - (box.length[axis] - 1) * stride;
  const int64_t slack = capacity(known ? skew(reached.first) : worst_skew()) - others;
  return slack < 0 ? 0 : 1 + slack / stride;
}

/// Boxes whose length is a multiple of this start equally aligned in every layout.
int64_t Splitter::aligned_grid(int axis) const {
  int64_t grid = multiples_[axis];
  for (const Layout& x : layouts_) {
    const int64_t bytes = std::abs(x.strides[axis]) % limits_.alignment * element_bytes_;
    grid = std::lcm(grid, limits_.alignment / std::gcd(limits_.alignment, bytes));
  }
  return grid;
}

void Splitter::throw_too_coarse(const Box& box, const Layout* misfit) const {
  std::string message = "[split] cuts fall on multiples of " + to_string(multiples_) + ", so a box of " +
                        to_string(box.length) + " cannot be smaller, but ";
  if (misfit == nullptr) {
    throw ShapeError(message + "a dispatch takes " + std::to_string(limits_.box_elements) + " elements");
  }
  const Reach reached = reach(restrict_to(*misfit, box));
  const int64_t bytes = skew(reached.first) + reached.count() * element_bytes_;
  throw ShapeError(message + "an operand needs " + std::to_string(bytes) + " bytes of the " +
                   std::to_string(limits_.block_bytes) +
                   " that one binding may cover; raise EGLANTINE_MAX_BLOCK_BYTES if it is set");
}

}  // namespace

std::vector<Box> split(const Shape& domain, const std::vector<Layout>& layouts, const Shape& multiples,
                       int64_t element_bytes, const SplitLimits& limits) {
  if (domain.elements() == 0) return {};
  Splitter splitter(layouts, multiples, element_bytes, limits);
  Box whole{domain, domain};
  std::fill(whole.start.begin(), whole.start.end(), 0);
  splitter.cut(whole);
  return splitter.take();
}

Shape inner_multiples(const std::vector<Layout>& layouts, int64_t wanted, int64_t element_bytes,
                      const SplitLimits& limits) {
  const int64_t capacity = (limits.block_bytes - limits.alignment) / element_bytes;
  const auto fits = [&](const Layout& x) {
    return wanted == 1 || std::abs(x.strides.back()) <= (capacity - 1) / (wanted - 1);
  };
  Shape multiples = layouts.front().shape;
  std::fill(multiples.begin(), multiples.end(), 1);
  if (std::all_of(layouts.begin(), layouts.end(), fits)) multiples[multiples.rank() - 1] = wanted;
  return multiples;
}

int64_t address(const Layout& x, const Shape& coordinate) {
  int64_t result = x.offset;
  for (int i = 0; i < coordinate.rank(); ++i) result += coordinate[i] * x.strides[i];
  return result;
}

Layout restrict_to(const Layout& x, const Box& box) { return {box.length, x.strides, address(x, box.start)}; }

}  // namespace eglantine::layout
