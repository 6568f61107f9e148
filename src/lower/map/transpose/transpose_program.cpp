#include "lower/map/transpose/transpose_program.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "lower/map/transpose/staged_views.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t word = 4;  // bytes
// Bytes of a tile: 16 KiB, so that three groups share a multiprocessor. Twice as many run at two thirds of the
// speed. Half of it holds as many narrow elements in lines as long.
constexpr int64_t tile_bytes = 16384, narrow_tile_bytes = 8192;
// Of several operands' tiles, as many parts of them at least: of two so many registers wait for blocks in larger ones
// that a multiprocessor holds one group (Adam's step of 16,384 x 3392, two operands transposed: 829 us and 541).
constexpr int64_t least_parts_of_several = 4;
constexpr int64_t square_side = 64, side_of_narrow = 128;
// Eight vectors: as many as there are banks of vec4s.
constexpr int64_t least_columns = 32;
// With so few elements of the results between neighbours along the lines a subgroup that loads elements one by one
// reads whole sectors of each line, or of narrow elements most of them, where tiles would be mostly empty.
constexpr int64_t most_in_place = 8;
// Rows of tiles in a band. On small pages the rows of memory that the active groups touch, on either side, decide the
// speed.
constexpr int64_t band_on_large_pages = 1, band_on_small_pages = 32;

codegen::AddressSpec vectors_in_rows(const char* name, const Shape& domain) {
  return {name, domain, {{0, domain.rank()}}, 4, 0, true};
}

int64_t bit_ceil(int64_t x) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(x))); }

bool is_contiguous_along(const Layout& x, int axis) { return std::abs(x.strides[static_cast<size_t>(axis)]) == 1; }

/// Whether lines of narrow results begin or end within words of memory, which are not to be written in parts.
bool begins_within_words(const MapKernel& kernel) {
  const Layout& out = kernel.out.layout;
  if (!is_narrow(kernel.out.storage) || out.strides.back() != 1) return false;
  const int64_t in_word = word / bytes_of(kernel.out.storage);
  bool within = out.offset % in_word != 0;
  for (int axis = 0; axis + 1 < out.shape.rank(); ++axis)
    within = within || (out.shape[axis] > 1 && out.strides[static_cast<size_t>(axis)] % in_word != 0);
  return within || out.shape[out.shape.rank() - 1] % in_word != 0;
}

/// Whether results may be written from where vectors of memory begin in lines, and lines are long beside what is then
/// computed twice at their ends.
bool takes_fours(const MapKernel& kernel) {
  constexpr int64_t shortest = 64;
  const Layout& out = kernel.out.layout;
  return !is_narrow(kernel.out.storage) && out.strides.back() == 1 && out.shape[out.shape.rank() - 1] >= shortest;
}

/// Of narrow results most vectors are those of memory.
codegen::AddressSpec load_spec(const MapKernel& kernel) {
  codegen::AddressSpec spec = vectors_in_rows("eg_load", kernel.value.domain);
  if (begins_within_words(kernel)) spec.beside = kernel.out.layout;
  return spec;
}

/// Whether neighbours along an axis have many elements of the results between them.
bool lies_apart(const Shape& domain, int axis) {
  int64_t between = 1;
  for (int inside = axis + 1; inside < domain.rank(); ++inside) between *= domain[inside];
  return between > most_in_place;
}

}  // namespace

std::optional<Transposed> transposed_operands(const Target& target, const Expr& value) {
  const int inner = value.domain.rank() - 1;
  if (target.software || value.domain[inner] < vector_width) return {};
  Transposed best{-1, {}};
  for (int axis = 0; axis < inner; ++axis) {
    if (value.domain[axis] < vector_width) continue;
    if (!lies_apart(value.domain, axis)) continue;
    Transposed transposed{axis, {}};
    for (size_t i = 0; i < value.operands.size(); ++i) {
      const Layout& x = value.operands[i].layout;
      if (!value.stores(i) && value.piecewise_of(i) == nullptr && is_contiguous_along(x, axis) &&
          std::abs(x.strides[static_cast<size_t>(inner)]) > 1)
        transposed.operands.push_back(static_cast<int>(i));
    }
    if (transposed.operands.size() > best.operands.size()) best = transposed;
  }
  if (best.operands.empty()) return {};
  constexpr size_t most = 4;
  best.operands.resize(std::min(best.operands.size(), most));
  return best;
}

