#include <algorithm>

#include "codegen/glsl_type.hpp"
#include "codegen/stage/packed_bounds.hpp"
#include "codegen/stage/stage.hpp"

/// What a LoadStage of steps has of its own: packed bounds, and loads whose values are computed later.
namespace eglantine::codegen {

namespace {

/// Whether an instruction or a jump takes an iota, or a bound of a read that is not `packed`.
bool takes_iota(const Expr& expr, const std::vector<std::optional<PackedBounds>>& packed, int32_t iota) {
  const auto is = [&](const auto& part) { return part.iota == iota; };
  for (size_t i = 0; i < packed.size(); ++i) {
    const PiecewiseRead& read = expr.piecewise[i];
    if (std::any_of(read.jumps.begin(), read.jumps.end(), is)) return true;
    if (!packed[i] && std::any_of(read.bounds.begin(), read.bounds.end(), is)) return true;
  }
  return std::any_of(expr.code.begin(), expr.code.end(),
                     [&](const Instruction& step) { return step.op == Op::iota && step.args[0] == iota; });
}

}  // namespace

/// Where lines and steps are added up for each element, its bounds are a single sum if they can be; the iotas that they
/// alone take are zeros then.
void LoadStage::add_iotas(Vectors vectors) {
  std::vector<std::optional<PackedBounds>> packed;
  for (const PiecewiseRead& read : expr_.piecewise)
    packed.push_back(spec_.steps ? packed_bounds(expr_, read) : std::nullopt);
  for (size_t i = 0; i < expr_.iotas.size(); ++i) {
    const bool taken = !spec_.steps || takes_iota(expr_, packed, static_cast<int32_t>(i));
    const std::vector<int64_t> still(static_cast<size_t>(expr_.domain.rank()));
    const bool fours = vectors != Vectors::none && numbers_fours(static_cast<int32_t>(i));
    addresses_.add_iota(taken ? expr_.iotas[i] : Layout{expr_.domain, still, 0}, fours,
                        fours && !spec_.steps && spec_.run == 1);
  }
  for (size_t i = 0; i < packed.size(); ++i) {
    piecewise_.emplace_back(expr_.piecewise[i], packed[i] ? packed[i]->signs : 0);
    packed_items_.push_back(packed[i] ? addresses_.add(packed[i]->word, false) : -1);
  }
}

/// One word in memory of the value's own dtype, and at most a word that says whether it is read.
bool LoadStage::defers() const {
  if (!spec_.steps || operands() != 1 || !expr_.stored.empty() || reads_accumulator() || is_computed(0)) return false;
  const Strided& operand = expr_.operands[0];
  const bool takes_coordinates =
      std::any_of(expr_.code.begin(), expr_.code.end(), [](const Instruction& step) { return step.op == Op::iota; });
  if (operand.storage != word_storage(dtype()) || dtype() == DType::boolean || takes_coordinates) return false;
  return piecewise_.empty() ? expr_.code.size() > 1 : packed_items_[0] >= 0 && expr_.piecewise[0].jumps.empty();
}

/// Computed at once, a value would be waited for where it is loaded.
std::string LoadStage::deferred_text(const Bindings& bindings) const {
  const std::string type(value_type(dtype(), 1)), word = spec_.name + "_word";
  const std::string address = addresses_.element(0, 0);
  std::string read = address, kept = "  return " + spec_.name + "_value(x0", packed = "0u";
  for (size_t i = 0; i < expr_.iotas.size(); ++i) kept += ", 0u";
  kept += ");\n";
  if (!piecewise_.empty()) {
    packed = addresses_.element(packed_items_[0], 0);
    read = piecewise_[0].exists(packed) + " ? " + address + " : 0u";
    kept = "  if (!(" + piecewise_[0].exists("word") + ")) x0 = " + piecewise_[0].otherwise(dtype(), 1) + ";\n" + kept;
  }
  return "uint " + word + ";\n" + type + " " + spec_.name + "_read() {\n" + addresses_.statements("") + "  " + word +
         " = " + packed + ";\n  return " + bindings.read(bindings_of_[0], "(" + read + ")") + ";\n}\n" + type + " " +
         spec_.name + "_kept(" + type + " x0, uint word) {\n" + kept + "}\n";
}

}  // namespace eglantine::codegen
