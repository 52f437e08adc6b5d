# Every library that the build uses, in one place. cmake/rooftileConfig.cmake.in repeats those that an installed
# rooftile needs at link time.

# Debian's ONNX package refers to protobuf's targets and does not look for them itself. Its old-style config declares
# no compatibility with newer policies, hence no version.
find_package(Protobuf REQUIRED)
find_package(ONNX CONFIG REQUIRED)

find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.74 REQUIRED)  # Boost.Random's Sobol sequence: headers alone
find_package(muparser REQUIRED)
find_package(Eigen3 REQUIRED)  # headers alone
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)

# A quicker malloc() for rooftile, which does without where it is missing. Sanitizers have their own.
if(CMAKE_BUILD_TYPE STREQUAL Release)
  find_package(mimalloc QUIET)
endif()

if(ROOFTILE_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  # Debian's own: it alone sees Debian's Python packages, and another may stand before it on the PATH.
  set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "Python for the tests")
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  include(GoogleTest)
endif()
