#include "lower/scan/program.hpp"

#include <algorithm>
#include <bit>

#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "eglantine/own.hpp"
#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;

// Vectors of a round of ScanPattern::column_spread: 4 KiB of shared memory.
constexpr int64_t spread_slots = 128;
// Of the resident invocations of a software device: a wide round for each core.
constexpr int64_t software_rounds = 512;

/// Rows, then elements of a row (or its chunks), in vectors of elements or of columns.
AddressSpec spec_of(const ScanPlan& plan, const Shape& domain, const char* name) {
  const int kept = domain.rank() - 1;
  const int width = plan.contiguous() ? vector_width : plan.columns;
  return {name, domain, {{0, kept}, {kept, 1}}, width, plan.contiguous() ? 1 : 0};
}

AddressSpec sums_spec(const ScanPlan& plan, const Shape& domain, const char* name) {
  AddressSpec spec = spec_of(plan, domain, name);
  if (plan.contiguous()) spec.width = 1;
  return spec;
}

}  // namespace

std::string scan_finish_function(const codegen::LoadStage& apply_epilogue, Reduction reduction, DType dtype,
                                 bool exclusive, int width) {
  const std::string type = width == 1 ? "EG_VALUE" : "EG_VALUES";
  std::string text = "void eg_finish(uint number, " + type + " values) {\n  " + type + " accumulator = ";
  // Adding floats has the identity -0.0, and an exclusive sum starts with 0.0. (Drivers drop `+ 0.0`.)
  const bool from_zero = exclusive && starts_at_negative_zero(reduction, dtype);
  if (!from_zero)
    text += "values;\n";
  else if (width == 1)
    text += "floatBitsToUint(values) == 0x80000000u ? 0.0 : values;\n";
  else
    text += "mix(values, vec4(0.0), equal(floatBitsToUint(values), uvec4(0x80000000u)));\n";
  return text + "  eg_store(number, eg_epilogue(number" + (apply_epilogue.reads_accumulator() ? ", accumulator" : "") +
         "));\n}\n";
}

ScanProgram::ScanProgram(const Target& target, const ScanPlan& plan, ScanPass pass, const ScanWindow& window,
                         bool vectors)
    : BoundProgram(target, vectors, target.texel_reads),
      plan_(plan),
      pass_(pass),
      reduction_(window.kernel.reduction),
      custom_(window.kernel.custom),
      exclusive_(window.kernel.exclusive),
      rows_(codegen::count_of(window.kernel.prologue.domain, {0, window.kernel.kept_rank})),
      length_(window.kernel.prologue.domain[window.kernel.kept_rank]),
      chunks_(window.chunks),
      load_(spec_of(plan, window.kernel.prologue.domain, "eg_load"), window.kernel.prologue, reads_),
      unroll_(target.software ? 1 : 2 * unroll_of(window.kernel.prologue)) {
  if (pass == ScanPass::reduce && window.ends) {
    --chunks_;
    length_ = chunks_ * plan.chunk;
  }
  windows_ = {{0, rows_}, {0, length_}};
  load_.bind(bindings_, windows_);
  if (pass == ScanPass::scan) {
    epilogue_.emplace(spec_of(plan, window.kernel.epilogue.domain, "eg_epilogue"), window.kernel.epilogue, reads_);
    epilogue_->bind(bindings_, windows_);
    store_.emplace(spec_of(plan, window.kernel.prologue.domain, "eg_store"), window.kernel.out, vectors);
    store_->bind(bindings_, windows_);
  }
  if (window.sums) add_sums(window, vectors);
  plan_grid(target);
  add_uniforms();
}

void ScanProgram::add_sums(const ScanWindow& window, bool vectors) {
  const Shape& domain = window.sums->layout.shape;
  chunk_windows_ = {{0, rows_}, {0, domain[domain.rank() - 1]}};
  if (pass_ == ScanPass::reduce) {
    total_.emplace(sums_spec(plan_, domain, "eg_total_store"), *window.sums, vectors);
    total_->bind(bindings_, chunk_windows_);
  } else {
    first_chunks_without_carry_ = window.first_chunk == 0 ? 1 : 0;
    carry_.emplace(sums_spec(plan_, domain, "eg_carry_load"), load_of(*window.sums), reads_);
    carry_->bind(bindings_, chunk_windows_);
  }
}

void ScanProgram::plan_grid(const Target& target) {
  const int64_t group = plan_.group_size;
  if (serial()) {
    vectors_ = ceil_divide(rows_, plan_.columns);
    if (spread()) {
      // A round is as long as its slots allow, and short enough for every core to have one.
      const int64_t rounds = ceil_divide(target.resident_invocations, software_rounds);
      vectors_at_once_ = group * std::clamp<int64_t>(vectors_ * chunks_ / rounds / group, 1, spread_slots / group);
      const int64_t runs = ceil_divide(plan_.chunk, scan_run) * (vectors_at_once_ / group);
      grid_ = resident_grid(target, column_items() * chunks_, 1, group, runs * (scan_run + 3) + 4);
      return;
    }
    const int64_t items = (column() ? vectors_ : rows_) * chunks_;
    const int64_t chunk = std::min(plan_.chunk, length_), steps = column() ? chunk : ceil_divide(chunk, vector_width);
    // Loops over blocks, runs and steps.
    grid_ = streaming_grid(target, items, group, group, steps + chunk / scan_run + chunk / scan_block + 4);
    return;
  }
  // One trip a tile, and those of its levels.
  constexpr int64_t trips_of_a_tile = 8;
  if (plan_.pattern == ScanPattern::row) {
    grid_ = resident_grid(target, rows_ * chunks_, 1, group, plan_.chunk / tile_of(group) * trips_of_a_tile + 1);
    return;
  }
  row_log2_ = std::bit_width(static_cast<uint64_t>(ceil_divide(length_, vector_width) - 1));
  grid_ = resident_grid(target, rows_, (group * scan_vectors) >> row_log2_, group, trips_of_a_tile);
}

