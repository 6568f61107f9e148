#include "backend/gl/execution/program_cache.hpp"

#include <array>
#include <cstdio>
#include <sstream>

#include "backend/gl/execution/program_text.hpp"

namespace eglantine::gl {
namespace {

/// Shaders and programs have the same queries under different names.
template <class GetLength, class GetLog>
std::string log_of(GLuint object, GetLength get_length, GetLog get_log) {
  GLint length = 0;
  get_length(object, GL_INFO_LOG_LENGTH, &length);
  if (length <= 1) return "(the driver says nothing)";
  std::string log(static_cast<size_t>(length), '\0');
  GLsizei written = 0;
  get_log(object, length, &written, log.data());
  log.resize(static_cast<size_t>(written));
  return log;
}

[[noreturn]] void fail(const std::string& name, const char* step, const std::string& log, const std::string& source) {
  throw CompileError("[" + name + "] the shader does not " + step + ":\n" + log + "\n" + numbered(source), log, source);
}

}  // namespace

std::string abbreviated(std::string_view line) {
  constexpr size_t most = 400, shown = 300;
  if (line.size() <= most) return std::string(line);
  return std::string(line.substr(0, shown)) + "... (" + std::to_string(line.size()) + " characters)";
}

std::string numbered(const std::string& source) {
  std::istringstream lines(source);
  std::string text, line;
  for (int number = 1; std::getline(lines, line); ++number) {
    char prefix[16];
    std::snprintf(prefix, sizeof prefix, "%4d | ", number);
    text += prefix + abbreviated(line) + '\n';
  }
  return text;
}

LinkedProgram& ProgramCache::use(const Dispatch& dispatch, bool windowed) {
  const Key key{dispatch.program, windowed};
  LinkedProgram* known = programs_.use(key);
  LinkedProgram& program = known != nullptr ? *known : insert(key, build(dispatch, windowed));
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
  while (!programs_.empty()) evict_oldest();
}

std::string ProgramCache::text_of(const Dispatch& dispatch, bool windowed) const {
  std::string source = dispatch.program->text(target_);
  if (windowed) source = with_grid_window(source);
  if (text_.computed_uniforms) source = with_computed_uniforms(source);
  return source;
}

LinkedProgram ProgramCache::build(const Dispatch& dispatch, bool windowed) {
  const std::string source = text_of(dispatch, windowed);
  new_code_.emplace();
  const GLuint shader = compile(dispatch.name, source);
  LinkedProgram program;
  program.name = link(dispatch.name, shader, source);
  context_.check("linking " + dispatch.name);
  // Queried: a compiler drops uniforms that nothing reads, and setting those is an error.
  program.uniforms_location = context_.gl().GetUniformLocation(program.name, "eg_u");
  if (windowed) program.window_location = context_.gl().GetUniformLocation(program.name, window_uniform);
  ++compiled_;
  return program;
}

GLuint ProgramCache::compile(const std::string& name, const std::string& source) {
  const Functions& gl = context_.gl();
  const GLuint shader = gl.CreateShader(GL_COMPUTE_SHADER);
  if (shader == 0) context_.check("glCreateShader");
  const char* text = source.c_str();
  gl.ShaderSource(shader, 1, &text, nullptr);
  gl.CompileShader(shader);
  GLint compiled = GL_FALSE;
  gl.GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_TRUE) return shader;
  const std::string log = log_of(shader, gl.GetShaderiv, gl.GetShaderInfoLog);
  gl.DeleteShader(shader);
  fail(name, "compile", log, source);
}

GLuint ProgramCache::link(const std::string& name, GLuint shader, const std::string& source) {
  const Functions& gl = context_.gl();
  const GLuint program = gl.CreateProgram();
  gl.AttachShader(program, shader);
  gl.LinkProgram(program);
  gl.DeleteShader(shader);  // freed with the program
  GLint linked = GL_FALSE;
  gl.GetProgramiv(program, GL_LINK_STATUS, &linked);
  if (linked == GL_TRUE) return program;
  const std::string log = log_of(program, gl.GetProgramiv, gl.GetProgramInfoLog);
  gl.DeleteProgram(program);
  fail(name, "link", log, source);
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
