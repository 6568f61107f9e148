#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "backend/buffer.hpp"
#include "backend/gl/execution/gl_runtime.hpp"

/// For tests of the driver-dependent part of the GL backend.
namespace eglantine::test {

/// Opens the first device that opens, on the calling thread. Throws the last attempt's error when none does.
std::unique_ptr<gl::GlRuntime> open_runtime(const gl::Options& options = {}, bool gles = false);

/// Restricts a context to the oldest we accept: no buffer storage, no direct state access.
void hold_to_the_floor(gl::Functions& functions);

/// The first lines of a shader for the target.
std::string shader_head(const gl::Target& target, int lanes);

std::vector<uint32_t> counting(size_t count, uint32_t first = 0);

/// y[i] = x[i] * eg_u[1] + eg_u[2] for i < eg_u[0], u32; x at binding 0, y at 1.
gl::Dispatch multiply_add(const gl::GlRuntime& runtime, const Storage& x, const Storage& y, uint32_t count,
                          uint32_t factor, uint32_t summand);

/// A buffer holding `words`.
BufferPtr buffer_of(gl::GlRuntime& runtime, const std::vector<uint32_t>& words);

inline void upload(gl::GlRuntime& runtime, const Storage& to, const std::vector<uint32_t>& values) {
  runtime.upload(to, 0, std::as_bytes(std::span(values)));
}

inline std::vector<uint32_t> download(gl::GlRuntime& runtime, const Storage& from, size_t count) {
  std::vector<uint32_t> values(count);
  runtime.download(from, 0, std::as_writable_bytes(std::span(values)));
  return values;
}

}  // namespace eglantine::test
