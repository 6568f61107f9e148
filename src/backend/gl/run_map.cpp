#include <algorithm>

#include "backend/gl/glsl_header.hpp"
#include "backend/gl/runtime.hpp"
#include "codegen/map.hpp"
#include "eglantine/error.hpp"
#include "graph/op_info.hpp"

namespace eglantine::gl {

namespace {

using codegen::MapProgram;
using codegen::Numbers;

int64_t divide_up(int64_t value, int64_t by) { return (value + by - 1) / by; }

int64_t group_size(const Target& target) { return std::min<int64_t>(target.software ? 64 : 512, target.max_invocations); }

/// Units of a group: the resident set shares them out, in whole rounds of a group, and no invocation loops longer than the driver lets it.
int64_t chunk_of(const Target& target, int64_t units) {
  const int64_t size = group_size(target), resident = std::max<int64_t>(1, target.resident_invocations / size);
  int64_t rounds = std::max<int64_t>(1, divide_up(divide_up(units, resident), size));
  if (target.max_loop_trips > 0) rounds = std::min(rounds, target.max_loop_trips / 4);
  const int64_t groups = std::min<int64_t>(target.max_groups, 65535);
  return std::max(rounds, divide_up(divide_up(units, groups), size)) * size;
}

void dispatch(Runtime& runtime, const MapKernel& kernel, const Numbers& numbers) {
  const Target& target = runtime.target();
  const int64_t units = divide_up(numbers.count, 4), chunk = chunk_of(target, units);
  const auto program = std::make_shared<const MapProgram>(kernel, numbers, group_size(target), chunk, target.max_block_bytes, target.binding_alignment);
  Dispatch work;
  work.name = "map " + std::string(name_of(kernel.out.dtype)) + " " + std::string(name_of(kernel.value.code.back().op));
  work.key = program->key();
  work.source = [program, target] { return program->source(glsl_header(target)); };
  for (int i = 0; i < program->bindings().size(); ++i) {
    const codegen::Bindings::Block& block = program->bindings().at(i);
    work.ranges.push_back({&block.buffer->storage(), program->bindings().first_byte(i), program->bindings().bytes(i)});
    if (block.written) work.written |= 1U << i;
  }
  work.uniforms = program->uniforms();
  work.groups = {static_cast<uint32_t>(divide_up(units, chunk)), 1, 1};
  runtime.dispatch(work);
}

/// Runs elements `numbers`, in halves until the ranges of each half fit their bindings.
void run_numbers(Runtime& runtime, const MapKernel& kernel, const Numbers& numbers) {
  const Target& target = runtime.target();
  constexpr int64_t largest = int64_t{1} << 30;
  if (numbers.count <= largest && MapProgram(kernel, numbers, 64, 64, target.max_block_bytes, target.binding_alignment).fits()) return dispatch(runtime, kernel, numbers);
  if (numbers.count <= 4) throw DeviceError("[map] four neighbouring elements of an operand are further apart than this device can bind");
  const int64_t half = std::max<int64_t>(4, numbers.count / 2 / 4 * 4);
  run_numbers(runtime, kernel, {numbers.first, half});
  run_numbers(runtime, kernel, {numbers.first + half, numbers.count - half});
}

}  // namespace

void run(Runtime& runtime, const MapKernel& kernel) {
  run_numbers(runtime, kernel, {0, kernel.value.domain.elements()});
}

}  // namespace eglantine::gl
