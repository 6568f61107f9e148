#include "eglantine/shape.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <string>

#include "eglantine/dtype.hpp"
#include "eglantine/error.hpp"

namespace eglantine {
namespace {

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "no ShapeError";
}

TEST(Shape, counts_its_elements) {
  EXPECT_EQ(Shape{}.elements(), 1);
  EXPECT_EQ((Shape{13}).elements(), 13);
  EXPECT_EQ((Shape{2, 3, 4}).elements(), 24);
  EXPECT_EQ((Shape{5, 0, 7}).elements(), 0);
  EXPECT_EQ((Shape{int64_t{1} << 40, int64_t{1} << 22}).elements(), int64_t{1} << 62);
}

TEST(Shape, an_empty_one_counts_zero_however_long_the_other_axes) {
  EXPECT_EQ((Shape{int64_t{1} << 40, int64_t{1} << 40, 0}).elements(), 0);
}

TEST(Shape, refuses_more_elements_than_64_bits_count) {
  EXPECT_EQ(message_of([] {
              (void)Shape{int64_t{1} << 32, int64_t{1} << 31}.elements();
            }),
            "[Shape] (4294967296, 2147483648) has more than 2^63 - 1 elements");
}

TEST(Shape, refuses_a_negative_length) {
  EXPECT_EQ(message_of([] { (void)Shape{2, -3}.elements(); }), "[Shape] (2, -3) has a negative length");
  EXPECT_EQ(message_of([] { (void)Shape{0, -3}.elements(); }), "[Shape] (0, -3) has a negative length");
}

TEST(Shape, has_at_most_eight_axes) {
  EXPECT_EQ((Shape{1, 2, 3, 4, 5, 6, 7, 8}).rank(), 8);
  const std::string message = "[Shape] got 9 values, but a tensor has at most 8 axes";
  EXPECT_EQ(message_of([] { Shape{1, 2, 3, 4, 5, 6, 7, 8, 9}; }), message);
  EXPECT_EQ(message_of([] { Axes(std::vector<int64_t>(9)); }), message);
  Shape full{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(message_of([&] { full.push_back(9); }), message);
  EXPECT_EQ(message_of([&] { full.insert(0, 9); }), message);
}

TEST(Shape, inserts_erases_and_compares) {
  Shape shape{2, 3};
  shape.insert(0, 1);
  shape.insert(2, 7);
  shape.push_back(9);
  EXPECT_EQ(shape, (Shape{1, 2, 7, 3, 9}));
  shape.erase(4);
  shape.erase(0);
  EXPECT_EQ(shape, (Shape{2, 7, 3}));
  EXPECT_FALSE(shape == (Shape{2, 7}));
  EXPECT_FALSE(shape == (Shape{2, 7, 4}));
  EXPECT_EQ(shape.to_vector(), (std::vector<int64_t>{2, 7, 3}));
  shape.erase(2);
  EXPECT_EQ(shape, (Shape{2, 7})) << "values that were erased do not take part";
}

TEST(Shape, is_written_as_a_tuple) {
  std::ostringstream text;
  text << Shape{} << Shape{5} << Shape{2, 3} << Axes{-1};
  EXPECT_EQ(text.str(), "()(5,)(2, 3)(-1,)");
}

TEST(BroadcastShapes, aligns_at_the_last_axis) {
  EXPECT_EQ(broadcast_shapes({2, 3}, {3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes({3}, {2, 1}), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes({5, 1, 13}, {4, 1}), (Shape{5, 4, 13}));
  EXPECT_EQ(broadcast_shapes({}, {2, 3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes({}, {}), Shape{});
  EXPECT_EQ(broadcast_shapes({1}, {0}), (Shape{0}));
  EXPECT_EQ(broadcast_shapes({0, 3}, {1, 1}), (Shape{0, 3}));
}

TEST(BroadcastShapes, names_both_shapes_when_they_do_not_fit) {
  EXPECT_EQ(message_of([] { broadcast_shapes({2, 3}, {4}); }), "[broadcast_shapes] cannot broadcast (2, 3) with (4,)");
  EXPECT_EQ(message_of([] { broadcast_shapes({0}, {2}); }), "[broadcast_shapes] cannot broadcast (0,) with (2,)");
}

TEST(Layout, is_contiguous_whatever_the_offset_and_the_strides_of_length_one) {
  EXPECT_TRUE((Layout{{}, {}, 7}).is_contiguous());
  EXPECT_TRUE((Layout{{2, 1, 3}, {3, 99, 1}, 5}).is_contiguous());
  EXPECT_TRUE((Layout{{4, 0}, {7, 7}, 0}).is_contiguous());
  EXPECT_FALSE((Layout{{2, 3}, {4, 1}, 0}).is_contiguous());
  EXPECT_FALSE((Layout{{2, 3}, {1, 2}, 0}).is_contiguous());
  EXPECT_FALSE((Layout{{3}, {-1}, 2}).is_contiguous());
  EXPECT_FALSE((Layout{{3}, {0}, 0}).is_contiguous());
}

TEST(DType, has_a_size_and_a_name) {
  EXPECT_EQ(size_of(DType::f32), 4);
  EXPECT_EQ(size_of(DType::boolean), 4);
  EXPECT_EQ(name_of(DType::f32), "f32");
  EXPECT_EQ(name_of(DType::i32), "i32");
  EXPECT_EQ(name_of(DType::u32), "u32");
  EXPECT_EQ(name_of(DType::boolean), "boolean");
}

}  // namespace
}  // namespace eglantine
