#include "pictures.hpp"

#include <algorithm>
#include <cmath>

#include "png.hpp"
#include "text.hpp"

namespace {

/// An <img> of 28 x 28 values; `low` becomes black and `high` white.
std::string picture(const float* values, float low, float high, const std::string& description) {
  std::vector<uint8_t> grey;
  for (int64_t i = 0; i < Dataset::pixels; ++i) {
    const float place = (values[i] - low) / (high - low);
    grey.push_back(place > 0 ? static_cast<uint8_t>(std::lround(255 * std::min(place, 1.0F))) : uint8_t{0});
  }
  return "<img alt='" + escaped(description) + "' width='28' height='28' src='" +
         png_data_uri(grey, Dataset::side, Dataset::side) + "'>";
}

}  // namespace

std::string weight_pictures(const std::vector<float>& weights) {
  std::string out = "<div class='weights'>\n";
  const size_t units = weights.size() / Dataset::pixels;
  for (size_t unit = 0; unit < units; ++unit) {
    const float* values = weights.data() + unit * Dataset::pixels;
    float largest = 1e-20F;
    for (int64_t i = 0; i < Dataset::pixels; ++i) largest = std::max(largest, std::abs(values[i]));
    out += picture(values, -largest, largest, "weights of hidden unit " + std::to_string(unit)) + "\n";
  }
  return out + "</div>\n";
}

std::string wrong_pictures(const Evaluation& evaluation, const Dataset& data, size_t count) {
  const std::vector<WrongGuess>& wrong = evaluation.wrong;
  count = std::min(count, wrong.size());
  std::string out = "<div class='guesses'>\n";
  for (size_t i = 0; i < count; ++i) {
    const WrongGuess& guess = wrong[i * wrong.size() / count];
    const std::string truth = class_names[data.labels[static_cast<size_t>(guess.image)]];
    const std::string guessed = class_names[guess.guess];
    out += "<figure>" + picture(data.image(guess.image), 0, 1, truth) + "<figcaption><b>" + escaped(truth) +
           "</b><br>" + escaped(guessed) + "</figcaption></figure>\n";
  }
  return out + "</div>\n";
}
