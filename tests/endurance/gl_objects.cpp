#include "gl_objects.hpp"

namespace eglantine::test {
namespace {

gl::Functions driver;
GlObjects objects;

void count_buffers(gl::Functions& gl) {
  gl.GenBuffers = [](GLsizei count, GLuint* names) {
    driver.GenBuffers(count, names);
    objects.buffers += count;
  };
  if (gl.CreateBuffers != nullptr)
    gl.CreateBuffers = [](GLsizei count, GLuint* names) {
      driver.CreateBuffers(count, names);
      objects.buffers += count;
    };
  gl.DeleteBuffers = [](GLsizei count, const GLuint* names) {
    driver.DeleteBuffers(count, names);
    objects.buffers -= count;
  };
}

void count_programs(gl::Functions& gl) {
  gl.CreateShader = [](GLenum type) {
    ++objects.shaders;
    return driver.CreateShader(type);
  };
  gl.DeleteShader = [](GLuint name) {
    --objects.shaders;
    driver.DeleteShader(name);
  };
  gl.CreateProgram = [] {
    ++objects.programs;
    return driver.CreateProgram();
  };
  gl.DeleteProgram = [](GLuint name) {
    --objects.programs;
    driver.DeleteProgram(name);
  };
}

void count_fences(gl::Functions& gl) {
  gl.FenceSync = [](GLenum condition, GLbitfield flags) {
    ++objects.fences;
    return driver.FenceSync(condition, flags);
  };
  gl.DeleteSync = [](GLsync fence) {
    --objects.fences;
    driver.DeleteSync(fence);
  };
}

void count_queries(gl::Functions& gl) {
  if (gl.GenQueries == nullptr) return;
  gl.GenQueries = [](GLsizei count, GLuint* names) {
    driver.GenQueries(count, names);
    objects.queries += count;
  };
  gl.DeleteQueries = [](GLsizei count, const GLuint* names) {
    driver.DeleteQueries(count, names);
    objects.queries -= count;
  };
}

}  // namespace

std::string GlObjects::text() const {
  return std::to_string(buffers) + " buffers, " + std::to_string(shaders) + " shaders, " + std::to_string(programs) +
         " programs, " + std::to_string(fences) + " fences, " + std::to_string(queries) + " queries";
}

void count_gl_objects(gl::Functions& functions) {
  driver = functions;
  objects = {};
  count_buffers(functions);
  count_programs(functions);
  count_fences(functions);
  count_queries(functions);
}

GlObjects gl_objects() { return objects; }

}  // namespace eglantine::test
