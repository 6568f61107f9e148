#pragma once

#include <map>

#include "perf/drawn/drawing.hpp"

namespace eglantine::perf::drawn {

/// The works of a drawn set, to be measured. A work that moves up to 32 MiB and has up to 2e9 operations is checked
/// whole against another device. Of a larger one a smaller draw is checked so (the same dice for 16 MiB), and of its
/// own results the shapes, that they are finite, and, where it can be cut, three pieces.
std::vector<Work> measurable_works(const SizeClass& size, const std::vector<uint64_t>& seeds, int64_t count);

/// Operands' views and results of each work, by "<place>.operand.<i>" and "<place>.result.<i>": what peers/agree
/// compares NumPy and PyTorch with. f16 and bf16 as f32, booleans as u8.
std::map<std::string, Tensor> values_of(const std::vector<Drawn>& works, const Device& device);

}  // namespace eglantine::perf::drawn
