#include <cmath>
#include <limits>

#include "trust/bad_input/row.hpp"

/// Statistics, differences, and logcumsumexp.
namespace eglantine::test::bad_input {
namespace {

struct Statistic {
  std::string name;
  OverAxes call;
  bool of_something = true;  ///< has no value over nothing
};

const std::vector<Statistic>& statistics_over_axes() {
  static const std::vector<Statistic> all{
      {"stddev", [](const Tensor& x, Axes axes) { return stddev(x, axes); }},
      {"moments", [](const Tensor& x, Axes axes) { return moments(x, axes, true).first; }},
      {"norm", [](const Tensor& x, Axes axes) { return norm(x, axes, false, HUGE_VAL); }},
      {"count_nonzero", [](const Tensor& x, Axes axes) { return count_nonzero(x, axes); }, false},
      {"nansum", [](const Tensor& x, Axes axes) { return nansum(x, axes); }, false},
      {"nanmean", [](const Tensor& x, Axes axes) { return nanmean(x, axes); }},
      {"nanmax", [](const Tensor& x, Axes axes) { return nanmax(x, axes); }},
      {"nanmin", [](const Tensor& x, Axes axes) { return nanmin(x, axes); }},
      {"median", [](const Tensor& x, Axes axes) { return median(x, axes); }},
      {"quantile", [](const Tensor& x, Axes axes) { return quantile(x, 0.5, axes); }},
      {"ptp", [](const Tensor& x, Axes axes) { return ptp(x, axes); }},
      {"average", [](const Tensor& x, Axes axes) { return average(x, x, axes); }}};
  return all;
}

void add_over_axes(Rows& rows) {
  for (const auto& [name, call, of_something] : statistics_over_axes()) {
    const OfOne of_all = [call = call](const Tensor& x) { return call(x, {}); };
    add_axes(rows, name, call);
    add_moved_from(rows, name, of_all);
    if (of_something)
      rows.push_back(row<ShapeError>(
          name, "over nothing",
          [=] {
            return of_all(of({2, 0}));
          },
          "[" + name + "] of nothing: shape (2, 0) has no elements along axes (0, 1)"));
  }
}

/// More elements than an i32 can say.
void add_too_many_elements(Rows& rows) {
  constexpr int64_t half = int64_t{1} << 31;
  const auto too_many = [&](const std::string& name, const OfOne& call, const std::string& message) {
    rows.push_back(row<ShapeError>(
        name, "too many elements", [=] { return call(huge({half})); }, "[" + name + "] " + message));
  };
  const std::string along = "2147483648 elements along axes (0,) of (2147483648,) are more than ";
  const std::string all = "(2147483648,) has more elements than i32 counts, 2^31 - 1; work on parts of it";
  too_many(
      "count_nonzero", [](const Tensor& x) { return count_nonzero(x); }, along + "an i32 can count");
  too_many(
      "median", [](const Tensor& x) { return median(x); }, along + "a sort takes");
  too_many(
      "quantile", [](const Tensor& x) { return quantile(x, 0.5); }, along + "a sort takes");
  too_many(
      "argmax", [](const Tensor& x) { return argmax(x); }, all);
  too_many(
      "argmin", [](const Tensor& x) { return argmin(x); }, all);
}

/// Of a tensor without elements: a result, or what is combined for each element of one, that is too long to address.
void add_too_long(Rows& rows) {
  constexpr int64_t length = int64_t{1} << 40;
  const std::string message = "] shape (1099511627776, 1099511627776)" + too_many;
  const auto too_long = [&](const std::string& name, const Shape& shape, const OverAxes& call, const Axes& axes) {
    rows.push_back(row<ShapeError>(
        name, "lengths beside one of 0", [=] { return call(of(shape), axes); }, "[" + name + message));
  };
  for (const auto& [name, call] : std::vector<std::pair<std::string, OverAxes>>{
           {"sum", [](const Tensor&x, Axes axes) { return sum(x, axes); }},
           {"any", [](const Tensor&x, Axes axes) { return any(x, axes); }},
           {"norm", [](const Tensor&x, Axes axes) { return norm(x, axes); }},
           {"nansum", [](const Tensor&x, Axes axes) { return nansum(x, axes); }},
           {"logsumexp", [](const Tensor&x, Axes axes) { return logsumexp(x, axes); }},
           {"count_nonzero", [](const Tensor&x, Axes axes) { return count_nonzero(x, axes); }}})
    too_long(name, {0, length, length}, call, 0);
  for (const auto& [name, call] : std::vector<std::pair<std::string, OverAxes>>{
           {"mean", [](const Tensor&x, Axes axes) { return mean(x, axes); }},
           {"max", [](const Tensor&x, Axes axes) { return max(x, axes); }},
           {"stddev", [](const Tensor&x, Axes axes) { return stddev(x, axes); }},
           {"median", [](const Tensor&x, Axes axes) { return median(x, axes); }},
           {"count_nonzero", [](const Tensor&x, Axes axes) { return count_nonzero(x, axes); }}})
    too_long(name, {0, length, length}, call, {1, 2});
  too_long("group_norm", {0, 4, length, length}, [](const Tensor& x, Axes) { return group_norm(x, 2); }, {});
}

void add_statistics_numbers(Rows& rows) {
  const auto wrong = [&](const std::string& name, const std::string& what, const OfOne& call,
                         const std::string& message) {
    rows.push_back(row<Error>(
        name, what, [=] { return call(of({3})); }, "[" + name + "] " + message));
  };
  for (const auto& [q, said] : {std::pair{-0.25, "-0.25"}, {1.5, "1.5"}, {std::nan(""), "nan"}, {HUGE_VAL, "inf"}})
    wrong(
        "quantile", "a share of " + std::string(said), [q = q](const Tensor& x) { return quantile(x, q); },
        "q is " + std::string(said) + ", and must lie in [0, 1]");
  for (const auto& [ord, said] : {std::pair{std::nan(""), "nan"}, {1e39, "1e+39"}, {1e-39, "1e-39"}})
    wrong(
        "norm", "an order of " + std::string(said), [ord = ord](const Tensor& x) { return norm(x, {}, false, ord); },
        "ord is " + std::string(said) +
            "; it is 0, an infinity, or a number that f32 can hold together with its reciprocal");
  for (const auto& [c, said] : {std::pair{std::nan(""), "nan"}, {HUGE_VAL, "inf"}}) {
    const std::string what = "a correction of " + std::string(said);
    const std::string message = "a correction is finite, got " + std::string(said);
    wrong(
        "var", what, [c = c](const Tensor& x) { return var(x, {}, false, c); }, message);
    wrong(
        "stddev", what, [c = c](const Tensor& x) { return stddev(x, {}, false, c); }, message);
    wrong(
        "cov", what, [c = c](const Tensor& x) { return cov(x, c); }, message);
  }
  for (int64_t n : {int64_t{-1}, std::numeric_limits<int64_t>::min()})
    wrong(
        "diff", "a negative number of times", [n](const Tensor& x) { return diff(x, n); },
        "n is " + std::to_string(n) + "; a difference is taken 0 times or more");
}

void add_matrices(Rows& rows) {
  const auto wrong = [&](const std::string& name, const std::string& what, const OfOne& call, const Shape& shape,
                         const std::string& message) {
    rows.push_back(row<ShapeError>(
        name, what, [=] { return call(of(shape)); }, "[" + name + "] " + message));
    add_moved_from(rows, name, call);
  };
  const std::string variables = "takes one variable, or a matrix whose rows are variables, got shape (2, 3, 4)";
  const std::string nothing = "of nothing: shape (3, 0) has no elements along axes (1,)";
  const OfOne covariance = [](const Tensor& x) { return cov(x); };
  wrong("trace", "a vector", trace, {3}, "takes matrices, got shape (3,)");
  wrong("trace", "a scalar", trace, {}, "takes matrices, got shape ()");
  wrong("cov", "a rank above 2", covariance, {2, 3, 4}, variables);
  wrong("cov", "no observations", covariance, {3, 0}, nothing);
  wrong("corrcoef", "a rank above 2", corrcoef, {2, 3, 4}, variables);
  wrong("corrcoef", "no observations", corrcoef, {3, 0}, nothing);
}

void add_weights(Rows& rows) {
  const OfTwo call = [](const Tensor& x, const Tensor& weights) { return average(x, weights); };
  add_two_devices(rows, "average", call);
  add_broadcast(rows, "average", call);
  rows.push_back(row<ShapeError>(
      "average", "weights of another length than the axis",
      [] {
        return average(of({2, 3}), of({3}), 0);
      },
      "[average] 3 weights for axis 0 of (2, 3)"));
  rows.push_back(row<ShapeError>(
      "average", "weights of a larger shape",
      [=] {
        return call(of({3}), of({2, 3}));
      },
      "[average] weights of shape (2, 3) do not broadcast to (3,)"));
}

void add_flat_positions(Rows& rows) {
  const std::string nothing = " of nothing: shape (2, 0) has no elements along axes (0, 1)";
  for (const auto& [name, call] : {std::pair<std::string, OfOne>{"argmax", [](const Tensor& x) { return argmax(x); }},
                                   {"argmin", [](const Tensor& x) { return argmin(x); }}}) {
    rows.push_back(row<ShapeError>(
        name, "of nothing",
        [call = call] {
          return call(of({2, 0}));
        },
        "[" + name + "]" + nothing));
    add_moved_from(rows, name, call);
  }
}

}  // namespace

void add_statistics(Rows& rows) {
  add_over_axes(rows);
  add_too_many_elements(rows);
  add_too_long(rows);
  add_statistics_numbers(rows);
  add_matrices(rows);
  add_weights(rows);
  add_flat_positions(rows);
  add_dtypes(
      rows, "ptp", [](const Tensor& x) { return ptp(x); }, Types::numeric);
  const AlongAxis difference = [](const Tensor& x, int axis) { return diff(x, 0, axis); };
  const AlongAxis logs = [](const Tensor& x, int axis) { return logcumsumexp(x, axis, true); };
  for (const auto& [name, call] : {std::pair<std::string, AlongAxis>{"diff", difference}, {"logcumsumexp", logs}}) {
    add_axis(rows, name, call);
    add_moved_from(rows, name, [call = call](const Tensor& x) { return call(x, 0); });
  }
}

}  // namespace eglantine::test::bad_input
