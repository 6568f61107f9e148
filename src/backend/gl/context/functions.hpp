#pragma once

#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <set>
#include <string>

namespace eglantine::gl {

/// The functions of every context we accept: GL 4.3 or GLES 3.1. (clang-format 14 moves the lines back and forth.)
// clang-format off
#define EG_GL_CORE(F)                                                                                              \
  F(GetError)                                                                                                      \
  F(GetString)                                                                                                     \
  F(GetStringi) F(GetIntegerv) F(GetInteger64v) F(GetIntegeri_v) F(Enable) F(GenBuffers) F(DeleteBuffers)          \
      F(BindBuffer) F(BindBufferRange) F(BufferData) F(BufferSubData) F(CopyBufferSubData) F(MapBufferRange)       \
          F(UnmapBuffer) F(CreateShader) F(ShaderSource) F(CompileShader) F(GetShaderiv) F(GetShaderInfoLog)       \
              F(DeleteShader) F(CreateProgram) F(AttachShader) F(LinkProgram) F(GetProgramiv) F(GetProgramInfoLog) \
                  F(DeleteProgram) F(UseProgram) F(GetUniformLocation) F(ProgramUniform1uiv) F(DispatchCompute)    \
                      F(MemoryBarrier) F(FenceSync) F(ClientWaitSync) F(DeleteSync) F(Flush) F(Finish)     \
                        F(ProgramParameteri) F(GetProgramBinary) F(ProgramBinary)

/// Functions of later versions or extensions: null where the context lacks them.
#define EG_GL_OPTIONAL(F)                                                                                         \
  F(GetBufferSubData)                                                                                             \
  F(BufferStorage)                                                                                                \
  F(CreateBuffers) F(NamedBufferStorage) F(CopyNamedBufferSubData) F(GenQueries) F(DeleteQueries) F(QueryCounter) \
      F(GetQueryObjectui64v) F(DebugMessageCallback) F(DebugMessageControl) F(GetGraphicsResetStatus)             \
          F(GenTextures) F(DeleteTextures) F(ActiveTexture) F(BindTexture) F(TexBufferRange)             \
          F(GetUnsignedBytei_vEXT) F(CreateMemoryObjectsEXT) F(DeleteMemoryObjectsEXT) F(ImportMemoryFdEXT)                 \
              F(BufferStorageMemEXT)
// clang-format on

/// All GL calls go through this table, so that tests can make each of them fail. Named as in GL, without "gl".
struct Functions {
#define EG_MEMBER(name) decltype(epoxy_gl##name) name = nullptr;
  EG_GL_CORE(EG_MEMBER)
  EG_GL_OPTIONAL(EG_MEMBER)
#undef EG_MEMBER
};

/// The current context's version and extensions, which decide the optional functions to load.
struct ContextVersion {
  bool gles = false;
  int version = 0;  ///< 46, 43, 32, 31
  std::set<std::string, std::less<>> extensions;

  bool has(std::string_view extension) const { return extensions.find(extension) != extensions.end(); }
};

Functions core_functions();  ///< of every version, enough to query it; a context must be current
ContextVersion version_of(const Functions& gl);
/// The whole table from libepoxy; optional functions only where promised: libepoxy ends the process for missing ones.
Functions load_functions(const ContextVersion& version);

}  // namespace eglantine::gl
