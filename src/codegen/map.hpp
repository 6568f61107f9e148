#pragma once

#include "codegen/stage.hpp"

namespace eglantine::codegen {

/// The program of one dispatch of a map: elements `numbers` (row-major) of its domain.
class MapProgram {
 public:
  MapProgram(const MapKernel& kernel, const Numbers& numbers, int64_t group_size, int64_t chunk, int64_t max_bytes, int64_t alignment);

  bool fits() const { return bindings_.fits(); }
  const Bindings& bindings() const { return bindings_; }
  std::vector<uint32_t> uniforms() const { return uniforms_.words(); }
  std::string key() const;
  std::string source(std::string_view header) const;

 private:
  int64_t group_size_;
  Bindings bindings_;
  Uniforms uniforms_;
  Loader loader_;
  Sink sink_;
};

}  // namespace eglantine::codegen
