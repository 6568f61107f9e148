#pragma once

#include <string>

#include "training.hpp"

/// The confusion matrix as an <svg> table: a row for each class, a column for each guess, cells coloured by the share
/// of the row (right guesses in one hue, wrong ones in another), and the share of right guesses at the end of each row.
std::string confusion_table(const Confusion& confusion);
