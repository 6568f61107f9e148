#include <algorithm>
#include <cstdlib>

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "codegen/stage.hpp"
#include "graph/expression.hpp"
#include "layout/divide.hpp"
#include "lower/copies.hpp"
#include "lower/expressions.hpp"
#include "lower/lowering.hpp"
#include "lower/map/transpose_program.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

using codegen::Bindings;
using codegen::LoadStage;
using codegen::StoreStage;
using codegen::Uniforms;

// A software device runs one SIMD vector of eight invocations through all its trips before the next: groups of eight
// access memory in order.
constexpr int64_t software_group = 8, hardware_group = 512;

/// A map's program with its bindings and uniforms.
struct MapProgram {
  LoadStage load;
  StoreStage store;
  Bindings bindings;
  Uniforms uniforms;
  int64_t group_size;
  int unroll;
  bool short_path;

  codegen::SourceParts source() const {
    using codegen::define;
    return {"map.comp",
            define("EG_GROUP_SIZE", group_size) + define("EG_UNROLL", unroll) +
                (short_path ? define("EG_SHORT_PATH") : "") + define("EG_VALUE", codegen::value_type(load.dtype(), 4)) +
                define("EG_IN_ARRAY", codegen::stored_type(load.dtype(), 4)) + define("EG_VECTORS", "eg_u[0]") +
                define("EG_CHUNK", "eg_u[1]"),
            load.text(bindings) + store.text(bindings)};
  }
};

/// Work group, grid and unrolling of a map.
struct MapSchedule {
  int64_t group_size;
  Grid grid;
  int unroll;
  bool short_path = false;  ///< the program also has a short path for few vectors

  /// EG_CHUNK of map.comp; 0 selects the short path.
  int64_t chunk(const Target& target) const {
    const bool is_short = short_path && grid.chunk == group_size && grid.groups <= target.max_groups;
    return is_short ? 0 : grid.chunk;
  }
};

/// One vector an invocation where several operands stream; two where something is computed between load and store, so
/// that two loads precede two stores (docs/performance.md, "Streaming maps").
MapSchedule streaming_schedule(const Target& target, const Expr& value, int64_t vectors) {
  const bool several = value.operands.size() > 1, computes = !several && value.code.size() > 1;
  const int64_t group_size = group_size_of(target, computes ? 128 : 256), chunk = (several ? 1 : 2) * group_size;
  return {group_size, {ceil_divide(vectors, chunk), chunk}, computes ? 2 : 1};
}

/// Resident groups with contiguous chunks and several loads in flight touch few pages at a time.
MapSchedule schedule_of(const Target& target, const Expr& value) {
  const int64_t vectors = ceil_divide(value.domain.elements(), vector_width);
  if (target.large_pages && vectors > target.resident_invocations) return streaming_schedule(target, value, vectors);
  const int64_t group_size = group_size_of(target, target.software ? software_group : hardware_group);
  const Grid grid = resident_grid(target, vectors, group_size, group_size, trips_of(value));
  return {group_size, grid, unroll_of(value), !target.software};
}

std::shared_ptr<MapProgram> plan(const Target& target, const MapKernel& kernel, const MapSchedule& schedule,
                                 bool vectors) {
  const Shape& domain = kernel.value.domain;
  codegen::AddressSpec spec{"eg_load", domain, {{0, domain.rank()}}};
  spec.whole = counts_on_whole_vectors(target, domain.elements());
  codegen::AddressSpec out_spec = spec;
  out_spec.name = "eg_store";
  auto program = std::make_shared<MapProgram>(
      MapProgram{LoadStage(spec, kernel.value, vectors), StoreStage(out_spec, kernel.out, vectors),
                 Bindings(target.max_block_bytes, target.binding_alignment, target.texel_reads), Uniforms(),
                 schedule.group_size, schedule.unroll, schedule.short_path});
  const int64_t elements = domain.elements();
  const std::vector<Window> all{{0, elements}};
  program->load.bind(program->bindings, all);
  program->store.bind(program->bindings, all);
  program->uniforms.add(ceil_divide(elements, vector_width));
  program->uniforms.add(schedule.chunk(target));
  program->load.add_uniforms(program->bindings, all, program->uniforms);
  program->store.add_uniforms(program->bindings, all, program->uniforms);
  return program;
}

