# Installs, then configures, builds and runs the consumer against nothing but the installed files; then the same
# consumer by way of pkg-config, and the installed program.
set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT OUTPUT_VARIABLE output ECHO_OUTPUT_VARIABLE
    COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "expected '${text}' in the output above")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# The examples at the top of the public headers and of README.md.
run(${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/examples.py ${SOURCE} ${PUBLIC_HEADERS} ${WORK}/examples.cpp)

run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_PREFIX_PATH=${prefix}
  -DROOFTILE_VERSION=${VERSION} -DEXAMPLES=${WORK}/examples.cpp)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
expect("^titan-xp-delta: (compute|smem|latency|l1|l2|dram|launch)\n$")

run(${WORK}/build/examples)
expect("examples hold")

# Each installed header includes only what is installed.
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*.hpp)
list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n")
file(WRITE ${WORK}/headers.cpp ${headers})
run(${CXX} -std=c++20 -fsyntax-only -I${prefix}/include ${WORK}/headers.cpp)

run(${prefix}/bin/rooftile --version)
expect("${VERSION}")

find_program(pkg_config pkg-config REQUIRED)
file(GLOB_RECURSE package ${prefix}/rooftile.pc)
cmake_path(GET package PARENT_PATH folder)
run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder}
  ${pkg_config} --define-variable=prefix=${prefix} --static --cflags --libs "rooftile = ${VERSION}")
separate_arguments(pkg_flags UNIX_COMMAND "${output}")
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
run(${CXX} -std=c++20 ${flags} ${CONSUMER}/main.cpp -o ${WORK}/pkg_consumer ${pkg_flags})
run(${WORK}/pkg_consumer)
expect("^titan-xp-delta: ")
