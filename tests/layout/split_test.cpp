#include "layout/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "eglantine/error.hpp"
#include "layout/divide.hpp"
#include "random_movement.hpp"

namespace eglantine::layout {
namespace {

constexpr int64_t unlimited = int64_t{1} << 62;
constexpr int64_t four = 4;

Shape of_ones(const Shape& shape) {
  Shape result = shape;
  std::fill(result.begin(), result.end(), 1);
  return result;
}

/// Checks each box: cuts on multiples, its size, every layout's bytes.
void expect_within(const std::vector<Box>& boxes, const std::vector<Layout>& layouts, const Shape& multiples,
                   const SplitLimits& limits) {
  for (const Box& box : boxes) {
    ASSERT_LE(box.length.elements(), limits.box_elements);
    for (int i = 0; i < box.start.rank(); ++i) ASSERT_EQ(box.start[i] % multiples[i], 0);
    for (const Layout& x : layouts) {
      const Reach reached = reach(restrict_to(x, box));
      const int64_t start = reached.first * four / limits.alignment * limits.alignment;
      ASSERT_LE((reached.last + 1) * four - start, limits.block_bytes) << box.start << " " << box.length;
    }
  }
}

/// Counts each element of the domain, which must be small.
void expect_each_once(const std::vector<Box>& boxes, const Shape& domain) {
  std::vector<int> seen(static_cast<size_t>(domain.elements()));
  for (const Box& box : boxes) {
    layout_model::for_each_coordinate(box.length, [&](Shape at) {
      for (int i = 0; i < at.rank(); ++i) at[i] += box.start[i];
      ++seen[static_cast<size_t>(layout_model::position(at, domain))];
    });
  }
  ASSERT_TRUE(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
}

std::vector<Box> split_freely(const std::vector<Layout>& layouts, const SplitLimits& limits) {
  const Shape& domain = layouts.front().shape;
  std::vector<Box> boxes = split(domain, layouts, of_ones(domain), four, limits);
  expect_within(boxes, layouts, of_ones(domain), limits);
  return boxes;
}

TEST(Split, leaves_a_domain_that_fits_whole) {
  for (const Shape& domain : {Shape{}, Shape{1}, Shape{13}, Shape{3, 5}}) {
    const auto boxes = split_freely({contiguous(domain)}, {64, 16, 16});
    ASSERT_EQ(boxes.size(), 1u);
    EXPECT_EQ(boxes[0].length, domain);
    EXPECT_EQ(boxes[0].start.rank(), domain.rank());
  }
}

TEST(Split, of_nothing_is_nothing) {
  EXPECT_TRUE(split({3, 0}, {contiguous({3, 0})}, {1, 1}, four, {64, 16, 16}).empty());
}

TEST(Split, cuts_a_contiguous_layout_into_as_few_boxes_as_fit) {
  const auto boxes = split_freely({contiguous({50 << 20})}, {128 << 20, unlimited, 256});
  ASSERT_EQ(boxes.size(), 2u);
  EXPECT_EQ(boxes[0].length[0], 25 << 20);
  EXPECT_EQ(split_freely({contiguous({64 << 20})}, {128 << 20, unlimited, 256}).size(), 2u);
  EXPECT_EQ(split_freely({contiguous({(64 << 20) + 1})}, {128 << 20, unlimited, 256}).size(), 3u);
  EXPECT_EQ(split_freely({contiguous({100000})}, {65536, unlimited, 256}).size(), 7u);
}

TEST(Split, cuts_operands_at_odd_offsets_together) {
  const std::vector<Layout> x{contiguous({1 << 20}), contiguous({1 << 20}, 3), flip(contiguous({1 << 20}, 5), 0)};
  EXPECT_EQ(split_freely(x, {65536, unlimited, 256}).size(), 65u);
}

TEST(Split, cuts_rows_that_fit_between_rows) {
  const auto boxes =
      split_freely({contiguous({1000, 1000}), expand(contiguous({1000}), {1000, 1000})}, {65536, unlimited, 256});
  EXPECT_EQ(boxes.size(), 63u);
  for (const Box& box : boxes) EXPECT_EQ(box.length[1], 1000);
}

TEST(Split, cuts_rows_whose_starts_cannot_be_equally_aligned) {
  EXPECT_EQ(split_freely({contiguous({100, 10001})}, {100000, unlimited, 256}).size(), 50u);
}

TEST(Split, leaves_space_for_the_starts_of_reversed_boxes) {
  EXPECT_EQ(split_freely({flip(contiguous({7 * 16384 - 8}), 0)}, {65536, unlimited, 256}).size(), 8u);
}

TEST(Split, cuts_rows_that_do_not_fit_on_their_own) {
  const Layout x = slice(contiguous({3, 40000}), 1, 0, 39999, 1);
  const auto boxes = split_freely({x}, {65536, unlimited, 256});
  EXPECT_EQ(boxes.size(), 9u);
  expect_each_once(boxes, x.shape);
}

TEST(Split, tiles_a_transposed_pair) {
  const std::vector<Layout> x{contiguous({1000, 1000}), permute(contiguous({1000, 1000}), {1, 0})};
  const auto boxes = split_freely(x, {65536, unlimited, 16});
  EXPECT_LE(boxes.size(), 63u * 63u);
  expect_each_once(boxes, {1000, 1000});
}

TEST(Split, comes_in_increasing_order) {
  const auto boxes = split_freely({contiguous({200, 300})}, {4096, unlimited, 16});
  for (size_t i = 1; i < boxes.size(); ++i) {
    EXPECT_LT(layout_model::position(boxes[i - 1].start, {200, 300}),
              layout_model::position(boxes[i].start, {200, 300}));
  }
}

TEST(Split, bounds_the_elements_of_broadcasts_that_reach_little) {
  const int64_t n = int64_t{1} << 33;
  const auto line = split_freely({expand(contiguous({}), {n})}, {65536, int64_t{1} << 31, 256});
  EXPECT_EQ(line.size(), 4u);
  const auto square =
      split_freely({expand(contiguous({1000}), {n / 1024, 1024, 1000})}, {65536, int64_t{1} << 31, 256});
  int64_t covered = 0;
  for (const Box& box : square) covered += box.length.elements();
  EXPECT_EQ(covered, n * 1000);
  EXPECT_LE(square.size(), 4096u);
}

TEST(Split, cuts_on_multiples) {
  const Shape domain{7, 50000};
  const Shape multiples{1, 1024};
  const std::vector<Layout> x{contiguous(domain, 1), expand(contiguous({7, 1}), domain)};
  const SplitLimits limits{65536, unlimited, 256};
  const auto boxes = split(domain, x, multiples, four, limits);
  expect_within(boxes, x, multiples, limits);
  expect_each_once(boxes, domain);
}

TEST(Split, of_a_block_that_just_fits) {
  const SplitLimits limits{65536, unlimited, 256};
  EXPECT_EQ(split({100000}, {contiguous({100000})}, {16384}, four, limits).size(), 7u);
}

TEST(Split, says_when_multiples_are_too_coarse) {
  const auto message_of = [](const Layout& x, const Shape& multiples, const SplitLimits& limits) -> std::string {
    try {
      split(x.shape, {x}, multiples, four, limits);
    } catch (const ShapeError& error) {
      return error.what();
    }
    return "no ShapeError";
  };
  EXPECT_EQ(message_of(contiguous({100000}, 1), {16384}, {65536, unlimited, 256}),
            "[split] cuts fall on multiples of (16384,), so a box of (16384,) cannot be smaller, but an operand needs "
            "65540 bytes of the 65536 that one binding may cover; raise EGLANTINE_MAX_BLOCK_BYTES if it is set");
  EXPECT_EQ(message_of(contiguous({64}), {16}, {65536, 8, 256}),
            "[split] cuts fall on multiples of (16,), so a box of (16,) cannot be smaller, but a dispatch takes 8 "
            "elements");
}

TEST(Split, random_views_are_covered_once_within_every_limit) {
  layout_model::Random random(7);
  int several = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto chain =
        layout_model::random_chain(random, layout_model::start_from(layout_model::random_shape(random, 5), i % 7), 3);
    const Shape domain = chain.model.shape;
    if (domain.elements() == 0) continue;
    const std::vector<Layout> x{chain.layout, contiguous(domain)};
    const SplitLimits limits{layout_model::draw(random, 16, 100) * 16, layout_model::draw(random, 8, 500), 16};
    Shape multiples = of_ones(domain);
    const bool dense = !domain.empty() && std::abs(chain.layout.strides.back()) <= 16;
    if (dense && i % 2 == 0) multiples[domain.rank() - 1] = 4;
    const auto boxes = split(domain, x, multiples, four, limits);
    several += boxes.size() > 1 ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(expect_within(boxes, x, multiples, limits)) << "case " << i;
    ASSERT_NO_FATAL_FAILURE(expect_each_once(boxes, domain)) << "case " << i;
  }
  EXPECT_GT(several, 500);
}

TEST(LargestDivisor, is_the_first_of_all_from_the_limit_down) {
  for (int64_t n = 1; n < 400; ++n)
    for (int64_t most = 1; most < 430; ++most) {
      int64_t expected = std::min(n, most);
      while (n % expected != 0) --expected;
      ASSERT_EQ(largest_divisor(n, most), expected) << n << ", at most " << most;
    }
  EXPECT_EQ(largest_divisor(int64_t{1} << 40, 16384), 16384);
  EXPECT_EQ(largest_divisor(2147483647, 16384), 1) << "a prime";
}

TEST(RestrictTo, starts_at_the_box) {
  const Layout x = permute(contiguous({6, 5}, 2), {1, 0});
  const Layout part = restrict_to(x, {{1, 2}, {3, 2}});
  EXPECT_EQ(part.shape, (Shape{3, 2}));
  EXPECT_EQ(part.strides, x.strides);
  EXPECT_EQ(part.offset, address(x, {1, 2}));
  EXPECT_EQ(part.offset, 2 + 1 + 2 * 5);
}

}  // namespace
}  // namespace eglantine::layout
