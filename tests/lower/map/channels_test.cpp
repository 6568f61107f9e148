#include "lower/map/narrow_cases.hpp"
#include "support/random/draw.hpp"

/// Maps that interleave channels of bytes in the form for hardware, on any device.
namespace eglantine::test {
namespace {

using gl::GlRuntime;

/// Few channels, each contiguous, to elements side by side, in one image or several.
TEST(MapsOfChannels, interleave_bytes) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(4);
  for (const bool whole : {true, false})
    for (const int64_t channels : {3, 4, 5, 7, 11, 12})
      for (const int64_t length : {8192, 8194, 8195, 9001})
        for (const int64_t images : {1, 3}) {
          if (!draw.next()) continue;
          const Shape domain = images == 1 ? Shape{length, channels} : Shape{images, length, channels};
          NarrowMap map(*device, domain, StorageType::u8);
          if (whole) map.whole();
          map.add_permuted(StorageType::u8, images == 1 ? Axes{1, 0} : Axes{0, 2, 1});
          const bool fits = images == 1 ? whole || length * channels % 4 == 0 : length % 16 == 0;
          EXPECT_EQ(map.glsl().find("map_channels: ") != std::string::npos, fits) << to_string(domain);
          map.check();
        }
}

TEST(MapsOfChannels, take_more_groups_than_a_dimension_has) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  NarrowMap map(*device, {65536, 3}, StorageType::u8);
  map.whole().add_permuted(StorageType::u8, {1, 0});
  EXPECT_NE(map.glsl().find("map_channels: "), std::string::npos);
  map.check([](gl::Target& target) { target.max_groups = 3; });
}

/// Channels that begin anywhere, apart from one another, of an image among others.
TEST(MapsOfChannels, begin_anywhere) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(4);
  for (int64_t start = 0; start < 17; ++start)
    for (const int64_t channels : {3, 6}) {
      if (!draw.next()) continue;
      const Shape domain{2, 4096, channels};
      const Layout inside{domain, {4112 * channels, 1, 4109}, start};
      for (const int64_t to : {0, 16}) {
        const NarrowMap map =
            NarrowMap(*device, domain, StorageType::i8, layout::contiguous(domain, to)).add(StorageType::i8, inside);
        EXPECT_NE(map.glsl().find("map_channels: "), std::string::npos);
        map.check();
      }
    }
}

}  // namespace
}  // namespace eglantine::test
