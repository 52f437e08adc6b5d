# What `cmake --install` puts where: library, public headers, command line program, CMake package, pkg-config file and
# the JSON Schemas of the file formats.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

# What public headers include is installed with them.
get_property(headers GLOBAL PROPERTY ROOFTILE_PUBLIC_HEADERS)
set(unread ${headers})
while(unread)
  list(POP_FRONT unread header)
  file(STRINGS ${header} included REGEX "^#include \"rooftile/")
  list(TRANSFORM included REPLACE "^#include \"(.+)\".*" "${PROJECT_SOURCE_DIR}/\\1")
  list(REMOVE_ITEM included ${headers})
  list(APPEND headers ${included})
  list(APPEND unread ${included})
endwhile()
target_sources(rooftile PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rooftile)

install(TARGETS rooftile EXPORT rooftileTargets FILE_SET HEADERS INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT rooftileTargets NAMESPACE rooftile:: DESTINATION ${package_dir})

get_target_property(rooftile_type rooftile TYPE)
configure_package_config_file(cmake/rooftileConfig.cmake.in ${PROJECT_BINARY_DIR}/rooftileConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rooftileConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rooftileConfig.cmake ${PROJECT_BINARY_DIR}/rooftileConfigVersion.cmake
  DESTINATION ${package_dir})

configure_file(cmake/rooftile.pc.in ${PROJECT_BINARY_DIR}/rooftile.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rooftile.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET rooftile_cli)
  # So that the program finds a shared library wherever the prefix is, and those of the tarball (package.cmake), which
  # find each other by the program's path, not by one of their own.
  set_target_properties(rooftile_cli PROPERTIES
    INSTALL_RPATH "$ORIGIN/../lib/rooftile;$<$<BOOL:${BUILD_SHARED_LIBS}>:$ORIGIN/../${CMAKE_INSTALL_LIBDIR}>")
  target_link_options(rooftile_cli PRIVATE LINKER:--disable-new-dtags)
  install(TARGETS rooftile_cli COMPONENT program)
endif()
if(TARGET rooftile_mpi)
  set_target_properties(rooftile_mpi PROPERTIES
    INSTALL_RPATH $<$<BOOL:${BUILD_SHARED_LIBS}>:$ORIGIN/../${CMAKE_INSTALL_LIBDIR}>)
  install(TARGETS rooftile_mpi)
endif()
install(DIRECTORY data/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/rooftile COMPONENT program OPTIONAL)
if(TARGET rooftile_cli AND PROJECT_IS_TOP_LEVEL)
  include(cmake/package.cmake)
endif()
