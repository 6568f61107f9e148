#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eglantine::codegen {

/// `uniform uint eg_u[]`, a kernel's run-time values. Its structure alone decides the slots: equal in equal programs.
class Uniforms {
 public:
  int add(int64_t value);            ///< modulo 2^32, as shaders compute addresses and counts; returns the slot
  int add_parameter(uint32_t bits);  ///< of the kernel, any dtype; returns the slot
  int add_divisor(int64_t length);   ///< in [1, 2^31); three words for eg_divide(): length, multiplier, shift
  int size() const { return static_cast<int>(words_.size()); }
  std::vector<uint32_t> words() const { return words_; }
  const std::vector<int>& parameters() const { return parameters_; }  ///< their slots, in order

 private:
  std::vector<uint32_t> words_;
  std::vector<int> parameters_;
};

std::string uniform_at(int slot);  ///< "eg_u[7]"
/// "eg_divide(text, eg_u[7], ...)": text / length, for a number below 2^31.
std::string divided_by(const std::string& text, int divisor_slot);

std::string_view divide_function();  ///< GLSL of eg_divide

}  // namespace eglantine::codegen
