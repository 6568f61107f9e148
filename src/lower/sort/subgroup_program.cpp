#include "lower/sort/subgroup_program.hpp"

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

std::string bits_function(DType dtype, int flip_slot) {
  return "uint eg_bits(uint key) { return eg_sorted_bits_" + std::string(name_of(dtype)) + "(key, " +
         codegen::uniform_at(flip_slot) + "); }\n";
}

Dispatch sort_dispatch(const std::string& name, DType dtype, const SubgroupProgram& program) {
  std::string holes = program.reads ? program.reader.text(program.bindings) : "";
  if (program.writer) holes += program.writer->text(program.bindings);
  Dispatch dispatch = dispatch_of(name + " " + std::string(name_of(dtype)),
                                  {name + ".comp", codegen::define("EG_GROUP_SIZE", program.group) + program.defines,
                                   holes + program.functions, program.subgroups && program.writer.has_value()},
                                  program.bindings, program.uniforms);
  dispatch.groups[0] = static_cast<uint32_t>(program.groups);
  return dispatch;
}

}  // namespace eglantine::lower
