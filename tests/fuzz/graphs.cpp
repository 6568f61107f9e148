#include <algorithm>

#include "support/devices.hpp"
#include "support/random/random_graphs.hpp"
#include "target.hpp"

/// Graphs of verbs that the bytes draw, on both backends: the same bits in every order of computing them.
namespace eglantine::test {
namespace {

/// Numbers from bytes, from two where one has too few values; zeros when they are spent.
class Bytes {
 public:
  explicit Bytes(std::span<const uint8_t> data) : data_(data) {}
  int64_t operator()(int64_t low, int64_t high) {
    const int64_t range = high - low + 1, number = range <= 256 ? next() : wide();
    return low + number % range;
  }

 private:
  int64_t wide() {
    const int64_t high = next();
    return high * 256 + next();
  }
  int64_t next() {
    if (data_.empty()) return 0;
    const uint8_t byte = data_.front();
    data_ = data_.subspan(1);
    return byte;
  }

  std::span<const uint8_t> data_;
};

void check(std::span<const uint8_t> data) {
  if (data.size() < 3) return;
  Bytes bytes(data.subspan(1));
  const RandomGraph graph([&](int64_t low, int64_t high) { return bytes(low, high); }, graph_types(data[0]),
                          data[0] % 32 < 16 ? 5 : 13, data[0]);
  for (const std::string& spec : device_specs()) {
    Device::set_current(open_device(spec));
    const std::string found = difference_between_orders(graph, data[0]);
    require((found.empty() ? ::testing::AssertionSuccess() : ::testing::AssertionFailure())
            << found << " on " << spec << "\n"
            << graph.text());
  }
}

}  // namespace
}  // namespace eglantine::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  eglantine::test::check({data, size});
  return 0;
}
