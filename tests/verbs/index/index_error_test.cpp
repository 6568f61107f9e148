#include <limits>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"

/// Indices out of range always throw an IndexError with the value and the place, however late the device reports them.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, IndexErrors);

constexpr int32_t lowest_i32 = std::numeric_limits<int32_t>::min(), highest_i32 = std::numeric_limits<int32_t>::max();

Tensor index_tensor(const std::vector<int32_t>& values, Shape shape) { return Tensor::from(values, shape); }

/// Clears the device's pending errors, which a test has provoked.
void clear_errors() {
  try {
    Device::current().synchronize();
  } catch (const IndexError&) {
  }
}

EG_TEST(IndexErrors, the_value_and_the_place) {
  const Tensor x = zeros({4, 5}) + 1;
  EXPECT_ERROR(take(x, index_tensor({0, 1, 7, 2, 3, 9}, {2, 3}), 1).to_vector<float>(), IndexError,
               "[take] index 7 at (0, 2) lies outside [-5, 5): axis 1 of (4, 5)");
  EXPECT_ERROR(take(x, index_tensor({3, -4, -5}, {3}), 0).to_vector<float>(), IndexError,
               "[take] index -5 at (2,) lies outside [-4, 4): axis 0 of (4, 5)");
  EXPECT_ERROR(take(x, index_tensor({4}, {}), 0).to_vector<float>(), IndexError,
               "[take] index 4 at () lies outside [-4, 4): axis 0 of (4, 5)");
  EXPECT_ERROR(gather(x, 1, index_tensor({0, 4, 5, -6}, {2, 2})).to_vector<float>(), IndexError,
               "[gather] index 5 at (1, 0) lies outside [-5, 5): axis 1 of (4, 5)");
  const Tensor u = zeros({2, 2});
  EXPECT_ERROR(scatter(x, 0, index_tensor({0, 3, 1, 4}, {2, 2}), u).to_vector<float>(), IndexError,
               "[scatter] index 4 at (1, 1) lies outside [-4, 4): axis 0 of (4, 5)");
  EXPECT_ERROR(scatter_add(x, 0, index_tensor({0, -5, 1, 4}, {2, 2}), u).to_vector<float>(), IndexError,
               "[scatter_add] index -5 at (0, 1) lies outside [-4, 4): axis 0 of (4, 5)");
  EXPECT_ERROR(one_hot(index_tensor({0, 3}, {2}), 3).to_vector<float>(), IndexError,
               "[one_hot] index 3 at (1,) lies outside [-3, 3): axis 0 of (3,)");
  clear_errors();
}

EG_TEST(IndexErrors, of_long_rows) {
  const Tensor x = zeros({9, 784}) + 1;
  for (const int32_t wrong : {0, 77, 149}) {
    std::vector<int32_t> rows(150, 3);
    rows[static_cast<size_t>(wrong)] = 9;
    EXPECT_ERROR(take(x, index_tensor(rows, {150}), 0).to_vector<float>(), IndexError,
                 "[take] index 9 at (" + std::to_string(wrong) + ",) lies outside [-9, 9): axis 0 of (9, 784)");
  }
  clear_errors();
}

EG_TEST(IndexErrors, the_extremes_of_i32) {
  const Tensor x = zeros({5}) + 1;
  for (const int32_t index : {lowest_i32, lowest_i32 + 1, highest_i32, highest_i32 - 1})
    EXPECT_ERROR(take(x, index_tensor({0, index}, {2}), 0).to_vector<float>(), IndexError,
                 "[take] index " + std::to_string(index) + " at (1,) lies outside [-5, 5): axis 0 of (5,)");
  clear_errors();
}

EG_TEST(IndexErrors, an_empty_axis_takes_no_index_at_all) {
  EXPECT_ERROR(take(zeros({0, 3}), index_tensor({0}, {1}), 0), IndexError,
               "[take] index 0 at (0,) lies outside [0, 0): axis 0 of (0, 3)");
  EXPECT_ERROR(gather(zeros({2, 0}), 1, index_tensor({-1}, {1, 1})), IndexError,
               "[gather] index -1 at (0, 0) lies outside [0, 0): axis 1 of (2, 0)");
  EXPECT_ERROR(scatter(zeros({0}), 0, index_tensor({0}, {1}), zeros({1})), IndexError,
               "[scatter] index 0 at (0,) lies outside [0, 0): axis 0 of (0,)");
  EXPECT_ERROR(one_hot(index_tensor({0}, {1}), 0), IndexError,
               "[one_hot] index 0 at (0,) lies outside [0, 0): axis 0 of (0,)");
  EXPECT_ERROR(take(zeros({3, 0}), index_tensor({3}, {1}), 0), IndexError,
               "[take] index 3 at (0,) lies outside [-3, 3): axis 0 of (3, 0)");
}

