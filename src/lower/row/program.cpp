#include "lower/row/program.hpp"

#include <algorithm>

#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "lower/row/text.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;

/// Rows, then elements of a row.
AddressSpec spec_of(const RowPlan& plan, const RowKernel& kernel, const char* name) {
  const Shape& domain = kernel.prologue.domain;
  return {name,
          domain,
          {{0, kernel.kept_rank}, {kernel.kept_rank, domain.rank() - kernel.kept_rank}},
          4,
          plan.across ? 0 : 1};
}

/// Of what becomes of a result: an element's, or, where the operation reduces, a row's.
AddressSpec result_spec(const RowPlan& plan, const RowKernel& kernel, const char* name) {
  if (!reduces(kernel.op)) return spec_of(plan, kernel, name);
  return {name, output_of_rows(kernel).layout.shape, {{0, kernel.kept_rank}}, plan.across ? 4 : 1, 0};
}

}  // namespace

RowProgram::RowProgram(const Target& target, const RowPlan& plan, const RowKernel& kernel, bool vectors)
    : op_(kernel.op),
      plan_(plan),
      numbers_{{0, plan.rows}, {0, plan.length}},
      row_numbers_(reduces(kernel.op) ? std::vector<codegen::Numbers>{{0, plan.rows}} : numbers_),
      load_(spec_of(plan, kernel, "eg_load"), kernel.prologue, vectors),
      epilogue_(result_spec(plan, kernel, "eg_epilogue"), reduces(op_) ? epilogue_of_rows(kernel) : kernel.epilogue,
                vectors),
      store_(result_spec(plan, kernel, "eg_store"), reduces(op_) ? output_of_rows(kernel) : kernel.out, vectors),
      bindings_(target.max_block_bytes, target.binding_alignment) {
  load_.bind(bindings_, numbers_);
  epilogue_.bind(bindings_, row_numbers_);
  store_.bind(bindings_, row_numbers_);
  plan_grid(target);
  place();
}

void RowProgram::plan_grid(const Target& target) {
  const int64_t rounds = ceil_divide(plan_.steps(), plan_.lanes * plan_.units);
  const int64_t trips = 2 * rounds * (plan_.units + 1) + 4 * plan_.parts() + 2 * plan_.lanes / plan_.parts() + 2;
  if (plan_.ahead) {
    // Rows of one group follow each other, and the groups at work touch few pages: the device's fill with half of the
    // invocations, since the registers hold two rows.
    Target half = target;
    half.resident_invocations /= 2;
    grid_ = resident_grid(half, plan_.items(), plan_.abreast(), plan_.group_size, trips);
  } else if (target.large_pages) {
    const int64_t rounds_of_items = ceil_divide(plan_.items(), plan_.abreast());
    const int64_t rounds_a_group = ceil_divide(rounds_of_items, target.max_groups);
    grid_ = {ceil_divide(rounds_of_items, rounds_a_group), rounds_a_group * plan_.abreast()};
  } else {
    grid_ = resident_grid(target, plan_.items(), plan_.abreast(), plan_.group_size, trips);
  }
}

void RowProgram::place() {
  uniforms_.add(plan_.items());
  uniforms_.add(grid_.chunk);
  uniforms_.add(plan_.steps());
  uniforms_.add(plan_.length);
  load_.place(bindings_, numbers_, uniforms_);
  epilogue_.place(bindings_, row_numbers_, uniforms_);
  store_.place(bindings_, row_numbers_, uniforms_);
}

std::string RowProgram::defines() const {
  using codegen::define;
  std::string text = define("EG_ROW", plan_.across ? "vec4" : "float") + (plan_.across ? define("EG_ACROSS") : "") +
                     define("EG_GROUP_SIZE", plan_.group_size) + define("EG_LANES", plan_.lanes) +
                     define("EG_UNITS", plan_.units) + define("EG_PARTS", plan_.parts());
  if (plan_.exp2) text += define("EG_EXP2");
  if (plan_.held) text += define("EG_HELD");
  if (plan_.ahead) text += define("EG_AHEAD");
  if (plan_.subgroups) text += define("EG_SUBGROUPS");
  if (reduces(op_)) text += define("EG_REDUCES");
  return text;
}

std::string RowProgram::holes() const {
  std::string text =
      codegen::row_functions(op_) + load_.text(bindings_) + epilogue_.text(bindings_) + store_.text(bindings_);
  const std::string accumulator = epilogue_.reads_accumulator() ? ", accumulator" : "";
  if (reduces(op_))
    return text + "void eg_result(uint item, EG_ROW accumulator) { eg_store(item, eg_epilogue(item" + accumulator +
           ")); }\n";
  return text + "void eg_aim(uint item) {\n  eg_epilogue_seek(item);\n  eg_store_seek(item);\n}\n" +
         "void eg_write(uint step, vec4 accumulator) { eg_store(step, eg_epilogue(step" + accumulator + ")); }\n";
}

Dispatch RowProgram::dispatch() const {
  const std::string name =
      std::string(plan_.across ? "row_across" : "row") + (plan_.held ? " " : "_reread ") + std::string(name_of(op_));
  Dispatch dispatch = dispatch_of(name, {"row.comp", defines(), holes(), plan_.subgroups}, bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
  return dispatch;
}

}  // namespace eglantine::lower
