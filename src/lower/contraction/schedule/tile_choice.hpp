#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lower/contraction/text/text.hpp"
#include "lower/lowering.hpp"

/// The tiles that a product's schedule chooses from and tuning measures.
namespace eglantine::lower {

/// How a work group and its invocations divide a tile of the result (fields as in MatmulShader).
struct MatmulTile {
  MatmulForm form;
  int rows, columns, local_x, local_y, slices, depth;
  int buffers = 2;

  int64_t m() const { return int64_t{rows} * local_y; }
  int64_t n() const { return int64_t{columns} * local_x; }
  int64_t invocations() const { return int64_t{local_x} * local_y * slices; }
  static MatmulTile of(const MatmulShader& shader);
  void apply_to(MatmulShader& shader) const;
  bool fits(const Target& target) const;
  /// Whether it takes operands that are read so: one buffer none that are staged (3x3 convolutions took up to twice the
  /// time of two on an H200).
  bool reads(const MatmulShader& shader) const { return buffers > 1 || !shader.stages(); }
  auto operator<=>(const MatmulTile&) const = default;
};

/// A number for each tile of the hardware form.
using TileSpeeds = std::array<double, 21>;

/// Every tile for which this kind of device has a program, whether or not its shared memory suffices.
const std::vector<MatmulTile>& known_tiles(bool software);

/// The power of two nearest to a length; 1.5 times a power rounds up.
int64_t nearest_power(int64_t length);

/// Products that share a choice: the powers of two nearest to their lengths, and how operands are read.
struct ProductClass {
  int64_t m = 1, n = 1, k = 1, batch = 1;
  MatmulRead a = MatmulRead::single, b = MatmulRead::single;
  auto operator<=>(const ProductClass&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 mistakes it
};
ProductClass class_of(int64_t m, int64_t n, int64_t k, int64_t batch, MatmulRead a, MatmulRead b);

/// "tile 16x8 of 16x8 in 1 by 8", and back; throws std::invalid_argument for other text than known_tiles'.
std::string text_of(const MatmulTile& tile);
MatmulTile parse_tile(std::string_view text, bool software);

/// "1024x1024x512 of 1 reads kx", and back; throws std::invalid_argument.
std::string text_of(const ProductClass& product);
ProductClass parse_class(std::string_view text);

}  // namespace eglantine::lower
