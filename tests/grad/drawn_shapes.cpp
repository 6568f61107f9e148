#include "grad/drawn_shapes.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

namespace eglantine::test {

namespace {

constexpr int highest_rank = 5;

int64_t drawn_length(int64_t least, Random& random) {
  const bool is_long = random.integer(1, 8) == 1;
  return random.integer(least, std::max<int64_t>(is_long ? 33 : 7, least));
}

/// What stands behind a letter, which `place` moves past: the least length that it allows.
int64_t read_least(const std::string& shape, size_t& place) {
  const char next = place < shape.size() ? shape[place] : '\0';
  if (next == '?') return ++place, 0;
  if (next != '>') return 1;
  place += 2;
  return shape.at(place - 1) - '0' + 1;
}

class DrawnLengths {
 public:
  DrawnLengths(Random& random, int64_t further) : random_(random) {
    for (int64_t i = 0; i < further; ++i) further_.push_back(drawn_length(1, random));
  }

  Dims of(const std::string& shape) {
    Dims lengths;
    for (size_t place = 0; place < shape.size();) {
      const char here = shape[place++];
      if (here == '.') return lengths.insert(lengths.end(), further_.begin(), further_.end()), lengths;
      lengths.push_back('0' <= here && here <= '9' ? here - '0' : of_letter(here, read_least(shape, place)));
    }
    return lengths;
  }

 private:
  /// Where it may be 0, it is one time in six.
  int64_t of_letter(char letter, int64_t least) {
    const auto [entry, is_new] = drawn_.try_emplace(letter, 0);
    if (is_new && (least > 0 || random_.integer(1, 6) > 1))
      entry->second = drawn_length(std::max<int64_t>(least, 1), random_);
    return entry->second;
  }

  Random& random_;
  Dims further_;
  std::map<char, int64_t> drawn_;
};

std::vector<Dims> shapes_of_one_draw(const std::string& pattern, Random& random) {
  DrawnLengths lengths(random, pattern.find("...") == std::string::npos ? 0 : random.integer(0, 3));
  std::vector<Dims> shapes;
  std::istringstream words(pattern);
  for (std::string word; words >> word;) shapes.push_back(lengths.of(word));
  return shapes;
}

bool are_small(const std::vector<Dims>& shapes, int64_t most) {
  for (const Dims& shape : shapes) {
    if (shape.size() > highest_rank) return false;
    most -= count(shape);
  }
  return most >= 0;
}

}  // namespace

std::vector<Dims> drawn_shapes(const std::string& pattern, Random& random, int64_t most) {
  for (int tries = 0; tries < 10000; ++tries)
    if (std::vector<Dims> shapes = shapes_of_one_draw(pattern, random); are_small(shapes, most)) return shapes;
  throw std::logic_error("no shapes of \"" + pattern + "\" have at most " + std::to_string(most) + " elements");
}

std::string text_of(const std::vector<Dims>& shapes) {
  std::string all;
  for (const Dims& shape : shapes) all += " " + text(shape);
  return all;
}

}  // namespace eglantine::test
