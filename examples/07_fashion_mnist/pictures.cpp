#include "pictures.hpp"

#include <algorithm>
#include <cmath>

#include "png.hpp"
#include "text.hpp"

namespace {

/// An <img> of side x side values; `low` becomes black and `high` white.
std::string picture(const float* values, int64_t side, float low, float high, const std::string& description) {
  std::vector<uint8_t> grey;
  for (int64_t i = 0; i < side * side; ++i) {
    const float place = (values[i] - low) / (high - low);
    grey.push_back(place > 0 ? static_cast<uint8_t>(std::lround(255 * std::min(place, 1.0F))) : uint8_t{0});
  }
  const std::string length = std::to_string(side);
  return "<img alt='" + escaped(description) + "' width='" + length + "' height='" + length + "' src='" +
         png_data_uri(grey, static_cast<uint32_t>(side), static_cast<uint32_t>(side)) + "'>";
}

/// The median over the filters of their largest weight: one scale for all, so that one that learnt nothing looks grey.
float common_scale(const std::vector<float>& weights, int64_t elements) {
  std::vector<float> largest;
  for (auto filter = weights.begin(); filter != weights.end(); filter += elements) {
    const auto [low, high] = std::minmax_element(filter, filter + elements);
    largest.push_back(std::max(-*low, *high));
  }
  const auto middle = largest.begin() + static_cast<int64_t>(largest.size() / 2);
  std::nth_element(largest.begin(), middle, largest.end());
  return std::max(*middle, 1e-20F);
}

}  // namespace

std::string filter_pictures(const std::vector<float>& weights, int64_t side) {
  const int64_t elements = side * side, count = static_cast<int64_t>(weights.size()) / elements;
  const float scale = common_scale(weights, elements);
  std::string out = "<div class='filters'>\n";
  for (int64_t i = 0; i < count; ++i)
    out += picture(weights.data() + i * elements, side, -scale, scale, "weights of filter " + std::to_string(i)) + "\n";
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
    out += "<figure>" + picture(data.image(guess.image), Dataset::side, 0, 1, truth) + "<figcaption><b>" +
           escaped(truth) + "</b><br>" + escaped(guessed) + "</figcaption></figure>\n";
  }
  return out + "</div>\n";
}
