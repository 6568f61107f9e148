#include "programs.hpp"

/// The first principal components by power iteration with deflation.
namespace eglantine::programs {

std::vector<Tensor> principal_components(Size size) {
  const int64_t n = size == Size::full ? 16384 : 1024, d = 64;
  const Tensor mixing = scrambled({d, d}, 1) * linspace(3, 0.1F, d).unsqueeze(1);
  Tensor c = cov(matmul(scrambled({n, d}) - 0.5, mixing).transpose(0, 1));
  std::vector<Tensor> variances;
  for (int component = 0; component < 4; ++component) {
    Tensor v = ones({d});
    for (int step = 0; step < 30; ++step) {
      v = matmul(c, v);
      v /= norm(v);
    }
    variances.push_back(dot(v, matmul(c, v)));
    c -= variances.back() * outer(v, v);
  }
  return {stack(variances, 0)};
}

}  // namespace eglantine::programs
