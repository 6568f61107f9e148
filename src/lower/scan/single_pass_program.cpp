#include "lower/scan/single_pass_program.hpp"

#include <algorithm>

#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "eglantine/own.hpp"
#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;

constexpr int64_t warp = 32;
// Polls of a partial before a group computes it itself: milliseconds, for what takes microseconds. Fewer where loop
// trips are bounded.
constexpr int64_t spin_limit = 4096, short_spin_limit = 16;

/// Rows, then elements of a row, in vectors; or the partials of a row.
AddressSpec row_spec(const Shape& domain, const char* name, int64_t width) {
  const int kept = domain.rank() - 1;
  return {name, domain, {{0, kept}, {kept, 1}}, static_cast<int>(width), 1};
}

/// Elements of a row, or its vectors. Where all vectors are whole, the look-back program does not test which elements
/// to store, which saves registers (docs/scan.md). Register-resident rows are 4 % faster with the test.
AddressSpec tile_spec(const ScanPlan& plan, const Shape& domain, const char* name, bool singly) {
  AddressSpec spec = row_spec(domain, name, singly ? 1 : vector_width);
  spec.whole = !singly && plan.pattern == ScanPattern::look_back && domain[domain.rank() - 1] % vector_width == 0;
  return spec;
}

/// Whether vectors of x along its rows take an access an element. A warp exchanges those of four lanes or more.
bool is_apart(const ScanPlan& plan, const Strided& x, bool vectors, bool anywhere) {
  if (plan.lanes < vector_width) return false;
  codegen::Addresses addresses(tile_spec(plan, x.layout.shape, "", false));
  const codegen::VectorAccess access = addresses.access(addresses.add(x.layout, vectors, vectors && anywhere));
  return access == codegen::VectorAccess::gather || access == codegen::VectorAccess::strided;
}

bool loads_apart(const ScanPlan& plan, const Expr& x, codegen::Vectors vectors) {
  for (size_t i = 0; i < x.operands.size(); ++i) {
    const bool may = vectors != codegen::Vectors::none && x.piecewise_of(i) == nullptr;
    const bool anywhere = is_narrow(x.operands[i].storage) || vectors == codegen::Vectors::anywhere;
    if (is_apart(plan, x.operands[i], may, anywhere)) return true;
  }
  return false;
}

}  // namespace

ScanTileProgram::ScanTileProgram(const Target& target, const ScanPlan& plan, const ScanWindow& window, bool vectors)
    : BoundProgram(target, vectors, target.texel_reads),
      plan_(plan),
      reduction_(window.kernel.reduction),
      custom_(window.kernel.custom),
      exclusive_(window.kernel.exclusive),
      subgroups_(target.subgroup == warp),
      rows_(codegen::count_of(window.kernel.prologue.domain, {0, window.kernel.kept_rank})),
      length_(window.kernel.prologue.domain[window.kernel.kept_rank]),
      tiles_(window.chunks),
      windows_{{0, rows_}, {0, length_}},
      loads_singly_(loads_apart(plan, window.kernel.prologue, reads_)),
      stores_singly_(!is_narrow(window.kernel.out.storage) && is_apart(plan, window.kernel.out, vectors, false)),
      load_(tile_spec(plan, window.kernel.prologue.domain, "eg_load", loads_singly_), window.kernel.prologue, reads_),
      epilogue_(tile_spec(plan, window.kernel.epilogue.domain, "eg_epilogue", stores_singly_), window.kernel.epilogue,
                reads_),
      store_(tile_spec(plan, window.kernel.prologue.domain, "eg_store", stores_singly_), window.kernel.out, vectors) {
  load_.bind(bindings_, windows_);
  epilogue_.bind(bindings_, windows_);
  store_.bind(bindings_, windows_);
  if (window.sums) bind_partials(*window.sums);
  plan_grid(target);
  add_uniforms(target, window);
}

void ScanTileProgram::bind_partials(const Strided& partials) {
  const Shape& domain = partials.layout.shape;
  partial_windows_ = {{0, rows_}, {0, domain[domain.rank() - 1]}};
  partials_.emplace(row_spec(domain, "eg_partial", 1)).add(partials.layout, false);
  const layout::Reach pairs = partials_->reached(0, partial_windows_);
  partials_binding_ = bindings_.add_awaited_pairs(partials.buffer.get(), {2 * pairs.first, 2 * pairs.last + 1});
}

