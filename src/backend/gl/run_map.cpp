#include <algorithm>
#include <cstdlib>

#include "backend/gl/glsl_header.hpp"
#include "backend/gl/program_dispatch.hpp"
#include "backend/gl/runtime.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "codegen/stage.hpp"
#include "layout/collapse.hpp"
#include "layout/split.hpp"

namespace eglantine::gl {
namespace {

using codegen::Bindings;
using codegen::Loader;
using codegen::Numbers;
using codegen::Sink;
using codegen::Uniforms;

constexpr int64_t unit = 4;  // elements
constexpr int64_t word = 4;  // bytes
constexpr int64_t elements_a_dispatch = int64_t{1} << 30;
// A software device runs one vector of eight invocations through all its trips before the next: a group of eight walks
// through memory in order.
constexpr int64_t software_group = 8, hardware_group = 512;

constexpr int64_t tile_lines = 32, tile_units = 8;

/// The axis along which some operand lies in memory, when that is not the innermost one: on hardware such a domain is
/// walked in tiles, so that what is fetched with one element is used for its neighbours before it is evicted. -1: none.
int tiled_axis(const Target& target, const MapKernel& kernel, bool vectors) {
  const Shape& domain = kernel.value.domain;
  const int inner = domain.rank() - 1;
  if (target.software || !vectors || target.max_invocations < tile_lines * tile_units || domain[inner] % unit != 0)
    return -1;
  for (const Strided& operand : kernel.value.operands) {
    const auto stride = [&](int axis) { return std::abs(operand.layout.strides[static_cast<size_t>(axis)]); };
    for (int axis = 0; axis < inner; ++axis)
      if (stride(axis) == 1 && stride(inner) > 1 && domain[axis] >= unit && domain[inner] >= unit) return axis;
  }
  return -1;
}

/// The numbers of a tiled walk: units before, along and after the tiled axis, and the tiles there are.
struct Tiling {
  int64_t lines, between, units, tiles_down, tiles_across, tiles;
};

Tiling tiling_of(const Shape& domain, int axis) {
  Tiling tiling{domain[axis], 1, domain[domain.rank() - 1] / unit, 0, 0, 0};
  for (int i = axis + 1; i < domain.rank() - 1; ++i) tiling.between *= domain[i];
  tiling.tiles_down = (tiling.lines + tile_lines - 1) / tile_lines;
  tiling.tiles_across = (tiling.units + tile_units - 1) / tile_units;
  int64_t planes = tiling.between;
  for (int i = 0; i < axis; ++i) planes *= domain[i];
  tiling.tiles = planes * tiling.tiles_down * tiling.tiles_across;
  return tiling;
}

/// eg_unit(tile, lane). A warp takes 8 lines by 4 units, whole sectors of memory on either side; tiles go down bands of
/// 16, so that the groups at work at a time touch few pages. eg_u[1...]: the members of Tiling.
constexpr const char* unit_of_tile = R"(uint eg_unit(uint tile, uint lane) {
  uint lines = eg_u[1], between = eg_u[2], units = eg_u[3], down = eg_u[4], across = eg_u[5];
  uint plane = tile / (down * across), rest = tile % (down * across);
  uint band = rest / (16u * across), in_band = rest % (16u * across), height = min(16u, down - band * 16u);
  uint line = (band * 16u + in_band % height) * 32u + ((lane & 7u) | ((lane >> 2) & 24u));
  uint unit = in_band / height * 8u + (((lane >> 3) & 3u) | ((lane >> 5) & 4u));
  if (line >= lines || unit >= units) return 0xffffffffu;
  return ((plane / between * lines + line) * between + plane % between) * units + unit;
}
)";

/// A program and the numbers that one dispatch gives it.
struct MapProgram {
  Loader load;
  Sink store;
  Bindings bindings;
  Uniforms uniforms;
  int64_t group_size;
  int unroll;
  bool tiled;

  std::string source(const Target& target) const {
    const codegen::SourceParts parts{
        "map.comp",
        "#define EG_GROUP_SIZE " + std::to_string(group_size) + "\n#define EG_UNROLL " + std::to_string(unroll) +
            "\n#define EG_VALUE " + std::string(codegen::value_type(load.dtype(), 4)) +
            "\n#define EG_UNITS eg_u[0]\n#define EG_CHUNK eg_u[1]\n" + (tiled ? "#define EG_TILES eg_u[0]\n" : ""),
        load.text(bindings) + store.text(bindings) + (tiled ? unit_of_tile : ""), uniforms.size()};
    return codegen::assemble(glsl_header(target), parts, bindings);
  }
};