/// By a tiled transpose, where an operand is strided along the output's rows and the bindings suffice.
bool run_transposed(Lowering& lowering, const MapKernel& kernel) {
  const Target& target = lowering.target();
  const std::optional<Transposed> transposed = transposed_operands(target, kernel.value);
  if (!transposed) return false;
  const TransposeProgram program(target, kernel, *transposed);
  if (program.bindings() > target.max_bindings) return false;
  if (is_narrow(kernel.out.storage) && !program.writes_whole_words()) return false;
  lowering.dispatch(program.dispatch());
  return true;
}

Dispatch planned(const Target& target, const MapKernel& kernel) {
  const MapSchedule schedule = schedule_of(target, kernel.value);
  auto program = plan(target, kernel, schedule, true);
  // A buffer read both by vec4 and by element takes two bindings; reading by element always takes one.
  if (program->bindings.size() > target.max_bindings) program = plan(target, kernel, schedule, false);
  Dispatch dispatch = dispatch_of("map " + std::string(name_of(kernel.out.dtype())), program->source(),
                                  program->bindings, program->uniforms);
  // Groups beyond the limit of one dimension continue in the next.
  const int64_t rows = ceil_divide(schedule.grid.groups, target.max_groups);
  dispatch.groups = {static_cast<uint32_t>(ceil_divide(schedule.grid.groups, rows)), static_cast<uint32_t>(rows), 1};
  return dispatch;
}

void run_window(Lowering& lowering, const MapKernel& kernel) {
  if (!run_transposed(lowering, kernel)) lowering.dispatch(planned(lowering.target(), kernel));
}

/// The kernel over one box of its domain, its axes merged again as far as they can be.
MapKernel restricted(MapKernel kernel, const layout::Box& box) {
  restrict_to(kernel.value, box);
  kernel.out.layout = layout::restrict_to(kernel.out.layout, box);
  collapse(kernel);
  return kernel;
}

/// Whether a window writes whole words, which no other window writes.
bool writes_whole_words(const MapKernel& window) {
  return !is_narrow(window.out.storage) ||
         (window.out.layout.is_contiguous() && window.out.layout.offset % vector_width == 0);
}

/// The map into memory of a word an element, and from there into narrow storage: where windows would share words.
void run_by_words(Lowering& lowering, const MapKernel& kernel) {
  const Layout line = layout::contiguous({kernel.value.domain.elements()});
  Strided words = lowering.temporary(kernel.out.dtype(), line);
  lower(lowering, MapKernel{kernel.value, {words.buffer, words.storage, kernel.out.layout}});
  lower(lowering, MapKernel{load_of(words), {kernel.out.buffer, kernel.out.storage, line}});
}

}  // namespace

void lower(Lowering& lowering, const MapKernel& kernel) {
  if (std::optional<Copy> copy = copy_of(lowering.target(), kernel)) return lowering.copy(std::move(*copy));
  const Target& target = lowering.target();
  const Cut cut = cut_along_inner(target, layouts_of(kernel), vector_width, widest_element(kernel));
  const std::vector<layout::Box> boxes = windows_of(target, kernel.value.domain, cut);
  if (boxes.size() == 1) return run_window(lowering, kernel);
  std::vector<MapKernel> windows;
  for (const layout::Box& box : boxes) windows.push_back(restricted(kernel, box));
  if (!std::all_of(windows.begin(), windows.end(), writes_whole_words)) return run_by_words(lowering, kernel);
  for (const MapKernel& window : windows) run_window(lowering, window);
}

}  // namespace eglantine::lower
