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

/// The median over the units of their largest weight: one scale for all, so that a unit that learnt nothing looks grey.
float common_scale(const std::vector<float>& weights) {
  std::vector<float> largest;
  for (auto unit = weights.begin(); unit != weights.end(); unit += Dataset::pixels) {
    const auto [low, high] = std::minmax_element(unit, unit + Dataset::pixels);
    largest.push_back(std::max(-*low, *high));
  }
  const auto middle = largest.begin() + static_cast<int64_t>(largest.size() / 2);
  std::nth_element(largest.begin(), middle, largest.end());
  return std::max(*middle, 1e-20F);
}

}  // namespace

std::string weight_pictures(const std::vector<float>& weights) {
  const size_t units = weights.size() / Dataset::pixels;
  const float scale = common_scale(weights);
  std::string out = "<div class='weights'>\n";
  for (size_t unit = 0; unit < units; ++unit)
    out += picture(weights.data() + unit * Dataset::pixels, -scale, scale,
                   "weights of hidden unit " + std::to_string(unit)) +
           "\n";
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
