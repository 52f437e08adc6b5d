# rooftile_precompile(TARGET base|json|cold|cli|test)
#
# With ROOFTILE_PCH, has the headers of that set parsed once for all targets: a compiler takes what it parsed before only
# under the same options and under definitions that say the same to those headers (ONNX's own do), or else
# -Winvalid-pch fails. Sources include what they use as if there were no such thing, which the presets without it check.
option(ROOFTILE_PCH "Precompile the headers that most sources include" OFF)

set(ROOFTILE_PCH_BASE <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
  <string_view> <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h> <tl/expected.hpp>)
set(ROOFTILE_PCH_JSON ${ROOFTILE_PCH_BASE} <nlohmann/json.hpp>)
set(ROOFTILE_PCH_COLD ${ROOFTILE_PCH_JSON})
set(ROOFTILE_PCH_CLI ${ROOFTILE_PCH_BASE} <CLI/App.hpp> <CLI/Config.hpp> <CLI/Formatter.hpp>)
set(ROOFTILE_PCH_TEST ${ROOFTILE_PCH_BASE} <nlohmann/json.hpp> <gmock/gmock.h> <gtest/gtest.h>)

function(rooftile_precompile target set)
  if(NOT ROOFTILE_PCH)
    return()
  endif()
  string(TOUPPER ${set} headers)
  if(NOT TARGET rooftile_pch_${set})
    set(source ${PROJECT_BINARY_DIR}/pch_${set}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Has its headers precompiled (precompile.cmake).\n")
    add_library(rooftile_pch_${set} OBJECT ${source})
    target_link_libraries(rooftile_pch_${set} PRIVATE tl::expected fmt::fmt)
    if(set STREQUAL cli)
      target_link_libraries(rooftile_pch_${set} PRIVATE CLI11::CLI11)
    elseif(set STREQUAL test)
      target_link_libraries(rooftile_pch_${set} PRIVATE GTest::gtest GTest::gmock nlohmann_json::nlohmann_json)
    endif()
    if(set STREQUAL test)
      # Of programs: what is compiled with -fPIC cannot take what was with -fPIE, nor the other way round.
      set_target_properties(rooftile_pch_test PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(rooftile_pch_test PRIVATE -fPIE)
    endif()
    if(set MATCHES "^(cold|cli|test)$")
      target_compile_options(rooftile_pch_${set} PRIVATE $<$<CONFIG:Debug>:-O0>)  # as what takes them
    endif()
    target_precompile_headers(rooftile_pch_${set} PRIVATE ${ROOFTILE_PCH_${headers}})
  endif()
  target_precompile_headers(${target} REUSE_FROM rooftile_pch_${set})
endfunction()
