#include "lower/tile/program.hpp"

#include <algorithm>
#include <bit>

#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "eglantine/own.hpp"
#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

// A software device runs one SIMD vector of eight invocations through all its trips before the next: groups of eight
// access memory in order. Groups are larger where eight would take too many loop trips for a tile.
constexpr int64_t software_group = 8, hardware_group = 256;
// On a software device four loads at once gain 15 % over one, for twice the time to compile; two are a compromise.
constexpr int software_unroll = 2, hardware_unroll = 4;
// Vectors that a lane combines: enough to have loads in flight, few enough that a group has many tiles.
constexpr int64_t vectors_a_lane = 16;
// Lanes for one row of a tile: at most one memory access of a group.
constexpr int64_t lanes_a_row = 32;
// The most vectors of a lane: 128 runs of 128.
constexpr int64_t most_vectors_a_lane = 1 << 14;
// Vectors of a run, whose sum is then set aside: this bounds the error of float sums.
constexpr int64_t vectors_a_run = 128;

int64_t bit_ceil(int64_t x) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(x))); }

codegen::AddressSpec spec_of(const char* name, const Shape& domain, int width) {
  return {name, domain, {{0, domain.rank()}}, width, 0};
}

int64_t most_vectors_of_lane(const Target& target) {
  return target.max_loop_trips == 0 ? most_vectors_a_lane : std::min(most_vectors_a_lane, target.max_loop_trips / 3);
}

/// Invocations of a group, for tiles of so many vectors.
int64_t group_for(const Target& target, int64_t vectors) {
  if (!target.software) return group_size_of(target, hardware_group);
  const int64_t wanted = bit_ceil(ceil_divide(vectors, most_vectors_of_lane(target)));
  return group_size_of(target, std::clamp(wanted, software_group, hardware_group));
}

}  // namespace

int64_t most_tile_vectors(const Target& target) {
  return group_size_of(target, hardware_group) * most_vectors_of_lane(target);
}

TileProgram::TileProgram(const Target& target, const TileKernel& kernel, bool vectors)
    : BoundProgram(target, vectors, target.texel_reads),
      reduction_(kernel.reduction),
      custom_(kernel.custom),
      tile_(kernel.tile),
      grid_of_tiles_(kernel.epilogue.domain),
      width_(TileText::width_of(kernel.prologue.domain, kernel.tile)),
      text_(kernel.prologue.domain, tile_, grid_of_tiles_, width_),
      load_(spec_of("eg_load", kernel.prologue.domain, width_), kernel.prologue, reads_),
      epilogue_(spec_of("eg_epilogue", grid_of_tiles_, 1), kernel.epilogue, codegen::Vectors::none),
      store_(spec_of("eg_store", grid_of_tiles_, 1), kernel.out, false),
      elements_{0, kernel.prologue.domain.elements()},
      tiles_{0, grid_of_tiles_.elements()},
      unroll_(std::min(unroll_of(kernel.prologue), target.software ? software_unroll : hardware_unroll)) {
  load_.bind(bindings_, {elements_});
  epilogue_.bind(bindings_, {tiles_});
  store_.bind(bindings_, {tiles_});
  plan_grid(target);
  add_uniforms();
}

/// Invocations of a tile: few for many small tiles, a whole group's for few large ones.
int64_t TileProgram::lanes_of(const Target& target) const {
  const int64_t vectors = text_.vector_count(), most = std::min(group_size_, bit_ceil(ceil_divide(vectors, 2)));
  if (target.software) {
    const bool plenty = tiles_.count * software_group >= target.resident_invocations;
    return plenty && vectors <= most_vectors_of_lane(target) ? 1 : most;
  }
  const int64_t row = ceil_divide(tile_[tile_.rank() - 1], width_);
  int64_t lanes = std::max(bit_ceil(ceil_divide(vectors, vectors_a_lane)), bit_ceil(std::min(row, lanes_a_row)));
  while (lanes * tiles_.count < target.resident_invocations && lanes < most) lanes *= 2;
  return std::min(lanes, most);
}

void TileProgram::plan_grid(const Target& target) {
  group_size_ = group_for(target, text_.vector_count());
  const int64_t lanes = lanes_of(target), vectors = ceil_divide(text_.vector_count(), lanes);
  lanes_log2_ = std::bit_width(static_cast<uint64_t>(lanes - 1));
  const int64_t trips = vectors + 2 * ceil_divide(vectors, vectors_a_run) + lanes_log2_ + 2;
  grid_ = streaming_grid(target, tiles_.count, group_size_ >> lanes_log2_, group_size_, trips);
}

void TileProgram::add_uniforms() {
  uniforms_.add(tiles_.count);
  uniforms_.add(grid_.chunk);
  uniforms_.add(lanes_log2_);
  uniforms_.add(text_.vector_count());
  text_.add_uniforms(uniforms_);
  load_.add_uniforms(bindings_, {elements_}, uniforms_);
  epilogue_.add_uniforms(bindings_, {tiles_}, uniforms_);
  store_.add_uniforms(bindings_, {tiles_}, uniforms_);
}

codegen::SourceParts TileProgram::parts() const {
  using codegen::define;
  const DType dtype = codegen::combined_as(load_.dtype());
  const std::string value(codegen::value_type(dtype, 1)), vector(codegen::value_type(dtype, width_));
  const std::string defines = define("EG_GROUP_SIZE", group_size_) + define("EG_RUN", vectors_a_run) +
                              define("EG_UNROLL", unroll_) + define("EG_VALUE", value) + define("EG_VECTOR", vector) +
                              (lanes_log2_ == 0 ? define("EG_ALONE") : "");
  std::string holes = load_.text(bindings_) + codegen::combine_functions(reduction_, dtype, custom_) +
                      text_.vector_functions(dtype) + text_.element_functions();
  holes += epilogue_.text(bindings_) + store_.text(bindings_);
  holes += "void eg_finish(uint tile, " + value + " result) {\n  eg_store(tile, eg_epilogue(tile" +
           (epilogue_.reads_accumulator() ? ", " + codegen::from_stored(dtype, load_.dtype(), 1, "result") : "") +
           "));\n}\n";
  return {"tile_reduce.comp", defines, std::move(holes)};
}

Dispatch TileProgram::dispatch() const {
  const std::string operation = custom_ ? custom_->name : std::string(name_of(reduction_));
  Dispatch dispatch = dispatch_of("tile_reduce " + operation + " " + std::string(name_of(load_.dtype())), parts(),
                                  bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
  return dispatch;
}

}  // namespace eglantine::lower
