#pragma once

#include <string>
#include <vector>

#include "gl/fixture.hpp"
#include "support/as_hardware.hpp"

/// What the tests of schedules share: the forms of a family for hardware, on any device.
namespace eglantine::test {

using Words = std::vector<uint32_t>;

using PlannedAs = AsTarget;

}  // namespace eglantine::test
