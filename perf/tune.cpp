#include "perf/tune.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

#include "backend/gl/context/make_target.hpp"
#include "eglantine/error.hpp"
#include "layout/layout.hpp"
#include "lower/contraction/schedule.hpp"
#include "lower/contraction/tuning.hpp"
#include "perf/open_like.hpp"
#include "system/whole_file.hpp"

namespace eglantine::perf {

namespace {

using lower::MatmulTile;
using lower::ProductClass;
using lower::Tuning;

/// Below this a difference may be the measurement's.
constexpr double worth_keeping = 1.03;

struct Sizes {
  int64_t batch, m, n, k;
  bool a_transposed = false, b_transposed = false;
};

std::vector<Sizes> sizes_for(bool software) {
  if (software)
    return {{1, 128, 128, 128}, {1, 256, 256, 256}, {1, 512, 512, 512}, {1, 256, 128, 784}, {64, 32, 32, 32}};
  return {{1, 512, 512, 512},
          {1, 1024, 1024, 1024},
          {1, 2048, 2048, 2048},
          {1, 4096, 4096, 4096},
          {1, 1024, 1024, 1024, true, false},
          {1, 1024, 1024, 1024, false, true},
          {1, 4096, 4096, 4096, false, true},
          {1, 1021, 2027, 509, true, false},  // read one by one
          {1, 1021, 1021, 1021},
          {1, 4096, 4096, 64},
          {1, 64, 64, 8192},
          {1, 8192, 4096, 1024},
          {4096, 64, 64, 64},
          {64, 256, 256, 256}};
}

/// A device planned for with choices of ours.
class Choosing {
 public:
  Choosing(gl::GlRuntime& device, std::shared_ptr<const Tuning> tuning) : device_(device), target_(device.target()) {
    target_.tuning = std::move(tuning);
  }
  void run(const MatmulKernel& kernel) const { device_.run(lower::lower(kernel, target_, &gl::unstored)); }

 private:
  gl::GlRuntime& device_;
  gl::Target target_;
};

/// One product on the device, with the tile that a tuning says.
class Trial {
 public:
  Trial(gl::GlRuntime& device, const Sizes& sizes) : device_(device), sizes_(sizes) {
    const Shape results{sizes.batch * sizes.m, sizes.n};
    kernel_.batch = sizes.batch > 1 ? Shape{sizes.batch} : Shape{};
    kernel_.m = sizes.m;
    kernel_.n = sizes.n;
    kernel_.k = sizes.k;
    kernel_.a = operand(sizes.m, sizes.k, sizes.a_transposed, 1);
    kernel_.b = operand(sizes.k, sizes.n, sizes.b_transposed, 2);
    kernel_.epilogue = {results, {}, {}, {}, {{Op::accumulator, DType::f32, {-1, -1, -1}}}, {}};
    kernel_.out = {buffer(results.elements()), StorageType::f32, layout::contiguous(results)};
  }

  ProductClass product_class() const { return lower::class_of(product(), table_shader()); }
  MatmulTile table_tile() const { return MatmulTile::of(table_shader()); }

  std::vector<float> results_with(const std::shared_ptr<const Tuning>& tuning) {
    Choosing runtime(device_, tuning);
    runtime.run(kernel_);
    std::vector<float> values(static_cast<size_t>(kernel_.epilogue.domain.elements()));
    device_.download(kernel_.out.buffer->storage(), 0, std::as_writable_bytes(std::span(values)));
    return values;
  }

  /// Seconds of one product: the median of several rows of them, once the device is warm. An H200's clock is low for a
  /// third of a second after a program was compiled.
  double seconds_with(const std::shared_ptr<const Tuning>& tuning) {
    constexpr double row = 0.01, warm_up = 0.3;
    Choosing runtime(device_, tuning);
    timed(runtime, 1);
    const double once = timed(runtime, 2) / 2;
    const int count = std::clamp(static_cast<int>(row / std::max(once, 1e-7)), 1, 1000);
    for (double warm = device_.target().software ? warm_up : 0; warm < warm_up;) warm += timed(runtime, count);
    std::vector<double> rows;
    for (int i = 0; i < 5; ++i) rows.push_back(timed(runtime, count) / count);
    std::nth_element(rows.begin(), rows.begin() + 2, rows.end());
    return rows[2];
  }

  /// How far two right results may lie apart: the bound of docs/numerics on random data, of either.
  double tolerance() const {
    const auto k = static_cast<double>(sizes_.k);
    return 8 * (std::sqrt(k) + 4) * 0x1p-23 * k / 3;
  }

 private:
  lower::Contraction product() const { return lower::products_of(kernel_, kernel_.out).front(); }
  lower::MatmulShader table_shader() const {
    gl::Target target = device_.target();
    target.tuning = nullptr;
    return lower::shader_for(target, product(), true);
  }

  double timed(Choosing& runtime, int count) {
    const Mark begin = device_.clock().mark();
    for (int i = 0; i < count; ++i) runtime.run(kernel_);
    const int64_t stop = device_.clock().now();
    return static_cast<double>(stop - device_.clock().take(begin)) * 1e-9;
  }

  BufferPtr buffer(int64_t elements) {
    auto result = std::make_shared<Buffer>(nullptr, elements * 4);
    result->set_storage(device_.allocate(result->bytes()));
    return result;
  }

