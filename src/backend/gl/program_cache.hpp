#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/ending.hpp"
#include "backend/gl/context.hpp"
#include "backend/gl/runtime.hpp"
#include "eglantine/error.hpp"

namespace eglantine::gl {

/// A program that does not compile or link: what the driver says, of what.
class CompileError : public ShaderError {
 public:
  CompileError(const std::string& message, std::string driver_log, std::string program)
      : ShaderError(message), log(std::move(driver_log)), source(std::move(program)) {}
  std::string log, source;
};

/// A text with the number of each line before it.
std::string numbered(const std::string& source);

/// Compute programs by key, compiled when the key is new. They live as long as the context.
class ProgramCache {
 public:
  explicit ProgramCache(Context& context) : context_(context) {}

  /// Makes the dispatch's program the current one, with the dispatch's uniforms. Throws CompileError.
  void use(const Dispatch& dispatch);
  /// The dispatch has been given to the driver, which has compiled by then what it had put off.
  void dispatched() { new_code_.reset(); }
  int64_t compiled() const { return compiled_; }

 private:
  struct Program {
    GLuint name = 0;
    GLint uniforms_location = -1;
    std::vector<uint32_t> uniforms;  ///< as last set
  };
  Program build(const Dispatch& dispatch);
  GLuint compile(const std::string& name, const std::string& source);
  GLuint link(const std::string& name, GLuint shader, const std::string& source);
  void set_uniforms(Program& program, const std::vector<uint32_t>& values);

  Context& context_;
  std::unordered_map<std::string, Program> programs_;
  GLuint current_ = 0;
  int64_t compiled_ = 0;
  std::optional<ending::LateHandlers> new_code_;  ///< from the compilation of a program to its first dispatch
};

}  // namespace eglantine::gl
