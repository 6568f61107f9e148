#include "eglantine/index.hpp"
#include "eglantine/ops.hpp"
#include "grad/cases.hpp"
#include "support/reference/arithmetic.hpp"
#include "support/reference/naive_index.hpp"

namespace eglantine::test {

namespace {

/// The first axis in the order of shuffle(x, 7): which order that is, the random numbers' tests say.
Array shuffled(const Array& x) {
  return naive::take(x, download(shuffle(upload(iota(DType::i32, {x.shape[0]})), 7)), 0);
}

Array columns_of(const Array& x, int64_t start, int64_t stop) { return naive::slice(x, 1, start, stop, 1); }

}  // namespace

using T = Tensors;
using A = Arrays;

std::vector<DerivativeCase> arrangement_cases() {
  return {
      {"moveaxis and swapaxes",
       {{2, 3, 4}},
       [](const T& x) { return square(swapaxes(moveaxis(x[0], 0, 2), 0, 1)); },
       [](const A& x) {
         return square(naive::permute(x[0], {2, 1, 0}));
       },
       "a?b?c?"},
      {"flatten, expand and ravel",
       {{2, 3, 2}},
       [](const T& x) {
         const Tensor rows = exp(flatten(x[0], 1));
         return ravel(rows.unsqueeze(0).expand({3, rows.shape()[0], rows.shape()[1]}) * x[0].shape()[0]);
       },
       [](const A& x) {
         const int64_t rows = x[0].shape[0];
         const Array repeated = naive::expand(each(x[0], std::exp), {3, rows, x[0].shape[1], x[0].shape[2]});
         return static_cast<double>(rows) * naive::reshape(repeated, {3 * x[0].size()});
       },
       "a?bc"},
      {"squeeze and atleast_1d to 3d",
       {{1, 4}},
       [](const T& x) {
         const Tensor row = squeeze(x[0]);
         return square(atleast_3d(row)) * exp(atleast_2d(row)) + atleast_1d(row);
       },
       [](const A& x) {
         const Array row = naive::reshape(x[0], {x[0].size()});
         return square(naive::reshape(row, {1, row.size(), 1})) * each(row, std::exp) + row;
       },
       "1a?"},
      {"hstack and vstack",
       {{2, 3}, {2, 1}},
       [](const T& x) {
         const Tensor joined = hstack({x[0], x[1]});
         return vstack({square(joined), joined, exp(joined[0])});
       },
       [](const A& x) {
         const Array joined = naive::concatenate({x[0], x[1]}, 1);
         return naive::concatenate({square(joined), joined, each(naive::slice(joined, 0, 0, 1, 1), std::exp)}, 0);
       },
       "ab? ac?"},
      {"broadcast_tensors and meshgrid",
       {{3}, {4}},
       [](const T& x) {
         const Tensors grid = meshgrid({x[0], x[1]}), both = broadcast_tensors({x[0].unsqueeze(1), x[1]});
         return square(grid[0]) * exp(grid[1]) + both[0] * both[1];
       },
       [](const A& x) {
         const Array column = naive::reshape(x[0], {x[0].size(), 1});
         return square(column) * each(x[1], std::exp) + column * x[1];
       },
       "a? b?"},
      {"split, split_with_sizes and unstack",
       {{3, 6}},
       [](const T& x) {
         const Tensors halves = split(x[0], 2, 1), parts = split_with_sizes(x[0], {1, 3, 2}, 1);
         return halves[0] * exp(halves[1]) + square(parts[1]) * unstack(x[0], 1)[4].unsqueeze(1);
       },
       [](const A& x) {
         return columns_of(x[0], 0, 3) * each(columns_of(x[0], 3, 6), std::exp) +
                square(columns_of(x[0], 1, 4)) * columns_of(x[0], 4, 5);
       },
       "a?6"},
      {"crop, shuffle and triu",
       {{4, 5}},
       [](const T& x) {
         const Tensor upper = square(triu(x[0], 1)) + shuffle(x[0], 7);
         return exp(upper.crop({{1, 3}, {0, 4}})) * x[0].slice(1, 1, 5).slice(0, 0, 2);
       },
       [](const A& x) {
         const Array upper = generate(DType::f32, x[0].shape,
                                      [&](const Dims& at) { return at[1] > at[0] ? x[0].at(at) * x[0].at(at) : 0; });
         return each(naive::crop(upper + shuffled(x[0]), {{1, 3}, {0, 4}}), std::exp) *
                naive::crop(x[0], {{0, 2}, {1, 5}});
       },
       "a>2b>4"},
      {"pixel_unshuffle and space_to_depth",
       {{1, 2, 4, 2}},
       [](const T& x) { return square(pixel_unshuffle(x[0], 2)) * (space_to_depth(x[0], 2) + 2); },
       [](const A& x) {
         const Dims& from = x[0].shape;
         return generate(DType::f32, {from[0], 4 * from[1], from[2] / 2, from[3] / 2}, [&](const Dims& at) {
           const auto pixel = [&](int64_t channel, int64_t place) {
             return x[0].at({at[0], channel, 2 * at[2] + place / 2, 2 * at[3] + place % 2});
           };
           return std::pow(pixel(at[1] / 4, at[1] % 4), 2) * (pixel(at[1] % from[1], at[1] / from[1]) + 2);
         });
       },
       "nc42"},
      {"indices of every kind",
       {{4, 3, 2}},
       [](const T& x) {
         const Tensor rows = Tensor::from({3, 0, 3}, {3}), mask = arange(0, 4) != 1;
         return square(x[0](rows, Slice{2, {}, -2})) * x[0](-1, newaxis, ellipsis, 1).slice(1, 0, 1).unsqueeze(2) +
                exp(x[0](mask, Slice{0, 2}));
       },
       [](const A& x) {
         const auto rows = [&](const std::vector<double>& of) { return naive::take(x[0], {DType::i32, {3}, of}, 0); };
         const Array one{DType::f32, {1, 1, 1}, {x[0].at({3, 0, 1})}};
         return square(naive::slice(rows({3, 0, 3}), 1, 2, {}, -2)) * one +
                each(naive::slice(rows({0, 2, 3}), 1, 0, 2, 1), std::exp);
       },
       "43c>1"},
  };
}

}  // namespace eglantine::test
