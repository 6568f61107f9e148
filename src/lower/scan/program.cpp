#include "lower/scan/program.hpp"

#include <algorithm>
#include <bit>

#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "eglantine/own.hpp"
#include "graph/op_info.hpp"
#include "layout/divide.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;

constexpr int64_t unit = 4;
// Units of a round of ScanPattern::column_spread: 4 KiB of shared memory.
constexpr int64_t spread_slots = 128;
// Of the invocations that a software device is said to hold: a round for each core, so that it is wide.
constexpr int64_t software_rounds = 512;

/// Rows, then elements of a row (or its chunks), by units of four elements or of four columns.
AddressSpec spec_of(const ScanPlan& plan, const Shape& domain, const char* name) {
  const int kept = domain.rank() - 1;
  return {name, domain, {{0, kept}, {kept, 1}}, unit, plan.along_memory() ? 1 : 0};
}

AddressSpec sums_spec(const ScanPlan& plan, const Shape& domain, const char* name) {
  AddressSpec spec = spec_of(plan, domain, name);
  if (plan.along_memory()) spec.width = 1;
  return spec;
}

}  // namespace

std::string scan_finish_function(const codegen::LoadStage& apply_epilogue, Reduction reduction, DType dtype,
                                 bool exclusive) {
  std::string text = "void eg_finish(uint number, EG_VALUES values) {\n";
  // The identity of adding floats is -0.0, and an exclusive sum starts with 0.0. (Drivers drop `+ 0.0`.)
  const bool from_zero = exclusive && starts_at_negative_zero(reduction, dtype);
  text +=
      from_zero
          ? "  EG_VALUES accumulator = mix(values, vec4(0.0), equal(floatBitsToUint(values), uvec4(0x80000000u)));\n"
          : "  EG_VALUES accumulator = values;\n";
  return text + "  eg_store(number, eg_epilogue(number" + (apply_epilogue.reads_accumulator() ? ", accumulator" : "") +
         "));\n}\n";
}

ScanProgram::ScanProgram(const Target& target, const ScanPlan& plan, ScanPass pass, const ScanPart& part, bool vectors)
    : plan_(plan),
      pass_(pass),
      reduction_(part.kernel.reduction),
      custom_(part.kernel.custom),
      exclusive_(part.kernel.exclusive),
      rows_(codegen::count_of(part.kernel.prologue.domain, {0, part.kernel.kept_rank})),
      length_(part.kernel.prologue.domain[part.kernel.kept_rank]),
      chunks_(part.chunks),
      load_(spec_of(plan, part.kernel.prologue.domain, "eg_load"), part.kernel.prologue, vectors),
      bindings_(target.max_block_bytes, target.binding_alignment),
      unroll_(target.software ? 1 : unroll_of(part.kernel.prologue)) {
  if (pass == ScanPass::reduce && part.ends) {
    --chunks_;
    length_ = chunks_ * plan.chunk;
  }
  numbers_ = {{0, rows_}, {0, length_}};
  load_.bind(bindings_, numbers_);
  if (pass == ScanPass::scan) {
    epilogue_.emplace(spec_of(plan, part.kernel.epilogue.domain, "eg_epilogue"), part.kernel.epilogue, vectors);
    epilogue_->bind(bindings_, numbers_);
    store_.emplace(spec_of(plan, part.kernel.prologue.domain, "eg_store"), part.kernel.out, vectors);
    store_->bind(bindings_, numbers_);
  }
  if (part.sums) add_sums(part, vectors);
  plan_grid(target);
  place();
}

void ScanProgram::add_sums(const ScanPart& part, bool vectors) {
  const Shape& domain = part.sums->layout.shape;
  chunk_numbers_ = {{0, rows_}, {0, domain[domain.rank() - 1]}};
  if (pass_ == ScanPass::reduce) {
    total_.emplace(sums_spec(plan_, domain, "eg_total_store"), *part.sums, vectors);
    total_->bind(bindings_, chunk_numbers_);
  } else {
    first_chunks_without_carry_ = part.first_chunk == 0 ? 1 : 0;
    carry_.emplace(sums_spec(plan_, domain, "eg_carry_load"), load_of(*part.sums), vectors);
    carry_->bind(bindings_, chunk_numbers_);
  }
}

void ScanProgram::plan_grid(const Target& target) {
  const int64_t group = plan_.group_size;
  if (serial()) {
    units_ = ceil_divide(rows_, unit);
    if (spread()) {
      // A round is as long as its slots let it, and short enough for every core to have one.
      const int64_t rounds = ceil_divide(target.resident_invocations, software_rounds);
      units_at_once_ = group * std::clamp<int64_t>(units_ * chunks_ / rounds / group, 1, spread_slots / group);
      const int64_t runs = ceil_divide(plan_.chunk, scan_run) * (units_at_once_ / group);
      grid_ = resident_grid(target, across() * chunks_, 1, group, runs * (scan_run + 3) + 4);
      return;
    }
    const int64_t items = (column() ? units_ : rows_) * chunks_;
    const int64_t chunk = std::min(plan_.chunk, length_), steps = column() ? chunk : ceil_divide(chunk, unit);
    // Loops over blocks, runs and steps.
    grid_ = resident_grid(target, items, group, group, steps + chunk / scan_run + chunk / scan_block + 4);
    return;
  }
  // One trip a tile, and those of its levels.
  constexpr int64_t trips_of_a_tile = 8;
  if (plan_.pattern == ScanPattern::row) {
    grid_ = resident_grid(target, rows_ * chunks_, 1, group, plan_.chunk / tile_of(group) * trips_of_a_tile + 1);
    return;
  }
  row_log2_ = std::bit_width(static_cast<uint64_t>(ceil_divide(length_, unit) - 1));
  grid_ = resident_grid(target, rows_, (group * scan_units) >> row_log2_, group, trips_of_a_tile);
}

