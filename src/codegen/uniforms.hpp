#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eglantine::codegen {

/// The words of `uniform uint eg_u[]`: all values of a kernel at run time. Slots are assigned in an order that only the
/// kernel's structure decides, so that equal programs have equal slots.
class Uniforms {
 public:
  /// Adds the value modulo 2^32, as shaders compute addresses and counts; returns its slot.
  int add(int64_t value);
  /// Adds a parameter of the kernel's expressions, bits of any dtype; returns its slot.
  int add_parameter(uint32_t bits);
  /// Adds three words for eg_divide(): the length (in [1, 2^31)), and the multiplier and shift that divide by it.
  int add_divisor(int64_t length);
  int size() const { return static_cast<int>(words_.size()); }
  std::vector<uint32_t> words() const { return words_; }
  /// The slots of the parameters, in order.
  const std::vector<int>& parameters() const { return parameters_; }

 private:
  std::vector<uint32_t> words_;
  std::vector<int> parameters_;
};

/// "eg_u[7]".
std::string uniform_at(int slot);
/// "eg_divide(text, eg_u[7], ...)": text / length, for a number below 2^31.
std::string divided_by(const std::string& text, int divisor_slot);

/// GLSL of eg_divide.
std::string_view divide_function();

}  // namespace eglantine::codegen
