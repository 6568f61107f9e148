# The library: all of src/, and the text of glsl/ inside it, so that no file is looked for at run time.

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
file(GLOB_RECURSE templates CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/glsl/*)
list(FILTER templates EXCLUDE REGEX "\\.md$")

set(generated ${PROJECT_BINARY_DIR}/generated)
configure_file(${PROJECT_SOURCE_DIR}/include/eglantine/version.hpp.in ${generated}/include/eglantine/version.hpp @ONLY)
add_custom_command(
  OUTPUT ${generated}/templates.cpp
  COMMAND ${CMAKE_COMMAND} -DGLSL_DIR=${PROJECT_SOURCE_DIR}/glsl -DOUTPUT=${generated}/templates.cpp -P
          ${PROJECT_SOURCE_DIR}/cmake/embed_glsl.cmake
  DEPENDS ${templates} ${PROJECT_SOURCE_DIR}/cmake/embed_glsl.cmake
  COMMENT "Embedding glsl/"
  VERBATIM)

# Headers alone: users of a static library do without.
eglantine_find_module(json nlohmann-json3-dev nlohmann_json)

# The objects are compiled once, and serve the library, static or shared, and the tests, which reach hidden symbols.
add_library(eglantine_objects OBJECT ${sources} ${generated}/templates.cpp)
set_target_properties(
  eglantine_objects
  PROPERTIES POSITION_INDEPENDENT_CODE ON
             CXX_VISIBILITY_PRESET hidden
             VISIBILITY_INLINES_HIDDEN ON
             CXX_EXTENSIONS OFF)
# Nothing reads errno or floating-point exceptions, and without the promise to set them loops over sqrt and its like
# become vector code. No result changes.
target_compile_options(eglantine_objects PRIVATE -fno-math-errno -fno-trapping-math)
target_include_directories(eglantine_objects PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
                                                    ${generated}/include)
target_link_libraries(
  eglantine_objects
  PUBLIC Threads::Threads eglantine_deps::epoxy eglantine_deps::gbm eglantine_deps::openblas eglantine_deps::zip ${CMAKE_DL_LIBS}
  PRIVATE $<BUILD_INTERFACE:eglantine_options> $<BUILD_INTERFACE:eglantine_deps::json>)

# Loops over elements are the same vector code in every Release build, the preset `quick` included; GCC takes the level of
# optimisation from a precompiled header.
set(block_ops block_ops_avx2.cpp block_ops_avx512.cpp block_ops_baseline.cpp)
list(TRANSFORM block_ops PREPEND ${PROJECT_SOURCE_DIR}/src/backend/cpu/instructions/)
set_source_files_properties(${block_ops} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>" SKIP_PRECOMPILE_HEADERS ON)

# Alone: block_ops define the macros of an instruction set; the tools compile the table of workarounds too; a class of
# whole_file has members of classes that only it sees, of which GCC warns where they are not in the file that is compiled.
set(alone src/backend/gl/context/workarounds.cpp src/system/whole_file.cpp)
list(TRANSFORM alone PREPEND ${PROJECT_SOURCE_DIR}/)
set_source_files_properties(${alone} ${block_ops} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
eglantine_compile_folders(eglantine_objects)
if(EGLANTINE_PRECOMPILE)
  target_precompile_headers(eglantine_objects PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp)
endif()

# eglantine_finish_library(<target>): what makes a library of the objects that users link, static or shared.
function(eglantine_finish_library target)
  set_target_properties(
    ${target}
    PROPERTIES VERSION ${PROJECT_VERSION}
               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
               LINKER_LANGUAGE CXX
               EXPORT_NAME eglantine)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(
    ${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated/include>
                     $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE Threads::Threads eglantine_deps::epoxy eglantine_deps::gbm
                                          eglantine_deps::openblas eglantine_deps::zip ${CMAKE_DL_LIBS})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:eglantine_options>)
endfunction()

add_library(eglantine $<TARGET_OBJECTS:eglantine_objects>)
add_library(eglantine::eglantine ALIAS eglantine)
eglantine_finish_library(eglantine)

# What the tests link: the same objects with every symbol in reach.
add_library(eglantine_internal STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:eglantine_objects>)
set_target_properties(eglantine_internal PROPERTIES LINKER_LANGUAGE CXX)
target_include_directories(eglantine_internal PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
                                                     ${generated}/include)
target_link_libraries(eglantine_internal PUBLIC Threads::Threads eglantine_deps::epoxy eglantine_deps::gbm
                                                eglantine_deps::openblas eglantine_deps::zip ${CMAKE_DL_LIBS} eglantine_options)
