#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>

/// One of libFuzzer's targets, and what an input may do there: end, with an error of ours where the target says so.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace eglantine::test {

/// Ends the process, which libFuzzer takes for a finding, unless the assertion holds.
inline void require(const ::testing::AssertionResult& result) {
  if (result) return;
  std::cerr << result.message() << std::endl;
  std::abort();
}

}  // namespace eglantine::test
