// A histogram in two ways: by sorting and scanning, without a single conflict, and by adding into bins.

#include <algorithm>
#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>
#include <string>
#include <vector>

using namespace eglantine;

namespace {

/// Equal elements side by side are a run. The runs' elements and lengths, from sorted values.
struct Runs {
  Tensor value, length;
};

Runs runs_of(const Tensor& sorted) {
  const Tensor first = full({1}, true, DType::boolean);
  const Tensor starts = concatenate({first, ne(sorted.slice(0, 1), sorted.slice(0, 0, -1))}, 0);
  const Tensor run = cumsum(starts, 0) - 1;  // which run each element is in
  const Tensor index = arange(0, static_cast<float>(sorted.size()), 1, DType::i32);
  // How far into its run each element is: from the last start so far.
  const Tensor place = index - cummax(where(starts, index, 0), 0);
  // Of several updates to one place the last wins: the run's last element knows its length.
  const Tensor value = compress(sorted, starts);
  return {value, scatter(zeros(value.shape(), DType::i32), 0, run, place + 1)};
}

Tensor by_sorting(const Tensor& bins, int64_t count) {
  const Runs runs = runs_of(sort(bins).eval());
  return scatter(zeros({count}, DType::i32), 0, runs.value, runs.length);
}

Tensor by_adding(const Tensor& bins, int64_t count) {
  return scatter_add(zeros({count}, DType::i32), 0, bins, ones(bins.shape(), DType::i32));
}

void draw(const std::vector<int32_t>& counts) {
  constexpr int32_t width = 60;
  int32_t largest = 1;
  for (int32_t count : counts) largest = std::max(largest, count);
  for (int32_t count : counts)
    std::cout << std::string(static_cast<size_t>(width * count / largest), '#') << " " << count << "\n";
}

}  // namespace

int main() {
  const int64_t count = 20;
  const Tensor x = normal({200000}, 1);
  // From -4 to 4; what lies beyond goes to the outermost bins.
  const Tensor bins = clip(floor((x + 4) * (static_cast<float>(count) / 8)), 0, static_cast<float>(count - 1))
                          .astype(DType::i32)
                          .eval();
  const std::vector<int32_t> sorted = by_sorting(bins, count).to_vector<int32_t>();
  const std::vector<int32_t> added = by_adding(bins, count).to_vector<int32_t>();
  draw(sorted);

  std::vector<int32_t> expected(count);
  for (int32_t bin : bins.to_vector<int32_t>()) ++expected[static_cast<size_t>(bin)];

  // Its prefix sums are the distribution: how many lie at or below each bin.
  const Tensor below = cumsum(by_adding(bins, count), 0).astype(DType::f32) / static_cast<float>(x.size());
  std::cout << "\nat or below each bin:\n" << below << "\n";
  const float middle = below.slice(0, count / 2 - 1, count / 2).item<float>();
  std::cout << "half of them lie below 0: " << middle << "\n";
  const bool right = sorted == expected && added == expected && middle > 0.49F && middle < 0.51F;
  std::cout << (right ? "both ways agree with a plain loop\n" : "WRONG\n");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
