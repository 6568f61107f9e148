#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// Grey pictures of 28 x 28 pixels with the class of each.
struct Dataset {
  static constexpr int64_t side = 28;
  static constexpr int64_t pixels = side * side;
  static constexpr int64_t classes = 10;

  std::vector<float> images;    ///< (count, pixels), 0 to 1
  std::vector<int32_t> labels;  ///< (count,)
  int64_t count() const { return static_cast<int64_t>(labels.size()); }
  const float* image(int64_t i) const { return images.data() + i * pixels; }
};

extern const char* const class_names[Dataset::classes];

/// Reads PREFIX-images-idx3-ubyte.gz and PREFIX-labels-idx1-ubyte.gz (the IDX format of MNIST) from a folder.
/// Throws std::runtime_error, naming the file, when one is missing or malformed.
Dataset load_dataset(const std::filesystem::path& folder, const std::string& prefix);
