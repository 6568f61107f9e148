#include <cmath>

#include "eglantine/verbs/activations.hpp"
#include "trust/bad_input/row.hpp"

/// Activations with parameters; those without are in elementwise.cpp, from the operation table.
namespace eglantine::test::bad_input {
namespace {

void add_parameter(Rows& rows, const std::string& function, const std::string& wrong,
                   const std::function<Tensor()>& call, const std::string& message) {
  rows.push_back(row<Error>(function, wrong, call, "[" + function + "] " + message));
}

void add_number(Rows& rows, const std::string& function, const std::function<Tensor()>& call) {
  rows.push_back(
      row<DTypeError>(function, "a number beyond f32", call, "[" + function + "] the number 1e+39 does not fit f32"));
}

}  // namespace

void add_activations(Rows& rows) {
  const std::string not_finite = " is a finite float, got ";
  add_parameter(
      rows, "elu", "an infinite alpha", [] { return elu(of({3}), INFINITY); }, "alpha" + not_finite + "inf");
  add_parameter(
      rows, "celu", "a NaN as alpha", [] { return celu(of({3}), NAN); }, "alpha" + not_finite + "nan");
  add_parameter(
      rows, "celu", "an alpha of 0", [] { return celu(of({3}), 0); }, "alpha is not 0: x is divided by it");
  add_parameter(
      rows, "leaky_relu", "a slope beyond f32", [] { return leaky_relu(of({3}), 1e39); },
      "the slope" + not_finite + "1e+39");
  add_parameter(
      rows, "hardtanh", "bounds that are swapped", [] { return hardtanh(of({3}), 1, -1); },
      "low <= high is wanted, got 1 and -1");
  add_parameter(
      rows, "hardtanh", "a NaN as bound", [] { return hardtanh(of({3}), 0, NAN); },
      "low <= high is wanted, got 0 and nan");
  add_parameter(
      rows, "softshrink", "a negative lambda", [] { return softshrink(of({3}), -0.5); },
      "lambda is not negative, got -0.5");
  add_parameter(
      rows, "softshrink", "an infinite lambda", [] { return softshrink(of({3}), INFINITY); },
      "lambda" + not_finite + "inf");
  add_parameter(
      rows, "hardshrink", "a negative lambda", [] { return hardshrink(of({3}), -1); },
      "lambda is not negative, got -1");
  add_parameter(
      rows, "hardshrink", "a NaN as lambda", [] { return hardshrink(of({3}), NAN); }, "lambda" + not_finite + "nan");
  add_parameter(
      rows, "threshold", "a NaN to compare with", [] { return threshold(of({3}), NAN, 1); },
      "nothing is above NaN; give a number to compare with");
  add_number(rows, "hardtanh", [] { return hardtanh(of({3}), 0, 1e39); });
  add_number(rows, "threshold", [] { return threshold(of({3}), 0, 1e39); });
  add_number(rows, "nan_to_num", [] { return nan_to_num(of({3}), 1e39); });
  add_number(rows, "nan_to_num", [] { return nan_to_num(of({3}), 0, {}, 1e39); });
  add_moved_from(rows, "elu", [](const Tensor& x) { return elu(x); });
  add_moved_from(rows, "celu", [](const Tensor& x) { return celu(x); });
  add_moved_from(rows, "leaky_relu", [](const Tensor& x) { return leaky_relu(x); });
  add_moved_from(rows, "hardtanh", [](const Tensor& x) { return hardtanh(x); });
  add_moved_from(rows, "softshrink", [](const Tensor& x) { return softshrink(x); });
  add_moved_from(rows, "hardshrink", [](const Tensor& x) { return hardshrink(x); });
  add_moved_from(rows, "threshold", [](const Tensor& x) { return threshold(x, 0, 1); });
  add_moved_from(rows, "nan_to_num", [](const Tensor& x) { return nan_to_num(x); });
}

}  // namespace eglantine::test::bad_input