void ScanTileProgram::plan_grid(const Target& target) {
  if (look_back()) {
    grid_ = {std::min(target.max_groups_x, rows_ * tiles_), 1};
    return;
  }
  const int64_t at_once = plan_.group_size / plan_.lanes;
  grid_ = resident_grid(target, rows_, at_once, plan_.group_size);
  if (!target.large_pages) return;
  // In large pages one group after another is fastest.
  grid_.chunk = ceil_divide(ceil_divide(rows_, at_once), target.max_groups_x) * at_once;
  grid_.groups = ceil_divide(rows_, grid_.chunk);
}

void ScanTileProgram::add_uniforms(const Target& target, const ScanWindow& window) {
  uniforms_.add(look_back() ? rows_ * tiles_ : rows_);
  uniforms_.add(grid_.chunk);
  uniforms_.add_divisor(tiles_);
  uniforms_.add(ceil_divide(length_, vector_width));
  uniforms_.add(window.first_chunk);
  uniforms_.add(plan_.chunks());
  uniforms_.add(target.max_loop_trips > 0 ? short_spin_limit : spin_limit);
  uniforms_.add(length_);
  load_.add_uniforms(bindings_, windows_, uniforms_);
  epilogue_.add_uniforms(bindings_, windows_, uniforms_);
  store_.add_uniforms(bindings_, windows_, uniforms_);
  if (partials_)
    partials_->add_uniforms({bindings_.first_element(partials_binding_) / 2}, partial_windows_[1].count - 1, uniforms_);
}

std::string ScanTileProgram::defines() const {
  using codegen::define;
  std::string text = "#define EG_VALUE " + std::string(codegen::value_type(load_.dtype(), 1)) + "\n#define EG_VALUES " +
                     std::string(codegen::value_type(load_.dtype(), 4)) + "\n#define EG_IN_ARRAY " +
                     std::string(codegen::stored_type(load_.dtype(), 4)) + "\n#define EG_ONE_IN_ARRAY " +
                     std::string(codegen::stored_type(load_.dtype(), 1)) + "\n";
  if (exclusive_) text += "#define EG_EXCLUSIVE\n";
  if (subgroups_) text += "#define EG_SUBGROUPS\n";
  if (look_back()) text += "#define EG_LOOK_BACK\n";
  if (one_row()) text += "#define EG_ONE_ROW\n";
  if (loads_singly_) text += "#define EG_LOADS_SINGLY\n";
  if (stores_singly_) text += "#define EG_STORES_SINGLY\n";
  return text + define("EG_GROUP_SIZE", plan_.group_size) + define("EG_VECTORS", plan_.vectors) +
         define("EG_LANES", std::min(warp, plan_.lanes)) + define("EG_WARPS", ceil_divide(plan_.lanes, warp));
}

/// eg_arrived and eg_publish: a partial is (bits, bits ^ key), which has arrived over zeros when both words match. One
/// word alone matches only where the other would not change the value: where the bits are the key's, or zero.
std::string ScanTileProgram::partials_functions() const {
  if (!partials_) return "";
  const std::string statements = partials_->statements("partial");
  const std::string place = codegen::block_name(partials_binding_) + "[" + partials_->element(0, 0) + "]";
  const std::string published = "uvec2(bits, bits ^ 0x9e3779b9u)";
  return "bool eg_arrived(uint partial, out EG_VALUE value) {\n" + statements + "  uvec2 found = " + place +
         ";\n  uint bits = found.x;\n  value = " + codegen::from_bits(load_.dtype(), "bits") +
         ";\n  return found == " + published + ";\n}\nvoid eg_publish(uint partial, EG_VALUE value) {\n" + statements +
         "  uint bits = " + codegen::to_bits(load_.dtype(), "value") + ";\n  " + place + " = " + published + ";\n}\n";
}

std::string ScanTileProgram::holes() const {
  std::string holes = codegen::combine_functions(reduction_, load_.dtype(), custom_) + load_.text(bindings_) +
                      epilogue_.text(bindings_) + store_.text(bindings_);
  if (partials_) holes += partials_->address_function();
  holes += "void eg_address(uint number) {\n  eg_load_address(number);\n  eg_epilogue_address(number);\n";
  holes += "  eg_store_address(number);\n";
  if (partials_) holes += "  eg_partial_address(number);\n";
  return holes + "}\n" +
         scan_finish_function(epilogue_, reduction_, load_.dtype(), exclusive_, stores_singly_ ? 1 : 4) +
         partials_functions();
}

Dispatch ScanTileProgram::dispatch() const {
  const std::string operation = custom_ ? custom_->name : std::string(name_of(reduction_));
  const std::string name = std::string(look_back() ? "scan_look_back " : "scan_register_resident ") + operation + " " +
                           std::string(name_of(load_.dtype()));
  Dispatch dispatch = dispatch_of(name, {"scan_tile.comp", defines(), holes(), subgroups_}, bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
  return dispatch;
}

}  // namespace eglantine::lower
