#include <algorithm>
#include <cstdlib>

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "codegen/stage.hpp"
#include "graph/expression.hpp"
#include "layout/collapse.hpp"
#include "layout/divide.hpp"
#include "layout/split.hpp"
#include "lower/copies.hpp"
#include "lower/lowering.hpp"
#include "lower/map/transpose_program.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

using codegen::Bindings;
using codegen::LoadStage;
using codegen::StoreStage;
using codegen::Uniforms;

constexpr int64_t word = 4;  // bytes
constexpr int64_t elements_a_dispatch = int64_t{1} << 30;
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

bool is_packed(const Strided& x) { return element_bytes(x) < word; }

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
  if (is_packed(kernel.out) && !program.writes_whole_words()) return false;
  lowering.dispatch(program.dispatch());
  return true;
}

Dispatch planned(const Target& target, const MapKernel& kernel) {
  const MapSchedule schedule = schedule_of(target, kernel.value);
  auto program = plan(target, kernel, schedule, true);
  // A buffer read both by vec4 and by element takes two bindings; reading by element always takes one.
  if (program->bindings.size() > target.max_bindings) program = plan(target, kernel, schedule, false);
  Dispatch dispatch = dispatch_of("map " + std::string(name_of(kernel.out.dtype)), program->source(), program->bindings,
                                  program->uniforms);
  // Groups beyond the limit of one dimension continue in the next.
  const int64_t rows = ceil_divide(schedule.grid.groups, target.max_groups);
  dispatch.groups = {static_cast<uint32_t>(ceil_divide(schedule.grid.groups, rows)), static_cast<uint32_t>(rows), 1};
  return dispatch;
}

void run_window(Lowering& lowering, const MapKernel& kernel) {
  if (!run_transposed(lowering, kernel)) lowering.dispatch(planned(lowering.target(), kernel));
}

std::vector<Layout> layouts_of(const MapKernel& kernel) {
  std::vector<Layout> layouts;
  for (const Strided& operand : kernel.value.operands) layouts.push_back(operand.layout);
  layouts.push_back(kernel.out.layout);
  return layouts;
}

/// The kernel over one box of its domain, with axes merged again.
MapKernel restricted(const MapKernel& kernel, const layout::Box& box) {
  std::vector<Layout> layouts = layouts_of(kernel);
  layouts.insert(layouts.end(), kernel.value.iotas.begin(), kernel.value.iotas.end());
  for (Layout& x : layouts) x = layout::restrict_to(x, box);
  layout::collapse(layouts);
  MapKernel window = kernel;
  window.value.domain = layouts.front().shape;
  size_t next = 0;
  for (Strided& operand : window.value.operands) operand.layout = layouts[next++];
  window.out.layout = layouts[next++];
  for (Layout& iota : window.value.iotas) iota = layouts[next++];
  return window;
}

/// Whether a window writes whole words, which no other window writes.
bool writes_whole_words(const MapKernel& window) {
  return !is_packed(window.out) || (window.out.layout.is_contiguous() && window.out.layout.offset % vector_width == 0);
}

/// The map by way of an unpacked buffer, where windows share words of a packed one.
void run_unpacked(Lowering& lowering, const MapKernel& kernel) {
  const int64_t elements = kernel.value.domain.elements();
  MapKernel wide = kernel;
  wide.out.buffer = lowering.temporary(elements * word);
  lower(lowering, wide);
  const Layout line = layout::contiguous({elements});
  ExpressionBuilder builder({elements});
  builder.load(wide.out.buffer, DType::boolean, line);
  lower(lowering, MapKernel{builder.take(), {kernel.out.buffer, DType::boolean, line}});
}

}  // namespace

void lower(Lowering& lowering, const MapKernel& kernel) {
  if (std::optional<Copy> copy = copy_of(lowering.target(), kernel)) return lowering.copy(std::move(*copy));
  const Target& target = lowering.target();
  const std::vector<Layout> layouts = layouts_of(kernel);
  const layout::SplitLimits limits{target.max_block_bytes, elements_a_dispatch, target.binding_alignment};
  const Shape multiples = layout::inner_multiples(layouts, vector_width, word, limits);
  const std::vector<layout::Box> boxes =
      layout::split(kernel.value.domain, layouts, multiples, size_of(kernel.out.dtype), limits);
  if (boxes.size() == 1) return run_window(lowering, kernel);
  std::vector<MapKernel> windows;
  for (const layout::Box& box : boxes) windows.push_back(restricted(kernel, box));
  if (!std::all_of(windows.begin(), windows.end(), writes_whole_words)) return run_unpacked(lowering, kernel);
  for (const MapKernel& window : windows) run_window(lowering, window);
}

}  // namespace eglantine::lower
