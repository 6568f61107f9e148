#include "perf/drawn/measurable.hpp"

#include <algorithm>

namespace eglantine::perf::drawn {

namespace {

constexpr double checked_bytes = 32.0 * 1024 * 1024, twin_bytes = checked_bytes / 2, checked_operations = 2e9;

bool is_checked_whole(const Drawn& work) {
  return work.bytes <= checked_bytes && work.operations <= checked_operations;
}

std::vector<perf::Operand> stored_operands(const Drawn& work) {
  std::vector<perf::Operand> stored;
  for (const DrawnOperand& operand : work.operands) stored.push_back(operand.stored);
  return stored;
}

Tensors views_of(const Tensors& stored, const Drawn& work) {
  Tensors views;
  for (size_t i = 0; i < stored.size(); ++i) views.push_back(view_of(stored[i], work.operands[i]));
  return views;
}

std::string problem_of_shapes(const Drawn& work, const Tensors& results) {
  if (work.results.empty()) return "";
  if (work.results.size() != results.size()) return std::to_string(results.size()) + " results";
  for (size_t i = 0; i < results.size(); ++i) {
    const auto& [shape, dtype] = work.results[i];
    if (!(results[i].shape() == shape) || results[i].dtype() != dtype)
      return "result " + std::to_string(i) + " is " + std::string(eglantine::name_of(results[i].dtype())) + " " +
             to_string(results[i].shape()) + ", not " + std::string(eglantine::name_of(dtype)) + " " + to_string(shape);
  }
  return "";
}

std::string problem_of_finiteness(const Tensors& results) {
  for (const Tensor& result : results)
    if (result.dtype() == DType::f32 && !all(isfinite(result)).item<bool>()) return "a result is not finite";
  return "";
}

/// Without cuts: what is observed of a call, beside the same on another device.
std::string problem_of_whole(const Drawn& work, const Tensors& views) {
  const auto observed = [&](const Tensors& x) {
    const Tensors results = work.call(x);
    return work.observed ? work.observed(x, results) : results;
  };
  Check check = work.check;
  check.result_axis = -1;
  check.operand_axes.assign(views.size(), -1);
  return problem_of(observed, views, check);
}

std::string problem_of_work(const Drawn& work, const Device& device) {
  const Tensors views = views_of(random_set(stored_operands(work), 0, device), work);
  const Tensors results = work.call(views);
  if (std::string what = problem_of_shapes(work, results); !what.empty()) return what;
  if (is_checked_whole(work)) return problem_of_whole(work, views);
  if (std::string what = problem_of_finiteness(results); !what.empty()) return what;
  return work.check.result_axis < 0 ? "" : problem_of(work.call, views, work.check);
}

Work measurable(const Drawn& drawn, const Drawn& twin) {
  Work work;
  work.name = drawn.name;
  work.family = drawn.family;
  work.bytes = drawn.bytes;
  work.operations = drawn.operations;
  work.prepare = [=](const Device& device) {
    Prepared prepared;
    const std::vector<perf::Operand> stored = stored_operands(drawn);
    for (size_t set = 0; set < sets_of(stored); ++set)
      prepared.calls.push_back(
          [=, inputs = random_set(stored, set, device)] { return drawn.call(views_of(inputs, drawn)); });
    prepared.problem = [=] {
      const std::string what = problem_of_work(drawn, device);
      if (!what.empty() || is_checked_whole(drawn)) return what;
      const std::string of_twin = problem_of_work(twin, device);
      return of_twin.empty() ? "" : "the smaller " + twin.name + ": " + of_twin;
    };
    device.synchronize();
    return prepared;
  };
  return work;
}

/// Of a dtype that files for NumPy have.
Tensor as_stored(const Tensor& x) {
  if (x.dtype() == DType::f16 || x.dtype() == DType::bf16) return x.astype(DType::f32);
  return x.dtype() == DType::boolean ? x.astype(DType::u8) : x;
}

}  // namespace

std::vector<Work> measurable_works(const SizeClass& size, const std::vector<uint64_t>& seeds, int64_t count) {
  SizeClass small = size;
  small.most_operations = std::min(small.most_operations, checked_operations);
  std::vector<Work> works;
  for (const uint64_t seed : seeds)
    for (int64_t index = 0; index < count; ++index)
      works.push_back(measurable(draw(size, seed, index), draw(small, seed, index, twin_bytes)));
  return works;
}

std::map<std::string, Tensor> values_of(const std::vector<Drawn>& works, const Device& device) {
  std::map<std::string, Tensor> values;
  for (size_t place = 0; place < works.size(); ++place) {
    const Tensors views = views_of(random_set(stored_operands(works[place]), 0, device), works[place]);
    const Tensors results = works[place].call(views);
    const auto keep = [&](const std::string& kind, const Tensors& tensors) {
      for (size_t i = 0; i < tensors.size(); ++i)
        values.emplace(std::to_string(place) + kind + std::to_string(i), as_stored(tensors[i]).eval());
    };
    keep(".operand.", views);
    keep(".result.", results);
  }
  return values;
}

}  // namespace eglantine::perf::drawn
