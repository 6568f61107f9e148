#include <gtest/gtest.h>

#include "gl/fixture.hpp"
#include "layout/layout.hpp"
#include "support/as_hardware.hpp"

/// Maps walked in tiles, as on hardware, on whatever device there is.
namespace eglantine::test {
namespace {

struct Case {
  Shape shape;  ///< of the operand in memory
  Axes axes;    ///< the map's axes
};

class TiledMaps : public testing::TestWithParam<Case> {};

TEST_P(TiledMaps, copy_every_element_to_its_place) {
  const auto& [shape, axes] = GetParam();
  const std::unique_ptr<gl::GlRuntime> device = open_runtime();
  std::vector<uint32_t> words;
  for (int64_t i = 0; i < shape.elements(); ++i) words.push_back(static_cast<uint32_t>(i) * 2654435761U);
  const auto buffer = [&](const std::vector<uint32_t>& values) {
    auto result = std::make_shared<Buffer>(nullptr, static_cast<int64_t>(values.size()) * 4);
    result->set_storage(device->allocate(result->bytes()));
    upload(*device, result->storage(), values);
    return result;
  };
  const Layout from = layout::permute(layout::contiguous(shape), axes);
  MapKernel kernel;
  kernel.value = {from.shape, {{buffer(words), DType::u32, from}}, {}, {}, {{Op::load, DType::u32, {0, -1, -1}}}};
  kernel.out = {buffer(std::vector<uint32_t>(words.size())), DType::u32, layout::contiguous(from.shape)};
  AsHardware hardware(*device);
  gl::run(hardware, kernel);
  const std::vector<uint32_t> found = download(*device, kernel.out.buffer->storage(), words.size());
  for (int64_t i = 0; i < from.size(); ++i) {
    int64_t rest = i, place = from.offset;
    for (int axis = from.shape.rank() - 1; axis >= 0; rest /= from.shape[axis--])
      place += rest % from.shape[axis] * from.strides[static_cast<size_t>(axis)];
    ASSERT_EQ(found[static_cast<size_t>(i)], words[static_cast<size_t>(place)]) << to_string(from.shape) << " at " << i;
  }
}

// Tiles with edges on either side, several bands, and axes before, between and after.
INSTANTIATE_TEST_SUITE_P(Codegen, TiledMaps,
                         testing::Values(Case{{52, 70}, {1, 0}}, Case{{36, 1100}, {1, 0}}, Case{{3, 40, 45}, {0, 2, 1}},
                                         Case{{44, 5, 37}, {2, 1, 0}}, Case{{4, 36, 3, 9}, {3, 0, 2, 1}}));

}  // namespace
}  // namespace eglantine::test