EG_TEST(IndexErrors, the_smallest_place_of_many) {
  Array indices = naive::random_indices({100003}, 1000);
  for (const size_t place : {99999U, 70001U, 5003U, 90000U}) indices.values[place] = static_cast<double>(place);
  const Tensor x = zeros({1000, 3}) + 1;
  for (int round = 0; round < 3; ++round)
    EXPECT_ERROR(take(x, upload(indices), 0).to_vector<float>(), IndexError,
                 "[take] index 5003 at (5003,) lies outside [-1000, 1000): axis 0 of (1000, 3)");
  clear_errors();
}

EG_TEST(IndexErrors, a_computed_index_is_reported_by_its_value) {
  const Tensor x = zeros({4, 8}) + 1, i = index_tensor({1, 2, 3}, {3});
  EXPECT_ERROR(take(x, i * 2, 0).to_vector<float>(), IndexError,
               "[take] index 4 at (1,) lies outside [-4, 4): axis 0 of (4, 8)");
  EXPECT_ERROR(take(x, i.flip({}) + 1, 0).to_vector<float>(), IndexError,
               "[take] index 4 at (0,) lies outside [-4, 4): axis 0 of (4, 8)");
  EXPECT_ERROR(take(x, arange(2, 6, 1, DType::i32), 0).to_vector<float>(), IndexError,
               "[take] index 4 at (2,) lies outside [-4, 4): axis 0 of (4, 8)");
  clear_errors();
}

EG_TEST(IndexErrors, name_the_index_that_was_read_though_it_is_overwritten_since) {
  const Tensor x = zeros({4, 5}) + 1;
  Tensor rows = index_tensor({1, 7, 2}, {3}).eval(), columns = index_tensor({1, 0, -6}, {3}).eval(),
         alone = index_tensor({0, 9}, {2}).eval();
  const Tensor one = take(x, alone, 0), two = x(rows, columns), three = x(columns, rows);
  eval({one, two, three});
  for (Tensor* indices : {&alone, &rows, &columns}) {
    *indices = indices->index_put({Slice(1, {})}, 0);  // in place: nothing else holds the old value
    indices->eval();
  }
  EXPECT_ERROR(one.to_vector<float>(), IndexError, "[take] index 9 at (1,) lies outside [-4, 4): axis 0 of (4, 5)");
  EXPECT_ERROR(two.to_vector<float>(), IndexError, "[index] the index at (1,) lies outside [-4, 4): axis 0 of (4, 5)");
  EXPECT_ERROR(three.to_vector<float>(), IndexError,
               "[index] the index at (1,) lies outside [-5, 5): axis 1 of (4, 5)");
  EXPECT_TRUE(matches(columns, Array{DType::i32, {3}, {1, 0, 0}}));
  clear_errors();
}

EG_TEST(IndexErrors, of_indices_overwritten_again_and_again) {
  const Tensor x = index_tensor({5, 6, 7, 8}, {4});
  Tensor i = index_tensor({0, 1, 2, 3}, {4}).eval(), y = x;
  for (int round = 0; round < 5; ++round) {
    y = take(y, i, 0).eval();
    i = i.index_put({round % 4}, 3 - round % 4);
    i.eval();
  }
  EXPECT_TRUE(matches(y, Array{DType::i32, {4}, {8, 7, 7, 8}})) << "the indices that each reading saw";
  clear_errors();
}

