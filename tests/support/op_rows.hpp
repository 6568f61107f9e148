#pragma once

#include <string>
#include <vector>

#include "eglantine/dtype.hpp"

namespace eglantine::test {

/// The columns of a row of ops.def that tests use.
struct OpRow {
  std::string name;
  int arity;
  std::string types;   ///< real, numeric, integer, logical, any...: see ops.def
  std::string result;  ///< same, boolean...
  double low, high;    ///< the domain of the tolerance
  double ulp;
  std::string doc;
};

const std::vector<OpRow>& elementwise_rows();

/// A range of first arguments where the error may be absolute instead.
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

/// The dtypes of a row's arguments; the computed ones where verbs use it without being named after it.
std::vector<DType> dtypes_of(const OpRow& row);

/// The dtype whose numbers the row takes as elements of `dtype`: a narrow one for quotients of 16 bits.
DType operand_type(const OpRow& row, DType dtype);

/// The row's operation in the reference, on elements of `dtype` as doubles (`where` takes a truth value first). Float
/// results are not rounded.
double reference_of(const OpRow& row, DType dtype, const std::vector<double>& arguments);

/// Operations that verbs use, without a verb of their own.
bool is_internal(const OpRow& row);

}  // namespace eglantine::test
