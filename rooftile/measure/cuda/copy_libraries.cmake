# cmake -DPROGRAM=FILE -P copy_libraries.cmake: puts beside the program those of its libraries that a machine with a GPU
# is unlikely to have. CUDA's own, and the system's, are there.
file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${PROGRAM}
  RESOLVED_DEPENDENCIES_VAR libraries
  UNRESOLVED_DEPENDENCIES_VAR absent
  PRE_EXCLUDE_REGEXES "^lib(cu|nv)" "^ld-linux")
list(FILTER libraries INCLUDE REGEX "/lib(fmt|onnx|onnx_proto|protobuf)\\.so")
get_filename_component(folder ${PROGRAM} DIRECTORY)
foreach(library ${libraries})
  get_filename_component(name ${library} NAME)
  if(NOT library STREQUAL "${folder}/${name}")
    execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${library} ${folder}/${name})
  endif()
endforeach()
