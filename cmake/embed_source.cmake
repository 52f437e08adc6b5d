# embed_source(FUNCTION name SOURCE file.cpp [CORE])
#
# Builds a generated source into the library, and with CORE into rooftile_core: an object library, because a
# generated source can only be built where it is generated.
function(embed_source)
  cmake_parse_arguments(PARSE_ARGV 0 arg "CORE" "FUNCTION;SOURCE" "")
  add_library(rooftile_${arg_FUNCTION} OBJECT ${arg_SOURCE})
  target_compile_options(rooftile_${arg_FUNCTION} PRIVATE -Wno-overlength-strings)  # both compilers take longer ones
  target_include_directories(rooftile_${arg_FUNCTION} PRIVATE ${PROJECT_SOURCE_DIR})
  set_target_properties(rooftile_${arg_FUNCTION} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_sources(rooftile PRIVATE $<TARGET_OBJECTS:rooftile_${arg_FUNCTION}>)
  if(arg_CORE)
    target_sources(rooftile_core INTERFACE $<TARGET_OBJECTS:rooftile_${arg_FUNCTION}>)
  endif()
endfunction()
