# SPDX-FileCopyrightText: The Berth authors
# SPDX-License-Identifier: Apache-2.0

# berth_add_conformance_test(name)
#
# Adds a ctest "conformance_<name>" that runs the conformance kit on every policy of the plugin
# berth_<name>; needs GoogleTest. The kit's own checks are in <berth/conformance/kit.hpp>, target
# berth::conformance.
function(berth_add_conformance_test name)
  find_package(GTest REQUIRED)
  if(NOT TARGET berth_conformance_runner)
    add_executable(berth_conformance_runner ${BERTH_CONFORMANCE_MAIN})
    target_link_libraries(berth_conformance_runner PRIVATE berth::conformance)
  endif()
  add_dependencies(berth_conformance_runner berth_${name})
  add_test(NAME conformance_${name} COMMAND berth_conformance_runner $<TARGET_FILE:berth_${name}>)
  set_tests_properties(conformance_${name} PROPERTIES LABELS conformance TIMEOUT 300)
endfunction()
