#include <array>
#include <cmath>

#include "layout/layout.hpp"
#include "lower/contraction/schedule/schedule.hpp"
#include "perf/tuning/trial.hpp"

namespace eglantine::perf {
namespace {

using lower::MatmulTile;

struct Sizes {
  int64_t batch, m, n, k;
  bool a_transposed = false, b_transposed = false;
};

constexpr std::array on_software{Sizes{1, 128, 128, 128}, Sizes{1, 256, 256, 256}, Sizes{1, 512, 512, 512},
                                 Sizes{1, 256, 128, 784}, Sizes{64, 32, 32, 32}};
constexpr std::array on_hardware{Sizes{1, 512, 512, 512},
                                 Sizes{1, 1024, 1024, 1024},
                                 Sizes{1, 2048, 2048, 2048},
                                 Sizes{1, 4096, 4096, 4096},
                                 Sizes{1, 1024, 1024, 1024, true, false},
                                 Sizes{1, 1024, 1024, 1024, false, true},
                                 Sizes{1, 4096, 4096, 4096, false, true},
                                 Sizes{1, 1021, 2027, 509, true, false},  // read one by one
                                 Sizes{1, 1021, 1021, 1021},
                                 Sizes{1, 4096, 4096, 64},
                                 Sizes{1, 64, 64, 8192},
                                 Sizes{1, 8192, 4096, 1024},
                                 Sizes{4096, 64, 64, 64},
                                 Sizes{64, 256, 256, 256}};

/// A matrix product, whose tile tuning chooses.
class ProductTrial : public Trial {
 public:
  ProductTrial(gl::GlRuntime& device, const Sizes& sizes) : Trial(device), sizes_(sizes) {
    const Shape results{sizes.batch * sizes.m, sizes.n};
    kernel_.batch = sizes.batch > 1 ? Shape{sizes.batch} : Shape{};
    kernel_.m = sizes.m;
    kernel_.n = sizes.n;
    kernel_.k = sizes.k;
    kernel_.a = operand(sizes.m, sizes.k, sizes.a_transposed, 1);
    kernel_.b = operand(sizes.k, sizes.n, sizes.b_transposed, 2);
    kernel_.epilogue = {results, {}, {}, {}, {{Op::accumulator, DType::f32, {-1, -1, -1}}}, {}};
    kernel_.out = first_results_ = results_over(results);
    kernels_ = {kernel_};
  }

  std::string name() const override { return "matmul " + text_of(product_class()); }

  std::vector<Choice> choices() const override {
    const MatmulTile own = MatmulTile::of(table_shader());
    std::vector<Choice> choices;
    for (const MatmulTile& tile : lower::known_tiles(software())) {
      if (!tile.fits(untuned()) || tile == own) continue;
      auto tuning = std::make_shared<lower::Tuning>();
      tuning->tiles.emplace(product_class(), tile);
      choices.push_back({text_of(tile), tuning});
    }
    return choices;
  }

  /// The bound of docs/numerics on random data, of either.
  double tolerance() const override {
    const auto k = static_cast<double>(sizes_.k);
    return 8 * (std::sqrt(k) + 4) * 0x1p-23 * k / 3;
  }

 private:
  lower::Contraction product() const { return lower::products_of(kernel_, kernel_.out).front(); }
  lower::MatmulShader table_shader() const { return lower::shader_for(untuned(), product(), true); }
  lower::ProductClass product_class() const { return lower::class_of(product(), table_shader()); }

  Strided operand(int64_t rows, int64_t columns, bool transposed, uint32_t seed) {
    Layout layout{{rows, columns}, {transposed ? 1 : columns, transposed ? rows : 1}, 0};
    if (sizes_.batch > 1) {
      layout.shape.insert(0, sizes_.batch);
      layout.strides.insert(layout.strides.begin(), rows * columns);
    }
    return {random_floats(sizes_.batch * rows * columns, seed), StorageType::f32, layout};
  }

  Sizes sizes_;
  MatmulKernel kernel_;
};

}  // namespace

size_t product_trials(bool software) { return software ? on_software.size() : on_hardware.size(); }

std::unique_ptr<Trial> product_trial(gl::GlRuntime& device, size_t i) {
  return std::make_unique<ProductTrial>(device, device.target().software ? on_software[i] : on_hardware[i]);
}

}  // namespace eglantine::perf
