#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backend/gl/execution/programs/compilation.hpp"
#include "backend/gl/execution/timing/watchdog.hpp"
#include "backend/gl/lowered.hpp"
#include "backend/shutdown.hpp"
#include "system/recent_map.hpp"

namespace eglantine::gl {

/// How the text of every program is changed (program_text.hpp), and how texts become programs.
struct ProgramSettings {
  bool windowed = false;           ///< every program can run a window of a dispatch's groups
  bool computed_uniforms = false;  ///< Quirk::stale_uniforms
  bool in_background = false;      ///< the driver compiles several programs at once, while the context goes on
};

/// `count` of `all` groups along an axis, from `first` on.
struct GridWindow {
  int64_t first, count, all;
};

struct LinkedProgram {
  GLuint name = 0;
  GLint uniforms_location = -1, window_location = -1;
  std::vector<uint32_t> uniforms;                         ///< as last set
  std::shared_ptr<Rate> rate = std::make_shared<Rate>();  ///< its measured rate; measurements may outlive the program

  bool takes_windows() const { return window_location >= 0; }
};

/// Compiled programs, least recently used evicted: each text of a custom operation makes one, about 435 KB on llvmpipe.
/// A program that another process has compiled is loaded from the store.
class ProgramCache {
 public:
  using Dropped = std::function<void(const lower::ProgramPtr& program)>;  ///< for each evicted program
  static constexpr size_t most_programs = 512;  ///< 220 MB at 435 KB each; more than large applications use
  static constexpr size_t most_begun = 128;

  /// capacity: at least 2, so that a program and its windowed form fit.
  ProgramCache(Context& context, const Target& target, const ProgramSettings& settings, ProgramStore store,
               size_t capacity, Dropped dropped);

  /// Makes the dispatch's program and uniforms current. Valid until `capacity` others were used. Throws CompileError.
  LinkedProgram& use(const Dispatch& dispatch) { return use(dispatch, settings_.windowed); }
  /// use() of the program's windowed form, which is compiled if need be.
  LinkedProgram& use_windowed(const Dispatch& dispatch) { return use(dispatch, true); }
  bool compiles_in_background() const { return settings_.in_background; }
  /// Begins to compile the dispatch's program in the background, unless it is known or `most_begun` wait for their use.
  void begin(const Dispatch& dispatch);
  /// Sets the groups that a windowed program runs from now on.
  void set_window(const LinkedProgram& program, size_t axis, const GridWindow& window);
  bool has_new_code() const { return new_code_.has_value(); }  ///< compiled since the last dispatched()
  void dispatched() { new_code_.reset(); }  ///< deferred compilation is over: in most drivers, once dispatched
  void clear();                             ///< deletes all programs, the current one too
  int64_t compiled() const { return compiled_; }
  int64_t loaded() const { return loaded_; }  ///< from the store
  size_t size() const { return programs_.size(); }

 private:
  /// A program in its plain or its windowed form.
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
  struct Begun {
    std::string text;
    BegunProgram program;
  };
  LinkedProgram& use(const Dispatch& dispatch, bool windowed);
  LinkedProgram& insert(const Key& key, LinkedProgram program);
  void evict_oldest();
  void abandon_begun();
  LinkedProgram build(const Dispatch& dispatch, const Key& key);
  std::string text_of(const Key& key) const;
  GLuint linked(const Key& key, const std::string& name);
  GLuint loaded(const std::string& text);
  GLuint compiled(const Begun& begun, const std::string& name);
  void set_uniforms(LinkedProgram& program, const std::vector<uint32_t>& values);

  Context& context_;
  const Target& target_;
  ProgramSettings settings_;
  ProgramStore store_;
  size_t capacity_;
  Dropped dropped_;
  RecentMap<Key, LinkedProgram, Same, Same> programs_;
  std::unordered_map<Key, Begun, Same, Same> begun_;
  GLuint current_ = 0;
  int64_t compiled_ = 0, loaded_ = 0;
  std::optional<shutdown::LateHandlers> new_code_;  ///< from the compilation of a program to its first dispatch
};

}  // namespace eglantine::gl
