#include "lower/sort/by_subgroups.hpp"

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"

namespace eglantine::lower {

std::string record_defines(bool pairs) {
  using codegen::define;
  if (!pairs) return define("EG_RECORD", "uint") + define("EG_KEY(record)", "record");
  return define("EG_RECORD", "uvec2") + define("EG_KEY(record)", "record.x") + define("EG_VALUE(record)", "record.y");
}

std::string order_function(DType dtype, int flip_slot) {
  return "uint eg_order(uint bits) { return eg_sort_key_" + std::string(name_of(dtype)) + "(bits, " +
         codegen::uniform_at(flip_slot) + "); }\n";
}

Dispatch sort_dispatch(const std::string& name, DType dtype, const SortParts& parts) {
  std::string holes = parts.reader.text(parts.bindings);
  if (parts.writer) holes += parts.writer->text(parts.bindings);
  Dispatch dispatch = dispatch_of(name + " " + std::string(name_of(dtype)),
                                  {name + ".comp", codegen::define("EG_GROUP_SIZE", parts.group) + parts.defines,
                                   holes + parts.functions, parts.writer.has_value()},
                                  parts.bindings, parts.uniforms);
  dispatch.groups[0] = static_cast<uint32_t>(parts.groups);
  return dispatch;
}

}  // namespace eglantine::lower
