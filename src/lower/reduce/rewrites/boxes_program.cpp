#include "lower/reduce/rewrites/boxes_program.hpp"

#include <algorithm>

#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "lower/map/transpose/permute_program.hpp"
#include "lower/reduce/program/accumulator_text.hpp"

namespace eglantine::lower {
namespace {

/// Each group finds its places once, for several boxes. Sums of more than `most_boxes` would round more than sums of a
/// tree do.
int64_t groups_of(const Target& target, int64_t boxes, int64_t group_size) {
  constexpr int64_t rounds = 2, most_boxes = 16;
  const int64_t resident = ceil_divide(rounds * target.resident_invocations, group_size);
  return std::min({boxes, std::max(resident, ceil_divide(boxes, most_boxes)), target.max_groups});
}

}  // namespace

BoxesProgram::BoxesProgram(const Target& target, const MapKernel& values, const JointTile& tile, Reduction reduction)
    : BoundProgram(target),
      reduction_(reduction),
      group_size_(permute_group(target, tile)),
      groups_(0),
      boxes_(values, tile, group_size_),
      load_(permute_addresses(values.value.domain), values.value, reads_, permute_operands(tile)),
      staged_(values.value.operands[static_cast<size_t>(tile.staged.front().operand)].dtype()) {
  groups_ = groups_of(target, boxes_.boxes(), group_size_);
  const std::vector<Window> all{{0, values.value.domain.elements()}};
  boxes_.bind(bindings_);
  load_.bind(bindings_, all);
  uniforms_.add(boxes_.boxes());
  boxes_.add_uniforms(bindings_, uniforms_);
  load_.add_uniforms(bindings_, all, uniforms_);
}

/// The first box's, where it is of accumulators.
std::string BoxesProgram::slots() const {
  const bool shares = staged_ != DType::boolean && staged_ == codegen::combined_as(load_.dtype());
  const std::string name = shares ? "eg_box0" : "eg_slots";
  return (shares ? "" : "shared EG_ACCUMULATOR eg_slots[EG_GROUP_SIZE];\n") +
         ("void eg_slot_put(uint i, EG_ACCUMULATOR a) { " + name +
          "[i] = a; }\nEG_ACCUMULATOR eg_slot_at(uint i) { return " + name + "[i]; }\n");
}

Dispatch BoxesProgram::dispatch_to(const Strided& partials) {
  using codegen::define;
  const int binding =
      bindings_.add_write(partials.buffer.get(), partials.storage, false, layout::reach(partials.layout));
  const int base = uniforms_.add(-bindings_.first_element(binding));
  const DType dtype = load_.dtype();
  Dispatch dispatch =
      dispatch_of("reduce_boxes " + std::string(name_of(reduction_)) + " " + std::string(name_of(dtype)),
                  {"reduce_boxes.comp", define("EG_GROUP_SIZE", group_size_) + accumulator_defines(reduction_, dtype),
                   accumulator_functions(reduction_, dtype) + "EG_ACCUMULATOR eg_all;\n" + boxes_.tiles(bindings_) +
                       load_.text(bindings_) + boxes_.text(bindings_) + slots() +
                       partial_function(reduction_, dtype, codegen::block_name(binding), base)},
                  bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(groups_);
  return dispatch;
}

}  // namespace eglantine::lower
