#include "lower/scan/single_pass_program.hpp"

#include <algorithm>

#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "eglantine/own.hpp"
#include "graph/op_info.hpp"
#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;

constexpr int64_t unit = 4, warp = 32;
// How often a group looks for what another should publish, before it computes that itself: milliseconds, where what it
// waits for takes microseconds. Where trips are bounded they are too dear to wait.
constexpr int64_t spin_limit = 4096, short_spin_limit = 16;

/// Rows, then elements of a row, by units; or what the row's tiles publish.
AddressSpec spec_of(const Shape& domain, const char* name, int64_t width) {
  const int kept = domain.rank() - 1;
  return {name, domain, {{0, kept}, {kept, 1}}, static_cast<int>(width), 1};
}

/// Where all units are whole a chain's program does not test what a unit may store, which takes registers
/// (docs/scan.md). Held rows are 4 % faster with the test.
AddressSpec spec_of(const ScanPlan& plan, const Shape& domain, const char* name) {
  AddressSpec spec = spec_of(domain, name, unit);
  spec.whole = plan.pattern == ScanPattern::chain && domain[domain.rank() - 1] % unit == 0;
  return spec;
}

}  // namespace

ScanTileProgram::ScanTileProgram(const Target& target, const ScanPlan& plan, const ScanPart& part, bool vectors)
    : plan_(plan),
      reduction_(part.kernel.reduction),
      custom_(part.kernel.custom),
      exclusive_(part.kernel.exclusive),
      subgroups_(target.subgroup == warp),
      rows_(codegen::count_of(part.kernel.prologue.domain, {0, part.kernel.kept_rank})),
      length_(part.kernel.prologue.domain[part.kernel.kept_rank]),
      tiles_(part.chunks),
      numbers_{{0, rows_}, {0, length_}},
      load_(spec_of(plan, part.kernel.prologue.domain, "eg_load"), part.kernel.prologue, vectors),
      epilogue_(spec_of(plan, part.kernel.epilogue.domain, "eg_epilogue"), part.kernel.epilogue, vectors),
      store_(spec_of(plan, part.kernel.prologue.domain, "eg_store"), part.kernel.out, vectors),
      bindings_(target.max_block_bytes, target.binding_alignment) {
  load_.bind(bindings_, numbers_);
  epilogue_.bind(bindings_, numbers_);
  store_.bind(bindings_, numbers_);
  if (part.sums) bind_parts(*part.sums);
  plan_grid(target);
  place(target, part);
}

void ScanTileProgram::bind_parts(const Strided& parts) {
  const Shape& domain = parts.layout.shape;
  part_numbers_ = {{0, rows_}, {0, domain[domain.rank() - 1]}};
  parts_.emplace(spec_of(domain, "eg_part", 1)).add(parts.layout, false);
  const layout::Reach pairs = parts_->reached(0, part_numbers_);
  parts_binding_ = bindings_.add_awaited_pairs(parts.buffer.get(), {2 * pairs.first, 2 * pairs.last + 1});
}

void ScanTileProgram::plan_grid(const Target& target) {
  if (chain()) {
    grid_ = {std::min(target.max_groups_x, rows_ * tiles_), 1};
    return;
  }
  const int64_t at_once = plan_.group_size / plan_.holders;
  grid_ = resident_grid(target, rows_, at_once, plan_.group_size);
  if (!target.large_pages) return;
  // In large pages one group after another is fastest.
  grid_.chunk = ceil_divide(ceil_divide(rows_, at_once), target.max_groups_x) * at_once;
  grid_.groups = ceil_divide(rows_, grid_.chunk);
}

void ScanTileProgram::place(const Target& target, const ScanPart& part) {
  uniforms_.add(chain() ? rows_ * tiles_ : rows_);
  uniforms_.add(grid_.chunk);
  uniforms_.add_divisor(tiles_);
  uniforms_.add(ceil_divide(length_, unit));
  uniforms_.add(part.first_chunk);
  uniforms_.add(plan_.chunks());
  uniforms_.add(target.max_loop_trips > 0 ? short_spin_limit : spin_limit);
  load_.place(bindings_, numbers_, uniforms_);
  epilogue_.place(bindings_, numbers_, uniforms_);
  store_.place(bindings_, numbers_, uniforms_);
  if (parts_) parts_->place({bindings_.first_element(parts_binding_) / 2}, part_numbers_[1].count - 1, uniforms_);
}

std::string ScanTileProgram::defines() const {
  using codegen::define;
  std::string text = "#define EG_VALUE " + std::string(codegen::value_type(load_.dtype(), 1)) + "\n#define EG_VALUES " +
                     std::string(codegen::value_type(load_.dtype(), 4)) + "\n#define EG_IN_ARRAY " +
                     std::string(codegen::stored_type(load_.dtype(), 4)) + "\n#define EG_ONE_IN_ARRAY " +
                     std::string(codegen::stored_type(load_.dtype(), 1)) + "\n";
  if (exclusive_) text += "#define EG_EXCLUSIVE\n";
  if (subgroups_) text += "#define EG_SUBGROUPS\n";
  if (chain()) text += "#define EG_CHAIN\n";
  if (one_row()) text += "#define EG_ONE_ROW\n";
  return text + define("EG_GROUP_SIZE", plan_.group_size) + define("EG_UNITS", plan_.units) +
         define("EG_LANES", std::min(warp, plan_.holders)) + define("EG_WARPS", ceil_divide(plan_.holders, warp));
}

/// eg_arrived and eg_publish: over zeros, (bits, bits ^ key) is there when its halves fit. A half alone fits only where
/// the other one would not change the value: where the bits are the key's, or zero.
std::string ScanTileProgram::parts_functions() const {
  if (!parts_) return "";
  const std::string statements = parts_->statements("part");
  const std::string place = codegen::block_name(parts_binding_) + "[" + parts_->element(0, 0) + "]";
  const std::string published = "uvec2(bits, bits ^ 0x9e3779b9u)";
  return "bool eg_arrived(uint part, out EG_VALUE value) {\n" + statements + "  uvec2 found = " + place +
         ";\n  uint bits = found.x;\n  value = " + codegen::from_bits(load_.dtype(), "bits") +
         ";\n  return found == " + published + ";\n}\nvoid eg_publish(uint part, EG_VALUE value) {\n" + statements +
         "  uint bits = " + codegen::to_bits(load_.dtype(), "value") + ";\n  " + place + " = " + published + ";\n}\n";
}

std::string ScanTileProgram::holes() const {
  std::string holes = codegen::combine_functions(reduction_, load_.dtype(), custom_) + load_.text(bindings_) +
                      epilogue_.text(bindings_) + store_.text(bindings_);
  if (parts_) holes += parts_->seek_function();
  holes += "void eg_seek(uint number) {\n  eg_load_seek(number);\n  eg_epilogue_seek(number);\n";
  holes += "  eg_store_seek(number);\n";
  if (parts_) holes += "  eg_part_seek(number);\n";
  return holes + "}\n" + scan_finish_function(epilogue_, reduction_, load_.dtype(), exclusive_) + parts_functions();
}

Dispatch ScanTileProgram::dispatch() const {
  const std::string operation = custom_ ? custom_->name : std::string(name_of(reduction_));
  const std::string name =
      std::string(chain() ? "scan_chain " : "scan_held ") + operation + " " + std::string(name_of(load_.dtype()));
  Dispatch dispatch = dispatch_of(name, {"scan_tile.comp", defines(), holes(), subgroups_}, bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
  return dispatch;
}

}  // namespace eglantine::lower
