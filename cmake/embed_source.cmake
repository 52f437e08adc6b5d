# embed_source(FUNCTION name SOURCE file.cpp)
#
# Builds a generated source into the library: an object library, because a generated source can only be built where it
# is generated.
function(embed_source)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "FUNCTION;SOURCE" "")
  add_library(rooftile_${arg_FUNCTION} OBJECT ${arg_SOURCE})
  target_include_directories(rooftile_${arg_FUNCTION} PRIVATE ${PROJECT_SOURCE_DIR})
  set_target_properties(rooftile_${arg_FUNCTION} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_sources(rooftile PRIVATE $<TARGET_OBJECTS:rooftile_${arg_FUNCTION}>)
endfunction()
