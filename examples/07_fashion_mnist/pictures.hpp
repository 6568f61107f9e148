#pragma once

#include <string>
#include <vector>

#include "training.hpp"

/// Filters (count, side, side) as a gallery of <img> on one scale: grey is 0, white positive, black negative.
std::string filter_pictures(const std::vector<float>& weights, int64_t side);

/// Up to `count` wrong guesses, spread evenly over the data set, each with its picture, what it is and what was
/// guessed.
std::string wrong_pictures(const Evaluation& evaluation, const Dataset& data, size_t count);
