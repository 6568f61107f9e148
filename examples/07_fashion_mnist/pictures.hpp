#pragma once

#include <string>
#include <vector>

#include "training.hpp"

/// The first layer as a gallery of <img>: weights (units, 784), each unit scaled to its own largest weight; grey is 0,
/// white positive, black negative.
std::string weight_pictures(const std::vector<float>& weights);

/// Up to `count` wrong guesses, spread evenly over the data set, each with its picture, what it is and what was
/// guessed.
std::string wrong_pictures(const Evaluation& evaluation, const Dataset& data, size_t count);
