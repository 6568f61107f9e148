#include <eglantine/eglantine.hpp>
#include <iostream>

#if defined(__gl_h_) || defined(EPOXY_GL_H) || defined(__egl_h_) || defined(EPOXY_EGL_H)
#error "a public header includes GL or EGL"
#endif

int main() {
  const eglantine::Tensor x = eglantine::Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const float total = eglantine::sum(eglantine::exp(x * 0.0F) + x).item<float>();
  std::cout << "eglantine " << EGLANTINE_VERSION << " on " << x.device().info().name << ": " << total << "\n";
  return total == 27.0F ? 0 : 1;
}
