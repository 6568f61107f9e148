#pragma once

#include "lower/lowering.hpp"

/// Scans whose operand lies in another order than their results.
namespace eglantine::lower {

/// Whether neighbouring results are of elements far apart in memory, beside which neighbours along another axis lie:
/// tiles transpose them in less time than a scan reads them so, some even twice. On hardware, of many elements.
bool reads_across(const Target& target, const ScanKernel& kernel);

/// The scan of its elements' copy, which lies as its results do. No order of additions changes (plan_scan), so neither
/// do bits.
ScanKernel of_copy(Lowering& lowering, const ScanKernel& kernel);

}  // namespace eglantine::lower
