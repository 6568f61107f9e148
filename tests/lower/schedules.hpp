#pragma once

#include <bit>
#include <string>
#include <vector>

#include "eglantine/half.hpp"
#include "gl/fixture.hpp"
#include "support/as_hardware.hpp"

/// What the tests of schedules share: the forms of a family for hardware, on any device.
namespace eglantine::test {

using Words = std::vector<uint32_t>;

using PlannedAs = AsTarget;

/// Floats' bits as halves two by two, or words' lowest bytes four by four.
inline Words packed(const Words& x, StorageType storage) {
  const bool halves = storage == StorageType::f16;
  const size_t in_word = halves ? 2 : 4;
  Words words((x.size() + in_word - 1) / in_word);
  for (size_t i = 0; i < x.size(); ++i)
    words[i / in_word] |= (halves ? uint32_t{half(std::bit_cast<float>(x[i])).bits} : x[i] & 0xffU)
                          << (i % in_word * 32 / in_word);
  return words;
}

}  // namespace eglantine::test
