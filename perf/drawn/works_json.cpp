#include "perf/drawn/drawing.hpp"
#include "profile/json_text.hpp"

namespace eglantine::perf::drawn {

namespace {

using profile::json_number;
using profile::json_text;

template <class Range, class Text>
std::string list_of(const Range& range, const Text& text) {
  std::string list;
  for (const auto& each : range) list += (list.empty() ? "" : ",") + text(each);
  return "[" + list + "]";
}

std::string numbers_json(const std::vector<int64_t>& numbers) {
  return list_of(numbers, [](int64_t number) { return std::to_string(number); });
}

std::string_view fill_name(Fill fill) {
  constexpr std::string_view names[] = {"uniform", "signed_uniform", "normal", "positive", "small",
                                        "mask",    "bits",           "index",  "places"};
  return names[static_cast<size_t>(fill)];
}

std::string operand_json(const DrawnOperand& operand) {
  return "{\"shape\":" + numbers_json(operand.shape.to_vector()) +
         ",\"stored\":" + numbers_json(operand.stored.shape.to_vector()) +
         ",\"layout\":" + json_text(name_of(operand.kind)) + ",\"axes\":" + numbers_json(operand.axes) +
         ",\"start\":" + std::to_string(operand.start) + ",\"step\":" + std::to_string(operand.step) +
         ",\"dtype\":" + json_text(eglantine::name_of(operand.dtype())) +
         ",\"fill\":" + json_text(fill_name(operand.stored.fill)) +
         ",\"bound\":" + std::to_string(operand.stored.bound) + "}";
}

std::string result_json_of(const DrawnResult& result) {
  return "{\"shape\":" + numbers_json(result.shape.to_vector()) +
         ",\"dtype\":" + json_text(eglantine::name_of(result.dtype)) + "}";
}

std::string parameters_json(const Drawn& work) {
  std::string text;
  for (const auto& [name, values] : work.parameters)
    text += (text.empty() ? "" : ",") + json_text(name) + ":" + numbers_json(values);
  return "{" + text + "}";
}

std::string work_json(const Drawn& work) {
  return "\n{\"name\":" + json_text(work.name) + ",\"family\":" + json_text(work.family) +
         ",\"verb\":" + json_text(work.verb) + ",\"operands\":" + list_of(work.operands, operand_json) +
         ",\"results\":" + list_of(work.results, result_json_of) + ",\"parameters\":" + parameters_json(work) +
         ",\"bytes\":" + json_number(work.bytes) + ",\"operations\":" + json_number(work.operations) + "}";
}

}  // namespace

std::string json_of(const std::string& set, const std::vector<Drawn>& works) {
  return "{\"format\":1,\"set\":" + json_text(set) + ",\"works\":" + list_of(works, work_json) + "}\n";
}

}  // namespace eglantine::perf::drawn
