# SPDX-FileCopyrightText: The Berth authors
# SPDX-License-Identifier: Apache-2.0

# What every target of this project shares: warnings, sanitizers, tests.

add_library(berth_warnings INTERFACE)
target_compile_options(
  berth_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
                           -Wno-restrict # false alarm of GCC 12 on std::string + (GCC bug 105651)
                           # A type of an anonymous namespace is always "in a header" in a unity build.
                           $<$<BOOL:${CMAKE_UNITY_BUILD}>:-Wno-subobject-linkage>
                           $<$<BOOL:${BERTH_WERROR}>:-Werror>)
if(BERTH_SANITIZE)
  add_compile_options(-fsanitize=${BERTH_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${BERTH_SANITIZE})
endif()

# berth_add_test(name SOURCES ... [LIBRARIES ...] [LABELS ...] [TIMEOUT seconds])
# One GoogleTest binary, one ctest entry per file of tests. Default label: unit.
function(berth_add_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE berth::kernel ${arg_LIBRARIES} GTest::gtest
                                        GTest::gtest_main berth_warnings)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE BERTH_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             BERTH_BINARY_DIR="${PROJECT_BINARY_DIR}")
  # Test code itself is not worth optimising: GoogleTest files then compile in a third of the time.
  target_compile_options(${name} PRIVATE -O0)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                           ${PROJECT_BINARY_DIR}/tests)
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(BERTH_SANITIZE) # Instrumented code is several times slower.
    math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}")
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# berth_add_mpi_test(name RANKS 1 2 3 SOURCES ... [LIBRARIES ...] [LABELS ...])
# One GoogleTest binary (with a main() of its own that starts MPI), one ctest entry
# <name>_<ranks>_ranks for each number of ranks.
function(berth_add_mpi_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;LABELS;RANKS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE berth::kernel ${arg_LIBRARIES} GTest::gtest berth_warnings)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(${name} PRIVATE -O0)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                           ${PROJECT_BINARY_DIR}/tests)
  if(NOT arg_LABELS)
    set(arg_LABELS mpi)
  endif()
  foreach(ranks ${arg_RANKS})
    # Without --bind-to none, two jobs on one machine would share its first core.
    add_test(NAME ${name}_${ranks}_ranks
             COMMAND mpirun --timeout 55 --bind-to none --mca btl self,vader -np ${ranks}
                     $<TARGET_FILE:${name}>)
    set_tests_properties(
      ${name}_${ranks}_ranks
      PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 60 PROCESSORS ${ranks} ENVIRONMENT
                 "${BERTH_MPI_TEST_ENVIRONMENT}")
  endforeach()
endfunction()

# Lets mpirun work in a container (as root) and with more ranks than cores.
set(BERTH_MPI_TEST_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1)
