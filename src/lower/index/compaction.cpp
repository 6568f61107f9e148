#include "lower/index/compaction.hpp"

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "codegen/stage/stage.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

// Two vectors an invocation: loads in flight, and registers for eight groups of a multiprocessor.
constexpr int64_t largest_group = 256, subgroup = 32;
// Where fewer than an eighth are chosen, most vectors have none: they need not be read, at the price of a wait.
constexpr int64_t sparse_share = 8;

class CompactionProgram : public BoundProgram {
 public:
  CompactionProgram(const Target& target, const ScatterKernel& kernel, bool vectors)
      : BoundProgram(target, vectors, target.texel_reads),
        dtype_(kernel.out.dtype()),
        elements_(kernel.index.domain.elements()),
        tiles_(ceil_divide(elements_, compacted_tile)),
        mask_(spec_of("eg_mask", kernel.index.domain, vector_width), kernel.index, reads_),
        value_(spec_of("eg_update", kernel.index.domain, vector_width), kernel.updates, reads_),
        coordinates_(kernel.coordinates),
        ends_(spec_of("eg_ends", kernel.ends.layout.shape, 1), load_of(kernel.ends), codegen::Vectors::none),
        group_size_(group_size_of(target, largest_group)),
        subgroups_(target.subgroup == subgroup && group_size_ >= subgroup),
        grid_(grid_of(target, trips_of_tile(kernel))) {
    const std::vector<Window> all{{0, elements_}}, tiles{{0, tiles_}};
    mask_.bind(bindings_, all);
    value_.bind(bindings_, all);
    ends_.bind(bindings_, tiles);
    const int64_t first = kernel.target.offset;
    out_binding_ = bindings_.add_write(kernel.out.buffer.get(), kernel.out.storage, false,
                                       {first, first + kernel.out.layout.shape.elements() - 1});
    for (int64_t number : {tiles_, grid_.chunk, elements_, first - bindings_.first_element(out_binding_)})
      uniforms_.add(number);
    mask_.add_uniforms(bindings_, all, uniforms_);
    value_.add_uniforms(bindings_, all, uniforms_);
    ends_.add_uniforms(bindings_, tiles, uniforms_);
    for (int axis = 1; axis < coordinates_.rank(); ++axis)
      divisors_.push_back(uniforms_.add_divisor(coordinates_[axis]));
  }

  Dispatch dispatch() const {
    Dispatch made = dispatch_of("compact " + std::string(name_of(dtype_)),
                                {"compact.comp", defines(), holes(), subgroups_}, bindings_, uniforms_);
    made.groups[0] = static_cast<uint32_t>(grid_.groups);
    return made;
  }

 private:
  static codegen::AddressSpec spec_of(const char* name, const Shape& domain, int width) {
    return {name, domain, {{0, domain.rank()}}, width};
  }

  /// Each group adds the counts of all tiles before its own: no more groups than are resident.
  Grid grid_of(const Target& target, int64_t trips) const {
    return is_counted() ? resident_grid(target, tiles_, 1, group_size_, trips)
                        : streaming_grid(target, tiles_, 1, group_size_, trips);
  }

  bool is_counted() const { return are_counted(tiles_); }

  /// The steps of the sum over invocations, and the elements that each writes.
  int64_t trips_of_tile(const ScatterKernel& kernel) const {
    constexpr int64_t most_steps = 10;
    return (most_steps + compacted_tile / group_size_) * std::max(trips_of(kernel.index), trips_of(kernel.updates));
  }

  std::string defines() const {
    using codegen::define;
    return define("EG_GROUP_SIZE", group_size_) + define("EG_EACH", compacted_tile / (group_size_ * vector_width)) +
           define("EG_SPARSE", sparse_share) + define("EG_FIRST", "eg_u[3]") +
           define("EG_VALUE", codegen::stored_type(dtype_, 1)) + define("EG_VALUES", codegen::stored_type(dtype_, 4)) +
           define("EG_OUT", codegen::block_name(out_binding_)) + (is_counted() ? define("EG_COUNTS") : "") +
           (subgroups_ ? define("EG_SUBGROUPS") : "");
  }

  std::string holes() const {
    const DType stored = bindings_.at(out_binding_).dtype();
    return mask_.text(bindings_) + value_.text(bindings_) + ends_.text(bindings_) +
           "uvec4 eg_chosen(uint vector) { return " +
           codegen::to_stored(DType::boolean, DType::boolean, 4, "eg_mask(vector)") +
           "; }\nEG_VALUES eg_value(uint vector) { return " +
           codegen::to_stored(dtype_, stored, 4, "eg_update(vector)") +
           "; }\nuint eg_end(uint tile) { return uint(eg_ends(tile)); }\n" + put_text();
  }

  /// eg_put(), which stores what is chosen for the k-th time, or its coordinates.
  std::string put_text() const {
    const std::string out = codegen::block_name(out_binding_), element(codegen::stored_type(dtype_, 1));
    const std::string head = "void eg_put(uint k, " + element + " value) {\n";
    if (coordinates_.empty()) return head + "  " + out + "[EG_FIRST + k] = value;\n}\n";
    std::string text =
        head + "  uint at = EG_FIRST + k * " + std::to_string(coordinates_.rank()) + "u, place = uint(value), rows;\n";
    for (int axis = coordinates_.rank() - 1; axis > 0; --axis) {
      const int divisor = divisors_[static_cast<size_t>(axis - 1)];
      text += "  rows = " + codegen::divided_by("place", divisor) + ";\n  " + out + "[at + " + std::to_string(axis) +
              "u] = " + element + "(place - rows * " + codegen::uniform_at(divisor) + ");\n  place = rows;\n";
    }
    return text + "  " + out + "[at] = " + element + "(place);\n}\n";
  }

  DType dtype_;
  int64_t elements_, tiles_;
  codegen::LoadStage mask_, value_;
  Shape coordinates_;
  std::vector<int> divisors_;  // of the axes after the first
  codegen::LoadStage ends_;
  int64_t group_size_;
  bool subgroups_;
  Grid grid_;
  int out_binding_ = -1;
};

/// Operands as they lie, where one range covers each; else from memory of their own.
CompactionProgram program_for(Lowering& lowering, ScatterKernel kernel) {
  const Target& target = lowering.target();
  const auto as_it_is = program_of<CompactionProgram>(target, kernel);
  if (as_it_is.fits() && as_it_is.bindings() <= target.max_bindings) return as_it_is;
  for (Expr* expr : {&kernel.index, &kernel.updates})
    *expr = load_of(materialize(lowering, *expr, layout::contiguous(expr->domain)));
  collapse(kernel);
  return program_of<CompactionProgram>(target, kernel);
}

}  // namespace

void compact(Lowering& lowering, const ScatterKernel& kernel) {
  lowering.dispatch(program_for(lowering, kernel).dispatch());
}

}  // namespace eglantine::lower
