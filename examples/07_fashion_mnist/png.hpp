#pragma once

#include <cstdint>
#include <span>
#include <string>

/// A grey picture as "data:image/png;base64,...", for the src of an <img>. grey: width * height bytes, row by row, 0
/// black to 255 white. Throws std::invalid_argument when the count does not match.
std::string png_data_uri(std::span<const uint8_t> grey, uint32_t width, uint32_t height);
