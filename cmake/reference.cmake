# The reference of all verbs as HTML, where Doxygen is installed: docs/reference/make.

find_package(Doxygen 1.9 QUIET)
if(NOT DOXYGEN_FOUND)
  eglantine_leave_out("the reference is" Doxygen doxygen)
  return()
endif()
file(GLOB_RECURSE reference_inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/eglantine/*.hpp ${PROJECT_SOURCE_DIR}/docs/reference/*)
set(reference ${PROJECT_BINARY_DIR}/reference)
add_custom_command(
  OUTPUT ${reference}/names.js
  COMMAND ${PROJECT_SOURCE_DIR}/docs/reference/make ${reference} ${PROJECT_VERSION}
  DEPENDS ${reference_inputs}
  COMMENT "Making the reference"
  VERBATIM)
add_custom_target(reference ALL DEPENDS ${reference}/names.js)
if(EGLANTINE_INSTALL)
  install(DIRECTORY ${reference} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents OPTIONAL)
endif()
