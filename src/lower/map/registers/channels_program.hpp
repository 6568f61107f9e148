#pragma once

#include <string>

#include "graph/kernel/kernel.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// Whether a map moves few channels of bytes, each contiguous, to bytes side by side. Never on software devices.
bool moves_channels(const Target& target, const MapKernel& kernel);

/// Such a map by 16 bytes of each channel at a time (glsl/map/map_channels.comp).
class ChannelsProgram : public BoundProgram {
 public:
  ChannelsProgram(const Target& target, const MapKernel& kernel);

  Dispatch dispatch() const;

 private:
  void add_uniforms(const MapKernel& kernel);
  std::string read(int64_t channel) const;
  std::string word(int64_t number) const;
  std::string interleave() const;
  std::string store() const;

  Strided x_;
  int64_t channels_, planes_, blocks_;  ///< blocks of a plane
  int64_t group_size_, max_groups_;
  int from_ = -1, to_ = -1;  ///< bindings
  int plane_slot_ = -1, base_slot_ = -1, channel_slot_ = -1, last_slot_ = -1, out_slot_ = -1, words_slot_ = -1;
};

}  // namespace eglantine::lower
