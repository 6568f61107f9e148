#pragma once

// Every public header includes this one before anything that an older standard does not understand.
#if defined(__cplusplus) && __cplusplus < 202002L
#error "Eglantine's headers need C++20: compile with -std=c++20 (CMake: link eglantine::eglantine)"
#endif

/// Marks a public declaration: symbols are hidden unless they carry it.
#if defined(__GNUC__)
#define EGLANTINE_API __attribute__((visibility("default")))
#else
#define EGLANTINE_API
#endif
