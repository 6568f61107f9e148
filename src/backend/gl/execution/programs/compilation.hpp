#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backend/gl/context/context.hpp"
#include "backend/gl/execution/programs/program_store.hpp"
#include "eglantine/error.hpp"

/// From a text, or from a binary that the driver gave out, to a linked program.
namespace eglantine::gl {

/// A program that does not compile or link: the driver's log, and the source.
class CompileError : public ShaderError {
 public:
  CompileError(const std::string& message, std::string driver_log, std::string program)
      : ShaderError(message), log(std::move(driver_log)), source(std::move(program)) {}
  std::string log, source;
};

std::string abbreviated(std::string_view line);   ///< if over a few hundred characters: shortened, with its length
std::string numbered(const std::string& source);  ///< with line numbers, each line abbreviated

/// A program whose compilation has begun. Drivers that compile in the background are done with it some time later, and
/// wait for that in the first question about it; finish() asks.
struct BegunProgram {
  GLuint shader = 0, program = 0;
};

BegunProgram begin_compilation(Context& context, const std::string& source);
/// The linked program. Throws CompileError.
GLuint finish_compilation(Context& context, const BegunProgram& begun, const std::string& name,
                          const std::string& source);
void abandon(Context& context, const BegunProgram& begun);

/// Whether the driver gives programs out at all.
bool gives_binaries(const Context& context);
std::optional<ProgramBinary> binary_of(Context& context, GLuint program);
/// The program of a binary; 0 where the driver refuses it, as after an update.
GLuint program_of(Context& context, const ProgramBinary& binary);

}  // namespace eglantine::gl
