#include "perf/works/works.hpp"

/// Pools, resampling and windows as users bring them, beside PyTorch's: what moves tens of megabytes and does little
/// with each element.
namespace eglantine::perf {

namespace {

/// A verb of x that reads it once, and writes so many elements, each made of so many.
Work reading(const std::string& name, const Shape& x, Verb verb, double written, double operations_each) {
  Work work = work_of(name + "/" + size_text(x), {{x, Fill::normal}}, std::move(verb), {{0}, 0, 1e-4, 1e-5});
  work.bytes = 4 * (count_of(x) + written);
  work.operations = operations_each * written;
  return work;
}

/// x's lengths behind n and channels, so much longer.
std::vector<int64_t> spatial_of(const Shape& x, int64_t times, int64_t over = 1) {
  std::vector<int64_t> lengths;
  for (int axis = 2; axis < x.rank(); ++axis) lengths.push_back(x[axis] * times / over);
  return lengths;
}

/// Elements of x resampled to these lengths.
double count_at(const Shape& x, const std::vector<int64_t>& lengths) {
  double count = real(x[0] * x[1]);
  for (const int64_t length : lengths) count *= real(length);
  return count;
}

Work resampled(const std::string& name, const Shape& x, const std::vector<int64_t>& sizes,
               const InterpolateOptions& options, double operations_each) {
  const auto verb = [=](const Tensors& t) { return Tensors{interpolate(t[0], PerAxis(sizes), options)}; };
  return reading(name, x, verb, count_at(x, sizes), operations_each);
}

/// Of windows of 3 x 3, side by side.
Work over_windows(const std::string& name, const Shape& x, Tensor (*reduce)(const Tensor& windows), double operations) {
  const auto verb = [=](const Tensors& t) { return Tensors{reduce(windows(t[0], {2, 3}, {3, 3}))}; };
  return reading(name, x, verb, count_at(x, {x[2] - 2, x[3] - 2}), operations);
}

}  // namespace

Work avg_pool_work(const Shape& x) {
  const auto verb = [](const Tensors& t) { return Tensors{avg_pool(t[0], 3, {.stride = 2, .padding = 1})}; };
  return reading("avg_pool", x, verb, count_of(x) / 4, 9);
}

Work lp_pool_work(const Shape& x) {
  return reading(
      "lp_pool", x, [](const Tensors& t) { return Tensors{lp_pool(t[0], 2, 2)}; }, count_of(x) / 4, 8);
}

Work adaptive_avg_pool_work(const Shape& x) {
  const std::vector<int64_t> sizes = spatial_of(x, 3, 7);
  const auto verb = [=](const Tensors& t) { return Tensors{adaptive_avg_pool(t[0], PerAxis(sizes))}; };
  return reading("adaptive_avg_pool", x, verb, count_at(x, sizes), 9);
}

Work adaptive_max_pool_work(const Shape& x) {
  const std::vector<int64_t> sizes = spatial_of(x, 3, 7);
  const auto verb = [=](const Tensors& t) { return Tensors{adaptive_max_pool(t[0], PerAxis(sizes))}; };
  return reading("adaptive_max_pool", x, verb, count_at(x, sizes), 9);
}

Work bicubic_work(const Shape& x) {
  return resampled("bicubic_x2", x, spatial_of(x, 2), {.mode = Interpolation::cubic}, 40);
}

Work antialiased_work(const Shape& x) {
  return resampled("bilinear_antialiased_third", x, spatial_of(x, 1, 3),
                   {.mode = Interpolation::linear, .antialias = true}, 84);
}

Work trilinear_work(const Shape& x) {
  return resampled("trilinear_x2", x, spatial_of(x, 2), {.mode = Interpolation::linear}, 14);
}

Work grid_sample_work(const Shape& x) {
  Shape grid = x;
  for (int axis = 1; axis + 1 < x.rank(); ++axis) grid[axis] = x[axis + 1];
  grid[x.rank() - 1] = x.rank() - 2;
  const auto verb = [](const Tensors& t) { return Tensors{grid_sample(t[0], t[1])}; };
  // Places are rounded along the way: by 1e-5 of an element's distance to the next.
  Work work =
      work_of("grid_sample/" + size_text(x), {{x, Fill::normal}, {grid, Fill::places}}, verb, {{0, 0}, 0, 1e-4, 1e-3});
  work.bytes = 4 * (2 * count_of(x) + count_of(grid));
  work.operations = (x.rank() == 4 ? 12 : 28) * count_of(x);
  return work;
}

Work pixel_shuffle_work(const Shape& x) {
  return reading(
      "pixel_shuffle", x, [](const Tensors& t) { return Tensors{pixel_shuffle(t[0], 2)}; }, count_of(x), 0);
}

Work window_max_work(const Shape& x) {
  return over_windows(
      "window_max", x,
      [](const Tensor& windows) {
        return max(windows, {4, 5});
      },
      9);
}

Work window_var_work(const Shape& x) {
  return over_windows(
      "window_var", x,
      [](const Tensor& windows) {
        return var(windows, {4, 5});
      },
      36);
}

}  // namespace eglantine::perf
