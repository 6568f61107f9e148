# The runs of the test program, and which tests each takes.

eglantine_add_run(tests.llvmpipe_and_cpu FILTER "*")

# Our floor, GL 4.3, on a driver held to it: no persistent mapping, no direct state access, no timing past 4.3.
set(EGLANTINE_FLOOR_FILTER "*Core*:*Map*:*Reduce*:*Matmul*:*Movement*:*Creation*:*Transfer*"
    CACHE STRING "Tests that also run on the GL 4.3 floor")
eglantine_add_run(
  tests.gl43_floor
  FILTER "${EGLANTINE_FLOOR_FILTER}"
  ENVIRONMENT MESA_GL_VERSION_OVERRIDE=4.3
              "MESA_EXTENSION_OVERRIDE=-GL_ARB_buffer_storage -GL_ARB_direct_state_access -GL_EXT_memory_object_fd")

# Every kernel family in windows: tensors of more than 64 KiB are larger than what one kernel may bind.
set(EGLANTINE_WINDOWS_FILTER "*Map*:*Reduce*:*Matmul*:*Movement*:*Windows*"
    CACHE STRING "Tests that also run with small windows")
eglantine_add_run(tests.windows_of_64_kib FILTER "${EGLANTINE_WINDOWS_FILTER}" ENVIRONMENT
                  EGLANTINE_MAX_BLOCK_BYTES=65536)

# Every template is valid GLSL by itself.
find_program(EGLANTINE_GLSLANG glslangValidator REQUIRED)
file(GLOB templates CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/glsl/*.comp)
foreach(template IN LISTS templates)
  get_filename_component(name ${template} NAME)
  add_test(NAME glsl.${name} COMMAND ${EGLANTINE_GLSLANG} -S comp -DEG_STANDALONE ${template})
endforeach()

# The library as its users get it: installed, found with find_package and with pkg-config, compiled against and run.
add_test(NAME consumer COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumer/check ${PROJECT_BINARY_DIR})
set_tests_properties(consumer PROPERTIES ENVIRONMENT "${EGLANTINE_TEST_ENVIRONMENT}" TIMEOUT 300)
