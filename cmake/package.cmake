# Debian packages of both kinds of library, whichever this build is for: `cpack --config build/CPackConfig.cmake` makes
# them of the objects that are there. scripts/package does it all; tests/packages/check looks at what comes out.

find_program(EGLANTINE_SHLIBDEPS dpkg-shlibdeps)
if(NOT EGLANTINE_SHLIBDEPS)
  eglantine_leave_out("the Debian packages are" dpkg-shlibdeps dpkg-dev)
  return()
endif()

set(libdir lib/${CMAKE_LIBRARY_ARCHITECTURE})
set(config_dir ${libdir}/cmake/eglantine)
foreach(kind shared static)
  string(TOUPPER ${kind} type)
  add_library(eglantine_package_${kind} ${type} $<TARGET_OBJECTS:eglantine_objects>)
  eglantine_finish_library(eglantine_package_${kind})
  set_target_properties(eglantine_package_${kind} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY package
                                                              LIBRARY_OUTPUT_DIRECTORY package OUTPUT_NAME eglantine)
endforeach()
set_target_properties(eglantine_package_static PROPERTIES EXPORT_NAME static)

# For packages alone: `cmake --install` leaves these out.
set(of_development COMPONENT development EXCLUDE_FROM_ALL)
install(
  TARGETS eglantine_package_shared
  EXPORT eglantinePackageTargets
  LIBRARY DESTINATION ${libdir} COMPONENT library NAMELINK_COMPONENT development EXCLUDE_FROM_ALL)
install(TARGETS eglantine_package_static EXPORT eglantineStaticTargets ARCHIVE DESTINATION ${libdir} ${of_development})
install(EXPORT eglantinePackageTargets NAMESPACE eglantine:: FILE eglantineTargets.cmake DESTINATION ${config_dir} ${of_development})
install(EXPORT eglantineStaticTargets NAMESPACE eglantine:: DESTINATION ${config_dir} ${of_development})
install(FILES ${config_files} ${PROJECT_SOURCE_DIR}/cmake/dependencies.cmake DESTINATION ${config_dir} ${of_development})

eglantine_write_pc(package/eglantine.pc ${libdir} "-leglantine")
eglantine_write_pc(package/eglantine-static.pc ${libdir} "-l:libeglantine.a ${static_needs}")
foreach(name eglantine eglantine-static)
  install(FILES ${PROJECT_BINARY_DIR}/generated/package/${name}.pc DESTINATION ${libdir}/pkgconfig ${of_development})
endforeach()

# Debian names a library's package after its SONAME, so that two of them can be installed side by side.
set(package_of_library libeglantine${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(package_of_development libeglantine-dev)
set(package_of_documents libeglantine-doc)
foreach(component library development documents)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/${package_of_${component}} RENAME copyright
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL library development documents)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "Eglantine authors <authors@eglantine.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${package_of_library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# Opened when a device is looked for: without them there is the CPU alone.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libegl1, libgl1, libgles2, libgl1-mesa-dri")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME ${package_of_development})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS ON) # of eglantine-info
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
# What dependencies.cmake and eglantine-static.pc link a static library's users with.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${package_of_library} (= ${version}), libepoxy-dev, libgbm-dev, libopenblas-dev, libzip-dev, pkg-config")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "${package_of_documents}")

set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_NAME ${package_of_documents})
set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_ARCHITECTURE all)

set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The shared library.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Headers, the static library, what CMake and pkg-config read, and eglantine-info, which lists devices.")
set(CPACK_COMPONENT_DOCUMENTS_DESCRIPTION "Documents, the reference of all verbs where it was built, and the examples.")
include(CPack)

# What the packages are made of.
add_custom_target(eglantine_package DEPENDS eglantine_package_shared eglantine_package_static)
if(TARGET eglantine-info)
  add_dependencies(eglantine_package eglantine-info)
endif()
if(TARGET reference)
  add_dependencies(eglantine_package reference)
endif()
