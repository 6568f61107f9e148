// Stream compaction: keep the elements that pass a test, in order. A mask says which, a scan says where each one goes,
// a scatter puts them there; compress does it all.

#include <algorithm>
#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>
#include <iterator>
#include <vector>

using namespace eglantine;

namespace {

/// compress for rank 1 from other verbs.
Tensor compacted(const Tensor& x, const Tensor& mask) {
  const Tensor place = cumsum(mask, 0, true);  // how many before it are kept
  const int32_t kept = sum(mask).item<int32_t>();
  // What is not kept goes to one more place, which is cut off.
  const Tensor target = where(mask, place, kept);
  return scatter(zeros({kept + 1}, x.dtype()), 0, target, x).slice(0, 0, kept);
}

}  // namespace

int main() {
  const Tensor x = Tensor::from({4, -1, 0, 7, -3, 2, -8, 5}, {8});
  const Tensor mask = gt(x, 0);
  std::cout << "x          " << x << "\nmask       " << mask << "\nplace      " << cumsum(mask, 0, true)
            << "\nby hand    " << compacted(x, mask) << "\ncompress   " << compress(x, mask) << "\n";
  // Where they stood: a row of coordinates for each.
  std::cout << "nonzero    " << nonzero(mask).reshape({-1}) << "\n\n";
  bool right = compress(x, mask).to_vector<int32_t>() == std::vector<int32_t>{4, 7, 2, 5} &&
               compacted(x, mask).to_vector<int32_t>() == std::vector<int32_t>{4, 7, 2, 5};

  // A mask of lower rank keeps whole rows: here the points within the unit circle.
  const int64_t count = 100000;
  const Tensor points = uniform({count, 2}, 1) * 2 - 1;
  const Tensor inside = lt(sum(points * points, {1}), 1);
  const Tensor kept = compress(points, inside);
  std::cout << kept.shape()[0] << " of " << count << " points lie in the circle: pi is about "
            << 4 * static_cast<double>(kept.shape()[0]) / static_cast<double>(count) << "\n";
  right = right && kept.shape()[0] == sum(inside).item<int32_t>() && max(sum(kept * kept, {1})).item<float>() < 1;

  // A million elements against the standard library.
  const Tensor many = normal({1 << 20}, 2);
  const std::vector<float> values = many.to_vector<float>();
  std::vector<float> expected;
  std::copy_if(values.begin(), values.end(), std::back_inserter(expected), [](float v) { return v > 1; });
  const std::vector<float> got = compress(many, gt(many, 1)).to_vector<float>();
  std::cout << got.size() << " of a million normal numbers are above 1"
            << (got == expected ? ", as std::copy_if finds\n" : ", WRONG\n");
  return right && got == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