int64_t ScanProgram::across() const { return spread() ? ceil_divide(units_, units_at_once_) : units_; }

void ScanProgram::place() {
  uniforms_.add(plan_.pattern == ScanPattern::rows ? rows_ : (column() ? across() : rows_) * chunks_);
  uniforms_.add(grid_.chunk);
  uniforms_.add_divisor(column() ? across() : chunks_);
  uniforms_.add(column() ? length_ : ceil_divide(length_, unit));
  if (plan_.pattern == ScanPattern::rows) {
    uniforms_.add(1);
  } else if (plan_.pattern == ScanPattern::row) {
    uniforms_.add(plan_.chunk / tile_of(plan_.group_size));
  } else {
    uniforms_.add(column() ? plan_.chunk : plan_.chunk / unit);
  }
  uniforms_.add(spread() ? units_at_once_ : row_log2_);
  if (spread()) uniforms_.add(units_);
  load_.place(bindings_, numbers_, uniforms_);
  if (epilogue_) epilogue_->place(bindings_, numbers_, uniforms_);
  if (store_) store_->place(bindings_, numbers_, uniforms_);
  if (total_) total_->place(bindings_, chunk_numbers_, uniforms_);
  if (!carry_) return;
  carry_skip_slot_ = uniforms_.add(first_chunks_without_carry_);
  carry_->place(bindings_, chunk_numbers_, uniforms_);
}

std::string ScanProgram::defines() const {
  using codegen::define;
  std::string text = "#define EG_VALUE " + std::string(codegen::value_type(load_.dtype(), 1)) + "\n#define EG_VALUES " +
                     std::string(codegen::value_type(load_.dtype(), 4)) + "\n" +
                     define("EG_GROUP_SIZE", plan_.group_size);
  if (exclusive_) text += "#define EG_EXCLUSIVE\n";
  if (pass_ == ScanPass::reduce) text += "#define EG_REDUCE\n";
  if (carry_) text += "#define EG_CARRIES\n";
  if (serial()) {
    const int64_t elements = column() ? 1 : unit;  // of a row in a step
    text += std::string(column() ? "#define EG_COLUMNS\n#define EG_SUM EG_VALUES\n" : "#define EG_SUM EG_VALUE\n");
    if (spread()) text += "#define EG_SPREAD\n" + define("EG_SLOTS", spread_slots);
    return text + define("EG_UNROLL", unroll_) + "#define EG_RUN " + codegen::literal(scan_run / elements) +
           "\n#define EG_BLOCK " + codegen::literal(scan_block / elements) + "\n";
  }
  if (plan_.pattern == ScanPattern::rows) text += "#define EG_ROWS\n";
  return text + define("EG_UNITS", scan_units) +
         define("EG_SLOTS_LOG2", std::countr_zero(static_cast<uint64_t>(plan_.group_size * scan_units))) +
         define("EG_SHARED", scan_shared_values(plan_.group_size));
}

std::string ScanProgram::seek_function() const {
  std::string text = "void eg_seek(uint number) {\n  eg_load_seek(number);\n";
  if (epilogue_) text += "  eg_epilogue_seek(number);\n  eg_store_seek(number);\n";
  if (total_) text += "  eg_total_store_seek(number);\n";
  if (carry_) text += "  eg_carry_load_seek(number);\n";
  return text + "}\n";
}

/// eg_total, or eg_carry.
std::string ScanProgram::sums_function() const {
  const std::string type(codegen::value_type(load_.dtype(), column() ? 4 : 1));
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
  holes += seek_function() + sums_function();
  if (epilogue_) holes += scan_finish_function(*epilogue_, reduction_, load_.dtype(), exclusive_);
  return holes;
}

Dispatch ScanProgram::dispatch() const {
  constexpr std::array<const char*, 7> patterns{"chain",      "held",   "row",          "rows",
                                                "row_serial", "column", "column_spread"};
  const std::string operation = custom_ ? custom_->name : std::string(name_of(reduction_));
  const std::string name = std::string("scan_") + patterns[static_cast<size_t>(plan_.pattern)] +
                           (pass_ == ScanPass::reduce ? " totals " : " ") + operation + " " +
                           std::string(name_of(load_.dtype()));
  Dispatch dispatch =
      dispatch_of(name, {serial() ? "scan_serial.comp" : "scan_row.comp", defines(), holes()}, bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
  return dispatch;
}

}  // namespace eglantine::lower
