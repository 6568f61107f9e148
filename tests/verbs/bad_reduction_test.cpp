#include <cmath>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Wrong arguments of reductions, creation and reading, and exactly what is said about them.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(BadInput, Reduction);
EG_ON_EACH_DEVICE(BadInput, Creation);
EG_ON_EACH_DEVICE(BadInput, Reading);

Tensor of(Shape shape, DType dtype = DType::f32) { return ones(shape, dtype); }

struct NamedReduction {
  std::string name;
  Tensor (*call)(const Tensor&, Axes, bool);
};

const std::vector<NamedReduction> reductions = {{"sum", sum}, {"prod", prod}, {"max", max},
                                                {"min", min}, {"mean", mean}, {"var", var},
                                                {"any", any}, {"all", all},   {"logsumexp", logsumexp}};

TEST_P(Reduction, axes_out_of_range_or_named_twice) {
  for (const auto& [name, reduction] : reductions) {
    EXPECT_ERROR(reduction(of({2, 3}), {2}, false), ShapeError,
                 "[" + name + "] axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
    EXPECT_ERROR(reduction(of({2, 3}), {0, -2}, true), ShapeError,
                 "[" + name + "] axis -2 is named twice in (0, -2) for shape (2, 3)");
    EXPECT_ERROR(reduction(of({}), {0}, false), ShapeError, "[" + name + "] axis 0 of a scalar, which has no axes");
  }
  EXPECT_ERROR(multiply_sum(of({2}), of({2}), {1}), ShapeError,
               "[multiply_sum] axis 1 is out of range for a tensor of rank 1: it must lie in [-1, 0]");
}

TEST_P(Reduction, extremes_and_means_of_nothing) {
  for (const char* name : {"max", "min", "mean", "var"})
    for (const auto& reduction : reductions) {
      if (reduction.name != name) continue;
      EXPECT_ERROR(reduction.call(of({0, 3}), {}, false), ShapeError,
                   "[" + reduction.name + "] of nothing: shape (0, 3) has no elements along axes (0, 1)");
      EXPECT_ERROR(reduction.call(of({2, 0}), {1}, false), ShapeError,
                   "[" + reduction.name + "] of nothing: shape (2, 0) has no elements along axes (1,)");
    }
  EXPECT_ERROR(argmax(of({2, 0}), 1), ShapeError, "[argmax] of nothing: shape (2, 0) has no elements along axes (1,)");
  EXPECT_ERROR(argmin(of({0}), -1), ShapeError, "[argmin] of nothing: shape (0,) has no elements along axes (0,)");
}

TEST_P(Reduction, real_valued_ones_take_f32_only) {
  const Tensor x = of({2, 3}, DType::i32);
  const std::string rest = "] takes f32, got i32; convert with astype";
  EXPECT_ERROR(mean(x), DTypeError, "[mean" + rest);
  EXPECT_ERROR(var(x), DTypeError, "[var" + rest);
  EXPECT_ERROR(logsumexp(x), DTypeError, "[logsumexp" + rest);
  EXPECT_ERROR(softmax(x, 0), DTypeError, "[softmax" + rest);
  EXPECT_ERROR(log_softmax(x, 0), DTypeError, "[log_softmax" + rest);
  EXPECT_ERROR(multiply_sum(of({2}, DType::boolean), of({2}, DType::boolean), {}), DTypeError,
               "[multiply_sum] takes f32, i32 or u32, got boolean; convert with astype");
}

TEST_P(Reduction, along_one_axis) {
  const std::string rest = "] axis -3 is out of range for a tensor of rank 2: it must lie in [-2, 1]";
  EXPECT_ERROR(argmax(of({2, 3}), -3), ShapeError, "[argmax" + rest);
  EXPECT_ERROR(argmin(of({2, 3}), -3), ShapeError, "[argmin" + rest);
  EXPECT_ERROR(softmax(of({2, 3}), -3), ShapeError, "[softmax" + rest);
  EXPECT_ERROR(log_softmax(of({2, 3}), -3), ShapeError, "[log_softmax" + rest);
  EXPECT_ERROR(softmax(of({}), 0), ShapeError, "[softmax] axis 0 of a scalar, which has no axes");
}

TEST_P(Reduction, multiply_sum_of_operands_that_do_not_match) {
  EXPECT_ERROR(multiply_sum(of({2}), of({3}), {}), ShapeError, "[multiply_sum] shapes do not broadcast: (2,) and (3,)");
  EXPECT_ERROR(multiply_sum(of({2}), of({2}, DType::i32), {}), DTypeError,
               "[multiply_sum] dtypes differ: f32 and i32; convert one with astype");
}

TEST_P(Creation, shapes) {
  EXPECT_ERROR(zeros({-1, 2}), ShapeError, "[zeros] shape (-1, 2) has a negative length");
  EXPECT_ERROR(ones({2, -3}), ShapeError, "[ones] shape (2, -3) has a negative length");
  EXPECT_ERROR(full({-1}, 2), ShapeError, "[full] shape (-1,) has a negative length");
  EXPECT_ERROR(uniform({-1}, 0), ShapeError, "[uniform] shape (-1,) has a negative length");
  EXPECT_ERROR(normal({-1}, 0), ShapeError, "[normal] shape (-1,) has a negative length");
  EXPECT_ERROR(eye(-1), ShapeError, "[eye] a negative number of rows: -1");
  EXPECT_ERROR(linspace(0, 1, -1), ShapeError, "[linspace] a negative count: -1");
  EXPECT_THROW(zeros({INT64_MAX, 2}), ShapeError);
  EXPECT_THROW(zeros({1, 2, 3, 4, 5, 6, 7, 8, 9}), ShapeError);
}

TEST_P(Creation, arange) {
  EXPECT_ERROR(arange(0, 5, 0), Error, "[arange] a step of 0 never reaches the stop");
  EXPECT_ERROR(arange(0, INFINITY), Error, "[arange] start, stop and step must be finite, got 0, inf, 1");
  EXPECT_ERROR(arange(0, 5, 1, DType::boolean), DTypeError,
               "[arange] takes f32, i32 or u32, got boolean; convert with astype");
  EXPECT_ERROR(arange(0.5, 5, 1, DType::i32), DTypeError, "[arange] the number 0.5 does not fit i32");
  EXPECT_ERROR(arange(0, 5, 0.5, DType::i32), DTypeError, "[arange] the number 0.5 does not fit i32");
  EXPECT_ERROR(arange(-1, 5, 1, DType::u32), DTypeError, "[arange] the number -1 does not fit u32");
}

TEST_P(Creation, dtypes) {
  EXPECT_ERROR(uniform({2}, 0, DType::i32), DTypeError, "[uniform] takes f32, got i32; convert with astype");
  EXPECT_ERROR(normal({2}, 0, DType::u32), DTypeError, "[normal] takes f32, got u32; convert with astype");
  EXPECT_ERROR(linspace(0, 1, 2, DType::i32), DTypeError, "[linspace] takes f32, got i32; convert with astype");
  EXPECT_ERROR(full({2}, 0.5, DType::i32), DTypeError, "[full] the number 0.5 does not fit i32");
  EXPECT_ERROR(full_like(of({2}, DType::u32), -1), DTypeError, "[full_like] the number -1 does not fit u32");
}

TEST_P(Reading, from_values_of_another_count) {
  EXPECT_ERROR(Tensor::from({1.0F, 2.0F}, {3}), ShapeError, "[Tensor::from] shape (3,) has 3 elements, got 2 values");
  EXPECT_ERROR(Tensor::from(std::vector<bool>{true}, {}, device()).reshape({2}), ShapeError,
               "[reshape] cannot make (2,) of 2 elements from (): 1 elements");
}

TEST_P(Reading, as_another_dtype) {
  const Tensor x = of({2});
  EXPECT_ERROR(x.to_vector<int32_t>(), DTypeError,
               "[Tensor::to_vector] the tensor is f32, asked for i32; convert with astype");
  EXPECT_ERROR(x.slice(0, 0, 1).item<bool>(), DTypeError,
               "[Tensor::item] the tensor is f32, asked for boolean; convert with astype");
  std::vector<uint32_t> out(2);
  EXPECT_ERROR(x.copy_to(std::span<uint32_t>(out)), DTypeError,
               "[Tensor::copy_to] the tensor is f32, asked for u32; convert with astype");
}

TEST_P(Reading, into_the_wrong_length) {
  std::vector<float> out(3);
  EXPECT_ERROR(of({2}).copy_to(std::span<float>(out)), ShapeError,
               "[Tensor::copy_to] shape (2,) has 2 elements, the destination holds 3");
  EXPECT_ERROR(of({2}).item<float>(), ShapeError, "[Tensor::item] wants exactly one element, the shape is (2,)");
  EXPECT_ERROR(of({0}).item<float>(), ShapeError, "[Tensor::item] wants exactly one element, the shape is (0,)");
}

TEST_P(Reading, as_strided_outside_the_buffer) {
  const Tensor x = Tensor::from({1.0F, 2.0F, 3.0F}, {3});
  EXPECT_THROW(x.as_strided({4}, {1}), ShapeError);
  EXPECT_THROW(x.as_strided({2}, {1}, 2), ShapeError);
  EXPECT_THROW(x.as_strided({2}, {-1}, 0), ShapeError);
  EXPECT_THROW(x.as_strided({2}, {1}, -1), ShapeError);
  EXPECT_THROW(x.as_strided({2, 2}, {1}), ShapeError);
  EXPECT_THROW(x.as_strided({-1}, {1}), ShapeError);
  EXPECT_THROW(x.as_strided({2}, {INT64_MAX}), ShapeError);
  EXPECT_THROW(x.as_strided({2, 2}, {INT64_MAX, INT64_MAX}), ShapeError);
  EXPECT_THROW(x.as_strided({3}, {INT64_MAX}), ShapeError);
  EXPECT_THROW(x.as_strided({2}, {-INT64_MAX}), ShapeError);
  EXPECT_THROW(x.as_strided({2}, {1}, INT64_MAX), ShapeError);
}

}  // namespace
}  // namespace eglantine::test
