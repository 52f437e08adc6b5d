# rooftile_module(NAME SOURCES a.cpp … HEADERS a.hpp … TESTS a_test.cpp … LINK lib …)
#
# Adds a folder's sources to the library and its tests as the program NAME_test.
#   HEADERS  headers that are installed; any other is private to the build
#   LINK     libraries that the sources need and no header shows
function(rooftile_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;TESTS;LINK")
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM arg_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(rooftile
    PRIVATE ${arg_SOURCES}
    PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_HEADERS})

  foreach(library IN LISTS arg_LINK)
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
    rooftile_test(${name}_test PREFIX ${name} SOURCES ${arg_TESTS} LINK ${arg_LINK})
  endif()
endfunction()

# rooftile_test(PROGRAM PREFIX name SOURCES a_test.cpp … LINK lib …): a GoogleTest program, its tests named
# PREFIX.Suite.Test, run from the root of the source tree.
function(rooftile_test program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "SOURCES;LINK")
  add_executable(${program} ${arg_SOURCES})
  target_link_libraries(${program} PRIVATE rooftile fmt::fmt GTest::gtest_main GTest::gmock rapidcheck ${arg_LINK})
  gtest_discover_tests(${program}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} TEST_PREFIX ${arg_PREFIX}. NO_PRETTY_VALUES
    DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120)  # sanitized programs start slowly on a busy machine
endfunction()
