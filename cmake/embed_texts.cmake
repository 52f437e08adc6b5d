# embed_texts(FOLDER data/… FUNCTION name HEADER rooftile/…/embedded.hpp [SUFFIX .json] [CORE])
#
# Compiles the text of every file below FOLDER whose name ends in SUFFIX (.toml unless given) into the library, as
# FUNCTION, which HEADER declares; with CORE into rooftile_core, too (rooftile_module.cmake). The folders are
# configure-time dependencies, so a new file is picked up without a glob at every build.
include(${CMAKE_CURRENT_LIST_DIR}/embed_source.cmake)

function(embed_texts)
  cmake_parse_arguments(PARSE_ARGV 0 arg "CORE" "FOLDER;FUNCTION;HEADER;SUFFIX" "")
  if(NOT arg_SUFFIX)
    set(arg_SUFFIX .toml)
  endif()
  set(data ${PROJECT_SOURCE_DIR}/${arg_FOLDER})
  file(GLOB folders LIST_DIRECTORIES true ${data}/*)
  file(GLOB_RECURSE files ${data}/*${arg_SUFFIX})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${data} ${folders})

  # Changes when a file comes or goes; without it, a removed file would stay embedded.
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${arg_FUNCTION}_files.txt)
  file(CONFIGURE OUTPUT ${list} CONTENT "${files}" @ONLY)

  set(script ${PROJECT_SOURCE_DIR}/cmake/write_texts.cmake)
  set(texts ${CMAKE_CURRENT_BINARY_DIR}/${arg_FUNCTION}.cpp)
  add_custom_command(
    OUTPUT ${texts}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${data} -DSUFFIX=${arg_SUFFIX} -DOUTPUT=${texts} -DFUNCTION=${arg_FUNCTION} -DHEADER=${arg_HEADER}
            -P ${script}
    DEPENDS ${files} ${list} ${script}
    COMMENT "Embedding ${arg_FOLDER}"
    VERBATIM)
  set(core "")
  if(arg_CORE)
    set(core CORE)
  endif()
  embed_source(FUNCTION ${arg_FUNCTION} SOURCE ${texts} ${core})
endfunction()
