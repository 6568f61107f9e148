#include <sstream>

#include "trust/bad_input/row.hpp"

/// Making tensors of values, and reading them.
namespace eglantine::test::bad_input {
namespace {

constexpr auto no_order = static_cast<MemoryOrder>(5);

void add_from(Rows& rows) {
  const auto wrong = [&](const std::string& what, const Shape& shape, const std::string& message) {
    rows.push_back(row<ShapeError>(
        "Tensor::from", what,
        [=] {
          return Tensor::from({1.0F, 2.0F}, shape);
        },
        "[Tensor::from] " + message));
    rows.push_back(row<ShapeError>(
        "Tensor::from", what + ", booleans",
        [=] {
          return Tensor::from(std::vector<bool>{true, false}, shape, Device::current(), MemoryOrder::column_major);
        },
        "[Tensor::from] " + message));
  };
  wrong("too few values", {3}, "shape (3,) has 3 elements, got 2 values");
  wrong("too many values", {}, "shape () has 1 elements, got 2 values");
  wrong("values for nothing", {0, 2}, "shape (0, 2) has 0 elements, got 2 values");
  wrong("negative lengths of a positive product", {-1, -2}, "shape (-1, -2) has a negative length");
  wrong("an overflowed product of sizes", {INT64_MAX, 2}, "shape (9223372036854775807, 2)" + too_many);
  rows.push_back(row<DTypeError>(
      "Tensor::from", "a value beyond i32",
      [] {
        return Tensor::from(std::vector<int64_t>{1, -2147483649}, {2});
      },
      "[Tensor::from] the value -2147483649 does not fit i32"));
  rows.push_back(row<Error>(
      "Tensor::from", "no order",
      [] { return Tensor::from(std::vector<int32_t>{1}, {1}, Device::current(), no_order); },
      "[Tensor::from] 5 is no order of elements; there are row_major and column_major"));
}

void add_reading(Rows& rows) {
  const std::string rest = " does not hold; convert with astype";
  rows.insert(rows.end(), {row<DTypeError>(
                               "Tensor::to_vector", "another dtype", [] { return of({2}).to_vector<int32_t>(); },
                               "[Tensor::to_vector] the tensor is f32, whose values int32_t" + rest),
                           row<DTypeError>(
                               "Tensor::to_vector", "another dtype, boolean", [] { return of({2}).to_vector<bool>(); },
                               "[Tensor::to_vector] the tensor is f32, whose values bool" + rest),
                           row<DTypeError>(
                               "Tensor::item", "another dtype", [] { return of({}, DType::i8).item<uint32_t>(); },
                               "[Tensor::item] the tensor is i8, whose values uint32_t" + rest),
                           row<ShapeError>(
                               "Tensor::item", "two elements", [] { return of({2}).item<float>(); },
                               "[Tensor::item] wants exactly one element, the shape is (2,)"),
                           row<ShapeError>(
                               "Tensor::item", "no element", [] { return of({0}).item<float>(); },
                               "[Tensor::item] wants exactly one element, the shape is (0,)"),
                           row<DTypeError>(
                               "Tensor::copy_to", "another dtype",
                               [] {
                                 std::vector<uint32_t> out(2);
                                 of({2}).copy_to(std::span<uint32_t>(out));
                               },
                               "[Tensor::copy_to] the tensor is f32, whose values uint32_t" + rest),
                           row<ShapeError>(
                               "Tensor::copy_to", "another length",
                               [] {
                                 std::vector<float> out(3);
                                 of({2}).copy_to(std::span<float>(out));
                               },
                               "[Tensor::copy_to] shape (2,) has 2 elements, the destination holds 3"),
                           row<Error>(
                               "Tensor::copy_to", "no order",
                               [] {
                                 std::vector<float> out(2);
                                 of({2}).copy_to(std::span<float>(out), no_order);
                               },
                               "[Tensor::copy_to] 5 is no order of elements; there are row_major and column_major")});
}

void add_as_strided(Rows& rows) {
  const auto wrong = [&](const std::string& what, const Shape& shape, const std::vector<int64_t>& strides,
                         int64_t offset, const std::string& message) {
    rows.push_back(row<ShapeError>(
        "Tensor::as_strided", what,
        [=] {
          return Tensor::from({1.0F, 2.0F, 3.0F}, {3}).as_strided(shape, strides, offset);
        },
        "[Tensor::as_strided] " + message));
  };
  wrong("beyond the end", {4}, {1}, 0, "reaches elements 0 to 3 of a buffer of 3");
  wrong("beyond the end by its offset", {2}, {1}, 2, "reaches elements 2 to 3 of a buffer of 3");
  wrong("before the start", {2}, {-1}, 0, "reaches elements -1 to 0 of a buffer of 3");
  wrong("a negative offset", {2}, {1}, -1, "reaches elements -1 to 0 of a buffer of 3");
  wrong("too few strides", {2, 2}, {1}, 0, "shape (2, 2) wants 2 strides, got 1");
  wrong("too many strides", {}, {1}, 0, "shape () wants 0 strides, got 1");
  wrong("a negative length", {-1}, {1}, 0, "shape (-1,) has a negative length");
  wrong("an overflowed product of sizes", {INT64_MAX, 2}, {0, 0}, 0, "shape (9223372036854775807, 2)" + too_many);
  wrong("the largest stride", {2}, {INT64_MAX}, 0, "reaches elements 0 to 9223372036854775807 of a buffer of 3");
  wrong("the lowest stride", {2}, {-INT64_MAX}, 0, "reaches elements -9223372036854775807 to 0 of a buffer of 3");
  wrong("strides that overflow", {3}, {INT64_MAX}, 0,
        "strides (9223372036854775807,) over shape (3,) reach further than 64 bits can address");
  wrong("an offset that overflows", {2}, {1}, INT64_MAX,
        "strides (1,) over shape (2,) reach further than 64 bits can address");
}

}  // namespace

void add_tensor(Rows& rows) {
  add_from(rows);
  add_reading(rows);
  add_as_strided(rows);
  const auto of_moved = [&](const std::string& name, const std::function<void(const Tensor&)>& use) {
    rows.push_back(row<Error>(
        name, "a tensor that was moved from", [=] { use(moved_from()); },
        "[Tensor] this is no tensor: it was default-constructed or moved from; assign one to it first"));
  };
  of_moved("Tensor::shape", [](const Tensor& x) { (void)x.shape(); });
  of_moved("Tensor::rank", [](const Tensor& x) { (void)x.rank(); });
  of_moved("Tensor::size", [](const Tensor& x) { (void)x.size(); });
  of_moved("Tensor::dtype", [](const Tensor& x) { (void)x.dtype(); });
  of_moved("Tensor::device", [](const Tensor& x) { (void)x.device(); });
  of_moved("Tensor::to_vector", [](const Tensor& x) { (void)x.to_vector<float>(); });
  of_moved("Tensor::item", [](const Tensor& x) { (void)x.item<float>(); });
  of_moved("Tensor::copy_to", [](const Tensor& x) { x.copy_to(std::span<float>()); });
  of_moved("Tensor::to", [](const Tensor& x) { (void)x.to(other_device()); });
  of_moved("Tensor::layout", [](const Tensor& x) { (void)x.layout(); });
  of_moved("Tensor::as_strided", [](const Tensor& x) { (void)x.as_strided({1}, {1}); });
  of_moved("Tensor::eval", [](const Tensor& x) { x.eval(); });
  of_moved("eval", [](const Tensor& x) { eval({of({3}), x}); });
  of_moved("explain", [](const Tensor& x) { (void)explain(x); });
  of_moved("operator<<", [](const Tensor& x) { std::ostringstream() << x; });
}

}  // namespace eglantine::test::bad_input
