# How our own code is compiled. Nothing here reaches a user's targets.

add_library(eglantine_options INTERFACE)
target_compile_features(eglantine_options INTERFACE cxx_std_20)
# Without this a compiler may fuse a * b + c, and the CPU would add to other bits than a GPU does.
target_compile_options(eglantine_options INTERFACE -ffp-contract=off)
target_compile_options(
  eglantine_options
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wcast-qual
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            -Wundef
            -Wunused
            -Wvla)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in every "text" + std::string (GCC bug 105651), and says so of headers that were
  # precompiled in more ways: the presets without those keep these warnings.
  target_compile_options(eglantine_options INTERFACE -Wno-restrict)
  if(EGLANTINE_PRECOMPILE)
    target_compile_options(eglantine_options INTERFACE -Wno-stringop-overflow -Wno-array-bounds)
  endif()
endif()
if(EGLANTINE_WERROR)
  target_compile_options(eglantine_options INTERFACE -Werror)
endif()
if(EGLANTINE_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented, GCC sees uninitialised members in std::regex (GCC bug 105562), and reads past short strings.
    target_compile_options(eglantine_options INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overread)
  endif()
  set(flags -fsanitize=${EGLANTINE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_compile_options(eglantine_options INTERFACE ${flags})
  target_link_options(eglantine_options INTERFACE ${flags})
endif()
