#include "backend/gl/execution/programs/compilation.hpp"

#include <cstdio>
#include <sstream>

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

bool is_linked(const Functions& gl, GLuint program) {
  GLint linked = GL_FALSE;
  gl.GetProgramiv(program, GL_LINK_STATUS, &linked);
  return linked == GL_TRUE;
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

BegunProgram begin_compilation(Context& context, const std::string& source) {
  const Functions& gl = context.gl();
  BegunProgram begun;
  begun.shader = gl.CreateShader(GL_COMPUTE_SHADER);
  if (begun.shader == 0) context.check("glCreateShader");
  const char* text = source.c_str();
  gl.ShaderSource(begun.shader, 1, &text, nullptr);
  gl.CompileShader(begun.shader);
  begun.program = gl.CreateProgram();
  gl.AttachShader(begun.program, begun.shader);
  gl.ProgramParameteri(begun.program, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE);
  gl.LinkProgram(begun.program);  // fails where the shader did not compile
  return begun;
}

GLuint finish_compilation(Context& context, const BegunProgram& begun, const std::string& name,
                          const std::string& source) {
  const Functions& gl = context.gl();
  GLint compiled = GL_FALSE;
  gl.GetShaderiv(begun.shader, GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_TRUE && is_linked(gl, begun.program)) {
    gl.DeleteShader(begun.shader);  // freed with the program
    return begun.program;
  }
  const std::string log = compiled == GL_TRUE ? log_of(begun.program, gl.GetProgramiv, gl.GetProgramInfoLog)
                                              : log_of(begun.shader, gl.GetShaderiv, gl.GetShaderInfoLog);
  abandon(context, begun);
  fail(name, compiled == GL_TRUE ? "link" : "compile", log, source);
}

void abandon(Context& context, const BegunProgram& begun) {
  context.gl().DeleteShader(begun.shader);
  context.gl().DeleteProgram(begun.program);
}

bool gives_binaries(const Context& context) {
  GLint formats = 0;
  context.gl().GetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &formats);
  return formats > 0;
}

std::optional<ProgramBinary> binary_of(Context& context, GLuint program) {
  const Functions& gl = context.gl();
  GLint length = 0;
  gl.GetProgramiv(program, GL_PROGRAM_BINARY_LENGTH, &length);
  if (length <= 0) return std::nullopt;
  ProgramBinary binary;
  binary.bytes.resize(static_cast<size_t>(length));
  GLsizei written = 0;
  gl.GetProgramBinary(program, length, &written, &binary.format, binary.bytes.data());
  if (context.take_error() || written <= 0) return std::nullopt;
  binary.bytes.resize(static_cast<size_t>(written));
  return binary;
}

GLuint program_of(Context& context, const ProgramBinary& binary) {
  const Functions& gl = context.gl();
  const GLuint program = gl.CreateProgram();
  gl.ProgramBinary(program, binary.format, binary.bytes.data(), static_cast<GLsizei>(binary.bytes.size()));
  if (!context.take_error() && is_linked(gl, program)) return program;
  gl.DeleteProgram(program);
  return 0;
}

}  // namespace eglantine::gl