EG_TEST(IndexErrors, reach_everything_computed_from_the_result) {
  const Tensor x = zeros({5}) + 1;
  const char* const message = "[take] index 5 at (1,) lies outside [-5, 5): axis 0 of (5,)";
  const Tensor y = take(x, index_tensor({0, 5}, {2}), 0);
  y.eval();
  EXPECT_ERROR(sum(y).item<float>(), IndexError, message);
  EXPECT_ERROR((neg(sum(y)) * 0).item<float>(), IndexError, message);
  EXPECT_ERROR(concatenate({x, y}, 0).to_vector<float>(), IndexError, message);
  EXPECT_ERROR(take(y, index_tensor({0}, {1}), 0).to_vector<float>(), IndexError, message);
  EXPECT_ERROR(y.slice(0, 0, 1).to_vector<float>(), IndexError, message);
  EXPECT_ERROR(y.to_vector<float>(), IndexError, message);
  EXPECT_ERROR(y.to_vector<float>(), IndexError, message);
  EXPECT_TRUE(matches(sum(x), Array{DType::f32, {}, {5}})) << "the source stays good";
  clear_errors();
}

EG_TEST(IndexErrors, chains_evaluated_before_anything_is_read) {
  const Tensor x = zeros({5}) + 1;
  const Tensor y = take(x, index_tensor({9}, {1}), 0).eval(), z = (y + 1).eval(), w = (sum(z) * 2).eval();
  const Tensor good = take(x, index_tensor({4}, {1}), 0).eval(), other = (good * 3).eval();
  EXPECT_ERROR(w.item<float>(), IndexError, "[take] index 9 at (0,) lies outside [-5, 5): axis 0 of (5,)");
  EXPECT_TRUE(matches(other, Array{DType::f32, {1}, {3}})) << "an error reaches nothing else";
  clear_errors();
}

EG_TEST(IndexErrors, synchronize_throws_the_first_and_then_no_more) {
  clear_errors();
  const Tensor x = zeros({5}) + 1;
  const Tensor a = take(x, index_tensor({1}, {1}), 0).eval(), b = take(x, index_tensor({6}, {1}), 0).eval(),
               c = take(x, index_tensor({7}, {1}), 0).eval();
  EXPECT_ERROR(device().synchronize(), IndexError, "[take] index 6 at (0,) lies outside [-5, 5): axis 0 of (5,)");
  EXPECT_NO_THROW(device().synchronize());
  EXPECT_ERROR(c.item<float>(), IndexError, "[take] index 7 at (0,) lies outside [-5, 5): axis 0 of (5,)");
  EXPECT_EQ(a.item<float>(), 1);
}

EG_TEST(IndexErrors, synchronize_reports_results_that_nobody_holds) {
  clear_errors();
  const Tensor x = zeros({5}) + 1;
  take(x, index_tensor({6}, {1}), 0).eval();
  for (int i = 0; i < 200; ++i) take(x, index_tensor({3}, {1}), 0).eval();
  EXPECT_ERROR(device().synchronize(), IndexError, "[take] index 6 at (0,) lies outside [-5, 5): axis 0 of (5,)");
}

EG_TEST(IndexErrors, explain_asks_the_device_nothing) {
  const Tensor y = take(zeros({5}) + 1, index_tensor({6}, {1}), 0);
  EXPECT_NE(explain(y).find("gather f32 (1,) from 5 places"), std::string::npos) << explain(y);
  EXPECT_NO_THROW(device().synchronize());
}

EG_TEST(IndexErrors, a_loop_that_never_reads_stays_bounded) {
  const Tensor step = index_tensor({1, 2, 3, 4, 0}, {5});
  Tensor x = Tensor::from({0.0F, 1.0F, 2.0F, 3.0F, 4.0F}, {5});
  x.eval();
  const int64_t before = device().memory().live;
  for (int i = 0; i < 10000; ++i) {
    x = take(x, step, 0);
    x.eval();
  }
  EXPECT_LT(device().memory().live, before + (int64_t{1} << 20));
  EXPECT_TRUE(matches(x, iota(DType::f32, {5})));
}

EG_TEST(IndexErrors, an_error_long_ago_in_a_loop_that_never_reads) {
  const Tensor step = index_tensor({1, 2, 3, 4, 0}, {5});
  Tensor x = take(zeros({5}) + 1, index_tensor({0, 1, 2, 3, 11}, {5}), 0);
  for (int i = 0; i < 300; ++i) x = take(x, step, 0).eval();
  EXPECT_ERROR(x.to_vector<float>(), IndexError, "[take] index 11 at (4,) lies outside [-5, 5): axis 0 of (5,)");
  clear_errors();
}

}  // namespace
}  // namespace eglantine::test
