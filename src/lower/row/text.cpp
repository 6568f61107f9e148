#include "lower/row/text.hpp"

#include "codegen/combine_text.hpp"
#include "codegen/source.hpp"

namespace eglantine::lower {
namespace {

/// GLSL of an operation's holes. x: a vec4 of elements; v: a shifted one; EG_ROW: c, the combined elements, count,
/// their number, first and second; EG_PARAMETER: the operation's parameter.
struct RowText {
  Reduction combine;
  const char *first, *shift, *weight, *second, *finish, *partial, *rebase;
};

// `shift` takes the largest element as finite, so that nothing becomes inf - inf. Partial sums are rebased from their
// own largest element to the row's.
constexpr const char *finite_shift = "x - eg_finite(first)", *rescale = "second * eg_rescale(partial, first)";
// Sums of squares of parts combine by Chan, Golub and LeVeque, "Algorithms for computing the sample variance" (1983),
// in the order in which an empty part stays 0.
constexpr const char *rebase_squares = "second + count * (partial - first) * (partial - first)",
                     *inverse_root = "EG_ROW(1.0) / sqrt(second / count + EG_PARAMETER)";

const RowText& text_of(RowOp op) {
  static const RowText softmax{
      Reduction::max, "c", "eg_exp_from(x, eg_finite(first))", "v", "1.0 / second", "v * second", "partial", rescale};
  static const RowText log_softmax{Reduction::max,      "c",          finite_shift, "eg_exp_of(v)",
                                   "eg_log_of(second)", "v - second", "partial",    rescale};
  static const RowText logsumexp{
      Reduction::max, "c",    finite_shift, "eg_exp_of(v)", "eg_log_of(second) + eg_finite(first)", "v",
      "partial",      rescale};
  static const RowText var{Reduction::sum,    "eg_mean_of(c, max(count, EG_ROW(1.0)))",
                           "x - first",       "v * v",
                           "second / count",  "v",
                           "partial * count", rebase_squares};
  static const RowText standardize{Reduction::sum,    "eg_mean_of(c, max(count, EG_ROW(1.0)))",
                                   "x - first",       "v * v",
                                   inverse_root,      "v * second",
                                   "partial * count", rebase_squares};
  static const RowText rms{Reduction::sum, "EG_ROW(0.0)", "x",       "v * v",
                           inverse_root,   "v * second",  "partial", "second"};
  switch (op) {
    case RowOp::softmax:
      return softmax;
    case RowOp::log_softmax:
      return log_softmax;
    case RowOp::logsumexp:
      return logsumexp;
    case RowOp::standardize:
      return standardize;
    case RowOp::rms:
      return rms;
    case RowOp::var:
      break;
  }
  return var;
}

/// Under EG_EXP2 exponentials use the built-in exp2: rounding x / ln 2 costs exp(x) a relative error of |x| 2^-24,
/// which as a part of the row's sum is largest, 2^-25, at x = -1. (Our own exp, within 1 ULP everywhere, takes longer
/// than reading a row.) x > 0 occurs only in a row with an infinity, whose sum is infinite, and past a row's end. Below
/// -104 and at -infinity the result is set to 0, since some drivers' exp2 clamps. Where none does (EG_CLOSE_EXP2), and
/// a row is read once, x - first is one step with the product by 1 / ln 2: the row's elements have the factor that
/// rounding first / ln 2 leaves in common, and their sum. It stays near 1 where first is not far from 0.
constexpr const char* exponentials =
    R"(float eg_finite(float x) { return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u ? 0.0 : x; }
vec4 eg_finite(vec4 x) { return vec4(eg_finite(x.x), eg_finite(x.y), eg_finite(x.z), eg_finite(x.w)); }
float eg_exp_of(float x) { return eg_exp(x); }
vec4 eg_exp_of(vec4 x) {
#ifdef EG_CLOSE_EXP2
  return exp2(x * 1.44269504);
#elif defined(EG_EXP2)
  return mix(exp2(x * 1.44269504), vec4(0.0), lessThan(x, vec4(-104.0)));
#else
  return vec4(eg_exp(x.x), eg_exp(x.y), eg_exp(x.z), eg_exp(x.w));
#endif
}
#if defined(EG_CLOSE_EXP2) && defined(EG_REGISTER_RESIDENT)
bool eg_is_far(float first) { return abs(first) > 1e6; }
bool eg_is_far(vec4 first) { return any(greaterThan(abs(first), vec4(1e6))); }
vec4 eg_exp_from(vec4 x, EG_ROW first) {
  if (eg_is_far(first)) return eg_exp_of(x - first);
  return exp2(fma(x, vec4(1.44269504), vec4(first * -1.44269504)));
}
#else
vec4 eg_exp_from(vec4 x, EG_ROW first) { return eg_exp_of(x - first); }
#endif
float eg_log_of(float x) { return eg_log(x); }
vec4 eg_log_of(vec4 x) { return vec4(eg_log(x.x), eg_log(x.y), eg_log(x.z), eg_log(x.w)); }
float eg_rescale(float from, float to) { return from == to ? 1.0 : eg_exp(from - to); }
vec4 eg_rescale(vec4 from, vec4 to) {
  return vec4(eg_rescale(from.x, to.x), eg_rescale(from.y, to.y), eg_rescale(from.z, to.z), eg_rescale(from.w, to.w));
}
)";

/// The mean of equal elements is each of them: drivers' division is not exact.
constexpr const char* means = R"(float eg_mean_of(float c, float count) { return eg_div(c, count); }
vec4 eg_mean_of(vec4 c, vec4 count) {
  return vec4(eg_div(c.x, count.x), eg_div(c.y, count.y), eg_div(c.z, count.z), eg_div(c.w, count.w));
}
)";

