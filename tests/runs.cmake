# The runs of the test program, and which tests each takes. Where cases are drawn, all but the CPU's take a fifth to
# a forty-fifth of their tests, other ones of each commit, since compiling kernels takes nine tenths of their time; all but
# one let llvmpipe compile without LLVM's optimisation passes. The number of shares is odd: every other test may be of the
# same device.

# Kernels that are chosen for GPUs only: for their values alone, on a driver that takes longest to compile them.
set(hardware_kernels "*Schedules*:SortOnesweep.*:SortRows.*:ScanTiles*:Maps*:*MatmulForms.*:*MatmulTiles.*")

# The same of more families. A larger share: each commit runs every fifth of their tests, so that a suite of five or more
# has one; of one of fewer, as nine of these are, some commits run none.
set(hardware_families
    "AttentionSplits.*:BooleanWords.*:FarParts.*:FewColumnsAsProduct.*:FewColumnsBlocks.*:FewColumnsPadding.*:KeptOrder.*"
    "MatmulExchanges.*:MatmulFitted.*:MatmulInShared.*:MatmulMatrices.*:MatmulOuter.*:MemoryVectors.*:RandomTransposes.*"
    "ReduceAcross.*:ReduceBoxes.*:RowWords.*:ScatterRows.*:SortFew.*:SortNetworks.*")
list(JOIN hardware_families ":" hardware_families)

# Tests of one device. The others, which have none or open their own, are the same in every run: tests.cpu has them all.
set(on_gl "*/gl:*_gl-${hardware_kernels}")

set(drawn EGLANTINE_TEST_DRAWN_RUN=15)
set(drawn_more EGLANTINE_TEST_DRAWN_RUN=5)
set(drawn_few EGLANTINE_TEST_DRAWN_RUN=31)
set(drawn_optimised EGLANTINE_TEST_DRAWN_RUN=45 GALLIVM_PERF=)

# The one of most COST first. The second is one for drawn cases; the first is whole elsewhere.
eglantine_add_run(tests.llvmpipe FILTER "${on_gl}" COST 900 ENVIRONMENT EGLANTINE_TEST_DEVICES=gl ${drawn_optimised})
if(NOT EGLANTINE_SANITIZE)
  eglantine_add_run(tests.llvmpipe_unoptimised FILTER "${on_gl}" COST 1000
                    ENVIRONMENT EGLANTINE_TEST_DEVICES=gl ${drawn} EGLANTINE_TEST_DRAWN_SHIFT=1)
endif()
eglantine_add_run(tests.cpu FILTER "*-${hardware_kernels}:${hardware_families}" COST 1100
                  ENVIRONMENT EGLANTINE_TEST_DEVICES=cpu GALLIVM_PERF=nopt)
eglantine_add_run(tests.hardware_kernels FILTER "${hardware_kernels}" ENVIRONMENT ${drawn_few})
eglantine_add_run(tests.hardware_families FILTER "${hardware_families}" ENVIRONMENT ${drawn_more})

# Whole programs, and plans, with the forms of kernels that a large GPU runs.
set(hardware_programs
    "Contraction/*:*Convolution*:Graph/*:Network/*:Windows/*Pool*:Gradients/*:Property/*:Reduce/*:Rows/*:Statistics/*")
eglantine_add_run(tests.hardware_forms FILTER "${hardware_programs}"
                  ENVIRONMENT EGLANTINE_TEST_DEVICES=gl EGLANTINE_FORMS=hardware ${drawn_few})

# A bound GL version is a bound on what may be used: each kernel family once more on the least we ask for.
set(EGLANTINE_FLOOR_FILTER
    "Tensor/*:Narrow/*:Mixed/*:Unaligned/*:Movement/*:Reduce/*:Rows/*:Scan/*:Tiles/*:Indices/*:Contraction/Matmul.*:Contraction/FewColumns*:Contraction/Attention*:Creation/*:Composite/*:Custom/*:Windows/*:Order/SortByKey.*:Order/Topk.*:Graph/Stored.*product*"
    CACHE STRING "Tests that also run on GL 4.3 and on GLES")

# GL 4.3: no persistent mapping, no direct state access. As in scripts/devices.
set(absent
    -GL_ARB_buffer_storage
    -GL_ARB_clear_texture
    -GL_ARB_direct_state_access
    -GL_ARB_get_texture_sub_image
    -GL_ARB_multi_bind
    -GL_ARB_query_buffer_object
    -GL_EXT_memory_object_fd)
list(JOIN absent " " absent)
eglantine_add_run(tests.gl43_floor FILTER "${EGLANTINE_FLOOR_FILTER}" ENVIRONMENT EGLANTINE_TEST_DEVICES=gl ${drawn}
                  MESA_GL_VERSION_OVERRIDE=4.3 "MESA_EXTENSION_OVERRIDE=${absent}")
