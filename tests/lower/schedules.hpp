#pragma once

#include <string>
#include <vector>

#include "gl/fixture.hpp"
#include "support/as_hardware.hpp"

/// What the tests of schedules share: the forms of a family that are meant for hardware, on whatever device there is.
namespace eglantine::test {

using Words = std::vector<uint32_t>;

using PlannedAs = AsTarget;

}  // namespace eglantine::test
