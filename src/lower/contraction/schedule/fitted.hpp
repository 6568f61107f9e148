#pragma once

#include <optional>

#include "lower/contraction/schedule/schedule.hpp"

/// Products of many matrices on hardware, whose groups have as many invocations as the matrices have results.
namespace eglantine::lower {

/// A structure and what it takes.
struct FittedProduct {
  MatmulShader shader;
  double cycles;  ///< of a multiprocessor, for its share
};

/// The quickest of that form; nothing where none fits the device, or the product is of few or large matrices.
std::optional<FittedProduct> quickest_fitted(const Target& target, const Contraction& product,
                                             const MatmulShader& shader);

/// The same where it is quicker than `shader`'s tiles, or than matrices that lie whole in shared memory.
std::optional<MatmulShader> fitted_to_matrices(const Target& target, const Contraction& product,
                                               const MatmulShader& shader);

}  // namespace eglantine::lower
