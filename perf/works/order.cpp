#include <algorithm>
#include <cmath>

#include "perf/works/works.hpp"

/// Scans, sorts and indexed reads and writes.
namespace eglantine::perf {

namespace {

/// The work, checked in another way than by pieces: `check` sees the operands of one call and its results.
Work checked_by(Work work, const std::vector<Operand>& operands, const Verb& verb,
                const std::function<std::string(const Tensors& operands, const Tensors& results)>& check) {
  work.prepare = [=, prepare = std::move(work.prepare)](const Device& device) {
    Prepared prepared = prepare(device);
    prepared.problem = [=] {
      Tensors inputs;
      for (const Operand& operand : operands) inputs.push_back(random_tensor(operand, inputs.size() + 1, device));
      return check(inputs, verb(inputs));
    };
    return prepared;
  };
  return work;
}

/// A prefix cannot be cut out of the middle: every element against a sum in double.
std::string problem_of_cumsum(const Tensors& operands, const Tensors& results) {
  const auto x = operands[0].to_vector<float>(), y = results[0].to_vector<float>();
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    sum += static_cast<double>(x[i]);
    const double bound = (128 + std::log2(real(static_cast<int64_t>(x.size())))) * 0x1p-23 * sum;
    if (!(std::abs(static_cast<double>(y[i]) - sum) <= bound))
      return "element " + std::to_string(i) + " is " + std::to_string(y[i]) + ", not " + std::to_string(sum);
  }
  return "";
}

/// Keys in order, each the one that its place names, equal ones in order of their places: then the places are a stable
/// permutation.
template <class Key>
std::string problem_of_sort(const Tensors& operands, const Tensors& results) {
  const auto x = operands[0].to_vector<Key>(), keys = results[0].to_vector<Key>();
  const auto places = results[1].to_vector<int32_t>();
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto place = static_cast<size_t>(places[i]);
    const bool follows = i == 0 || keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && places[i - 1] < places[i]);
    if (place >= x.size() || x[place] != keys[i] || !follows)
      return "key " + std::to_string(i) + " is " + std::to_string(keys[i]) + " from place " + std::to_string(place);
  }
  return "";
}

/// Each row's places lead to keys in order, equal ones in order of their places: then they are a stable permutation.
std::string problem_of_argsort(const Tensors& operands, const Tensors& results) {
  const auto keys = operands[0].to_vector<float>();
  const auto places = results[0].to_vector<int32_t>();
  const auto length = static_cast<size_t>(operands[0].shape()[operands[0].rank() - 1]);
  for (size_t i = 0; i < places.size(); ++i) {
    const size_t row = i / length * length;
    const auto place = static_cast<size_t>(places[i]);
    if (place >= length) return "place " + std::to_string(i) + " is " + std::to_string(places[i]);
    if (i == row) continue;
    const float before = keys[row + static_cast<size_t>(places[i - 1])], key = keys[row + place];
    if (!(before < key || (before == key && places[i - 1] < places[i])))
      return "key " + std::to_string(i) + ", " + std::to_string(key) + ", comes after " + std::to_string(before);
  }
  return "";
}

/// The keys with the places they came from.
Tensors sorted(const Tensors& x) {
  const Tensor& keys = x[0];
  const int64_t length = keys.shape()[keys.rank() - 1];
  const Tensor places = arange(0, real(length), 1, DType::i32, keys.device()).expand(keys.shape());
  const auto [in_order, from] = sort_by_key(keys, places);
  return {in_order, from};
}

}  // namespace

Work cumsum_work(int64_t n) {
  const std::vector<Operand> operands{{{n}}};
  const Verb verb = [](const Tensors& x) { return Tensors{cumsum(x[0], 0)}; };
  Work work = work_of("cumsum/" + size_text(n), operands, verb, {});
  work.bytes = 8 * real(n);
  work.items = real(n);
  return checked_by(std::move(work), operands, verb, problem_of_cumsum);
}

Work cumsum_rows_work(Shape shape) {
  Work work = work_of("cumsum_rows/" + size_text(shape), {{shape}},
                      [](const Tensors& x) { return Tensors{cumsum(x[0], -1)}; }, {{0}, 0, 1e-5, 0});
  work.bytes = 8 * real(shape.elements());
  work.items = real(shape.elements());
  return work;
}

Work sort_work(int64_t n, DType keys) {
  const bool floats = keys == DType::f32;
  const std::vector<Operand> operands{{{n}, floats ? Fill::normal : Fill::bits}};
  Work work = work_of((floats ? "sort_f32/" : "sort_u32/") + size_text(n), operands, sorted, {});
  work.bytes = 12 * real(n);  // at the least: keys in, keys and places out
  work.items = real(n);
  return checked_by(std::move(work), operands, sorted, floats ? problem_of_sort<float> : problem_of_sort<uint32_t>);
}

Work sort_rows_work(Shape shape) {
  Work work = work_of("sort_rows/" + size_text(shape), {{shape, Fill::normal}}, sorted, {{0}, 0, 0, 0});
  work.bytes = 12 * real(shape.elements());
  work.items = real(shape.elements());
  return work;
}

Work argsort_work(Shape shape) {
  const std::vector<Operand> operands{{shape, Fill::normal}};
  const Verb verb = [](const Tensors& x) { return Tensors{argsort(x[0], -1)}; };
  Work work = work_of("argsort/" + (shape.rank() == 1 ? size_text(shape[0]) : size_text(shape)), operands, verb, {});
  work.bytes = 8 * real(shape.elements());  // at the least: keys in, places out
  work.items = real(shape.elements());
  return checked_by(std::move(work), operands, verb, problem_of_argsort);
}

Work take_work(int64_t n, int64_t from) {
  Work work = work_of("take/" + size_text(n), {{{from}}, {{n}, Fill::index, from}},
                      [](const Tensors& x) { return Tensors{take(x[0], x[1], 0)}; }, {{-1, 0}, 0, 0, 0});
  work.bytes = 12 * real(n);  // an index, an element and the result for each
  work.items = real(n);
  return work;
}

Work take_rows_work(int64_t rows, int64_t columns) {
  Work work = work_of("take_rows/" + size_text(Shape{rows, columns}), {{{rows, columns}}, {{rows}, Fill::index, rows}},
                      [](const Tensors& x) { return Tensors{take(x[0], x[1], 0)}; }, {{-1, 0}, 0, 0, 0});
  work.bytes = 4 * (2 * real(rows) * real(columns) + real(rows));
  return work;
}

Work scatter_add_work(int64_t rows, int64_t columns) {
  const Shape shape{rows, columns};
  Work work =
      work_of("scatter_add/" + size_text(shape), {{shape}, {shape, Fill::index, rows}, {shape}},
              [](const Tensors& x) { return Tensors{scatter_add(x[0], 0, x[1], x[2])}; }, {{1, 1, 1}, 1, 1e-5, 1e-6});
  work.bytes = 4 * 4 * real(shape.elements());  // base, indices and updates in, the result out
  return work;
}

Work scatter_add_flat_work(int64_t n) {
  Work work = work_of("scatter_add_flat/" + size_text(n), {{{n}}, {{n}, Fill::index, n}, {{n}}},
                      [](const Tensors& x) { return Tensors{scatter_add(x[0], 0, x[1], x[2])}; },
                      {{-1, -1, -1}, -1, 1e-5, 1e-6});
  work.bytes = 4 * 4 * real(n);
  work.items = real(n);
  return work;
}

}  // namespace eglantine::perf
