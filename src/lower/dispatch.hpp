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

/// What a dispatch binds: storage, or a buffer, whose storage is looked up when the dispatch runs.
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

/// Bytes of a buffer at a binding point. offset is a multiple of Target::binding_alignment, size a positive multiple of
/// 4. (Where vec4s are read it may pass a tensor's end: allocations are padded to 16 bytes.)
struct Range {
  Bound storage;
  int64_t offset = 0;
  int64_t size = 0;
  codegen::Texels texels{};  ///< bound as a texture buffer where width > 0
};

/// One glDispatchCompute.
struct Dispatch {
  std::string name;  ///< for errors, logs and timings: "reduce_row sum f32"
  ProgramPtr program;
  std::vector<Range> ranges;  ///< ranges[i] is bound to `layout(std430, binding = i)`, or to that sampler
  uint32_t written = 0;       ///< bit i: the kernel writes ranges[i]; the others are only read
  std::vector<uint32_t>
      uniforms;                 ///< the values of `layout(location = 0) uniform uint eg_u[N];`, N = size; may be empty
  std::vector<int> parameters;  ///< slots of the uniforms that are parameters of the kernel
  std::array<uint32_t, 3> groups{1, 1, 1};
  uint32_t beside = 0;  ///< bit i: of ranges[i] it writes other elements than the dispatch before it, and need not wait
};

}  // namespace eglantine::lower
