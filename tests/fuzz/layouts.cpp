#include <algorithm>

#include "layout/random_movement.hpp"
#include "target.hpp"

/// Chains of movements, each drawn from one byte, against the same movements made element by element.
namespace eglantine::test {
namespace {

using namespace layout_model;

void check(const Moved& x) {
  require(::testing::AssertionResult(x.layout.shape == x.model.shape) << "another shape");
  require(::testing::AssertionResult(addresses(x.layout) == x.model.addresses) << "other addresses");
  if (x.model.addresses.empty()) return;
  const auto [least, greatest] = std::minmax_element(x.model.addresses.begin(), x.model.addresses.end());
  const layout::Reach reach = layout::reach(x.layout);
  require(::testing::AssertionResult(reach.first == *least && reach.last == *greatest) << "another reach");
}

/// Where strides can express another shape, reshape finds them, and else says that it cannot.
void check_reshape(const Moved& x, Random& random) {
  const Shape shape = random_reshape(random, x.model.shape);
  const auto reshaped = layout::reshape(x.layout, shape);
  const auto possible = express({shape, x.model.addresses});
  require(::testing::AssertionResult(reshaped.has_value() == possible.has_value()) << "reshape finds too little");
  if (reshaped) require(::testing::AssertionResult(addresses(*reshaped) == x.model.addresses) << "reshape moves");
}

void follow(std::span<const uint8_t> data) {
  if (data.empty()) return;
  constexpr size_t longest = 24;
  Random start(data[0]);
  Moved x = start_from(random_shape(start, 5, true), data[0] % 8);
  for (const uint8_t byte : data.subspan(1, std::min(longest, data.size() - 1))) {
    Random random(byte);
    x = random_movement(random, x);
    check(x);
    if (x.model.addresses.size() > 2000) return;
    check_reshape(x, random);
  }
}

}  // namespace
}  // namespace eglantine::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  eglantine::test::follow({data, size});
  return 0;
}