int64_t ScanProgram::column_items() const { return spread() ? ceil_divide(vectors_, vectors_at_once_) : vectors_; }

void ScanProgram::add_uniforms() {
  uniforms_.add(plan_.pattern == ScanPattern::rows ? rows_ : (column() ? column_items() : rows_) * chunks_);
  uniforms_.add(grid_.chunk);
  uniforms_.add_divisor(column() ? column_items() : chunks_);
  uniforms_.add(column() ? length_ : ceil_divide(length_, vector_width));
  if (plan_.pattern == ScanPattern::rows) {
    uniforms_.add(1);
  } else if (plan_.pattern == ScanPattern::row) {
    uniforms_.add(plan_.chunk / tile_of(plan_.group_size));
  } else {
    uniforms_.add(column() ? plan_.chunk : plan_.chunk / vector_width);
  }
  uniforms_.add(spread() ? vectors_at_once_ : row_log2_);
  if (spread()) uniforms_.add(vectors_);
  load_.add_uniforms(bindings_, windows_, uniforms_);
  if (epilogue_) epilogue_->add_uniforms(bindings_, windows_, uniforms_);
  if (store_) store_->add_uniforms(bindings_, windows_, uniforms_);
  if (total_) total_->add_uniforms(bindings_, chunk_windows_, uniforms_);
  if (!carry_) return;
  carry_skip_slot_ = uniforms_.add(first_chunks_without_carry_);
  carry_->add_uniforms(bindings_, chunk_windows_, uniforms_);
}

std::string ScanProgram::defines() const {
  using codegen::define;
  std::string text = "#define EG_VALUE " + std::string(codegen::value_type(load_.dtype(), 1)) + "\n#define EG_VALUES " +
                     std::string(codegen::value_type(load_.dtype(), width())) + "\n" +
                     define("EG_GROUP_SIZE", plan_.group_size);
  if (exclusive_) text += "#define EG_EXCLUSIVE\n";
  if (pass_ == ScanPass::reduce) text += "#define EG_REDUCE\n";
  if (carry_) text += "#define EG_CARRIES\n";
  if (serial()) {
    const int64_t elements = column() ? 1 : vector_width;  // of a row in a step
    text += std::string(column() ? "#define EG_COLUMNS\n#define EG_SUM EG_VALUES\n" : "#define EG_SUM EG_VALUE\n");
    if (column() && plan_.columns == 1) text += "#define EG_COLUMNS_SINGLY\n";
    if (spread()) text += "#define EG_SPREAD\n" + define("EG_SLOTS", spread_slots);
    return text + (unroll_ > 1 ? loads_at_once(unroll_) : "") + "#define EG_RUN " +
           codegen::literal(scan_run / elements) + "\n#define EG_BLOCK " + codegen::literal(scan_block / elements) +
           "\n";
  }
  if (plan_.pattern == ScanPattern::rows) text += "#define EG_ROWS\n";
  return text + define("EG_VECTORS", scan_vectors) +
         define("EG_SLOTS_LOG2", std::countr_zero(static_cast<uint64_t>(plan_.group_size * scan_vectors))) +
         define("EG_SHARED", scan_shared_values(plan_.group_size));
}

std::string ScanProgram::address_function() const {
  std::string text = "void eg_address(uint number) {\n  eg_load_address(number);\n";
  if (epilogue_) text += "  eg_epilogue_address(number);\n  eg_store_address(number);\n";
  if (total_) text += "  eg_total_store_address(number);\n";
  if (carry_) text += "  eg_carry_load_address(number);\n";
  return text + "}\n";
}

/// eg_total, or eg_carry.
std::string ScanProgram::sums_function() const {
  const std::string type(codegen::value_type(load_.dtype(), column() ? width() : 1));
  if (total_) return "void eg_total(uint chunk, " + type + " total) { eg_total_store(chunk, total); }\n";
  if (!carry_) return "";
  const std::string skip = codegen::uniform_at(carry_skip_slot_);
  return type + " eg_carry(uint chunk) {\n  if (chunk < " + skip + ") return " + type +
         "(eg_identity());\n  return eg_carry_load(chunk - " + skip + ");\n}\n";
}

std::string ScanProgram::holes() const {
  std::string holes = codegen::combine_functions(reduction_, load_.dtype(), custom_) + load_.text(bindings_);
  if (epilogue_) holes += epilogue_->text(bindings_) + store_->text(bindings_);
  if (total_) holes += total_->text(bindings_);
  if (carry_) holes += carry_->text(bindings_);
  holes += address_function() + sums_function();
  if (epilogue_) holes += scan_finish_function(*epilogue_, reduction_, load_.dtype(), exclusive_, width());
  return holes;
}

Dispatch ScanProgram::dispatch() const {
  constexpr std::array<const char*, 7> patterns{"look_back", "register_resident", "row", "rows", "row_serial",
                                                "column",    "column_spread"};
  const std::string operation = custom_ ? custom_->name : std::string(name_of(reduction_));
  const std::string name = std::string("scan_") + patterns[static_cast<size_t>(plan_.pattern)] +
                           (width() == 1 ? "_singly" : "") + (pass_ == ScanPass::reduce ? " totals " : " ") +
                           operation + " " + std::string(name_of(load_.dtype()));
  Dispatch dispatch =
      dispatch_of(name, {serial() ? "scan_serial.comp" : "scan_row.comp", defines(), holes()}, bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
  return dispatch;
}

}  // namespace eglantine::lower