std::optional<Transposed> joint_lines(const Target& target, const MapKernel& kernel) {
  const Expr& value = kernel.value;
  const Shape& domain = value.domain;
  if (target.software || value.operands.size() != 1 || !value.piecewise.empty()) return {};
  const Strided& x = value.operands.front();
  const std::vector<int> order = order_of(x.layout);
  if (!is_narrow(x.storage) || !is_narrow(kernel.out.storage) || order.size() < 3) return {};
  const int inner = domain.rank() - 1, lines = order[0], joint = order[1];
  const auto stride = [&](int axis) { return x.layout.strides[static_cast<size_t>(axis)]; };
  const bool follow = stride(lines) == 1 && stride(joint) == domain[lines];
  if (!follow || lines == inner || joint == inner || stride(inner) == 0) return {};
  const bool is_short = domain[lines] < side_of_narrow, fills = domain[lines] * domain[joint] >= side_of_narrow;
  if (!is_short || !fills || domain[inner] < square_side) return {};
  return Transposed{lines, {0}, joint};
}

TransposeProgram::TransposeProgram(const Target& target, const MapKernel& kernel, const Transposed& transposed)
    : BoundProgram(target),
      lines_axis_(transposed.lines),
      joint_axis_(transposed.joint),
      lines_(kernel.value.domain[lines_axis_] * (joint_axis_ < 0 ? 1 : kernel.value.domain[joint_axis_])),
      transpose_(kernel.value, transposed.operands, transposed.lines),
      load_(load_spec(kernel), kernel.value, reads_, transposed.operands),
      by_fours_(takes_fours(kernel) && load_.joins_fours_beside(kernel.out.layout)),
      store_(vectors_in_rows("eg_store", kernel.value.domain), kernel.out, true, by_fours_),
      across_(by_fours_ || begins_within_words(kernel)),
      place_({"eg_place", kernel.value.domain, {{0, kernel.value.domain.rank()}}, 1}) {
  const std::vector<Window> all{{0, kernel.value.domain.elements()}};
  transpose_.bind(bindings_);
  load_.bind(bindings_, all);
  store_.bind(bindings_, all);
  plan_tiles(target, kernel);
  add_uniforms(kernel.value.domain, target.large_pages ? band_on_large_pages : band_on_small_pages);
  transpose_.add_uniforms(bindings_, uniforms_);
  load_.add_uniforms(bindings_, all, uniforms_);
  store_.add_uniforms(bindings_, all, uniforms_);
  if (joint_axis_ >= 0) add_joint_uniforms(kernel.value.domain);
  if (!across_) return;
  place_.add(kernel.out.layout, false);
  place_.add_uniforms({bindings_.first_element(store_.binding())}, kernel.value.domain.elements() - 1, uniforms_);
}

/// eg_place: the address of a result; eg_store_end: the first or last few results of a line.
std::string TransposeProgram::line_functions() const {
  if (!across_) return "";
  const std::string place = "uint eg_place(uint number) {\n" + place_.statements("number") + "  return " +
                            place_.element(0, 0) + ";\n}\n",
                    end = "void eg_store_end(uint number, bool ends, uint count) {\n";
  if (by_fours_) return place + end + "  eg_store(number, eg_load(number));\n}\n";
  const std::string type(codegen::value_type(load_.dtype(), vector_width));
  return store_.part_text(bindings_) + place + end + "  " + type + " x = eg_load(number);\n  if (ends) {\n" +
         "    x = count == 1u ? x.wwww : count == 2u ? x.zwww : x.yzww;\n    number += 4u - count;\n  }\n" +
         "  eg_store_part(number, x, count);\n}\n";
}

/// Lines that begin anywhere overlap the next tile by a vector.
int64_t TransposeProgram::tiles_across(int64_t columns, int64_t in_tile) const {
  return across_ ? std::max<int64_t>(1, ceil_divide(columns - vector_width, in_tile - vector_width))
                 : ceil_divide(columns, in_tile);
}

/// Of a plane's tiles, empty ones and all.
int64_t TransposeProgram::slots_of(const Shape& domain, int64_t tile_lines, int64_t tile_columns) const {
  return round_up(lines_, tile_lines) * tiles_across(domain[domain.rank() - 1], tile_columns) * tile_columns;
}

