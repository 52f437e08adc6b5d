# embed_page(FOLDER rooftile/… FUNCTION name HEADER rooftile/…/embedded.hpp SCRIPTS a.js b.js …)
#
# Compiles FOLDER/page.html, with FOLDER/page.css and the scripts in that order put into it, into the library, as
# FUNCTION, which HEADER declares.
include(${CMAKE_CURRENT_LIST_DIR}/embed_source.cmake)

function(embed_page)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "FOLDER;FUNCTION;HEADER" "SCRIPTS")
  set(folder ${PROJECT_SOURCE_DIR}/${arg_FOLDER})
  list(TRANSFORM arg_SCRIPTS PREPEND ${folder}/ OUTPUT_VARIABLE scripts)
  set(writer ${PROJECT_SOURCE_DIR}/cmake/write_page.cmake)
  set(page ${CMAKE_CURRENT_BINARY_DIR}/${arg_FUNCTION}.cpp)
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUTPUT=${page} -DFUNCTION=${arg_FUNCTION} -DHEADER=${arg_HEADER}
            "-DSCRIPTS=${arg_SCRIPTS}" -P ${writer}
    DEPENDS ${folder}/page.html ${folder}/page.css ${scripts} ${writer}
    COMMENT "Embedding ${arg_FOLDER}"
    VERBATIM)
  embed_source(FUNCTION ${arg_FUNCTION} SOURCE ${page})
endfunction()
