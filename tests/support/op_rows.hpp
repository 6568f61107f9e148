#pragma once

#include <string>
#include <vector>

#include "eglantine/dtype.hpp"

namespace eglantine::test {

/// What a test needs of a row of ops.def.
struct OpRow {
  std::string name;
  int arity;
  std::string types;   ///< real, numeric, integer, logical, any...: see ops.def
  std::string result;  ///< same, boolean...
  double low, high;    ///< the arguments over which the tolerance holds
  double ulp;
  std::string doc;
};

const std::vector<OpRow>& elementwise_rows();

/// Arguments outside of a row's domain for which an absolute error is promised.
struct AbsoluteRow {
  std::string name;
  double low, high, error;
};

const std::vector<AbsoluteRow>& absolute_rows();

struct ReductionRow {
  std::string name;
  double tolerance;
  std::string doc;
};

const std::vector<ReductionRow>& reduction_rows();

/// The dtypes of a row's arguments.
std::vector<DType> dtypes_of(const OpRow& row);

/// The row's operation in the reference, on elements of `dtype` held as doubles (`where` takes a truth value first). A
/// float result is not rounded.
double reference_of(const OpRow& row, DType dtype, const std::vector<double>& arguments);

/// Steps that other verbs are made of: no verb of their own.
bool is_internal(const OpRow& row);

}  // namespace eglantine::test
