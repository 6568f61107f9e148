# EGLANTINE_UNITY: the files of one folder are compiled as one (CMake's unity build), which spares most of the time that
# headers and templates take. A folder is the group because names in anonymous namespaces then need to differ only there,
# and a new file changes no other folder's group.

# eglantine_compile_folders(<target>): call it in the folder that adds the target, after its sources are known.
function(eglantine_compile_folders target)
  if(NOT EGLANTINE_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} ABSOLUTE)
    get_filename_component(folder ${folder} DIRECTORY)
    string(REPLACE "${PROJECT_SOURCE_DIR}/" "" folder ${folder})
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
