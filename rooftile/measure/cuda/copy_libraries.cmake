# cmake -DPROGRAM=FILE -P copy_libraries.cmake: puts beside the program those of its libraries that a machine with a GPU
# is unlikely to have. CUDA's own, and the system's, are there.
set(copied "(^|/)lib(fmt|onnx|onnx_proto|protobuf)\\.so")
get_filename_component(folder "${PROGRAM}" DIRECTORY)
# Copies of an earlier build would be found twice.
file(GLOB copies "${folder}/*.so.*")
list(FILTER copies INCLUDE REGEX "${copied}")
if(copies)
  file(REMOVE ${copies})
endif()
file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES "${PROGRAM}"
  RESOLVED_DEPENDENCIES_VAR libraries
  UNRESOLVED_DEPENDENCIES_VAR absent
  PRE_EXCLUDE_REGEXES "^lib(cu|nv)" "^ld-linux")
list(FILTER absent INCLUDE REGEX "${copied}")
if(absent)
  message(FATAL_ERROR "${PROGRAM}: libraries not found: ${absent}")
endif()
list(FILTER libraries INCLUDE REGEX "${copied}")
foreach(library ${libraries})
  get_filename_component(name "${library}" NAME)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E copy "${library}" "${folder}/${name}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
