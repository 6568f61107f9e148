#pragma once

/// Marks a public declaration: symbols are hidden unless they carry it.
#if defined(__GNUC__)
#define EGLANTINE_API __attribute__((visibility("default")))
#else
#define EGLANTINE_API
#endif
