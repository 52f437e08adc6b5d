# What `./dev package` makes of an installed program: a Debian package, and a tarball that brings along the libraries
# that other systems lack. Component program is in both, bundled in the tarball alone.
set(package_texts ${PROJECT_BINARY_DIR}/package_texts)  # written by tools/package_texts.py from the program itself

install(FILES ${package_texts}/rooftile.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program OPTIONAL)
install(FILES ${package_texts}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME rooftile
  COMPONENT program OPTIONAL)
install(FILES ${package_texts}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _rooftile
  COMPONENT program OPTIONAL)
install(FILES ${package_texts}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  RENAME rooftile.fish COMPONENT program OPTIONAL)
install(FILES ${package_texts}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program OPTIONAL)
install(DIRECTORY ${package_texts}/licences DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT bundled EXCLUDE_FROM_ALL
  OPTIONAL)

# Every library but those of the C and C++ runtimes, which newer systems have in newer versions.
install(CODE "
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES $<TARGET_FILE:rooftile_cli> RESOLVED_DEPENDENCIES_VAR libraries
    PRE_EXCLUDE_REGEXES [[^ld-linux]] [[^lib(c|m|stdc\\+\\+|gcc_s)\\.so]])
  foreach(library IN LISTS libraries)
    file(INSTALL \"\${library}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/rooftile\" FOLLOW_SYMLINK_CHAIN)
  endforeach()"
  COMPONENT bundled EXCLUDE_FROM_ALL)

set(CPACK_PACKAGE_VENDOR "The Rooftile authors")
set(CPACK_PACKAGE_CONTACT "The Rooftile authors <rooftile@rooftile.invalid>")  # nobody's (RFC 2606); see ./dev package
set(CPACK_PACKAGE_DESCRIPTION "Rooftile reads an ONNX file and predicts, without a GPU, how long each of its layers
takes on one, what limits it and what it costs.")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_PACKAGE_FILE_NAME rooftile-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})  # the folder in the tarball
set(CPACK_ARCHIVE_FILE_NAME ${CPACK_PACKAGE_FILE_NAME})
include(CPack)
