#pragma once

#include "perf/works/works.hpp"

namespace eglantine::perf {

/// The works of a set: gpu, software, classic, sweep, order or smoke. Throws Error for another name.
///   gpu       what docs/performance.md compares on a GPU: large sizes, and latencies
///   software  what it compares on llvmpipe and on the CPU
///   classic   exp, mul, matmul and sums of 64^2 to 2048^2, as eglantine_perf measures
///   sweep     a few works over many sizes
///   order     scans, sorts, indexed reads and writes, and sums by tiles, over many sizes
///   smoke     one small work of each kind, to see that all of this works
Works works_of(const std::string& set, const Device& device);

/// The set for a device: gpu on hardware, else software.
std::string set_for(const Device& device);

}  // namespace eglantine::perf
