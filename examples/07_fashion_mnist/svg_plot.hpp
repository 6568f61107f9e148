#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The loss of every step, faint, and smoothed, over a logarithmic axis, as an <svg>. Epochs are marked. Losses that
/// are not finite are left out.
std::string loss_plot(const std::vector<float>& losses, int64_t steps_per_epoch);

/// The accuracy after each epoch as an <svg>.
std::string accuracy_plot(const std::vector<double>& accuracies);