/// The largest element may lose a NaN: the sum has it again, and so everything that follows.
std::string combine(Reduction reduction) {
  const bool largest = reduction == Reduction::max;
  const std::string value = largest ? "max(a, b)" : "a + b";
  return "float eg_identity() { return " + codegen::identity_text(reduction, DType::f32) +
         "; }\nfloat eg_combine(float a, float b) { return " + value +
         "; }\nvec4 eg_combine(vec4 a, vec4 b) { return " + value + "; }\n";
}

}  // namespace

std::string row_functions(RowOp op) {
  const RowText& text = text_of(op);
  std::string functions = combine(text.combine);
  functions += text.combine == Reduction::max ? exponentials : means;
  const auto define = [&](const std::string& head, const char* value) {
    functions += head + " { return " + value + "; }\n";
  };
  const auto define_precise = [&](const std::string& type, const std::string& head, const char* value) {
    functions += type + " " + head + " {\n  EG_PRECISE " + type + " result = " + value + ";\n  return result;\n}\n";
  };
  // Precise: contracting the mean into x - mean changes it, and the variance of equal elements would not be 0; and
  // products do not depend on what a kernel adds to them.
  define_precise("EG_ROW", "eg_first(EG_ROW c, EG_ROW count)", text.first);
  define_precise("vec4", "eg_shift(vec4 x, EG_ROW first)", text.shift);
  if (text.combine == Reduction::sum)
    define_precise("vec4", "eg_weight(vec4 v)", text.weight);
  else
    define("vec4 eg_weight(vec4 v)", text.weight);
  define("EG_ROW eg_second(EG_ROW second, EG_ROW first, EG_ROW count)", text.second);
  define_precise("vec4", "eg_finish(vec4 v, EG_ROW second)", text.finish);
  define("EG_ROW eg_partial(EG_ROW partial, EG_ROW count)", text.partial);
  define("EG_ROW eg_rebase(EG_ROW second, EG_ROW partial, EG_ROW count, EG_ROW first)", text.rebase);
  return functions;
}

std::string row_defines(RowOp op) {
  std::string text;
  if (op == RowOp::standardize) text += codegen::define("EG_CENTERED");
  if (op == RowOp::rms) text += codegen::define("EG_UNSHIFTED");
  return text;
}

}  // namespace eglantine::lower
