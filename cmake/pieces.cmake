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
  eglantine_find_python_with(numpy)
  if(NOT EGLANTINE_PYTHON_WITH_NUMPY)
    eglantine_leave_out("the comparisons with NumPy and the tests of pages are" "a Python with NumPy" python3-numpy)
  endif()
  # Large, and beside NumPy a second opinion: compared with where somebody installed it.
  eglantine_find_python_with(torch)
  if(NOT EGLANTINE_PYTHON_WITH_TORCH)
    message(STATUS "Eglantine: the comparisons with PyTorch are left out, a Python with PyTorch was not found (apt-get install python3-torch)")
  endif()
  set(EGLANTINE_TESTS_CAN_BE_BUILT ${can_be_built} PARENT_SCOPE)
endfunction()

# eglantine_find_python_with(<module>): sets EGLANTINE_PYTHON_WITH_<MODULE> in the cache to a Python that has the module and
# NumPy, the first one in the path or else Debian's. Importing is not tried: PyTorch takes seconds.
function(eglantine_find_python_with module)
  string(TOUPPER EGLANTINE_PYTHON_WITH_${module} variable)
  if(DEFINED CACHE{${variable}})
    return()
  endif()
  find_program(first python3 NO_CACHE)
  foreach(candidate IN ITEMS ${first} /usr/bin/python3)
    execute_process(COMMAND ${candidate} -c "from importlib.util import find_spec; find_spec('numpy').name, find_spec('${module}').name"
                    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status STREQUAL "0")
      set(${variable} ${candidate} CACHE FILEPATH "A Python that has ${module}, for the tests that compare with it")
      return()
    endif()
  endforeach()
endfunction()
