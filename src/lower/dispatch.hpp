#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/bindings.hpp"
#include "lower/program.hpp"

namespace eglantine {
class Storage;
}  // namespace eglantine

namespace eglantine::lower {

/// What a dispatch binds: storage, or a buffer, whose storage is looked up only when the dispatch runs.
class Bound {
 public:
  Bound(const Storage* storage) : storage_(storage) {}
  Bound(const Buffer* buffer) : buffer_(buffer) {}
  const Storage* storage() const { return storage_; }  ///< null where a buffer is bound
  const Buffer* buffer() const { return buffer_; }     ///< null where storage is bound by itself

 private:
  const Storage* storage_ = nullptr;
  const Buffer* buffer_ = nullptr;
};

/// Part of a buffer at a binding point. offset is a multiple of Target::binding_alignment, size a positive multiple of
/// 4 (a range that vec4 reads may run over the end of a tensor into its padding; allocations are padded to 16 bytes for
/// that).
struct Range {
  Bound storage;
  int64_t offset = 0;
  int64_t size = 0;
  codegen::Texels texels{};  ///< bound as a texture buffer where it has a width
};

/// One glDispatchCompute.
struct Dispatch {
  std::string name;  ///< for errors, logs and timings: "reduce_row sum f32"
  ProgramPtr program;
  std::vector<Range> ranges;       ///< ranges[i] goes to `layout(std430, binding = i)`, or to that sampler
  uint32_t written = 0;            ///< bit i: the kernel writes ranges[i]; the others are only read
  std::vector<uint32_t> uniforms;  ///< goes to `layout(location = 0) uniform uint eg_u[N];`, N = size; may be empty
  std::vector<int> parameters;     ///< which of the uniforms are parameters of the kernel's expressions
  std::array<uint32_t, 3> groups{1, 1, 1};
};

}  // namespace eglantine::lower
