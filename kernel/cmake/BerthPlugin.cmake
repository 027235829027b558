# SPDX-FileCopyrightText: The Berth authors
# SPDX-License-Identifier: Apache-2.0

# berth_add_plugin(name SOURCES ... [LIBRARIES ...])
#
# Builds berth_<name>.so, a plugin of the berth executable; the same in this project and out of
# tree after find_package(Berth).
function(berth_add_plugin name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(berth_${name} MODULE ${arg_SOURCES})
  target_link_libraries(berth_${name} PRIVATE berth::kernel ${arg_LIBRARIES})
  if(TARGET berth_warnings)
    target_link_libraries(berth_${name} PRIVATE berth_warnings)
  endif()
  target_compile_features(berth_${name} PRIVATE cxx_std_20)
  set_target_properties(
    berth_${name} PROPERTIES PREFIX "" CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
                             VISIBILITY_INLINES_HIDDEN ON)
  target_link_options(berth_${name} PRIVATE -Wl,-z,nodelete)
  if(NOT BERTH_SANITIZE)
    target_link_options(berth_${name} PRIVATE -Wl,--no-undefined)
  endif()
  if(BERTH_PLUGIN_DIR) # in this project
    set_target_properties(
      berth_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${BERTH_PLUGIN_DIR}
                               INSTALL_RPATH "$ORIGIN/../..")
    install(TARGETS berth_${name} LIBRARY DESTINATION ${BERTH_PLUGIN_DIR})
  endif()
endfunction()
