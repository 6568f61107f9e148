#include "backend/gl/context/functions.hpp"

#include <cstdio>
#include <mutex>

namespace eglantine::gl {
namespace {

/// Calls through libepoxy's pointer, which the first call replaces by the driver's function: a copy of the pointer made
/// earlier would resolve the function again on every call.
template <auto* pointer>
struct Through;

template <class Result, class... Arguments, Result (**pointer)(Arguments...)>
struct Through<pointer> {
  static Result call(Arguments... arguments) { return (*pointer)(arguments...); }
};

void do_nothing() {}

/// Replaces libepoxy's default, abort(). Optional functions are loaded only where promised, so the driver is broken.
auto report_missing(const char* name) -> void (*)() {
  std::fprintf(stderr, "eglantine: the GL driver promises %s but does not have it\n", name);
  return &do_nothing;
}

void install_failure_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    // The application may use libepoxy too: its own handler stays.
    const auto previous = epoxy_set_resolver_failure_handler(&report_missing);
    if (previous != nullptr) epoxy_set_resolver_failure_handler(previous);
  });
}

#define EG_THROUGH(name) &Through<&epoxy_gl##name>::call

void load_direct_state_access(Functions& gl) {
  gl.CreateBuffers = EG_THROUGH(CreateBuffers);
  gl.NamedBufferStorage = EG_THROUGH(NamedBufferStorage);
  gl.CopyNamedBufferSubData = EG_THROUGH(CopyNamedBufferSubData);
}

void load_debug(Functions& gl, const ContextVersion& context) {
  if (!context.gles || context.version >= 32) {
    gl.DebugMessageCallback = EG_THROUGH(DebugMessageCallback);
    gl.DebugMessageControl = EG_THROUGH(DebugMessageControl);
  } else if (context.has("GL_KHR_debug")) {
    gl.DebugMessageCallback = EG_THROUGH(DebugMessageCallbackKHR);
    gl.DebugMessageControl = EG_THROUGH(DebugMessageControlKHR);
  }
}

void load_reset_status(Functions& gl, const ContextVersion& context) {
  if (context.version >= (context.gles ? 32 : 45)) {
    gl.GetGraphicsResetStatus = EG_THROUGH(GetGraphicsResetStatus);
  } else if (context.has("GL_KHR_robustness")) {
    gl.GetGraphicsResetStatus = EG_THROUGH(GetGraphicsResetStatusKHR);
  } else if (context.gles && context.has("GL_EXT_robustness")) {
    gl.GetGraphicsResetStatus = EG_THROUGH(GetGraphicsResetStatusEXT);
  } else if (!context.gles && context.has("GL_ARB_robustness")) {
    gl.GetGraphicsResetStatus = EG_THROUGH(GetGraphicsResetStatusARB);
  }
}

void load_desktop(Functions& gl, const ContextVersion& context) {
  gl.GetBufferSubData = EG_THROUGH(GetBufferSubData);
  gl.GenTextures = EG_THROUGH(GenTextures);
  gl.DeleteTextures = EG_THROUGH(DeleteTextures);
  gl.ActiveTexture = EG_THROUGH(ActiveTexture);
  gl.BindTexture = EG_THROUGH(BindTexture);
  gl.TexBufferRange = EG_THROUGH(TexBufferRange);
  gl.GenQueries = EG_THROUGH(GenQueries);
  gl.DeleteQueries = EG_THROUGH(DeleteQueries);
  gl.QueryCounter = EG_THROUGH(QueryCounter);
  gl.GetQueryObjectui64v = EG_THROUGH(GetQueryObjectui64v);
  const bool storage = context.version >= 44 || context.has("GL_ARB_buffer_storage");
  if (storage) gl.BufferStorage = EG_THROUGH(BufferStorage);
  if (storage && (context.version >= 45 || context.has("GL_ARB_direct_state_access"))) load_direct_state_access(gl);
}

void load_embedded(Functions& gl, const ContextVersion& context) {
  if (context.has("GL_EXT_buffer_storage")) gl.BufferStorage = EG_THROUGH(BufferStorageEXT);
  if (!context.has("GL_EXT_disjoint_timer_query")) return;
  gl.GenQueries = EG_THROUGH(GenQueriesEXT);
  gl.DeleteQueries = EG_THROUGH(DeleteQueriesEXT);
  gl.QueryCounter = EG_THROUGH(QueryCounterEXT);
  gl.GetQueryObjectui64v = EG_THROUGH(GetQueryObjectui64vEXT);
}

void load_memory_objects(Functions& gl, const ContextVersion& context) {
  gl.GetUnsignedBytei_vEXT = EG_THROUGH(GetUnsignedBytei_vEXT);
  if (!context.has("GL_EXT_memory_object_fd")) return;
  gl.CreateMemoryObjectsEXT = EG_THROUGH(CreateMemoryObjectsEXT);
  gl.DeleteMemoryObjectsEXT = EG_THROUGH(DeleteMemoryObjectsEXT);
  gl.ImportMemoryFdEXT = EG_THROUGH(ImportMemoryFdEXT);
  gl.BufferStorageMemEXT = EG_THROUGH(BufferStorageMemEXT);
}

}  // namespace

Functions core_functions() {
  install_failure_handler();
  Functions gl;
#define EG_LOAD(name) gl.name = EG_THROUGH(name);
  EG_GL_CORE(EG_LOAD)
#undef EG_LOAD
  return gl;
}

ContextVersion version_of(const Functions& gl) {
  ContextVersion context;
  const auto* text = reinterpret_cast<const char*>(gl.GetString(GL_VERSION));
  context.gles = text != nullptr && std::string_view(text).starts_with("OpenGL ES");
  GLint major = 0, minor = 0, count = 0;
  gl.GetIntegerv(GL_MAJOR_VERSION, &major);
  gl.GetIntegerv(GL_MINOR_VERSION, &minor);
  gl.GetIntegerv(GL_NUM_EXTENSIONS, &count);
  context.version = major * 10 + minor;
  for (GLint i = 0; i < count; ++i) {
    const auto* name = gl.GetStringi(GL_EXTENSIONS, static_cast<GLuint>(i));
    if (name != nullptr) context.extensions.emplace(reinterpret_cast<const char*>(name));
  }
  return context;
}

Functions load_functions(const ContextVersion& context) {
  Functions gl = core_functions();
  load_debug(gl, context);
  load_reset_status(gl, context);
  if (context.gles) {
    load_embedded(gl, context);
  } else {
    load_desktop(gl, context);
  }
  if (context.has("GL_EXT_memory_object")) load_memory_objects(gl, context);
  return gl;
}

}  // namespace eglantine::gl
