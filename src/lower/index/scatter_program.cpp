#include "lower/index/scatter_program.hpp"

#include <algorithm>

#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "eglantine/error.hpp"
#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

// As in map/lower.cpp.
constexpr int64_t software_scatter_group = 8, hardware_scatter_group = 512;

codegen::AddressSpec spec_of(const char* name, const ScatterKernel& kernel, int width = 1) {
  const Shape& domain = kernel.index.domain;
  return {name, domain, {{0, domain.rank()}}, width};
}

OutOfRange out_of_range_of(const ScatterKernel& kernel, ScatterPass pass) {
  if (pass == ScatterPass::settle) return OutOfRange::ignored;  // the first pass has checked
  return kernel.partial ? OutOfRange::flagged_except_length : OutOfRange::flagged;
}

/// Whether the index is one for all elements along an axis.
bool is_one_along(const Expr& index, size_t axis) {
  const auto moves = [axis](const Layout& x) { return x.strides[axis] != 0; };
  return index.piecewise.empty() && index.stored.empty() && std::ranges::none_of(index.iotas, moves) &&
         std::ranges::none_of(index.operands, [&](const Strided& x) { return moves(x.layout); });
}

/// Whether taking rows at once pays: one costs a group about as much as a dozen elements one by one, rows have to be
/// enough for all threads, and a driver bounds the trips of a loop.
bool worth_rows(const Target& target, int64_t rows, const ScatterRow& row) {
  constexpr int64_t shortest_row = 64, invocations_a_row = 64;
  const int64_t trips = ceil_divide(row.updates, software_scatter_group);
  return row.updates * row.width >= shortest_row && rows * invocations_a_row >= target.resident_invocations &&
         (target.max_loop_trips == 0 || 2 * trips <= target.max_loop_trips);
}

ScatterRow row_of(const Target& target, const ScatterKernel& kernel, ScatterPass pass) {
  const Shape& domain = kernel.index.domain;
  const int inner = domain.rank() - 1;
  if (!target.software || pass != ScatterPass::direct || !is_one_along(kernel.index, static_cast<size_t>(inner)))
    return {};
  const IndexedAddresses addresses(spec_of("", kernel, 4), kernel.target, kernel.place,
                                   {kernel.length, kernel.stride, {}}, OutOfRange::flagged, true);
  const int64_t length = domain[inner];
  const bool aligned = length % vector_width == 0 && addresses.access() == codegen::VectorAccess::vec4;
  const int width = aligned ? 4 : 1;
  const ScatterRow row{width, length / width};
  return worth_rows(target, domain.elements() / length, row) ? row : ScatterRow{width};
}

const char* atomic_function(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return "atomicAdd";
    case Reduction::max:
      return "atomicMax";
    case Reduction::min:
      return "atomicMin";
    default:
      throw Error("[scatter] no atomic function combines by " + std::string(eglantine::name_of(reduction)));
  }
}

std::string_view name_of(ScatterPass pass) {
  static constexpr std::array<std::string_view, 5> names{"EG_DIRECT", "EG_ATOMIC", "EG_CLAIM", "EG_SETTLE", "EG_KEYS"};
  return names[static_cast<size_t>(pass)];
}

}  // namespace

ScatterProgram::ScatterProgram(const Target& target, const ScatterKernel& kernel, ScatterPass pass,
                               const ScatterJob& job, const Window& window)
    : BoundProgram(target, true, target.texel_reads && pass != ScatterPass::settle),  // the template reads winners
      pass_(pass),
      combine_(kernel.combine),
      dtype_(kernel.out.dtype()),
      row_(row_of(target, kernel, pass)),
      elements_(kernel.index.domain.elements()),
      column_stride_(kernel.target.strides.back()),
      index_(spec_of("eg_index", kernel), kernel.index, codegen::Vectors::none),
      update_(spec_of("eg_update", kernel, row_.width), kernel.updates,
              row_.width > 1 ? reads_ : codegen::Vectors::none),
      addresses_(spec_of("eg_target_address", kernel), kernel.target, kernel.place,
                 {kernel.length, kernel.stride, window}, out_of_range_of(kernel, pass), false),
      group_size_(group_size_of(target, target.software ? software_scatter_group : hardware_scatter_group)),
      grid_(grid_of(target, kernel)),
      unroll_(unroll_of(kernel.index)) {
  if (pass == ScatterPass::atomic)
    copies_ = group_copies_of(target, addresses_.reached().count(), group_size_, std::min(grid_.chunk, elements_));
  // Atomics of shared memory take no time beside loads, of which a resident grid with one each has too few in flight.
  constexpr int loads_in_flight = 4;
  if (copies_.places > 0 && !target.software) unroll_ = std::max(unroll_, loads_in_flight);
  if (pass == ScatterPass::keys) keys_.emplace(spec_of("eg_store", kernel), job.keys, false);
  bind(job, kernel.out);
  add_uniforms();
}

