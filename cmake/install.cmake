# Installs the library, its headers, and what find_package and pkg-config read.

include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/eglantine)
install(
  TARGETS eglantine
  EXPORT eglantineTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/eglantine ${PROJECT_BINARY_DIR}/generated/include/eglantine
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT eglantineTargets NAMESPACE eglantine:: DESTINATION ${config_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/eglantineConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/generated/eglantineConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/eglantineConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/eglantineConfig.cmake
              ${PROJECT_BINARY_DIR}/generated/eglantineConfigVersion.cmake DESTINATION ${config_dir})
if(NOT BUILD_SHARED_LIBS)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/dependencies.cmake DESTINATION ${config_dir})
endif()

# A static library's user links its dependencies too. They are in Libs, since there is no shared library that would do
# without them, and nobody needs to know that --static is to be said. They are spelled out rather than named in Requires,
# because `pkg-config --static` would then add what only static copies of them need (libgfortran, libX11), which a
# machine with just the shared ones does not have.
set(EGLANTINE_PC_LIBRARIES "")
if(NOT BUILD_SHARED_LIBS)
  set(libraries
      ${eglantine_epoxy_LDFLAGS}
      ${eglantine_gbm_LDFLAGS}
      ${eglantine_openblas_LDFLAGS}
      -lstdc++
      -lm
      -lpthread
      -l${CMAKE_DL_LIBS})
  list(REMOVE_DUPLICATES libraries)
  list(FILTER libraries EXCLUDE REGEX "^-l$")
  list(JOIN libraries " " EGLANTINE_PC_LIBRARIES)
  string(PREPEND EGLANTINE_PC_LIBRARIES " ")
endif()
# The prefix is found from where the file lies, so that an installed tree can be moved.
file(RELATIVE_PATH EGLANTINE_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" EGLANTINE_PC_TO_PREFIX "${EGLANTINE_PC_TO_PREFIX}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/eglantine.pc.in ${PROJECT_BINARY_DIR}/generated/eglantine.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/eglantine.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
