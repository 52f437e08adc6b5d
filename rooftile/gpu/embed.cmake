# Writes OUTPUT, a C++ file that holds the text of every TOML file below FOLDER as embedded_gpu_files().
# Run as a script: cmake -DFOLDER=… -DOUTPUT=… -P embed.cmake
file(GLOB_RECURSE paths RELATIVE ${FOLDER} ${FOLDER}/*.toml)
list(SORT paths)
set(rows "")
foreach(path IN LISTS paths)
  file(READ ${FOLDER}/${path} text)
  string(APPEND rows "    EmbeddedText{\"${path}\", R\"gpufile(${text})gpufile\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by embed.cmake from data/gpus.
#include \"rooftile/gpu/embedded.hpp\"

namespace rooftile {
namespace {
constexpr EmbeddedText kFiles[] = {
${rows}};
}  // namespace
std::span<const EmbeddedText> embedded_gpu_files() { return kFiles; }
}  // namespace rooftile
")