  Strided operand(int64_t rows, int64_t columns, bool transposed, uint32_t seed) {
    std::vector<float> values(static_cast<size_t>(sizes_.batch * rows * columns));
    uint32_t state = seed;
    for (float& value : values) {
      state = state * 1664525U + 1013904223U;
      value = static_cast<float>(state >> 8) * 0x1p-23F - 1;
    }
    const BufferPtr on_device = buffer(static_cast<int64_t>(values.size()));
    device_.upload(on_device->storage(), 0, std::as_bytes(std::span(values)));
    Layout layout{{rows, columns}, {transposed ? 1 : columns, transposed ? rows : 1}, 0};
    if (sizes_.batch > 1) {
      layout.shape.insert(0, sizes_.batch);
      layout.strides.insert(layout.strides.begin(), rows * columns);
    }
    return {on_device, StorageType::f32, layout};
  }

  gl::GlRuntime& device_;
  Sizes sizes_;
  MatmulKernel kernel_;
};

bool agree(const std::vector<float>& a, const std::vector<float>& b, double tolerance) {
  return std::equal(a.begin(), a.end(), b.begin(),
                    [&](float x, float y) { return std::abs(static_cast<double>(x) - y) <= tolerance; });
}

/// Whether a choice is still better when both are measured again, in turn: a neighbour's work on the machine may have
/// slowed one of them.
bool is_confirmed(Trial& trial, const std::shared_ptr<const Tuning>& choice) {
  double table = 1e30, chosen = 1e30;
  for (int i = 0; i < 3; ++i) {
    table = std::min(table, trial.seconds_with(nullptr));
    chosen = std::min(chosen, trial.seconds_with(choice));
  }
  return chosen * worth_keeping < table;
}

/// Measures the tiles for one class, and keeps the winner in `tuning` where there is one.
void tune_class(gl::GlRuntime& device, const Sizes& sizes, Tuning& tuning) {
  Trial trial(device, sizes);
  const ProductClass product = trial.product_class();
  const std::vector<float> wanted = trial.results_with(nullptr);
  const double table = trial.seconds_with(nullptr);
  std::printf("matmul %s: %.1f us by the table\n", text_of(product).c_str(), table * 1e6);
  double best = table / worth_keeping;
  std::shared_ptr<const Tuning> winner;
  for (const MatmulTile& tile : lower::known_tiles(device.target().software)) {
    if (!tile.fits(device.target()) || tile == trial.table_tile()) continue;
    auto chosen = std::make_shared<Tuning>();
    chosen->tiles.emplace(product, tile);
    const bool right = agree(trial.results_with(chosen), wanted, trial.tolerance());
    const double seconds = right ? trial.seconds_with(chosen) : 0;
    const bool better = right && seconds < best;
    std::printf("  %-32s %10.1f us%s\n", text_of(tile).c_str(), seconds * 1e6,
                !right   ? "  WRONG, left out"
                : better ? "  better"
                         : "");
    std::fflush(stdout);
    if (!better) continue;
    best = seconds;
    winner = chosen;
  }
  if (winner != nullptr && is_confirmed(trial, winner)) tuning.tiles.merge(std::map(winner->tiles));
}

/// Where the choices go, named or by default. What cannot be written is found out before the work.
std::filesystem::path place_for(const std::string& named, const lower::TuningKey& key) {
  const std::filesystem::path file = named.empty() ? lower::cached_tuning_file(key) : std::filesystem::path(named);
  if (file.empty() || file == "off")
    throw std::runtime_error("no place for the tuning file: set EGLANTINE_TUNING to its name, or HOME");
  if (exists(file) && !is_regular_file(file)) throw std::runtime_error(file.string() + " is no regular file");
  if (!file.parent_path().empty()) create_directories(file.parent_path());
  return file;
}

void tune_on_this_thread(const DeviceInfo& info, const std::string& named) {
  const auto device = open_like(info);
  const bool software = device->target().software;
  const lower::TuningKey key = gl::tuning_key(device->context(), software);
  const std::filesystem::path file = place_for(named, key);
  Tuning tuning;
  const std::vector<Sizes> all = sizes_for(software);
  for (size_t i = 0; i < all.size(); ++i) {
    std::printf("[%zu of %zu] ", i + 1, all.size());
    tune_class(*device, all[i], tuning);
    device->trim();
  }
  io::write_whole_file(file, lower::text_of(tuning, key));
  std::printf("choices better than the table's: %zu; written to %s\n", tuning.tiles.size(), file.c_str());
}

}  // namespace

std::string set_tuning_aside() {
  const char* text = std::getenv("EGLANTINE_TUNING");
  std::string named = text == nullptr ? "" : text;
  setenv("EGLANTINE_TUNING", "off", 1);
  return named;
}

void tune(const DeviceInfo& info, const std::string& file) {
  if (info.kind == "cpu") throw DeviceError("[eglantine_bench] the CPU backend has nothing to tune; name a GL device");
  std::exception_ptr error;
  // A thread of its own: its context must not stay current on ours.
  std::thread([&] {
    try {
      tune_on_this_thread(info, file);
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
}

}  // namespace eglantine::perf
