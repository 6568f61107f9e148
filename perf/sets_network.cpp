#include "perf/sets.hpp"

namespace eglantine::perf {

namespace {

/// Forward, and both gradients.
Works convolutions(const std::vector<Convolution>& all) {
  Works works;
  for (const Convolution& c : all) append(works, {conv_work(c), conv_gradients_work(c)});
  return works;
}

/// Works on pictures.
Works picture_works(const Shape& x) {
  return {max_pool_work(x), global_average_work(x), bilinear_work(x), batch_norm_training_work(x)};
}

/// What reads pictures by windows or between their elements.
Works resampling_works(const Shape& x, const Shape& volumes) {
  return {avg_pool_work(x),          lp_pool_work(x),       adaptive_avg_pool_work(x), adaptive_max_pool_work(x),
          bicubic_work(x),           antialiased_work(x),   trilinear_work(volumes),   grid_sample_work(x),
          grid_sample_work(volumes), pixel_shuffle_work(x), window_max_work(x),        window_var_work(x)};
}

/// ResNeXt's 32 groups, a product in each of few groups, and volumes.
Works grouped_convolutions(int64_t n) {
  return convolutions({{n, 128, 128, 3, 56, 1, 32},
                       {n, 256, 256, 3, 28, 1, 32},
                       {n, 256, 256, 1, 28, 1, 8},
                       {n / 4, 64, 64, 3, 32, 1, 16, 3}});
}

/// Rows of `length` and of one more element, of `classes` and of three more.
Works row_works(int64_t rows, int64_t length, int64_t classes) {
  return {layer_norm_work({rows, length}),     layer_norm_work({rows, length + 1}),
          rms_norm_work({rows, length}),       rms_norm_work({rows, length + 1}),
          cross_entropy_work({rows, classes}), cross_entropy_work({rows, classes + 3})};
}

Works on_hardware() {
  Works works = convolutions({{32, 3, 64, 7, 224, 2},
                              {32, 64, 256, 1, 56},
                              {32, 64, 64, 3, 56},
                              {32, 128, 128, 3, 28},
                              {32, 256, 256, 3, 14},
                              {32, 512, 512, 3, 7},
                              {32, 1024, 256, 1, 14},
                              {32, 144, 144, 3, 56, 1, 144},
                              {1, 256, 256, 3, 14}});
  append(works, picture_works({32, 64, 112, 112}));
  append(works, grouped_convolutions(32));
  append(works, resampling_works({32, 64, 112, 112}, {4, 16, 32, 64, 64}));
  append(works, row_works(8192, 4096, 32000));
  append(works, {standardize_work({1000000, 100}), attention_work(8, 12, 1024, 64), attention_work(8, 12, 4096, 64),
                 matmul_work(8, 4096, 4096), matmul_work(64, 4096, 4096), matmul_work(65536, 37, 129),
                 matmul_work(300, 300, 300), resnet50_work(1), resnet50_work(32)});
  return works;
}

/// One of each kind, but for the network itself.
Works smaller(const Convolution& c, const Shape& pictures, int64_t rows, int64_t length) {
  Works works = convolutions({c, {c.n, c.in, c.in, c.kernel, c.size, 1, c.in}});
  append(works, picture_works(pictures));
  append(works, row_works(rows, length, 2 * length));
  append(works, {standardize_work({16 * rows, 100}), attention_work(1, 2, length, 16)});
  return works;
}

}  // namespace

/// Without the network, which examples run: a work warms up for 256 calls.
Works network_smoke() {
  Works works = smaller({1, 4, 6, 3, 8}, {1, 4, 12, 12}, 16, 64);
  append(works, convolutions({{1, 8, 8, 3, 6, 1, 2}, {1, 4, 4, 3, 4, 1, 2, 3}}));
  append(works, resampling_works({1, 4, 14, 14}, {1, 2, 4, 6, 6}));
  return works;
}

Works network_set(bool software) {
  if (!software) return on_hardware();
  Works works = smaller({1, 64, 64, 3, 56}, {2, 64, 56, 56}, 512, 1024);
  append(works, grouped_convolutions(8));
  append(works, resampling_works({8, 48, 112, 112}, {2, 16, 32, 48, 48}));
  works.push_back(resnet50_work(1, 64));
  return works;
}

}  // namespace eglantine::perf
