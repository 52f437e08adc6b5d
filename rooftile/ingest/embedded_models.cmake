# Compiles data/models/*.onnx.gz into the library: a generated source that includes their bytes through the assembler.
# The folder is a configure-time dependency, so a new file is picked up without a glob at every build.
set(model_folder ${PROJECT_SOURCE_DIR}/data/models)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${model_folder})
file(GLOB model_files ${model_folder}/*.onnx.gz)
list(SORT model_files)

set(symbols "")
set(bytes "")
set(rows "")
set(index 0)
foreach(path IN LISTS model_files)
  get_filename_component(name ${path} NAME_WE)
  set(symbol rooftile_embedded_model_${index})
  math(EXPR index "${index} + 1")
  string(APPEND bytes "
    \".globl ${symbol}, ${symbol}_end\\n.hidden ${symbol}, ${symbol}_end\\n\"
    \"${symbol}: .incbin \\\"${path}\\\"\\n${symbol}_end: .byte 0\\n\"")
  string(APPEND symbols "extern const char ${symbol}[], ${symbol}_end[];\n")
  string(APPEND rows "      model(\"torchvision/${name}\", ${symbol}, ${symbol}_end),\n")
endforeach()

set(embedded_models ${CMAKE_CURRENT_BINARY_DIR}/embedded_models.cpp)
file(CONFIGURE OUTPUT ${embedded_models} CONTENT [[
// Written by embedded_models.cmake from data/models.
#include "rooftile/ingest/embedded_models.hpp"

#include <array>
#include <cstddef>

asm(".pushsection .rodata, \"a\"\n"@bytes@
    "\n.popsection\n");

extern "C" {
@symbols@}

namespace rooftile {
namespace {

EmbeddedModel model(std::string_view name, const char* begin, const char* end) {
  return {name, {begin, static_cast<std::size_t>(end - begin)}};
}

}  // namespace

std::span<const EmbeddedModel> embedded_models() {
  static const std::array<EmbeddedModel, @index@> models = {{
@rows@  }};
  return models;
}

}  // namespace rooftile
]] @ONLY)
set_source_files_properties(${embedded_models} PROPERTIES OBJECT_DEPENDS "${model_files}")
embed_source(FUNCTION embedded_models SOURCE ${embedded_models} CORE)
