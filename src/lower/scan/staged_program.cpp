#include "lower/scan/staged_program.hpp"

#include <algorithm>

#include "codegen/addresses/access_pattern.hpp"
#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "eglantine/own.hpp"
#include "graph/op/op_info.hpp"
#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t most_staged_lanes = 2;

void flip(Expr& x, int axis) {
  for (Strided& operand : x.operands) operand.layout = layout::flip(operand.layout, axis);
  for (Layout& iota : x.iotas) iota = layout::flip(iota, axis);
}

codegen::AccessPattern pattern_of_all(const Layout& x) { return codegen::access_pattern_of(x, {0, x.shape.rank()}); }

bool reads_in_line(const Expr& x) {
  return x.piecewise.empty() && x.calls.empty() && x.stored.empty() &&
         std::ranges::all_of(x.operands, [](const Strided& operand) {
           const codegen::AccessPattern pattern = pattern_of_all(operand.layout);
           return pattern == codegen::AccessPattern::contiguous || pattern == codegen::AccessPattern::broadcast;
         });
}

codegen::AddressSpec in_line(const Shape& domain, const char* name) { return {name, domain, {{0, domain.rank()}}, 4}; }

}  // namespace

std::optional<StagedScan> staged_scan(const Target& target, const ScanPlan& plan, const ScanWindow& window) {
  const Shape& domain = window.kernel.prologue.domain;
  const int64_t rows = codegen::count_of(domain, {0, window.kernel.kept_rank});
  const bool are_short = plan.pattern == ScanPattern::register_resident && plan.lanes <= most_staged_lanes;
  const std::optional<StagedGroup> group = staged_group(target, plan.length);
  if (!are_short || !group || !is_worth_staging(target, rows, plan.length)) return std::nullopt;
  StagedScan scan{window.kernel};
  scan.reversed = scan.kernel.out.layout.strides.back() < 0;
  if (scan.reversed) {
    const int axis = window.kernel.kept_rank;
    flip(scan.kernel.prologue, axis);
    flip(scan.kernel.epilogue, axis);
    scan.kernel.out.layout = layout::flip(scan.kernel.out.layout, axis);
  }
  if (pattern_of_all(scan.kernel.out.layout) != codegen::AccessPattern::contiguous ||
      !reads_in_line(scan.kernel.prologue) || !reads_in_line(scan.kernel.epilogue))
    return std::nullopt;
  scan.lanes = plan.lanes;
  scan.rows = *group;
  return scan;
}

ScanStagedProgram::ScanStagedProgram(const Target& target, const StagedScan& scan, bool vectors)
    : BoundProgram(target, vectors, target.texel_reads),
      scan_(scan),
      rows_(codegen::count_of(scan.kernel.prologue.domain, {0, scan.kernel.kept_rank})),
      length_(scan.kernel.prologue.domain[scan.kernel.kept_rank]),
      windows_{{0, rows_ * length_}},
      load_(in_line(scan.kernel.prologue.domain, "eg_load"), scan.kernel.prologue, reads_),
      epilogue_(in_line(scan.kernel.epilogue.domain, "eg_epilogue"), scan.kernel.epilogue, reads_),
      store_(in_line(scan.kernel.prologue.domain, "eg_store"), scan.kernel.out, vectors),
      unroll_(2 * unroll_of(scan.kernel.prologue)) {
  load_.bind(bindings_, windows_);
  epilogue_.bind(bindings_, windows_);
  store_.bind(bindings_, windows_);
  grid_ =
      streaming_grid(target, rows_, scan.rows.rows_at_once(), scan.rows.group, 2 * length_ * scan.rows.rows_each + 4);
  uniforms_.add(rows_);
  uniforms_.add(grid_.chunk);
  uniforms_.add(length_);
  load_.add_uniforms(bindings_, windows_, uniforms_);
  epilogue_.add_uniforms(bindings_, windows_, uniforms_);
  store_.add_uniforms(bindings_, windows_, uniforms_);
}

std::string ScanStagedProgram::defines() const {
  using codegen::define;
  std::string text = "#define EG_VALUE " + std::string(codegen::value_type(load_.dtype(), 1)) + "\n#define EG_VALUES " +
                     std::string(codegen::value_type(load_.dtype(), 4)) + "\n#define EG_ONE_IN_ARRAY " +
                     std::string(codegen::stored_type(load_.dtype(), 1)) + "\n";
  if (scan_.kernel.exclusive) text += "#define EG_EXCLUSIVE\n";
  if (scan_.reversed) text += "#define EG_REVERSED\n";
  return text + define("EG_GROUP_SIZE", scan_.rows.group) + define("EG_ROWS_EACH", scan_.rows.rows_each) +
         define("EG_LANES", scan_.lanes) + define("EG_WORDS", scan_.rows.words) + loads_at_once(unroll_);
}

Dispatch ScanStagedProgram::dispatch() const {
  const ScanKernel& kernel = scan_.kernel;
  const std::string operation = kernel.custom ? kernel.custom->name : std::string(name_of(kernel.reduction));
  const std::string holes = codegen::combine_functions(kernel.reduction, load_.dtype(), kernel.custom) +
                            load_.text(bindings_) + epilogue_.text(bindings_) + store_.text(bindings_) +
                            scan_finish_function(epilogue_, kernel.reduction, load_.dtype(), kernel.exclusive);
  Dispatch dispatch = dispatch_of("scan_staged " + operation + " " + std::string(name_of(load_.dtype())),
                                  {"scan_staged.comp", defines(), holes}, bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
  return dispatch;
}

}  // namespace eglantine::lower
