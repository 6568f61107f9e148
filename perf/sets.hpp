#pragma once

#include "perf/works/works.hpp"

namespace eglantine::perf {

constexpr int64_t power(int exponent) { return int64_t{1} << exponent; }

inline void append(Works& works, Works more) {
  for (Work& work : more) works.push_back(std::move(work));
}

/// The works of a set: gpu, software, classic, sweep, order, narrow, network, training or smoke. Throws Error for
/// another name. Sets that are drawn: drawn/measurable.hpp.
///   gpu       what docs/performance.md compares on a GPU: large sizes, and latencies
///   software  what it compares on llvmpipe and on the CPU
///   classic   exp, mul, matmul and sums of 64^2 to 2048^2, as eglantine_perf measures
///   sweep     a few works over many sizes
///   order     scans, sorts, indexed reads and writes, and sums by tiles, over many sizes
///   narrow    f16, bf16, i8 and u8: maps, sums, conversions, products with vectors
///   network   convolutions and their gradients, pools, norms, losses, attention, ResNet-50
///   training  steps of a perceptron, a small convolutional network, two GPTs and ResNet-50; gradients of norms and the
///   like smoke     one small work of each kind, to see that all of this works
Works works_of(const std::string& set, const Device& device);

/// The set of that name, on hardware with weights as large models have them.
Works narrow_set(bool software);
/// One small work of each kind in it.
Works narrow_smoke();

/// The set of that name, on software one small work of each kind; and such as are smaller still.
Works network_set(bool software);
Works network_smoke();

/// The set of that name, on software smaller ones; and such as are smaller still.
Works training_set(bool software);
Works training_smoke();

/// The set for a device: gpu on hardware, else software.
std::string set_for(const Device& device);

}  // namespace eglantine::perf
