# The libraries Eglantine is built on, as imported targets. The installed eglantineConfig.cmake includes this file too: a
# static library's user links them again, so both must find them in the same way.

include(CMakeFindDependencyMacro)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_dependency(Threads)
find_package(PkgConfig QUIET)
if(NOT PkgConfig_FOUND)
  message(FATAL_ERROR "Eglantine needs pkg-config: on Debian, apt-get install pkg-config")
endif()

# Defines eglantine_deps::<name> from the first pkg-config module found. Stops with advice when there is none.
function(eglantine_find_module name package)
  if(TARGET eglantine_deps::${name})
    return()
  endif()
  pkg_search_module(eglantine_${name} QUIET IMPORTED_TARGET ${ARGN})
  if(NOT TARGET PkgConfig::eglantine_${name})
    list(JOIN ARGN " or " modules)
    message(FATAL_ERROR "Eglantine needs ${modules} (pkg-config): on Debian, apt-get install ${package}")
  endif()
  add_library(eglantine_deps::${name} INTERFACE IMPORTED)
  target_link_libraries(eglantine_deps::${name} INTERFACE PkgConfig::eglantine_${name})
endfunction()

eglantine_find_module(epoxy libepoxy-dev epoxy)
eglantine_find_module(gbm libgbm-dev gbm)
eglantine_find_module(openblas libopenblas-dev openblas cblas)
eglantine_find_module(zip libzip-dev libzip)