void TransposeProgram::plan_tiles(const Target& target, const MapKernel& kernel) {
  const Expr& value = kernel.value;
  const Shape& domain = value.domain;
  const int64_t lines = lines_, columns = domain[domain.rank() - 1];
  const size_t transposed = transpose_.operands().size();
  const int64_t bytes = transpose_.element_bytes();
  // Results of fewer bytes than what is read, as of comparisons, would leave runs too short of so few columns.
  const int64_t side = bytes < word && bytes_of(kernel.out.storage) >= bytes ? side_of_narrow : square_side;
  const auto elements_in = [&](int64_t tile) { return std::min(tile, target.max_shared_bytes) / bytes; };
  const int64_t all = bit_ceil(static_cast<int64_t>(transposed)),
                parts = all > 1 && bytes >= word ? std::max(all, least_parts_of_several) : all;
  const int64_t elements =
      std::min(elements_in(bytes < word ? narrow_tile_bytes : tile_bytes), elements_in(tile_bytes) / parts);
  // Square where both axes are long; a short axis leaves more to the other.
  tile_lines_ = std::min({bit_ceil(lines), side, elements / least_columns});
  tile_columns_ = std::min(std::max(least_columns, bit_ceil(columns)), elements / tile_lines_);
  tile_lines_ = std::min(bit_ceil(lines), elements / tile_columns_);
  // A tile takes about as long whatever of it lies within: half the columns where an eighth fewer slots stay empty.
  while (tile_columns_ > least_columns) {
    const int64_t narrow = tile_columns_ / 2, tall = std::min(bit_ceil(lines), elements / narrow);
    if (8 * slots_of(domain, tall, narrow) > 7 * slots_of(domain, tile_lines_, tile_columns_)) break;
    tile_columns_ = narrow;
    tile_lines_ = tall;
  }
  // Other operands are read after the tile: more invocations a group have more of those loads in flight.
  const int64_t wanted = value.operands.size() > transposed ? 512 : 256;
  group_size_ = group_size_of(target, std::min(wanted, tile_lines_ * tile_columns_ / vector_width));
  tiles_down_ = ceil_divide(lines, tile_lines_);
  tiles_across_ = tiles_across(columns, tile_columns_);
  tiles_ = domain.elements() / lines / columns * tiles_down_ * tiles_across_;
  groups_ = std::min(tiles_, target.max_groups);
}

void TransposeProgram::add_uniforms(const Shape& domain, int64_t wanted_band) {
  const int inner = domain.rank() - 1;
  int64_t between = 1;
  for (int axis = lines_axis_ + 1; axis < inner; ++axis) between *= domain[axis];
  uniforms_.add(tiles_);
  uniforms_.add(lines_);
  uniforms_.add(domain[inner]);
  uniforms_.add_divisor(between);
  // Tiles are numbered in bands, column by column within a band.
  const int64_t band = std::min(wanted_band, tiles_down_),
                last_band = tiles_down_ - (ceil_divide(tiles_down_, band) - 1) * band;
  uniforms_.add_divisor(tiles_down_ * tiles_across_);
  uniforms_.add_divisor(band * tiles_across_);
  uniforms_.add_divisor(band);
  uniforms_.add_divisor(last_band);
  uniforms_.add(ceil_divide(tiles_down_, band) - 1);
}

void TransposeProgram::add_joint_uniforms(const Shape& domain) {
  int64_t apart = domain[domain.rank() - 1];
  for (int axis = domain.rank() - 2; axis >= 0; apart *= domain[axis--]) {
    const JointAxis slots{uniforms_.add_divisor(domain[axis]), uniforms_.add(apart)};
    if (axis == lines_axis_)
      short_line_ = slots;
    else if (axis == joint_axis_)
      joint_ = slots;
    else
      planes_.push_back(slots);
  }
}

/// eg_plane_start and eg_line_start: the number of a plane's first result, and how many a line is behind it.
std::string TransposeProgram::joint_functions() const {
  using codegen::divided_by;
  using codegen::uniform_at;
  if (joint_axis_ < 0) return "";
  std::string text = "uint eg_plane_start(uint plane) {\n  uint rest = plane, start = 0u, above;\n";
  for (const JointAxis& axis : planes_)
    text += "  above = " + divided_by("rest", axis.divisor) + ";\n  start += (rest - above * " +
            uniform_at(axis.divisor) + ") * " + uniform_at(axis.weight) + ";\n  rest = above;\n";
  return text + "  return start;\n}\nuint eg_line_start(uint line) {\n  uint above = " +
         divided_by("line", short_line_.divisor) + ";\n  return (line - above * " + uniform_at(short_line_.divisor) +
         ") * " + uniform_at(short_line_.weight) + " + above * " + uniform_at(joint_.weight) + ";\n}\n";
}

Dispatch TransposeProgram::dispatch() const {
  using codegen::define;
  const int64_t pitch = tile_columns_ / vector_width;
  Dispatch dispatch = dispatch_of(
      "map_transpose " + std::string(name_of(load_.dtype())),
      {"map_transpose.comp",
       define("EG_GROUP_SIZE", group_size_) + define("EG_LINES", tile_lines_) + define("EG_COLUMNS", tile_columns_) +
           (across_ ? define("EG_ACROSS") : "") + (joint_axis_ >= 0 ? define("EG_JOINT") : ""),
       transpose_.text(bindings_, tile_lines_ * pitch, pitch, across_) + load_.text(bindings_) +
           store_.text(bindings_) + line_functions() + joint_functions()},
      bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(groups_);
  return dispatch;
}

}  // namespace eglantine::lower
