#pragma once

#include <bit>
#include <string>

#include "eglantine/half.hpp"
#include "gl/fixture.hpp"
#include "support/as_hardware.hpp"
#include "support/stored_elements.hpp"

/// What the tests of schedules share: the forms of a family for hardware, on any device.
namespace eglantine::test {

using PlannedAs = AsTarget;

/// Floats' bits as halves two by two, or words' lowest bytes four by four.
inline Words packed(Words x, StorageType storage) {
  for (uint32_t& word : x)
    word = storage == StorageType::f16 ? uint32_t{half(std::bit_cast<float>(word)).bits} : word & 0xffU;
  return joined(x, storage);
}

}  // namespace eglantine::test
