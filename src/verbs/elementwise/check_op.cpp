#include <charconv>
#include <cmath>

#include "check/check.hpp"
#include "evaluate/pend.hpp"
#include "verbs/elementwise/op_samples.hpp"

/// check_op: compares an operation's GLSL with its CPU function, and checks that a combination suits a reduction tree.
namespace eglantine {

namespace {

using verbs::Columns;

constexpr std::string_view own_name = "check_op";
constexpr float relative = 1e-4F, absolute = 1e-6F;

/// The shortest text that reads back as the same float.
std::string text_of(float value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

/// Whether two results agree; the error is relative to `size`.
bool agree(float a, float b, float size) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  return std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= std::max(absolute, relative * size);
}
bool agree(float a, float b) { return agree(a, b, std::abs(b)); }

/// The device that the GLSL is compiled and run on.
Device device_of_glsl() {
  const Device current = Device::current();
  if (current.info().kind != "cpu") return current;
  try {
    return Device::open("gl");
  } catch (const DeviceError&) {
    try {
      return Device::open("gles");
    } catch (const DeviceError&) {
    }
    throw;  // the error of "gl"
  }
}

Tensor on(const Device& device, const std::vector<float>& values) {
  return Tensor::from<float>(std::span<const float>(values), {static_cast<int64_t>(values.size())}, device);
}

/// Bypasses elementwise(), which would reject a combination whose text became too long by the operands' new names.
std::vector<float> on_device(const ElementwiseOp& op, const Columns& arguments, const Device& device) {
  std::vector<NodePtr> nodes;
  for (const std::vector<float>& column : arguments) nodes.push_back(on(device, column).node());
  return pend(make_custom(std::make_shared<const ElementwiseOp>(op), std::move(nodes))).to_vector<float>();
}

std::string list(const std::vector<float>& x) {
  std::string text;
  for (float each : x) text += (text.empty() ? "(" : ", ") + text_of(each);
  return text + ")";
}

void compare(const ElementwiseOp& op, const Columns& arguments, const Device& device) {
  const std::vector<float> results = on_device(op, arguments, device);
  std::vector<float> x(arguments.size());
  for (size_t i = 0; i < results.size(); ++i) {
    for (size_t j = 0; j < x.size(); ++j) x[j] = arguments[j][i];
    const float expected = op.cpu(x);
    if (!agree(results[i], expected))
      check::fail<Error>(own_name, "\"", op.name, "\" of ", list(x), " is ", text_of(results[i]), " by its GLSL on ",
                         device.info().spec, " and ", text_of(expected), " by its cpu function");
  }
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The combination as an operation of two operands: its GLSL with a and b renamed, except components (v.a).
ElementwiseOp as_elementwise(const ReduceOp& op) {
  std::string glsl;
  for (size_t i = 0; i < op.glsl.size(); ++i) {
    const char before = i > 0 ? op.glsl[i - 1] : ' ', after = i + 1 < op.glsl.size() ? op.glsl[i + 1] : ' ';
    const char c = op.glsl[i];
    const bool alone = !in_name(before) && before != '.' && !in_name(after);
    glsl += alone && c == 'a' ? "x0" : alone && c == 'b' ? "x1" : std::string(1, c);
  }
  return {op.name, 2, glsl, [&op](std::span<const float> x) { return op.cpu(x[0], x[1]); }};
}

void check_identity(const ReduceOp& op, const ElementwiseOp& combine, const Device& device,
                    const CheckOptions& options) {
  std::vector<float> x = verbs::finite_samples(options);
  x.push_back(op.identity);
  const std::vector<float> identities(x.size(), op.identity);
  const auto require = [&](float value, float result, const std::string& where) {
    if (!agree(result, value))
      check::fail<Error>(own_name, "the identity ", text_of(op.identity), " of \"", op.name, "\" changes ",
                         text_of(value), " to ", text_of(result), where);
  };
  const std::vector<float> before = on_device(combine, {identities, x}, device);
  const std::vector<float> after = on_device(combine, {x, identities}, device);
  for (size_t i = 0; i < x.size(); ++i) {
    require(x[i], op.cpu(op.identity, x[i]), " by its cpu function, as operand a");
    require(x[i], op.cpu(x[i], op.identity), " by its cpu function, as operand b");
    require(x[i], before[i], " by its GLSL on " + device.info().spec + ", as operand a");
    require(x[i], after[i], " by its GLSL on " + device.info().spec + ", as operand b");
  }
}

/// By the CPU function, with which the GLSL agrees; rounding errors are relative to the largest intermediate.
void check_associativity(const ReduceOp& op, const CheckOptions& options) {
  const Columns triples = verbs::sample_triples(options);
  for (size_t i = 0; i < triples[0].size(); ++i) {
    const float a = triples[0][i], b = triples[1][i], c = triples[2][i];
    const float ab = op.cpu(a, b), bc = op.cpu(b, c), left = op.cpu(ab, c), right = op.cpu(a, bc);
    float size = 0;
    for (float x : {a, b, c, ab, bc, left, right}) size = std::isfinite(x) ? std::max(size, std::abs(x)) : size;
    if (!agree(left, right, size))
      check::fail<Error>(own_name, "\"", op.name, "\" is not associative: for ", list({a, b, c}),
                         ", combining the first two first gives ", text_of(left), " and the last two first ",
                         text_of(right));
  }
}

/// Whole reductions, by both trees, on both devices.
void check_reductions(const ReduceOp& op, const Device& device, const CheckOptions& options) {
  constexpr int64_t rows = 67, columns = 61;
  const auto [low, high] = verbs::within(options, {0.5F, 1.5F});
  verbs::SampleNumbers numbers;
  std::vector<float> x;
  for (int64_t i = 0; i < rows * columns; ++i) x.push_back(numbers.between(low, high));
  const Device cpu = Device::open("cpu");
  for (const Axes& axes : {Axes{0}, Axes{0, 1}}) {
    const auto reduced = [&](const Device& where) {
      return reduce(on(where, x).reshape({rows, columns}), op, axes).to_vector<float>();
    };
    const std::vector<float> actual = reduced(device), expected = reduced(cpu);
    for (size_t i = 0; i < expected.size(); ++i)
      if (!agree(actual[i], expected[i]))
        check::fail<Error>(own_name, "\"", op.name, "\" over ", std::to_string(x.size() / expected.size()),
                           " numbers from ", text_of(low), " to ", text_of(high), " is ", text_of(actual[i]), " on ",
                           device.info().spec, " and ", text_of(expected[i]), " on the CPU");
  }
}

}  // namespace

void check_op(const ElementwiseOp& op, const CheckOptions& options) {
  check::require_whole(own_name, op);
  verbs::require_range(options);
  const Device device = device_of_glsl();
  compare(op, verbs::sample_arguments(op.arity, options), device);
}

void check_op(const ReduceOp& op, const CheckOptions& options) {
  check::require_whole(own_name, op);
  verbs::require_range(options);
  const Device device = device_of_glsl();
  // The original text first, so that compile errors show what the user wrote.
  reduce(on(device, {0, 0}), op).to_vector<float>();
  const ElementwiseOp combine = as_elementwise(op);
  compare(combine, verbs::sample_arguments(2, options), device);
  check_identity(op, combine, device, options);
  check_associativity(op, options);
  check_reductions(op, device, options);
}

}  // namespace eglantine
