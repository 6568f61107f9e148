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
  eglantine_find_python_with(NumPy numpy)
  eglantine_find_python_with(PyTorch torch)
  set(EGLANTINE_TESTS_CAN_BE_BUILT ${can_be_built} PARENT_SCOPE)
endfunction()

# eglantine_find_python_with(<name> <module>): sets EGLANTINE_PYTHON_WITH_<MODULE> in the cache to a Python that has the
# module and NumPy, the first one in the path or else Debian's; where there is none it says so.
function(eglantine_find_python_with name module)
  string(TOUPPER EGLANTINE_PYTHON_WITH_${module} variable)
  if(NOT DEFINED CACHE{${variable}})
    find_program(first python3 NO_CACHE)
    foreach(candidate IN ITEMS ${first} /usr/bin/python3)
      execute_process(COMMAND ${candidate} -c "import numpy, ${module}" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
      if(status STREQUAL "0")
        set(${variable} ${candidate} CACHE FILEPATH "A Python that has ${name}, for the tests that compare with it")
        break()
      endif()
    endforeach()
  endif()
  if(NOT ${variable})
    eglantine_leave_out("the comparisons with ${name} are" "a Python with ${name}" python3-${module})
  endif()
endfunction()
