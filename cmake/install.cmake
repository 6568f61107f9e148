# Installs the library, its headers, what find_package and pkg-config read, and the documents. Components are those of the
# Debian packages (package.cmake): development and documents serve both, the library itself is installed as built here.

include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/eglantine)
install(
  TARGETS eglantine
  EXPORT eglantineTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT here
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT here
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT here)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/eglantine ${PROJECT_BINARY_DIR}/generated/include/eglantine
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.hpp")
install(EXPORT eglantineTargets NAMESPACE eglantine:: DESTINATION ${config_dir} COMPONENT here)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/eglantineConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/generated/eglantineConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/eglantineConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
set(config_files ${PROJECT_BINARY_DIR}/generated/eglantineConfig.cmake
                 ${PROJECT_BINARY_DIR}/generated/eglantineConfigVersion.cmake)
install(FILES ${config_files} DESTINATION ${config_dir} COMPONENT here)
if(NOT BUILD_SHARED_LIBS)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/dependencies.cmake DESTINATION ${config_dir} COMPONENT here)
endif()

# What a static library's user links too. The libraries are in Libs, since there is no shared library that would do
# without them, and nobody needs to know that --static is to be said. They are spelled out rather than named in Requires,
# because `pkg-config --static` would then add what only static copies of them need (libgfortran, libX11), which a
# machine with just the shared ones does not have.
set(static_needs ${eglantine_epoxy_LDFLAGS} ${eglantine_gbm_LDFLAGS} ${eglantine_openblas_LDFLAGS} ${eglantine_zip_LDFLAGS} -lstdc++ -lm -lpthread
                 -l${CMAKE_DL_LIBS})
list(REMOVE_DUPLICATES static_needs)
list(FILTER static_needs EXCLUDE REGEX "^-l$")
list(JOIN static_needs " " static_needs)

# eglantine_write_pc(<file> <libdir> <what to link>): for a tree with that libdir. The prefix is found from where the file
# lies, so that an installed tree can be moved.
function(eglantine_write_pc file libdir EGLANTINE_PC_LIBS)
  file(RELATIVE_PATH EGLANTINE_PC_TO_PREFIX /${libdir}/pkgconfig /)
  string(REGEX REPLACE "/$" "" EGLANTINE_PC_TO_PREFIX "${EGLANTINE_PC_TO_PREFIX}")
  set(EGLANTINE_PC_LIBDIR ${libdir})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/eglantine.pc.in ${PROJECT_BINARY_DIR}/generated/${file} @ONLY)
endfunction()

set(pc_libs "-leglantine")
if(NOT BUILD_SHARED_LIBS)
  string(APPEND pc_libs " ${static_needs}")
endif()
eglantine_write_pc(eglantine.pc ${CMAKE_INSTALL_LIBDIR} "${pc_libs}")
install(FILES ${PROJECT_BINARY_DIR}/generated/eglantine.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT here)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT here)

# Documents refer to each other and to the examples by relative paths, so they lie as they do in the sources.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT documents)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/third_party_notes
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN reference EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
