#include "eglantine/ops.hpp"
#include "grad/cases.hpp"
#include "support/reference/arithmetic.hpp"
#include "support/reference/naive_index.hpp"
#include "support/reference/naive_segments.hpp"

namespace eglantine::test {

namespace {

Array whole(const Dims& shape, std::vector<double> numbers) { return {DType::i32, shape, std::move(numbers)}; }

const Array four_rows = whole({4}, {3, 0, 3, -1}), columns = whole({3, 2}, {1, 1, 0, 2, 3, 1}),
            rows_by_column = whole({3, 2}, {0, 2, 0, 2, 3, 2}), segment_of_four = whole({4}, {1, 0, 1, 2}),
            segment_of_five = whole({5}, {0, 2, 1, 2, 0}), twice = whole({6}, {0, 1, 2, 0, 1, 2}),
            uneven = whole({5}, {0, 1, 1, 3, 0}), row_tuples = whole({4, 1}, {2, 0, 2, 3}),
            same_tuples = whole({2, 1}, {3, 3}), two_tuples = whole({2, 1}, {3, 1}), two_rows = whole({2}, {0, 1}),
            one_three_one = whole({3}, {1, 3, 1});

}  // namespace

using T = Tensors;
using A = Arrays;

std::vector<DerivativeCase> index_cases() {
  return {
      {"take",
       {{4, 3}},
       [](const T& x) { return square(take(x[0], upload(four_rows), 0)); },
       [](const A& x) { return square(naive::take(x[0], four_rows, 0)); },
       "a>3b?..."},
      {"gather",
       {{3, 4}},
       [](const T& x) { return square(gather(x[0], 1, upload(columns))); },
       [](const A& x) { return square(naive::gather(x[0], 1, columns)); },
       "3b>3"},
      {"take_along_axis",
       {{3, 4}},
       [](const T& x) { return square(take_along_axis(x[0], upload(columns), 1)); },
       [](const A& x) { return square(naive::take_along_axis(x[0], columns, 1)); },
       "3b>3"},
      {"scatter_add",
       {{4, 2}, {3, 2}},
       [](const T& x) { return square(scatter_add(x[0], 0, upload(rows_by_column), x[1])); },
       [](const A& x) { return square(naive::scatter_with(x[0], 0, rows_by_column, x[1], naive::added)); },
       "a>32 32"},
      {"scatter",
       {{4, 2}, {3, 2}},
       [](const T& x) { return square(scatter(x[0], 0, upload(rows_by_column), x[1])); },
       [](const A& x) { return square(naive::scatter(x[0], 0, rows_by_column, x[1])); },
       "a>32 32"},
      {"compress",
       {{5}},
       [](const T& x) { return square(compress(x[0], arange(0, static_cast<double>(x[0].size())) != 2)); },
       [](const A& x) {
         const Array mask = generate(DType::boolean, x[0].shape, [](const Dims& at) { return at[0] != 2; });
         return square(naive::compress(x[0], mask));
       },
       "a?"},
      {"segment_sum and gather_nd",
       {{4, 3}},
       [](const T& x) {
         return square(segment_sum(x[0], upload(segment_of_four), 4)) + gather_nd(x[0], upload(row_tuples));
       },
       [](const A& x) {
         return square(naive::segments(x[0], segment_of_four, 4, 0, naive::added)) + naive::gather_nd(x[0], row_tuples);
       },
       "4b?..."},
      {"scatter_nd_add and index_add",
       {{4, 3}, {2, 3}},
       [](const T& x) {
         return square(scatter_nd_add(x[0], upload(same_tuples), x[1]) * index_add(x[0], 0, upload(two_rows), x[1]));
       },
       [](const A& x) {
         return square(naive::scatter_nd(x[0], same_tuples, x[1], naive::added) *
                       naive::index_add(x[0], 0, two_rows, x[1]));
       },
       "a>3b? 2b"},
      {"scatter_nd",
       {{4, 3}, {2, 3}},
       [](const T& x) { return square(scatter_nd(x[0], upload(two_tuples), x[1])); },
       [](const A& x) { return square(naive::scatter_nd(x[0], two_tuples, x[1], naive::put)); },
       "a>3b? 2b"},
      {"scatter_max and scatter_min",
       {{4}, {6}},
       [](const T& x) {
         const Tensor index = upload(twice);
         return square(scatter_max(x[0], 0, index, x[1]) + 2 * scatter_min(x[0], 0, index, x[1]));
       },
       [](const A& x) {
         return square(naive::scatter_with(x[0], 0, twice, x[1], naive::larger) +
                       2 * naive::scatter_with(x[0], 0, twice, x[1], naive::smaller));
       },
       "a>2 6"},
      {"scatter_mul",
       {{4}, {5}},
       [](const T& x) { return scatter_mul(x[0] + 2, 0, upload(uneven), x[1] + 2); },
       [](const A& x) { return naive::scatter_with(x[0] + 2, 0, uneven, x[1] + 2, naive::multiplied); },
       "a>3 5"},
      {"segment_max",
       {{5, 2}},
       [](const T& x) { return square(segment_max(x[0], upload(segment_of_five), 3)); },
       [](const A& x) { return square(naive::segments(x[0], segment_of_five, 3, -INFINITY, naive::larger)); },
       "5b?..."},
      {"index_put",
       {{4, 3}, {3}},
       [](const T& x) { return square(x[0].index_put({1}, x[1])); },
       [](const A& x) {
         return square(naive::scatter_nd(x[0], whole({1, 1}, {1}), naive::reshape(x[1], {1, x[1].size()}), naive::put));
       },
       "a>1b? b"},
      {"index_put_add",
       {{4, 3}, {3}},
       [](const T& x) { return square(x[0].index_put_add({upload(one_three_one)}, x[1])); },
       [](const A& x) {
         return square(naive::index_add(x[0], 0, one_three_one, naive::expand(x[1], {3, x[1].size()})));
       },
       "a>3b? b"},
      {"gather_nd of batches",
       {{2, 3, 4}},
       [](const T& x) {
         const Tensor places = Tensor::from({2, 0, 2, 1}, {2, 2, 1});
         return square(gather_nd(x[0], places, 1));
       },
       [](const A& x) {
         const Dims rows{2, 0, 2, 1};
         return generate(DType::f32, {2, 2, x[0].shape[2]}, [&](const Dims& at) {
           return std::pow(x[0].at({at[0], rows[static_cast<size_t>(2 * at[0] + at[1])], at[2]}), 2);
         });
       },
       "2a>2b?"},
  };
}

}  // namespace eglantine::test
