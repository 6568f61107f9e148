#include "codegen/stage/packed_bounds.hpp"

#include <gtest/gtest.h>

#include <random>

#include "layout/layout.hpp"

/// Bounds of several coordinates as the signs of one word, against the bounds themselves.
namespace eglantine::test {
namespace {

using codegen::packed_bounds, codegen::PackedBounds;

/// An expression whose iotas are given, with a read of which each is bounded.
struct Bounded {
  Expr expr;
  PiecewiseRead read;
};

Bounded bounded(const Shape& domain, const std::vector<Layout>& iotas, const std::vector<int64_t>& counts) {
  Bounded made{{domain, {}, iotas, {}, {}}, {}};
  for (size_t i = 0; i < iotas.size(); ++i) made.read.bounds.push_back({static_cast<int32_t>(i), counts[i]});
  return made;
}

template <class Visit>
void for_each_place(const Shape& domain, Visit visit) {
  std::vector<int64_t> at(static_cast<size_t>(domain.rank()));
  for (int64_t number = 0; number < domain.elements(); ++number) {
    int64_t rest = number;
    for (int axis = domain.rank() - 1; axis >= 0; --axis) {
      at[static_cast<size_t>(axis)] = rest % domain[axis];
      rest /= domain[axis];
    }
    visit(at);
  }
}

int64_t at_place(const Layout& x, const std::vector<int64_t>& at) {
  int64_t value = x.offset;
  for (size_t axis = 0; axis < at.size(); ++axis) value += at[axis] * x.strides[axis];
  return value;
}

void expect_signs_tell(const Bounded& x) {
  const std::optional<PackedBounds> packed = packed_bounds(x.expr, x.read);
  ASSERT_TRUE(packed);
  for_each_place(x.expr.domain, [&](const std::vector<int64_t>& at) {
    bool inside = true;
    for (const PiecewiseRead::Bound& bound : x.read.bounds) {
      const int64_t i = at_place(x.expr.iotas[static_cast<size_t>(bound.iota)], at);
      inside &= 0 <= i && i < bound.count;
    }
    const auto word = static_cast<uint32_t>(at_place(packed->word, at));
    ASSERT_EQ((word & packed->signs) == 0, inside) << testing::PrintToString(at);
  });
}

TEST(PackedBounds, tell_what_the_bounds_tell) {
  // A 3x3 window over 5 x 7, padded by one; the same with strides and dilations; three coordinates.
  const Shape domain{5, 7, 3, 3};
  expect_signs_tell(bounded(domain, {{domain, {1, 0, 1, 0}, -1}, {domain, {0, 1, 0, 1}, -1}}, {5, 7}));
  expect_signs_tell(bounded(domain, {{domain, {3, 0, 2, 0}, -4}, {domain, {0, 2, 0, -3}, 2}}, {9, 11}));
  expect_signs_tell(
      bounded(domain, {{domain, {1, 0, 0, 0}, -2}, {domain, {0, 1, 1, 0}, 0}, {domain, {0, 0, -1, 1}, 1}}, {2, 6, 2}));
}

TEST(PackedBounds, of_drawn_coordinates_tell_it_wherever_they_are_packed) {
  std::mt19937 random(1);
  const auto draw = [&](int64_t least, int64_t most) { return std::uniform_int_distribution(least, most)(random); };
  int packed = 0;
  for (int i = 0; i < 500; ++i) {
    const Shape domain{draw(1, 6), draw(1, 6), draw(1, 4), draw(1, 4)};
    std::vector<Layout> iotas;
    std::vector<int64_t> counts;
    for (int64_t k = draw(2, 3); k > 0; --k) {
      iotas.push_back({domain, {draw(-3, 3), draw(-3, 3), draw(-2, 2), draw(-2, 2)}, draw(-9, 9)});
      counts.push_back(draw(1, 20));
    }
    const Bounded x = bounded(domain, iotas, counts);
    if (!packed_bounds(x.expr, x.read)) continue;
    ++packed;
    expect_signs_tell(x);
  }
  EXPECT_GE(packed, 200);
}

TEST(PackedBounds, that_are_never_passed_are_left_as_they_are) {
  const Shape domain{4, 6};
  const Bounded x = bounded(domain, {{domain, {1, 0}, 0}, {domain, {0, 1}, 0}}, {4, 6});
  EXPECT_FALSE(packed_bounds(x.expr, x.read));
}

TEST(PackedBounds, of_large_or_single_coordinates_are_left_as_they_are) {
  const Shape domain{300, 300};
  const Layout one{domain, {1, 0}, -3}, other{domain, {0, 1}, -3};
  const Bounded large = bounded(domain, {one, other}, {290, 290}), single = bounded(domain, {one}, {290});
  EXPECT_FALSE(packed_bounds(large.expr, large.read));
  EXPECT_FALSE(packed_bounds(single.expr, single.read));
}

}  // namespace
}  // namespace eglantine::test
