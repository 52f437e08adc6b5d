# Writes OUTPUT, a C++ file that holds the text of every file below FOLDER that ends in SUFFIX as the function FUNCTION,
# which HEADER declares. Run as a script:
# cmake -DFOLDER=… -DSUFFIX=… -DOUTPUT=… -DFUNCTION=… -DHEADER=… -P write_texts.cmake
file(GLOB_RECURSE paths RELATIVE ${FOLDER} ${FOLDER}/*${SUFFIX})
list(SORT paths)
set(rows "")
foreach(path IN LISTS paths)
  file(READ ${FOLDER}/${path} text)
  string(APPEND rows "    {\"${path}\"sv, R\"embedded(${text})embedded\"sv},\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by write_texts.cmake.
#include \"${HEADER}\"

#include <string_view>

namespace rooftile {
using namespace std::string_view_literals;
std::span<const EmbeddedText> ${FUNCTION}() {
  static constexpr EmbeddedText kFiles[] = {
${rows}};
  return kFiles;
}
}  // namespace rooftile
")
