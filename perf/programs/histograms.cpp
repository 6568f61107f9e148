#include "programs.hpp"

/// A picture's histogram, its equalisation by the cumulative histogram, and order statistics.
namespace eglantine::programs {

std::vector<Tensor> histograms(Size size) {
  const int64_t n = size == Size::full ? 2048 : 128;
  const Tensor picture = square(scrambled({n, n}));
  const Tensor counts = histogram(picture, 256, 0, 1).first;
  const Tensor cumulative = cumsum(counts, 0) / static_cast<float>(n * n);
  const Tensor equalised = take(cumulative, clip(floor(picture * 256).astype(DType::i32), 0, 255), 0);
  const Tensor levels = bincount(ravel(floor(equalised * 15).astype(DType::i32)), {}, 16);
  return {counts[Slice{0, 8}], levels, median(picture), quantile(picture, 0.9), stddev(equalised)};
}

}  // namespace eglantine::programs