# The kernels of GLES are others, so none is in the cache of shaders.
eglantine_add_run(tests.gles FILTER "${EGLANTINE_FLOOR_FILTER}" ENVIRONMENT EGLANTINE_TEST_DEVICES=gles ${drawn_few})

# Every kernel family in windows: a tensor of more than 64 KiB is larger than what one kernel may bind.
set(EGLANTINE_WINDOWS_FILTER "Windows/*:Narrow/*:Reduce/*:Rows/*:Scan/*:Tiles/*:Contraction/Matmul.*:Contraction/FewColumns*:Contraction/Attention*:Movement/*:Shape/*:Unaligned/*:Graph/Stored.*:Graph/ShortPieces.*"
    CACHE STRING "Tests that also run with small windows")
eglantine_add_run(tests.windows_of_64_kib FILTER "${EGLANTINE_WINDOWS_FILTER}" ENVIRONMENT EGLANTINE_TEST_DEVICES=gl
                  EGLANTINE_MAX_BLOCK_BYTES=65536 ${drawn})

# Drivers that are too old, or do not work, are refused.
if(TARGET eglantine-info)
  add_test(NAME refusals COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/refusals/check $<TARGET_FILE:eglantine-info>)
  set_tests_properties(refusals PROPERTIES ENVIRONMENT "${EGLANTINE_TEST_ENVIRONMENT}" TIMEOUT 120)
endif()

# Every template is valid GLSL by itself.
file(GLOB_RECURSE templates CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/glsl/*.comp)
foreach(template IN LISTS templates)
  get_filename_component(name ${template} NAME)
  add_test(NAME glsl.${name} COMMAND ${EGLANTINE_GLSLANG} -l -S comp -DEG_STANDALONE ${template})
endforeach()

# What must not compile is refused with a sentence.
add_test(NAME refused COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/refused/check ${PROJECT_SOURCE_DIR}/include
                              ${PROJECT_BINARY_DIR}/generated/include)
set_tests_properties(refused PROPERTIES ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}" TIMEOUT 120)

# The library as its users get it: installed, found with find_package and with pkg-config, compiled against and run.
add_test(NAME consumer COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumer/check ${PROJECT_BINARY_DIR})
set_tests_properties(consumer PROPERTIES ENVIRONMENT "${EGLANTINE_TEST_ENVIRONMENT}" TIMEOUT 300)

# The Debian packages, made of this build and used from an empty folder.
if(TARGET eglantine_package)
  add_test(NAME packages COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/packages/check ${PROJECT_BINARY_DIR})
  set_tests_properties(packages PROPERTIES ENVIRONMENT "${EGLANTINE_TEST_ENVIRONMENT}" TIMEOUT 300)
endif()

# The drawings of the pages that perf/report makes of recorded results, and of the demo's.
if(EGLANTINE_PYTHON_WITH_NUMPY)
  set(pages ${EGLANTINE_PYTHON_WITH_NUMPY} ${CMAKE_CURRENT_SOURCE_DIR}/pages/check)
  foreach(name nvidia llvmpipe)
    file(GLOB results ${PROJECT_SOURCE_DIR}/perf/results/${name}*.json)
    add_test(NAME pages.${name} COMMAND ${pages} --report ${PROJECT_SOURCE_DIR}/perf/report ${results})
    set_tests_properties(pages.${name} PROPERTIES TIMEOUT 60)
  endforeach()
  find_package(ZLIB QUIET)
  if(EGLANTINE_BUILD_EXAMPLES AND ZLIB_FOUND)
    add_test(NAME pages.demo COMMAND ${pages} ${PROJECT_BINARY_DIR}/examples/report.html)
    set_tests_properties(pages.demo PROPERTIES DEPENDS example.07_fashion_mnist TIMEOUT 60)
  endif()
endif()

# What is configured where something is missing.
add_test(NAME configure COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/configure/check ${CMAKE_COMMAND})
set_tests_properties(configure PROPERTIES TIMEOUT 300)

# Which folder may include which: that scripts/check-includes finds what it is for.
add_test(NAME layers COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/layers/check)
set_tests_properties(layers PROPERTIES TIMEOUT 60)

# What the scripts, and examples that take options, answer before they do anything.
set(with_options 12_tiled_picture 17_resnet50 19_train_save_resume 20_character_transformer 21_forecast_a_signal)
list(TRANSFORM with_options REPLACE "(.+)" "$<$<TARGET_EXISTS:\\1>:$<TARGET_FILE:\\1>>")
add_test(NAME scripts COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/check
                              "$<$<TARGET_EXISTS:07_fashion_mnist>:$<TARGET_FILE:07_fashion_mnist>>" ${with_options})
set_tests_properties(scripts PROPERTIES TIMEOUT 120)
