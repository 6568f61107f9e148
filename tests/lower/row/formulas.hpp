#pragma once

#include <optional>
#include <string>

#include "graph/kernel/expression.hpp"

namespace eglantine::test {

/// What a user makes of rows.
enum class RowFormula : uint8_t { softmax, log_softmax, logsumexp, var, standardize, rms };

inline bool reduces(RowFormula formula) { return formula == RowFormula::logsumexp || formula == RowFormula::var; }

/// Added to a mean square before its root.
inline constexpr float row_eps = 0.5F;

/// The names of what each formula combines a row by, as dispatches have them.
std::string folds_of(RowFormula formula);

/// The formula of the rows of x, as the verbs write it; over x.layout, whose first axis counts rows. mean: of a var, an
/// extra output.
RowKernel row_kernel(RowFormula formula, const Strided& x, const Strided& out, bool strided = false,
                     const std::optional<Strided>& mean = {});

}  // namespace eglantine::test
