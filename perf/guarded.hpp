#pragma once

#include <exception>
#include <iostream>

namespace eglantine::perf {

/// What a program does, as its exit status; what it throws becomes a line on the standard error output, and 1.
inline int guarded(int (*program)(int, char**), int count, char** arguments) {
  try {
    return program(count, arguments);
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace eglantine::perf
