// A picture in tiles: the mean colour of each, by one kernel, and the tiles at the edges, which are smaller. Writes the
// picture and its tile means side by side into one HTML file: 12_tiled_picture [--page tiled_picture.html]

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "options.hpp"

using namespace eglantine;

namespace {

constexpr int64_t height = 360, width = 500, side = 16;

/// Waves in three colours with a bright disc before them: (height, width, 3), from 0 to 1.
Tensor picture() {
  const Tensor y = linspace(-1, 1, height).reshape({height, 1, 1});
  const Tensor x = linspace(-1.4F, 1.4F, width).reshape({1, width, 1});
  const Tensor phase = arange(0, 3).reshape({1, 1, 3});
  const Tensor waves = 0.5F + 0.5F * sin(5 * x + 7 * y * y + 2 * phase + 3 * sin(4 * y));
  const Tensor disc = sigmoid((0.45F - sqrt(square(x - 0.3F) + square(y + 0.2F))) * 60);
  return waves * (1 - disc) + disc * (1 - 0.15F * phase);
}

/// Each tile's value at every place of the tile: a view that repeats, cut to the picture.
Tensor spread(const Tensor& values) {
  const int64_t rows = values.shape()[0], columns = values.shape()[1];
  const Tensor repeated = values.reshape({rows, 1, columns, 1, 3}).expand({rows, side, columns, side, 3});
  return repeated.reshape({rows * side, columns * side, 3}).crop({{0, height}, {0, width}, {0, 3}});
}

/// A Windows bitmap, which every browser reads: rows upward, blue first. Rows of 500 pixels of three bytes are a
/// multiple of four, as it wants.
std::vector<uint8_t> bitmap(const Tensor& colours) {
  static_assert(width * 3 % 4 == 0);
  std::vector<uint8_t> file{'B', 'M'};
  const auto put = [&](uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file.push_back(static_cast<uint8_t>(value >> (8 * i)));
  };
  put(54 + height * width * 3, 4), put(0, 4), put(54, 4);
  put(40, 4), put(width, 4), put(height, 4), put(1, 2), put(24, 2);
  for (int i = 0; i < 6; ++i) put(0, 4);
  const Tensor bytes = round(clip(colours, 0, 1) * 255).flip({0, 2}).astype(DType::u32);
  for (uint32_t byte : bytes.to_vector<uint32_t>()) file.push_back(static_cast<uint8_t>(byte));
  return file;
}

std::string base64(const std::vector<uint8_t>& bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t word = 0;
    for (size_t j = 0; j < 3; ++j) word = word << 8 | (i + j < bytes.size() ? bytes[i + j] : 0U);
    for (size_t j = 0; j < 4; ++j) text += i + j > bytes.size() ? '=' : digits[word >> (18 - 6 * j) & 63];
  }
  return text;
}

void write_page(const std::string& path, const Tensor& colours, const Tensor& means) {
  std::ofstream page(path);
  page << "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Tiles</title>\n"
       << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
       << "<style>:root{color-scheme:light dark}body{font:16px/1.4 system-ui,sans-serif;margin:1.2em}"
       << "h1{font-size:1.4em}img{width:100%;max-width:31em;margin:0 1em 1em 0}</style>\n"
       << "<h1>A picture and the means of its " << side << " × " << side << " tiles</h1>\n";
  for (const Tensor& shown : {colours, spread(means)})
    page << "<img alt=\"\" src=\"data:image/bmp;base64," << base64(bitmap(shown)) << "\">\n";
  if (!page.flush()) throw FileError("cannot write " + path);
}

}  // namespace

int main(int count, char** arguments) {
  std::string path = "tiled_picture.html";
  take_options(count, arguments, "Means of a picture's tiles.",
               {{"--page", &path, "FILE", "the page to write (" + path + ")"}});
  const Tensor colours = picture().eval();
  const PartitionView tiles(colours, {side, side, 1});
  const TileInfo corner = *tiles.get_tile({tiles.tile_count()[0] - 1, tiles.tile_count()[1] - 1, 0});
  std::cout << "a picture of " << colours.shape() << " in " << tiles.tile_count() << " tiles; the last one has "
            << corner.size << " elements\n";

  // Edge tiles are divided by what they hold, not by the tile's size.
  const Tensor sums = tiles.sum();
  const std::string kernels = explain(sums);
  std::cout << kernels.substr(0, kernels.find('\n')) << "\n";
  const Tensor held = PartitionView(ones(colours.shape()), tiles.tile_shape()).sum();
  const Tensor means = (sums / held).eval();
  write_page(path, colours, means);
  std::cout << "wrote " << path << "\n";

  // The tiles' sums add up to the picture's, and a tile is a view that can be looked at by itself.
  const float parts = sum(sums).item<float>(), whole = sum(colours).item<float>();
  const float expected = mean(tiles.tile(corner.index)).item<float>();
  const float last = means.slice(0, -1).slice(1, -1).slice(2, 0, 1).item<float>();
  std::cout << "sum of the tiles " << parts << ", of the picture " << whole << "\nmean of the last tile " << last
            << ", of the view of it " << expected << "\n";
  int64_t elements = 0;
  for (const TileInfo& one : tiles) elements += one.size.elements();
  const bool right = elements == colours.size() && corner.is_edge && corner.size == Shape{8, 4, 1} &&
                     std::abs(parts - whole) < 1e-5F * whole && std::abs(last - expected) < 1e-5F;
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
