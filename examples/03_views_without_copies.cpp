// Views: reshape, permute, expand, slice and flip only change how a buffer is walked.

#include <eglantine/eglantine.hpp>
#include <iostream>

using namespace eglantine;

namespace {

void show(const char* what, const Tensor& x) {
  const Layout layout = x.layout();
  std::cout << what << ": shape " << layout.shape << ", strides (";
  for (size_t i = 0; i < layout.strides.size(); ++i) std::cout << (i == 0 ? "" : ", ") << layout.strides[i];
  std::cout << "), offset " << layout.offset << "\n" << x << "\n\n";
}

}  // namespace

int main() {
  const Tensor x = arange(0, 12, 1, DType::i32).reshape({3, 4}).eval();
  show("x", x);
  show("transposed", x.transpose(0, 1));
  show("every other column, backwards", x.slice(1, -1, {}, -2));
  show("the middle, flipped", x.crop({{1, 3}, {1, 3}}).flip({0}));
  show("a row repeated", x.slice(0, 1, 2).expand({3, 4}));

  // Any strides: the four overlapping windows of three elements of a row.
  show("sliding windows", arange(0, 6).eval().as_strided({4, 3}, {1, 1}));

  const int64_t before = x.device().memory().live;
  const Tensor corner = x.transpose(0, 1).flip({1}).crop({{0, 2}, {0, 2}});
  const int64_t after = x.device().memory().live;
  std::cout << "bytes that a chain of views took: " << after - before << "\n";
  std::cout << corner << "\n";
}
