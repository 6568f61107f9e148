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
          plan.strided ? 0 : 1,
          false,
          plan.whole};
}

/// Of a result: an element's or, where the operation reduces, a row's.
AddressSpec result_spec(const RowPlan& plan, const RowKernel& kernel, const char* name) {
  if (!reduces(kernel.op)) return spec_of(plan, kernel, name);
  return {name, output_of_rows(kernel).layout.shape, {{0, kernel.kept_rank}}, plan.strided ? 4 : 1, 0};
}

}  // namespace

RowProgram::RowProgram(const Target& target, const RowPlan& plan, const RowKernel& kernel, bool vectors)
    : BoundProgram(target, vectors),
      op_(kernel.op),
      parameter_(kernel.parameter),
      plan_(plan),
      windows_{{0, plan.rows}, {0, plan.length}},
      row_windows_(reduces(kernel.op) ? std::vector<Window>{{0, plan.rows}} : windows_),
      load_(spec_of(plan, kernel, "eg_load"), kernel.prologue, reads_),
      epilogue_(result_spec(plan, kernel, "eg_epilogue"), reduces(op_) ? epilogue_of_rows(kernel) : kernel.epilogue,
                reads_),
      store_(result_spec(plan, kernel, "eg_store"), reduces(op_) ? output_of_rows(kernel) : kernel.out, vectors) {
  load_.bind(bindings_, windows_);
  epilogue_.bind(bindings_, row_windows_);
  store_.bind(bindings_, row_windows_);
  if (kernel.second.buffer) {
    mean_.emplace(result_spec(plan, kernel, "eg_mean"), second_of_rows(kernel), vectors);
    mean_->bind(bindings_, row_windows_);
  }
  plan_grid(target);
  add_uniforms();
}

void RowProgram::plan_grid(const Target& target) {
  const int64_t rounds = ceil_divide(plan_.steps(), plan_.lanes * plan_.vectors);
  const int64_t trips =
      2 * rounds * (plan_.vectors + 1) + 4 * plan_.partials() + 2 * plan_.lanes / plan_.partials() + 2;
  if (plan_.prefetch) {
    // A group takes consecutive rows, so that the active groups touch few pages. Half of the resident invocations,
    // since registers hold two rows each.
    Target half = target;
    half.resident_invocations /= 2;
    grid_ = resident_grid(half, plan_.items(), plan_.items_at_once(), plan_.group_size, trips);
  } else if (target.large_pages) {
    const int64_t rounds_of_items = ceil_divide(plan_.items(), plan_.items_at_once());
    const int64_t rounds_a_group = ceil_divide(rounds_of_items, target.max_groups);
    grid_ = {ceil_divide(rounds_of_items, rounds_a_group), rounds_a_group * plan_.items_at_once()};
  } else {
    grid_ = resident_grid(target, plan_.items(), plan_.items_at_once(), plan_.group_size, trips);
  }
}

void RowProgram::add_uniforms() {
  uniforms_.add(plan_.items());
  uniforms_.add(grid_.chunk);
  uniforms_.add(plan_.steps());
  uniforms_.add(plan_.length);
  if (has_parameter(op_)) parameter_slot_ = uniforms_.add_parameter(parameter_);
  load_.add_uniforms(bindings_, windows_, uniforms_);
  epilogue_.add_uniforms(bindings_, row_windows_, uniforms_);
  store_.add_uniforms(bindings_, row_windows_, uniforms_);
  if (mean_) mean_->add_uniforms(bindings_, row_windows_, uniforms_);
}

std::string RowProgram::defines() const {
  using codegen::define;
  std::string text = define("EG_ROW", plan_.strided ? "vec4" : "float") + (plan_.strided ? define("EG_STRIDED") : "") +
                     define("EG_GROUP_SIZE", plan_.group_size) + define("EG_LANES", plan_.lanes) +
                     define("EG_VECTORS", plan_.vectors) + define("EG_PARTIALS", plan_.partials());
  if (plan_.exp2) text += define("EG_EXP2");
  if (plan_.register_resident) text += define("EG_REGISTER_RESIDENT");
  if (plan_.whole) text += define("EG_WHOLE");
  if (plan_.prefetch) text += define("EG_PREFETCH");
  if (plan_.subgroups) text += define("EG_SUBGROUPS");
  if (reduces(op_)) text += define("EG_REDUCES");
  if (has_parameter(op_))
    text += define("EG_PARAMETER", "uintBitsToFloat(" + codegen::uniform_at(parameter_slot_) + ")");
  return text + row_defines(op_);
}

std::string RowProgram::holes() const {
  std::string text = row_functions(op_) + load_.text(bindings_) + epilogue_.text(bindings_) + store_.text(bindings_);
  const std::string accumulator = epilogue_.reads_accumulator() ? ", accumulator" : "";
  if (reduces(op_))
    return text + (mean_ ? mean_->text(bindings_) : "") +
           "void eg_result(uint item, EG_ROW accumulator, EG_ROW first) { " + (mean_ ? "eg_mean(item, first); " : "") +
           "eg_store(item, eg_epilogue(item" + accumulator + ")); }\n";
  return text + "void eg_output_address(uint item) {\n  eg_epilogue_address(item);\n  eg_store_address(item);\n}\n" +
         "void eg_write(uint step, vec4 accumulator) { eg_store(step, eg_epilogue(step" + accumulator + ")); }\n";
}

Dispatch RowProgram::dispatch() const {
  const std::string name = std::string(plan_.strided ? "row_strided" : "row") +
                           (plan_.register_resident ? " " : "_reread ") + std::string(name_of(op_)) +
                           (mean_ ? " and mean" : "");
  Dispatch dispatch = dispatch_of(name, {"row.comp", defines(), holes(), plan_.subgroups}, bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
  return dispatch;
}

}  // namespace eglantine::lower
