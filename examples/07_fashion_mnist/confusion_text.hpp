#pragma once

#include <string>

#include "training.hpp"

/// The confusion matrix as a table for a terminal of 80 columns: a row for each class, a column for each guess.
std::string confusion_text(const Confusion& confusion);
