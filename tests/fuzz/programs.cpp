#include <array>

#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_programs.hpp"
#include "target.hpp"

/// Random graphs over random views on both backends against the reference. Two bytes draw the structure, and with it
/// the GL programs; the others the shapes, views and elements.
namespace eglantine::test {
namespace {

uint64_t hash(std::span<const uint8_t> data) {
  uint64_t result = 0xcbf29ce484222325;  // FNV-1a
  for (const uint8_t byte : data) result = (result ^ byte) * 0x100000001b3;
  return result;
}

void check(std::span<const uint8_t> data) {
  if (data.size() < 3) return;
  const uint64_t structure = data[0] % 64, draw = hash(data.subspan(2));
  for (const std::string& spec : device_specs()) {
    Device::set_current(open_device(spec));
    constexpr std::array programs{random_float_program, random_integer_program,      random_boolean_program,
                                  random_f16_program,   random_i8_program,           random_bf16_program,
                                  random_u8_program,    random_mixed_floats_program, random_mixed_integers_program};
    const Program program = programs[data[1] % programs.size()];
    const Value value = program(structure, draw);
    require(within(value.tensor, value.array, value.error) << " on " << spec);
  }
}

}  // namespace
}  // namespace eglantine::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  eglantine::test::check({data, size});
  return 0;
}
