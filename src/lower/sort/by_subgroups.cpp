#include "lower/sort/by_subgroups.hpp"

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "lower/glsl_header.hpp"

namespace eglantine::gl {

std::string define(const char* name, const std::string& value) {
  return "#define " + std::string(name) + " " + value + "\n";
}

std::string record_defines(bool pairs) {
  if (!pairs) return define("EG_RECORD", "uint") + define("EG_KEY(record)", "record");
  return define("EG_RECORD", "uvec2") + define("EG_KEY(record)", "record.x") + define("EG_VALUE(record)", "record.y");
}

std::string order_function(DType dtype, int flip_slot) {
  return "uint eg_order(uint bits) { return eg_sort_key_" + std::string(name_of(dtype)) + "(bits, " +
         codegen::uniform_at(flip_slot) + "); }\n";
}

Dispatch sort_dispatch(const Target& device, const std::string& name, DType dtype,
                       const std::shared_ptr<const SortParts>& parts) {
  const std::string defines = define("EG_GROUP_SIZE", std::to_string(parts->group)) + parts->defines;
  const std::string key = name + defines + codegen::letter_of(dtype) + parts->bindings.key() + parts->reader.key() +
                          (parts->writer ? ">" + parts->writer->key() : "");
  Dispatch dispatch = dispatch_of(name + " " + std::string(name_of(dtype)), key, parts->bindings, parts->uniforms);
  dispatch.source = [=] {
    std::string holes = parts->reader.text(parts->bindings);
    if (parts->writer) holes += parts->writer->text(parts->bindings);
    return codegen::assemble(glsl_header(device, parts->writer.has_value()),
                             {name + ".comp", defines, holes + parts->functions, parts->uniforms.size()},
                             parts->bindings);
  };
  dispatch.groups[0] = static_cast<uint32_t>(parts->groups);
  return dispatch;
}

}  // namespace eglantine::gl
