#include "perf/tuning/trial.hpp"

#include <algorithm>
#include <cstring>

#include "layout/layout.hpp"
#include "lower/lowering.hpp"

namespace eglantine::perf {
namespace {

uint32_t next(uint32_t& state) { return state = state * 1664525U + 1013904223U; }

}  // namespace

std::vector<std::byte> random_bytes(int64_t count, uint32_t seed) {
  std::vector<std::byte> bytes(static_cast<size_t>(count));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(next(seed) >> 24);
  return bytes;
}

std::vector<float> Trial::results_with(const TuningPtr& tuning) const {
  gl::Target target = device_.target();
  target.tuning = tuning;
  device_.run(lower::lower(kernels_.front(), target, &gl::unstored));
  std::vector<float> values(static_cast<size_t>(first_results_.layout.shape.elements()));
  device_.download(first_results_.buffer->storage(), 0, std::as_writable_bytes(std::span(values)));
  return values;
}

void Trial::warm_up() const {
  constexpr double wanted = 0.5;
  if (software()) return;
  for (double spent = 0; spent < wanted;) spent += timed(untuned(), 100);
}

double Trial::seconds_with(const TuningPtr& tuning, double least) const {
  constexpr double row = 0.01, far_above = 1.3;
  gl::Target target = device_.target();
  target.tuning = tuning;
  timed(target, 1);
  const int fewest = static_cast<int>(kernels_.size());
  const double once = timed(target, fewest) / fewest;
  if (once > far_above * least) return once;
  const int count = std::clamp(static_cast<int>(row / std::max(once, 1e-7)), fewest, 1000);
  std::vector<double> rows;
  for (int i = 0; i < 5; ++i) rows.push_back(timed(target, count) / count);
  std::nth_element(rows.begin(), rows.begin() + 2, rows.end());
  return rows[2];
}

double Trial::timed(const gl::Target& target, int count) const {
  std::vector<lower::Lowered> lowered;
  for (const Kernel& kernel : kernels_) lowered.push_back(lower::lower(kernel, target, &gl::unstored));
  const Mark begin = device_.clock().mark();
  for (int i = 0; i < count; ++i) device_.run(lowered[static_cast<size_t>(i) % lowered.size()]);
  const int64_t stop = device_.clock().now();
  return static_cast<double>(stop - device_.clock().take(begin)) * 1e-9;
}

BufferPtr Trial::buffer(int64_t bytes) const {
  auto result = std::make_shared<Buffer>(nullptr, bytes);
  result->set_storage(device_.allocate(result->bytes()));
  return result;
}

BufferPtr Trial::uploaded(std::vector<std::byte> bytes) const {
  BufferPtr result = buffer(static_cast<int64_t>(bytes.size()));
  device_.upload(result->storage(), 0, bytes);
  return result;
}

BufferPtr Trial::random_floats(int64_t count, uint32_t seed) const {
  std::vector<std::byte> bytes(static_cast<size_t>(count) * sizeof(float));
  for (int64_t i = 0; i < count; ++i) {
    const float value = static_cast<float>(next(seed) >> 8) * 0x1p-23F - 1;
    std::memcpy(&bytes[static_cast<size_t>(i) * sizeof(float)], &value, sizeof(float));
  }
  return uploaded(std::move(bytes));
}

Strided Trial::results_over(const Shape& shape) const {
  return {buffer(shape.elements() * 4), StorageType::f32, layout::contiguous(shape)};
}

gl::Target Trial::untuned() const {
  gl::Target target = device_.target();
  target.tuning = nullptr;
  return target;
}

}  // namespace eglantine::perf
