#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/ending.hpp"
#include "backend/gl/context.hpp"
#include "backend/gl/runtime.hpp"
#include "backend/gl/watchdog.hpp"
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

/// What is changed in the text of every program (program_text.hpp).
struct ProgramText {
  bool parts = false;              ///< every program can run a part of a dispatch's groups
  bool computed_uniforms = false;  ///< Quirk::stale_uniforms
};

/// `count` of `all` groups along an axis, from `first` on.
struct PartOfGrid {
  int64_t first, count, all;
};

struct Program {
  GLuint name = 0;
  GLint uniforms_location = -1, part_location = -1;
  std::vector<uint32_t> uniforms;  ///< as last set
  Pace pace;                       ///< how long it takes

  bool takes_parts() const { return part_location >= 0; }
};

/// Compute programs by key, compiled when the key is new. They live as long as the context.
class ProgramCache {
 public:
  ProgramCache(Context& context, const ProgramText& text) : context_(context), text_(text) {}

  /// Makes the dispatch's program the current one, with the dispatch's uniforms. It stays where it is as long as the
  /// cache. Throws CompileError.
  Program& use(const Dispatch& dispatch) { return use(dispatch.key, dispatch, text_.parts); }
  /// The same program in another text, if need be: one that can run parts.
  Program& use_for_parts(const Dispatch& dispatch) { return use(dispatch.key + "|parts", dispatch, true); }
  /// What a program that takes parts runs from now on.
  void choose_part(const Program& program, size_t axis, const PartOfGrid& part);
  /// The dispatch has been given to the driver, which has compiled by then what it had put off.
  void dispatched() { new_code_.reset(); }
  int64_t compiled() const { return compiled_; }

 private:
  Program& use(const std::string& key, const Dispatch& dispatch, bool parts);
  Program build(const Dispatch& dispatch, bool parts);
  std::string text_of(const Dispatch& dispatch, bool parts) const;
  GLuint compile(const std::string& name, const std::string& source);
  GLuint link(const std::string& name, GLuint shader, const std::string& source);
  void set_uniforms(Program& program, const std::vector<uint32_t>& values);

  Context& context_;
  ProgramText text_;
  std::unordered_map<std::string, Program> programs_;
  GLuint current_ = 0;
  int64_t compiled_ = 0;
  std::optional<ending::LateHandlers> new_code_;  ///< from the compilation of a program to its first dispatch
};

}  // namespace eglantine::gl
