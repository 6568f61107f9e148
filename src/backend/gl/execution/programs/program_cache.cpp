#include "backend/gl/execution/programs/program_cache.hpp"

#include <array>

#include "backend/gl/execution/programs/program_text.hpp"

namespace eglantine::gl {

ProgramCache::ProgramCache(Context& context, const Target& target, const ProgramSettings& settings, ProgramStore store,
                           size_t capacity, Dropped dropped)
    : context_(context),
      target_(target),
      settings_(settings),
      store_(std::move(store)),
      capacity_(capacity),
      dropped_(std::move(dropped)) {}

LinkedProgram& ProgramCache::use(const Dispatch& dispatch, bool windowed) {
  const Key key{dispatch.program, windowed};
  LinkedProgram* known = programs_.use(key);
  LinkedProgram& program = known != nullptr ? *known : insert(key, build(dispatch, key));
  if (current_ != program.name) {
    context_.gl().UseProgram(program.name);
    current_ = program.name;
  }
  set_uniforms(program, dispatch.uniforms);
  return program;
}

LinkedProgram& ProgramCache::insert(const Key& key, LinkedProgram program) {
  if (programs_.size() >= capacity_) evict_oldest();
  return programs_.add(key, std::move(program));
}

/// GL deletes a running program when it has finished.
void ProgramCache::evict_oldest() {
  const auto& [key, program] = programs_.oldest();
  context_.gl().DeleteProgram(program.name);
  dropped_(key.program);
  programs_.drop_oldest();
}

void ProgramCache::clear() {
  context_.gl().UseProgram(0);
  current_ = 0;
  abandon_begun();
  while (!programs_.empty()) evict_oldest();
}

void ProgramCache::abandon_begun() {
  for (const auto& [key, begun] : begun_) abandon(context_, begun.program);
  begun_.clear();
}

std::string ProgramCache::text_of(const Key& key) const {
  std::string text = key.program->text(target_);
  if (key.windowed) text = with_grid_window(text);
  if (settings_.computed_uniforms) text = with_computed_uniforms(text);
  return text;
}

/// What the store has is loaded when its turn comes.
void ProgramCache::begin(const Dispatch& dispatch) {
  const Key key{dispatch.program, settings_.windowed};
  if (!settings_.in_background || begun_.size() >= most_begun || programs_.has(key) || begun_.count(key) > 0) return;
  std::string text = text_of(key);
  if (store_.has(text)) return;
  const shutdown::LateHandlers compiling;
  const BegunProgram program = begin_compilation(context_, text);
  begun_.emplace(key, Begun{std::move(text), program});
}

LinkedProgram ProgramCache::build(const Dispatch& dispatch, const Key& key) {
  new_code_.emplace();
  LinkedProgram program;
  program.name = linked(key, dispatch.name);
  context_.check("linking " + dispatch.name);
  // Queried: a compiler drops uniforms that nothing reads, and setting those is an error.
  program.uniforms_location = context_.gl().GetUniformLocation(program.name, "eg_u");
  if (key.windowed) program.window_location = context_.gl().GetUniformLocation(program.name, window_uniform);
  return program;
}

GLuint ProgramCache::linked(const Key& key, const std::string& name) {
  if (auto begun = begun_.extract(key)) return compiled(begun.mapped(), name);
  std::string text = text_of(key);
  if (const GLuint program = loaded(text); program != 0) return program;
  const BegunProgram program = begin_compilation(context_, text);
  return compiled({std::move(text), program}, name);
}

GLuint ProgramCache::loaded(const std::string& text) {
  const std::optional<ProgramBinary> binary = store_.find(text);
  if (!binary) return 0;
  const GLuint program = program_of(context_, *binary);
  program != 0 ? static_cast<void>(++loaded_) : store_.drop(text);
  return program;
}

GLuint ProgramCache::compiled(const Begun& begun, const std::string& name) {
  const GLuint program = finish_compilation(context_, begun.program, name, begun.text);
  ++compiled_;
  if (store_.usable())
    if (const std::optional<ProgramBinary> binary = binary_of(context_, program)) store_.keep(begun.text, *binary);
  return program;
}

void ProgramCache::set_window(const LinkedProgram& program, size_t axis, const GridWindow& window) {
  std::array<GLuint, 6> words{};
  words[axis] = static_cast<GLuint>(window.first);
  words[3 + axis] = static_cast<GLuint>(window.all - window.count);
  context_.gl().ProgramUniform1uiv(program.name, program.window_location, words.size(), words.data());
}

void ProgramCache::set_uniforms(LinkedProgram& program, const std::vector<uint32_t>& values) {
  if (program.uniforms_location < 0 || values == program.uniforms) return;
  context_.gl().ProgramUniform1uiv(program.name, program.uniforms_location, static_cast<GLsizei>(values.size()),
                                   values.data());
  program.uniforms = values;
}

}  // namespace eglantine::gl
