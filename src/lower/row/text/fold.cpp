#include "lower/row/text/writer.hpp"

/// What a lane combines of elements. max() and min() may drop a NaN, and a combination that tests for it takes seven
/// operations; the largest of the elements' bits without their signs tells of one at the end.
namespace eglantine::lower {

bool must_hold_nans(const RowStep& fold) {
  const bool drops = fold.reduction == Reduction::max || fold.reduction == Reduction::min;
  return fold.what == RowStep::What::fold && drops && !fold.may_drop_nan;
}

RowStep dropping_nans(RowStep fold) {
  fold.may_drop_nan = true;
  return fold;
}

/// Folds of one pass over the same kept value share it.
std::string RowWriter::nans_of(size_t i) const {
  if (!must_hold_nans(step(i)) || partner_of(step(i)) != nullptr) return "";
  const auto plain = [&](const RowStep& x) { return x.expr.code.size() == 1 && x.expr.code[0].op == Op::accumulator; };
  for (size_t j = 0; j < i; ++j)
    if (must_hold_nans(step(j)) && step(j).pass == step(i).pass && plain(step(j)) && plain(step(i)) &&
        step(j).expr.code[0].args[0] == step(i).expr.code[0].args[0])
      return nans_of(j);
  return "n" + std::to_string(step(i).value);
}

std::string RowWriter::step_join(size_t i) const {
  return join_of(nans_of(i).empty() ? step(i) : dropping_nans(step(i)));
}

std::string RowWriter::start_of(size_t i) const {
  const std::string n = std::to_string(step(i).value);
  return "  vec4 " + share(step(i).value) + " = vec4(" + identity_of(step(i)) + ");\n" +
         (nans_of(i) == "n" + n ? "  uvec4 n" + n + " = uvec4(0u);\n" : "");
}

std::string RowWriter::combined(size_t i, const std::string& sum, const std::string& value) const {
  const std::string n = std::to_string(step(i).value);
  return "    vec4 v" + n + " = " + value + ";\n    " + sum + " = " + step_join(i) + "(" + sum + ", v" + n + ");\n" +
         (nans_of(i) == "n" + n ? "    n" + n + " = max(n" + n + ", floatBitsToUint(v" + n + ") & 0x7fffffffu);\n"
                                : "");
}

std::string RowWriter::reported_of(size_t i) const {
  const std::string nans = nans_of(i), sum = share(step(i).value);
  return nans.empty() ? "" : "  " + sum + " = eg_reported(" + sum + ", " + nans + ");\n";
}

}  // namespace eglantine::lower
