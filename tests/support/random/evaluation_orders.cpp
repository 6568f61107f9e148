#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <thread>

#include "eglantine/ops.hpp"
#include "evaluate/evaluate.hpp"
#include "support/random/random_data.hpp"
#include "support/random/random_graphs.hpp"

namespace eglantine::test {
namespace {

using Values = std::vector<Tensor>;

Values wanted_of(const RandomGraph& graph, const Values& values) {
  Values wanted;
  for (const size_t i : graph.wanted()) wanted.push_back(values[i]);
  return wanted;
}

std::vector<Array> read(const Values& tensors) {
  std::vector<Array> arrays;
  for (const Tensor& x : tensors) arrays.push_back(download(x));
  return arrays;
}

/// In reverse order.
std::vector<Array> computed_one_by_one(const RandomGraph& graph) {
  const Values wanted = wanted_of(graph, graph.build());
  std::vector<Array> arrays(wanted.size());
  for (size_t i = wanted.size(); i-- > 0;) arrays[i] = download(wanted[i]);
  return arrays;
}

const Tensor& any_of(const Values& values, Random& draw) {
  return values[static_cast<size_t>(draw.integer(0, static_cast<int64_t>(values.size()) - 1))];
}

void compute_some(const Values& values, Random& draw) {
  switch (draw.integer(0, 7)) {
    case 0:
      return static_cast<void>(values.back().eval());
    case 1:
      return eval({any_of(values, draw), any_of(values, draw)});
    case 2:
      return static_cast<void>(download(any_of(values, draw)));
    default:
      return;
  }
}

std::vector<Array> computed_at_drawn_points(const RandomGraph& graph, uint64_t seed) {
  Random draw(seed);
  const Values wanted = wanted_of(graph, graph.build([&](const Values& values) { compute_some(values, draw); }));
  eval(wanted);
  return read(wanted);
}

/// While another thread computes what exists so far.
std::vector<Array> computed_beside_a_thread(const RandomGraph& graph, uint64_t seed) {
  std::mutex mutex;
  Values shared;
  std::atomic<bool> ended = false;
  std::thread other([&] {
    for (Random draw(seed); !ended; std::this_thread::yield()) {
      Values values;
      {
        const std::scoped_lock lock(mutex);
        values = shared;
      }
      if (!values.empty()) any_of(values, draw).eval();
    }
  });
  const Values values = graph.build([&](const Values& so_far) {
    const std::scoped_lock lock(mutex);
    shared = so_far;
  });
  std::vector<Array> arrays = read(wanted_of(graph, values));
  ended = true;
  other.join();
  return arrays;
}

bool same_bits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// How far results may be apart, relative to their largest: nothing without row kernels. Sums in those follow an order
/// of their own, so that their last bits depend on what is computed together.
double allowance(const Tensor& x) {
  if (!limits_of(*x.node()).row_chains || !is_float(x.dtype())) return 0;
  constexpr double units = 64;
  return units * (x.dtype() == DType::bf16 ? 0x1p-9 : x.dtype() == DType::f16 ? 0x1p-12 : 0x1p-24);
}

double largest_of(const Array& x) {
  double largest = 0;
  for (const double value : x.values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest;
}

/// The difference between two computations of a program's wanted values; "" if none.
std::string difference(const RandomGraph& graph, const char* way, const std::vector<Array>& actual,
                       const std::vector<Array>& expected, const std::vector<double>& allowed) {
  for (size_t i = 0; i < actual.size(); ++i) {
    const double apart = allowed[i] * largest_of(expected[i]);
    for (size_t at = 0; at < actual[i].values.size(); ++at) {
      const double is = actual[i].values[at], was = expected[i].values[at];
      if (same_bits(is, was) || std::abs(is - was) <= apart) continue;
      char text[200];
      std::snprintf(text, sizeof text, "%s: value %zu, element %zu: %.17g, not %.17g", way, graph.wanted()[i], at, is,
                    was);
      return text;
    }
  }
  return "";
}

}  // namespace

std::string difference_between_orders(const RandomGraph& graph, uint64_t seed) {
  const Values wanted = wanted_of(graph, graph.build());
  std::vector<double> allowed;
  for (const Tensor& x : wanted) allowed.push_back(allowance(x));
  eval(wanted);
  const std::vector<Array> together = read(wanted);
  const auto compared = [&](const char* way, const std::vector<Array>& actual) {
    return difference(graph, way, actual, together, allowed);
  };
  std::string found = compared("one by one", computed_one_by_one(graph));
  if (found.empty()) found = compared("at drawn points", computed_at_drawn_points(graph, seed));
  if (found.empty()) found = compared("beside a thread", computed_beside_a_thread(graph, seed));
  if (!found.empty() || !graph.has_reference()) return found;
  std::vector<Array> expected;
  const std::vector<Array> reference = graph.reference();
  for (const size_t i : graph.wanted()) expected.push_back(reference[i]);
  return difference(graph, "against the reference", together, expected, std::vector<double>(expected.size()));
}

std::string check_random_graph(uint64_t seed) {
  // Matrices of the last size exceed a window of 64 KiB.
  constexpr std::array<int64_t, 16> sizes{4, 5, 13, 33, 4, 5, 13, 33, 4, 5, 13, 33, 4, 5, 13, 150};
  Random random(seed);
  const RandomGraph graph([&](int64_t low, int64_t high) { return random.integer(low, high); }, graph_types(seed),
                          sizes[seed / 2 % sizes.size()], seed);
  std::string found;
  try {
    found = difference_between_orders(graph, seed + 1);
  } catch (const std::exception& error) {
    found = error.what();
  }
  return found.empty() ? "" : "program " + std::to_string(seed) + ": " + found + "\n" + graph.text();
}

}  // namespace eglantine::test
