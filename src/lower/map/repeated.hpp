#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// Where results repeat along axes, since all operands are broadcast along them, and take longer to compute than to
/// write: adds the steps that compute them once, and copy them to all places. False elsewhere.
bool run_repeated_once(Lowering& lowering, const MapKernel& kernel);

}  // namespace eglantine::lower
