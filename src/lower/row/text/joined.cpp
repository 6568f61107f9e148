#include "lower/row/text/writer.hpp"

/// Folds that one walk combines together: sums relative to what another fold has so far, which are rebased as it
/// changes.
namespace eglantine::lower {

namespace {

/// eg_rescale: sums of exponentials relative to one maximum become relative to another, after Milakov and Gimelshein,
/// "Online normalizer calculation for softmax" (2018). eg_moved: a sum of squares around the mean of `count` elements,
/// which add up to `sum`, becomes one around `center`: Chan, Golub and LeVeque, "Algorithms for computing the sample
/// variance" (1983). eg_mean_of: the mean of equal elements is each of them, though drivers' division is not exact.
constexpr const char* rebasing =
    R"(float eg_finite(float x) { return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u ? 0.0 : x; }
vec4 eg_finite(vec4 x) { return vec4(eg_finite(x.x), eg_finite(x.y), eg_finite(x.z), eg_finite(x.w)); }
float eg_rescale(float from, float to) { return from == to ? 1.0 : eg_exp(from - to); }
vec4 eg_rescale(vec4 from, vec4 to) {
  return vec4(eg_rescale(from.x, to.x), eg_rescale(from.y, to.y), eg_rescale(from.z, to.z), eg_rescale(from.w, to.w));
}
float eg_mean_of(float sum, float count) { return eg_div(sum, max(count, 1.0)); }
vec4 eg_mean_of(vec4 sum, float count) {
  return vec4(eg_mean_of(sum.x, count), eg_mean_of(sum.y, count), eg_mean_of(sum.z, count), eg_mean_of(sum.w, count));
}
#ifdef EG_STRIDED
#define EG_ELEMENTS 1
#else
#define EG_ELEMENTS 4
#endif
// Of a whole round, whose count is a power of two, the division is a multiplication.
EG_ROW eg_mean_of_round(EG_ROW sum, float count) {
  const float whole = float(EG_VECTORS * EG_ELEMENTS);
  if (count == whole) return sum * (1.0 / whole);
  return eg_mean_of(sum, count);
}
EG_ROW eg_moved(EG_ROW squares, EG_ROW sum, float count, EG_ROW center) {
  EG_PRECISE EG_ROW apart = eg_mean_of(sum, count) - center;
  return squares + count * apart * apart;
}
#ifdef EG_STRIDED
float eg_count(uint step) { return step < EG_LENGTH ? 1.0 : 0.0; }
#elif defined(EG_APART)
float eg_count(uint step) {
  uint apart = uint(EG_APART), first = step / apart * (4u * apart) + step % apart;
  uint left = EG_LENGTH > first ? EG_LENGTH - first : 0u;
  return float(min((left + apart - 1u) / apart, 4u));
}
#else
float eg_count(uint step) { return float(clamp(int(EG_LENGTH) - int(step * 4u), 0, 4)); }
#endif
)";

}  // namespace

std::string rebasing_functions() { return rebasing; }

std::string RowWriter::joined_round(size_t i) const {
  size_t other = 0;
  const RowStep& partner = *partner_of(step(i), &other);
  const std::string n = std::to_string(step(i).value), m = std::to_string(partner.value);
  const std::string t = row_value(partner.relative_to), within = "eg_within(" + step_number() + ", ";
  const bool squares = partner.joins == RowStep::Joins::squares;
  std::string text = "    vec4 t" + n + " = vec4(" + identity_of(step(i)) + "), t" + m + " = vec4(0.0);\n    " +
                     "float count = 0.0;\n" +
                     for_steps("    t" + n + " = " + join_of(step(i)) + "(t" + n + ", " + within + call(i, "step") +
                               ", " + identity_of(step(i)) + "));\n    count += eg_count(" + step_number() + ");\n");
  text += "    EG_ROW part = " + join_of(step(i)) + "_gathered(t" + n + "), " + t + " = " +
          (squares ? "eg_mean_of_round(part, count)" : "eg_finite(part)") + ";\n" +
          for_steps("    t" + m + " += " + within + call(other, "step") + ", 0.0);\n") + "    EG_ROW own = " +
          (plan_.strided ? "t" + m : "(t" + m + ".x + t" + m + ".y) + (t" + m + ".z + t" + m + ".w)") + ";\n";
  if (squares) return text + joined_squares(share(step(i).value), share(partner.value), "c" + m, t);
  const std::string both = join_of(step(i)) + "(" + share(step(i).value) + ", part)";
  return text + "    EG_ROW joint = " + both + ";\n    " + share(partner.value) + " = " + share(partner.value) +
         " * eg_rescale(" + share(step(i).value) + ", joint) + own * eg_rescale(part, joint);\n    " +
         share(step(i).value) + " = joint;\n";
}

/// A round's sum `part` and squares `own` around its mean join those of `before` elements: one division a round, where
/// the mean is carried on. Of the first round, and of one without elements, the distance counts nothing, also where its
/// square is too large.
std::string RowWriter::joined_squares(const std::string& sum, const std::string& squares, const std::string& before,
                                      const std::string& mean) const {
  return "    float share = count / max(" + before + " + count, 1.0);\n    EG_PRECISE EG_ROW apart = " + mean +
         " - mean_" + squares + ", between = apart * (" + before + " * share) * apart;\n    " + squares +
         " += own + between;\n    mean_" + squares + " += apart * share;\n    " + sum + " += part;\n    " + before +
         " += count;\n";
}

std::string RowWriter::joined_start(size_t i) const {
  const RowStep& partner = *partner_of(step(i));
  const std::string m = share(partner.value);
  const bool squares = partner.joins == RowStep::Joins::squares;
  return "  EG_ROW " + share(step(i).value) + " = EG_ROW(" + identity_of(step(i)) + "), " + m + " = EG_ROW(0.0)" +
         (squares ? ", mean_" + m + " = EG_ROW(0.0)" : "") + ";\n  float c" + std::to_string(partner.value) +
         " = 0.0;\n";
}

std::string RowWriter::fold_joined(const RowStep& fold, const RowStep& partner) const {
  const std::string m = share(partner.value), own = share(fold.value), n = row_value(fold.value);
  const std::string count = "c" + std::to_string(partner.value);
  const bool squares = partner.joins == RowStep::Joins::squares;
  std::string text = "  EG_ROW " + n + " = eg_fold" + std::to_string(fold.value) + "(" + own + ");\n";
  const std::string moved =
      squares ? "eg_moved(" + m + ", " + own + ", " + count + ", eg_mean_of(" + n + ", float(EG_LENGTH)))"
              : m + " * eg_rescale(" + own + ", " + n + ")";
  return text + "  " + m + " = eg_fold" + std::to_string(partner.value) + "(" + moved + ");\n";
}

std::string RowWriter::finish(const RowStep& partner) const {
  const std::string m = share(partner.value), base = row_value(partner.base), t = row_value(partner.relative_to);
  const std::string value = partner.joins == RowStep::Joins::squares
                                ? "eg_moved(" + m + ", " + base + ", float(EG_LENGTH), " + t + ")"
                                : m + " * eg_rescale(eg_finite(" + base + "), " + t + ")";
  return "  EG_ROW " + row_value(partner.value) + " = " + value + ";\n";
}

}  // namespace eglantine::lower
