#pragma once

#include <eglantine/eglantine.hpp>
#include <string>
#include <vector>

#include "training.hpp"

/// Everything a report tells of.
struct Run {
  Options options;
  eglantine::DeviceInfo device;
  TrainingLog log;
  std::vector<float> filters;  ///< of the first convolution: (filters, side, side)
  int64_t parameters = 0;      ///< numbers that are trained
  double seconds = 0;          ///< of the whole run
};

/// The run as one HTML page that needs nothing else: no network, no scripts; plots are inline SVG, pictures inline PNG.
std::string report_html(const Run& run, const Dataset& training, const Dataset& test);
