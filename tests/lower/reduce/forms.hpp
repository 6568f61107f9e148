#pragma once

#include <gtest/gtest.h>

#include "eglantine/ops.hpp"
#include "lower/reduce/planned_reduce.hpp"

namespace eglantine::test {

/// Reductions of tensors in memory as hardware takes them.
class ReduceForms : public testing::Test {
 protected:
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }
  void SetUp() override { Device::set_current(Device::open("cpu")); }

  /// Numbers of [-0.5, 0.5) in memory, of integers and truth values few.
  Tensor stored(const Shape& shape, DType dtype = DType::f32) {
    const Tensor numbers = uniform(shape, ++seed_) - 0.5F;
    const Tensor x = (is_float(dtype) ? numbers : round(numbers * 200)).astype(dtype).eval();
    Words words;
    if (dtype == DType::boolean)
      for (const bool value : x.to_vector<bool>()) words.push_back(value ? 1 : 0);
    else
      words = bits_of(x);
    moved_[x.node()->stored().buffer] = buffer_of(*device_, packed(words, x.node()->stored().storage));
    return x;
  }

  static Words packed(const Words& words, StorageType storage) {
    return bytes_of(storage) == 4 ? words : joined(words, storage);
  }

  /// Expects the CPU's bits of hardware with so many resident invocations, and these dispatches.
  template <class Forms = AsHardware, class Make>
  void expect(const Make& make, const std::string& names) {
    const Tensor result = make();
    Words expected;
    if (result.dtype() == DType::boolean)
      for (const bool value : result.to_vector<bool>()) expected.push_back(value ? 1 : 0);
    else
      expected = bits_of(result);
    Forms target(*device_, resident_);
    ReduceKernel kernel = planned_reduce(make(), moved_);
    kernel.out.storage = word_storage(dtype_of(kernel.out.storage));
    expect_reduce(*device_, target, kernel, names, expected);
    text_ = glsl_of(target.target(), kernel);
  }

  inline static std::unique_ptr<gl::GlRuntime> device_;
  MovedBuffers moved_;
  uint64_t seed_ = 0;
  std::string text_;  ///< of the last kernel
  int64_t resident_ = 4096;
};

}  // namespace eglantine::test
