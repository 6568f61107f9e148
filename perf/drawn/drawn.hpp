#pragma once

#include <utility>

#include "perf/check.hpp"
#include "perf/drawn/layouts.hpp"

namespace eglantine::perf::drawn {

/// What a call gives: checked, and counted as written.
struct DrawnResult {
  Shape shape;
  DType dtype = DType::f32;
};

/// A drawn work: what it is, for every program that measures it, and how this library does it.
struct Drawn {
  std::string name;    ///< "drawn/7.17 softmax f32 (1021, 517) sliced"
  std::string family;  ///< one of families()
  std::string verb;    ///< within the family; peers know it by this name
  std::vector<DrawnOperand> operands;
  std::vector<DrawnResult> results;  ///< none: their shapes depend on data
  std::vector<std::pair<std::string, std::vector<int64_t>>> parameters;
  double bytes = 0;       ///< read and written by one call, at the least
  double operations = 0;  ///< arithmetic operations of one call where they matter
  Verb call;              ///< of the operands' views
  /// What of operands and results is compared with another device's, where that is not the results: of places that
  /// rounding decides the values found there.
  std::function<Tensors(const Tensors& operands, const Tensors& results)> observed = {};
  Check check = {};  ///< its cuts, where there are any, are for works too large to be checked whole
};

}  // namespace eglantine::perf::drawn
