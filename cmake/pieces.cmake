# What is built beside the library is left out where something for it is missing, with a line that says so. Where the
# tests were asked for by name (EGLANTINE_BUILD_TESTS=ON, as scripts/test does) nothing may be lost without a word: there
# it is an error.

# eglantine_leave_out(<what> <missing> <Debian package>)
function(eglantine_leave_out what missing package)
  set(text "Eglantine: ${what} left out, ${missing} was not found (apt-get install ${package})")
  if(EGLANTINE_BUILD_TESTS AND NOT EGLANTINE_BUILD_TESTS STREQUAL "AUTO")
    message(FATAL_ERROR "${text}; EGLANTINE_BUILD_TESTS is ${EGLANTINE_BUILD_TESTS}, so nothing may be: AUTO builds what can be built")
  endif()
  message(STATUS "${text}")
endfunction()

# Sets EGLANTINE_TESTS_CAN_BE_BUILT; a line for each thing that is missing.
function(eglantine_find_what_tests_need)
  set(can_be_built ON)
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    eglantine_leave_out("the tests are" GoogleTest libgtest-dev)
    set(can_be_built OFF)
  endif()
  find_program(EGLANTINE_GLSLANG glslangValidator)
  if(NOT EGLANTINE_GLSLANG)
    eglantine_leave_out("the tests are" glslangValidator glslang-tools)
    set(can_be_built OFF)
  endif()
  set(EGLANTINE_TESTS_CAN_BE_BUILT ${can_be_built} PARENT_SCOPE)
endfunction()
