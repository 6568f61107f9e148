#include "codegen/map.hpp"

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"

namespace eglantine::codegen {

namespace {

AddressSpec spec_of(const char* name, const MapKernel& kernel) {
  return {name, kernel.value.domain, {{0, kernel.value.domain.rank()}}, 4, 0};
}

}  // namespace

MapProgram::MapProgram(const MapKernel& kernel, const Numbers& numbers, int64_t group_size, int64_t chunk, int64_t max_bytes, int64_t alignment)
    : group_size_(group_size), bindings_(max_bytes, alignment), loader_(spec_of("eg_load", kernel), kernel.value, true), sink_(spec_of("eg_sink", kernel), kernel.out, true) {
  uniforms_.add(numbers.first / 4);
  uniforms_.add((numbers.count + 3) / 4);
  uniforms_.add(chunk);
  loader_.bind(bindings_, {numbers});
  sink_.bind(bindings_, {numbers});
  loader_.place(bindings_, {numbers}, uniforms_);
  sink_.place(bindings_, {numbers}, uniforms_);
}

std::string MapProgram::key() const {
  return "map" + std::to_string(group_size_) + "|" + loader_.key() + "|" + sink_.key() + "|" + bindings_.key();
}

std::string MapProgram::source(std::string_view header) const {
  SourceParts parts;
  parts.template_name = "map.comp";
  parts.defines = "#define EG_SIZE " + literal(static_cast<uint64_t>(group_size_)) + "\n#define EG_FIRST eg_u[0]\n#define EG_UNITS eg_u[1]\n#define EG_CHUNK eg_u[2]\n";
  parts.holes = loader_.text(bindings_) + sink_.text(bindings_);
  parts.uniforms = uniforms_.size();
  return assemble(header, parts, bindings_);
}

}  // namespace eglantine::codegen
