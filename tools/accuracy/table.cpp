#include "accuracy/table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "accuracy/narrow.hpp"

namespace eglantine::accuracy {
namespace {

/// As short as tells the number from its neighbours.
template <class T>
std::string number(T value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string arguments(const Operation& operation, const Sample& s) {
  return number(s.x) + (operation.arity == 2 ? ", " + number(s.y) : "");
}

std::string promise(const Operation& operation) {
  std::string text = operation.ulp == 0 ? "exact" : number(operation.ulp) + " ULP";
  if (operation.absolute > 0) text += " or " + number(operation.absolute);
  if (operation.beyond > 0) text += "; " + number(operation.beyond) + " below " + number(operation.low);
  return text;
}

std::string error(const Measured& m) {
  std::string text = std::to_string(m.ulp);
  if (m.absolute > 0) text += "; " + number(static_cast<float>(m.absolute)) + " absolute";
  return text;
}

std::string where(const Measured& m) {
  if (m.ulp == 0) return m.absolute > 0 ? arguments(*m.operation, m.absolute_at) : "";
  return arguments(*m.operation, m.ulp_at);
}

std::string verdict(const Operation& operation, const Cases& wrong) {
  return wrong.count == 0 ? "right" : std::to_string(wrong.count) + " wrong: " + text_of(operation, wrong.first);
}

std::string signs(const Measured& m) {
  return m.signs.count == 0 ? "kept" : "differ at " + arguments(*m.operation, m.signs.first);
}

std::string denormals(const Measured& m) {
  if (m.kept.count > 0 && m.flushed.count > 0) return "kept and flushed";
  return m.kept.count > 0 ? "kept" : m.flushed.count > 0 ? "flushed" : "no matter";
}

void print(const Measured& m, std::ostream& out) {
  const Operation& operation = *m.operation;
  const std::string result =
      m.holds() ? "holds"
                : "**broken** " + std::to_string(m.broken.count) + " times: " + text_of(operation, m.broken.first);
  out << "| " << operation.name << " | " << promise(operation) << " | " << error(m) << " | " << where(m) << " | "
      << verdict(operation, m.nans) << " | " << verdict(operation, m.infinities) << " | " << signs(m) << " | "
      << denormals(m) << " | " << result << " |" << std::endl;
}

void print(const NarrowMeasured& m, std::ostream& out) {
  const Operation& operation = *m.operation;
  std::ostringstream ulp;
  ulp << std::fixed << std::setprecision(4) << m.ulp;
  out << ' ' << ulp.str() << " | " << (m.ulp > 0 ? arguments(operation, m.ulp_at) : "") << " | "
      << (m.holds() ? "holds"
                    : "**broken** " + std::to_string(m.broken.count) + " times: " + text_of(operation, m.broken.first))
      << " |";
}

}  // namespace

std::string text_of(const Operation& operation, const Sample& s) {
  return operation.name + "(" + arguments(operation, s) + ") is " + number(s.got) + ", correctly rounded " +
         number(static_cast<float>(s.want));
}

bool print_table(const Device& device, uint32_t stride, std::ostream& out) {
  out << "### " << device.info().spec << " \"" << device.info().name << "\"\n\n"
      << "Driver: " << device.info().driver << "\n\n"
      << "| operation | promised | largest error, ULP | at | NaN | infinities | signs of zeros | denormals | |\n"
      << "|---|---|---|---|---|---|---|---|---|\n";
  int64_t fewest = INT64_MAX;
  int broken = 0;
  for (const Operation& operation : operations()) {
    const Measured measured = measure(operation, device, stride);
    print(measured, out);
    fewest = std::min(fewest, measured.arguments);
    broken += measured.holds() ? 0 : 1;
  }
  out << '\n'
      << operations().size() << " operations on at least " << fewest << " arguments each; "
      << (broken == 0 ? "all do as promised.\n" : std::to_string(broken) + " do not do as promised.\n");
  return broken == 0;
}

bool print_narrow_table(const Device& device, uint32_t stride, std::ostream& out) {
  out << "\n| operation | f16: largest error, ULP | at | | bf16: largest error, ULP | at | "
         "|\n|---|---|---|---|---|---|---|\n";
  int broken = 0;
  for (const Operation& operation : operations()) {
    out << "| " << operation.name << " |";
    for (DType dtype : {DType::f16, DType::bf16}) {
      const NarrowMeasured measured = measure_narrow(operation, dtype, device, stride);
      print(measured, out);
      broken += measured.holds() ? 0 : 1;
    }
    out << std::endl;
  }
  out << '\n' << (broken == 0 ? "All do as promised.\n" : std::to_string(broken) + " do not do as promised.\n");
  return broken == 0;
}

}  // namespace eglantine::accuracy
