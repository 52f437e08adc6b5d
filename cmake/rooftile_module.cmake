# rooftile_module(NAME [CORE a.cpp …] SOURCES a.cpp … HEADERS a.hpp … TESTS a_test.cpp … LINK lib …)
#
# Adds a folder's sources to the library and its tests as the program NAME_test.
#   CORE     sources that predict, explain, gpus, models and support take
#   CORE_APART, LINK_APART  those of them that need other libraries than LINK, and those libraries
#   HEADERS  headers for users of the library, installed with what they include; any other is private to the build
#   LINK     libraries that the sources need and no header shows
# A module named in ROOFTILE_CORE_MODULES is core as a whole. Each part is an object library, NAME_objects and
# NAME_core_objects, so that each module is optimised as it deserves; rooftile_core names the objects that are core.
set(ROOFTILE_CORE_MODULES base workload ops execution gpu hosts fabric collectives calibration plan traffic timing predict zoo)

# Whose inner loops a prediction, a search or a simulation spends its time in.
set(ROOFTILE_FAST_MODULES ops plan traffic timing predict cost simulate explore profile)

# That only print: with -Og, the fastest to compile; without optimisation where the build is for the sanitizers, which
# takes half the time.
set(ROOFTILE_COLD_MODULES report)

add_library(rooftile_core INTERFACE)

function(rooftile_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "CORE;CORE_APART;SOURCES;HEADERS;TESTS;LINK;LINK_APART")
  if(name IN_LIST ROOFTILE_CORE_MODULES)
    list(APPEND arg_CORE ${arg_SOURCES})
    set(arg_SOURCES "")
  endif()
  if(arg_CORE)
    rooftile_objects(${name}_core_objects MODULE ${name} CORE SOURCES ${arg_CORE} LINK ${arg_LINK})
  endif()
  if(arg_CORE_APART)
    rooftile_objects(${name}_apart_objects MODULE ${name} CORE SOURCES ${arg_CORE_APART} LINK ${arg_LINK_APART})
  endif()
  if(arg_SOURCES)
    rooftile_objects(${name}_objects MODULE ${name} SOURCES ${arg_SOURCES} LINK ${arg_LINK})
  endif()
  list(TRANSFORM arg_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY ROOFTILE_PUBLIC_HEADERS ${arg_HEADERS})

  foreach(library IN LISTS arg_LINK arg_LINK_APART)
    set(type "")
    if(TARGET ${library})
      get_target_property(type ${library} TYPE)
    endif()
    if(type STREQUAL "INTERFACE_LIBRARY")  # header-only: nothing that users of the library would link
      target_link_libraries(rooftile PRIVATE $<BUILD_INTERFACE:${library}>)
    else()
      target_link_libraries(rooftile PRIVATE ${library})
    endif()
  endforeach()

  if(ROOFTILE_TESTS AND arg_TESTS)
    rooftile_test(${name}_test PREFIX ${name} SOURCES ${arg_TESTS} LINK ${arg_LINK} ${arg_LINK_APART})
  endif()
endfunction()

# rooftile_objects(TARGET [MODULE name] [CORE] SOURCES a.cpp … LINK lib …): an object library whose objects are part of
# rooftile, and with CORE of rooftile_core, too.
function(rooftile_objects target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CORE" "MODULE" "SOURCES;LINK")
  add_library(${target} OBJECT ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE tl::expected fmt::fmt ${arg_LINK})
  if(CMAKE_BUILD_TYPE STREQUAL Debug AND arg_MODULE IN_LIST ROOFTILE_COLD_MODULES)
    target_compile_options(${target} PRIVATE -O0)
    rooftile_precompile(${target} cold)
  elseif("nlohmann_json::nlohmann_json" IN_LIST arg_LINK)
    rooftile_precompile(${target} json)
  else()
    rooftile_precompile(${target} base)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL Release AND arg_MODULE IN_LIST ROOFTILE_COLD_MODULES)
    target_compile_options(${target} PRIVATE -Og)
  elseif(CMAKE_BUILD_TYPE STREQUAL Release AND NOT arg_MODULE IN_LIST ROOFTILE_FAST_MODULES)
    target_compile_options(${target} PRIVATE -O1)
  endif()
  target_sources(rooftile PRIVATE $<TARGET_OBJECTS:${target}>)
  if(arg_CORE)
    target_sources(rooftile_core INTERFACE $<TARGET_OBJECTS:${target}>)
    target_link_libraries(rooftile_core INTERFACE ${arg_LINK})
  endif()
endfunction()

# rooftile_test(PROGRAM PREFIX name SOURCES a_test.cpp … LINK lib …): a GoogleTest program, its tests named
# PREFIX.Suite.Test, run from the root of the source tree.
function(rooftile_test program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "SOURCES;LINK")
  add_executable(${program} ${arg_SOURCES})
  target_link_libraries(${program} PRIVATE rooftile rooftile_test_support fmt::fmt GTest::gtest_main GTest::gmock rapidcheck ${arg_LINK})
  set_target_properties(${program} PROPERTIES UNITY_BUILD_BATCH_SIZE 8)  # sixteen leave a processor idle at the end
  target_compile_options(${program} PRIVATE $<$<CONFIG:Debug>:-O0>)  # sanitized, it halves the time to compile
  rooftile_precompile(${program} test)
  gtest_discover_tests(${program}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} TEST_PREFIX ${arg_PREFIX}. NO_PRETTY_VALUES
    DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120)  # sanitized programs start slowly on a busy machine
endfunction()
