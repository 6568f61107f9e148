#include "graph/evaluate.hpp"
#include "verbs/check.hpp"
namespace eglantine {
Tensor cumsum(const Tensor& x, int, bool, bool) {
  std::vector<int32_t> v = x.astype(DType::i32).to_vector<int32_t>();
  int32_t s = 0;
  for (int32_t& i : v) i = s += i;
  return Tensor::from(v, x.shape(), x.device());
}
}  // namespace eglantine
