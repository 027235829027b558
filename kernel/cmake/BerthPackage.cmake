# SPDX-FileCopyrightText: The Berth authors
# SPDX-License-Identifier: Apache-2.0

# What `cmake --install` gives to plugin authors: headers, the package, the conformance kit. Every
# path in it is relative to the install prefix.

include(CMakePackageConfigHelpers)

set(package_dir lib/cmake/Berth)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernel/include/berth DESTINATION include)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/conformance/include/berth DESTINATION include)
install(FILES ${PROJECT_SOURCE_DIR}/tests/conformance/main.cpp
        DESTINATION share/berth/conformance)
install(EXPORT BerthExport NAMESPACE berth:: DESTINATION ${package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/kernel/cmake/BerthConfig.cmake.in ${PROJECT_BINARY_DIR}/BerthConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BerthConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/BerthConfig.cmake
              ${PROJECT_BINARY_DIR}/BerthConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/kernel/cmake/BerthPlugin.cmake
              ${PROJECT_SOURCE_DIR}/kernel/cmake/BerthConformance.cmake
        DESTINATION ${package_dir})