std::shared_ptr<MapProgram> plan(const Target& target, const MapKernel& kernel, const Grid& grid, int64_t group_size,
                                 bool vectors, int tiled) {
  const Shape& domain = kernel.value.domain;
  const codegen::AddressSpec spec{"eg_load", domain, {{0, domain.rank()}}};
  codegen::AddressSpec out_spec = spec;
  out_spec.name = "eg_store";
  auto program = std::make_shared<MapProgram>(
      MapProgram{Loader(spec, kernel.value, vectors), Sink(out_spec, kernel.out, vectors),
                 Bindings(target.max_block_bytes, target.binding_alignment, target.texel_reads), Uniforms(), group_size,
                 unroll_of(kernel.value), tiled >= 0});
  const int64_t elements = domain.elements();
  const std::vector<Numbers> all{{0, elements}};
  program->load.bind(program->bindings, all);
  program->store.bind(program->bindings, all);
  if (tiled >= 0) {
    const Tiling tiling = tiling_of(domain, tiled);
    for (int64_t number :
         {tiling.tiles, tiling.lines, tiling.between, tiling.units, tiling.tiles_down, tiling.tiles_across})
      program->uniforms.add(number);
  } else {
    program->uniforms.add((elements + unit - 1) / unit);
    program->uniforms.add(grid.chunk);
  }
  program->load.place(program->bindings, all, program->uniforms);
  program->store.place(program->bindings, all, program->uniforms);
  return program;
}

void run_box(Runtime& runtime, const MapKernel& kernel) {
  const Target& target = runtime.target();
  const int64_t units = (kernel.value.domain.elements() + unit - 1) / unit;
  int tiled = tiled_axis(target, kernel, true);
  int64_t group_size =
      tiled >= 0 ? tile_lines * tile_units : group_size_of(target, target.software ? software_group : hardware_group);
  Grid grid = resident_grid(target, units, group_size, group_size);
  auto program = plan(target, kernel, grid, group_size, true, tiled);
  // A buffer that is read both by vec4 and by element takes two bindings; one is always enough.
  if (program->bindings.size() > target.max_bindings) {
    tiled = -1;
    program = plan(target, kernel, grid, group_size, false, tiled);
  }
  if (tiled >= 0) grid.groups = std::min(tiling_of(kernel.value.domain, tiled).tiles, grid.groups);
  Dispatch dispatch = dispatch_of("map " + std::string(name_of(kernel.out.dtype)),
                                  (tiled >= 0 ? "tiled" : "map") + std::to_string(group_size) +
                                      program->bindings.key() + program->load.key() + ">" + program->store.key(),
                                  program->bindings, program->uniforms);
  dispatch.source = [program, target] { return program->source(target); };
  dispatch.groups[0] = static_cast<uint32_t>(grid.groups);
  runtime.dispatch(dispatch);
}

std::vector<Layout> layouts_of(const MapKernel& kernel) {
  std::vector<Layout> layouts;
  for (const Strided& operand : kernel.value.operands) layouts.push_back(operand.layout);
  layouts.push_back(kernel.out.layout);
  return layouts;
}

/// The kernel over one box of its domain, its axes merged again as far as they can be.
MapKernel restricted(const MapKernel& kernel, const layout::Box& box) {
  std::vector<Layout> layouts = layouts_of(kernel);
  layouts.insert(layouts.end(), kernel.value.indices.begin(), kernel.value.indices.end());
  for (Layout& x : layouts) x = layout::restrict_to(x, box);
  layout::collapse(layouts);
  MapKernel part = kernel;
  part.value.domain = layouts.front().shape;
  size_t next = 0;
  for (Strided& operand : part.value.operands) operand.layout = layouts[next++];
  part.out.layout = layouts[next++];
  for (Layout& index : part.value.indices) index = layouts[next++];
  return part;
}

/// Cuts along the innermost axis keep units whole where a unit fits into a window.
int64_t inner_multiple(const Target& target, const std::vector<Layout>& layouts) {
  const auto wide = [&](const Layout& x) {
    return (std::abs(x.strides.back()) * (unit - 1) + 1) * word + target.binding_alignment > target.max_block_bytes;
  };
  return std::any_of(layouts.begin(), layouts.end(), wide) ? 1 : unit;
}

}  // namespace

void run(Runtime& runtime, const MapKernel& kernel) {
  const Target& target = runtime.target();
  const std::vector<Layout> layouts = layouts_of(kernel);
  Shape multiples = kernel.value.domain;
  std::fill(multiples.begin(), multiples.end(), 1);
  multiples[multiples.rank() - 1] = inner_multiple(target, layouts);
  const layout::SplitLimits limits{target.max_block_bytes, elements_a_dispatch, target.binding_alignment};
  const std::vector<layout::Box> boxes =
      layout::split(kernel.value.domain, layouts, multiples, size_of(kernel.out.dtype), limits);
  if (boxes.size() == 1) return run_box(runtime, kernel);
  for (const layout::Box& box : boxes) run_box(runtime, restricted(kernel, box));
}

}  // namespace eglantine::gl
