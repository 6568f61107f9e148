#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backend/gl/context/context.hpp"
#include "backend/gl/execution/watchdog.hpp"
#include "backend/gl/lowered.hpp"
#include "backend/shutdown.hpp"
#include "eglantine/error.hpp"

namespace eglantine::gl {

/// A program that does not compile or link: what the driver says, of what.
class CompileError : public ShaderError {
 public:
  CompileError(const std::string& message, std::string driver_log, std::string program)
      : ShaderError(message), log(std::move(driver_log)), source(std::move(program)) {}
  std::string log, source;
};

/// A line as messages show it: its beginning and its length where it is longer than a few hundred characters.
std::string abbreviated(std::string_view line);

/// A text with the number of each line before it, each abbreviated.
std::string numbered(const std::string& source);

/// What is changed in the text of every program (program_text.hpp).
struct ProgramText {
  bool windowed = false;           ///< every program can run a part of a dispatch's groups
  bool computed_uniforms = false;  ///< Quirk::stale_uniforms
};

/// `count` of `all` groups along an axis, from `first` on.
struct GridWindow {
  int64_t first, count, all;
};

struct LinkedProgram {
  GLuint name = 0;
  GLint uniforms_location = -1, window_location = -1;
  std::vector<uint32_t> uniforms;                         ///< as last set
  std::shared_ptr<Rate> rate = std::make_shared<Rate>();  ///< how long it takes; measurements may outlive the program

  bool takes_windows() const { return window_location >= 0; }
};

/// Compute programs, compiled when they are new. Those used last are there: each new text of a user's
/// operation makes a program, and llvmpipe takes about 435 KB for each.
class ProgramCache {
 public:
  /// Called with each program that is deleted to make room.
  using Dropped = std::function<void(const lower::ProgramPtr& program)>;
  /// At 435 KB 220 MB; as many as a large application has.
  static constexpr size_t most_programs = 512;

  /// capacity: 2 at least, so that a program and the same one for parts are there together.
  ProgramCache(Context& context, const Target& target, const ProgramText& text, size_t capacity, Dropped dropped)
      : context_(context), target_(target), text_(text), capacity_(capacity), dropped_(std::move(dropped)) {}

  /// Makes the dispatch's program the current one, with the dispatch's uniforms. It stays where it is until as many
  /// others as there is room for have been used. Throws CompileError.
  LinkedProgram& use(const Dispatch& dispatch) { return use(dispatch, text_.windowed); }
  /// The same program in another text, if need be: one that can run parts.
  LinkedProgram& use_windowed(const Dispatch& dispatch) { return use(dispatch, true); }
  /// What a program that takes parts runs from now on.
  void set_window(const LinkedProgram& program, size_t axis, const GridWindow& window);
  /// Whether programs were compiled since the last dispatched().
  bool has_new_code() const { return new_code_.has_value(); }
  /// The driver has compiled what it had put off: for most, when the dispatch has been given to it.
  void dispatched() { new_code_.reset(); }
  /// Deletes all programs, the current one too.
  void clear();
  /// How many were compiled in all, and how many there are.
  int64_t compiled() const { return compiled_; }
  size_t size() const { return programs_.size(); }

 private:
  /// A program, as it is or so that it can run parts.
  struct Key {
    lower::ProgramPtr program;
    bool windowed;
  };
  struct Same {
    size_t operator()(const Key& x) const { return x.program->hash() ^ static_cast<size_t>(x.windowed); }
    bool operator()(const Key& x, const Key& y) const {
      return x.windowed == y.windowed && lower::SameProgram()(x.program, y.program);
    }
  };
  LinkedProgram& use(const Dispatch& dispatch, bool windowed);
  LinkedProgram& insert(const Key& key, LinkedProgram program);
  void evict_oldest();
  LinkedProgram build(const Dispatch& dispatch, bool windowed);
  std::string text_of(const Dispatch& dispatch, bool windowed) const;
  GLuint compile(const std::string& name, const std::string& source);
  GLuint link(const std::string& name, GLuint shader, const std::string& source);
  void set_uniforms(LinkedProgram& program, const std::vector<uint32_t>& values);

  Context& context_;
  const Target& target_;
  ProgramText text_;
  size_t capacity_;
  Dropped dropped_;
  using Programs = std::list<std::pair<const Key, LinkedProgram>>;
  Programs programs_;  ///< the one used last first
  std::unordered_map<Key, Programs::iterator, Same, Same> by_key_;
  GLuint current_ = 0;
  int64_t compiled_ = 0;
  std::optional<shutdown::LateHandlers> new_code_;  ///< from the compilation of a program to its first dispatch
};

}  // namespace eglantine::gl