Grid ScatterProgram::grid_of(const Target& target, const ScatterKernel& kernel) const {
  const int64_t trips = std::max(trips_of(kernel.index), trips_of(kernel.updates));
  const int64_t trips_of_row = ceil_divide(row_.updates, group_size_);
  return resident_grid(target, items(), group_size_, group_size_, (group_size_ * trips_of_row + 1) * trips);
}

void ScatterProgram::bind(const ScatterJob& job, const Strided& out) {
  const std::vector<Window> all{{0, elements_}};
  index_.bind(bindings_, all);
  if (reads_updates()) update_.bind(bindings_, all);
  if (keys_) keys_->bind(bindings_, all);
  const layout::Reach reached = addresses_.reached();
  if (pass_ == ScatterPass::claim)
    winners_binding_ = bindings_.add_write(job.winners.get(), StorageType::u32, false, reached);
  if (pass_ == ScatterPass::settle)
    winners_binding_ = bindings_.add_read(job.winners.get(), StorageType::u32, false, reached);
  if (writes_out()) out_binding_ = bindings_.add_write(out.buffer.get(), out.storage, row_.width > 1, reached);
  if (pass_ != ScatterPass::settle) addresses_.bind_flag(bindings_, job.flag.buffer.get(), job.flag.element);
}

void ScatterProgram::add_uniforms() {
  const std::vector<Window> all{{0, elements_}};
  uniforms_.add(items());
  uniforms_.add(grid_.chunk);
  if (row_.updates > 0) {
    row_slot_ = uniforms_.add(row_.updates);
    uniforms_.add(column_stride_);
  }
  index_.add_uniforms(bindings_, all, uniforms_);
  if (reads_updates()) update_.add_uniforms(bindings_, all, uniforms_);
  if (keys_) keys_->add_uniforms(bindings_, all, uniforms_);
  // Keys count from the output's start; the winners' binding starts where the output's does.
  const int binding = has_winners() ? winners_binding_ : out_binding_;
  addresses_.add_uniforms(binding < 0 ? 0 : bindings_.first_element(binding), bindings_, uniforms_);
  if (copies_.places == 0) return;
  copies_slot_ = uniforms_.add(copies_.places);
  uniforms_.add(addresses_.reached().first - bindings_.first_element(binding));
}

std::string ScatterProgram::copies_defines() const {
  using codegen::define;
  return define("EG_VALUE", codegen::stored_type(dtype_, 1)) + define("EG_COPIES", copies_.copies) +
         define("EG_COPY_WORDS", copies_.words()) + define("EG_PLACES", codegen::uniform_at(copies_slot_)) +
         define("EG_FIRST_PLACE", codegen::uniform_at(copies_slot_ + 1));
}

std::string ScatterProgram::row_defines() const {
  using codegen::define;
  const bool rows = row_.updates > 0;
  const std::string stride = rows ? codegen::uniform_at(row_slot_ + 1) : "";
  const std::string place = row_.width > 1 ? "((address >> 2) + (v))"
                            : rows         ? "(address + (v) * " + stride + ")"
                                           : "address";
  return define("EG_PLACE(address, v)", place) + (rows ? define("EG_ROW", codegen::uniform_at(row_slot_)) : "");
}

std::string ScatterProgram::defines() const {
  using codegen::define;
  const std::string pass =
      pass_ == ScatterPass::atomic ? define(name_of(pass_), atomic_function(*combine_)) : define(name_of(pass_));
  std::string text = pass + define("EG_GROUP_SIZE", group_size_) + loads_at_once(unroll_) +
                     define("EG_UPDATES", "eg_u[0]") + define("EG_CHUNK", "eg_u[1]");
  if (writes_out()) text += define("EG_OUT", codegen::block_name(out_binding_));
  if (copies_.places > 0) text += copies_defines();
  if (pass_ == ScatterPass::direct) text += row_defines();
  if (has_winners()) text += define("EG_WINNERS", codegen::block_name(winners_binding_));
  return text;
}

std::string ScatterProgram::holes() const {
  const std::string first = row_.width > 1 ? "(at * 4u)" : "at";
  std::string text = index_.text(bindings_) + addresses_.function() +
                     "uint eg_target_address(uint at, out uint number) {\n" + addresses_.statements(first) +
                     "  number = " + addresses_.position_of(0) + ";\n  return " +
                     addresses_.address(0, "eg_index(" + first + ")") + ";\n}\n";
  if (reads_updates()) {
    const std::string type(codegen::stored_type(dtype_, row_.width));
    text += update_.text(bindings_) + type + " eg_value(uint at) { return " +
            codegen::to_stored(dtype_, bindings_.at(out_binding_).dtype(), row_.width, "eg_update(at)") + "; }\n";
  }
  if (copies_.places > 0) text += codegen::combine_functions(*combine_, dtype_);
  return keys_ ? text + keys_->text(bindings_) : text;
}

Dispatch ScatterProgram::dispatch() const {
  Dispatch dispatch = dispatch_of("scatter " + std::string(name_of(dtype_)), {"scatter.comp", defines(), holes()},
                                  bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
  return dispatch;
}

}  // namespace eglantine::lower
