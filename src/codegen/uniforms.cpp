#include "codegen/uniforms.hpp"

#include <bit>

namespace eglantine::codegen {

int Uniforms::add(int64_t value) {
  words_.push_back(static_cast<uint32_t>(static_cast<uint64_t>(value)));
  return size() - 1;
}

int Uniforms::add_parameter(uint32_t bits) {
  parameters_.push_back(add(bits));
  return parameters_.back();
}

// Division by a constant d as a multiplication (Granlund and Montgomery, "Division by invariant integers using
// multiplication", 1994): with s = ceil(log2 d) and m = ceil(2^(31+s) / d) < 2^32, n / d = (m * 2n) >> (32 + s) for
// every n < 2^31.
int Uniforms::add_divisor(int64_t length) {
  const uint64_t divisor = static_cast<uint64_t>(length);
  const int shift = std::bit_width(divisor - 1);
  const uint64_t multiplier = ((uint64_t{1} << (31 + shift)) + divisor - 1) / divisor;
  const int slot = add(length);
  add(static_cast<int64_t>(multiplier));
  add(shift);
  return slot;
}

std::string uniform_at(int slot) { return "eg_u[" + std::to_string(slot) + "]"; }

std::string divided_by(const std::string& text, int divisor_slot) {
  return "eg_divide(" + text + ", " + uniform_at(divisor_slot + 1) + ", " + uniform_at(divisor_slot + 2) + ")";
}

std::string_view divide_function() {
  return "// n / d for n < 2^31: see codegen/uniforms.cpp.\n"
         "uint eg_divide(uint n, uint multiplier, uint shift) {\n"
         "  uint high, low;\n"
         "  umulExtended(n << 1, multiplier, high, low);\n"
         "  return high >> shift;\n"
         "}\n";
}

}  // namespace eglantine::codegen
