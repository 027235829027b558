# SPDX-FileCopyrightText: The Berth authors
# SPDX-License-Identifier: Apache-2.0

# The plugin is built everywhere: it holds the options and says what is missing. What needs CUDA is
# a library beside it, which it opens when it is asked for devices.
berth_add_plugin(cuda SOURCES cuda/cuda_library.cpp cuda/plugin.cpp
                 LIBRARIES executor_core ${CMAKE_DL_LIBS})

function(berth_no_cuda reason)
  if(BERTH_WITH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "BERTH_WITH_CUDA=ON, but ${reason}")
  endif()
  message(STATUS "Berth: executor cuda without its driver: ${reason}")
endfunction()

if(BERTH_WITH_CUDA STREQUAL "OFF")
  message(STATUS "Berth: executor cuda without its driver: BERTH_WITH_CUDA=OFF")
  return()
endif()
if(BERTH_SANITIZE)
  berth_no_cuda("nvcc takes no sanitizers")
  return()
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  berth_no_cuda("no nvcc was found")
  return()
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  # A100 and H100, H200; newer ones compile the last when they load it.
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
endif()
find_package(CUDAToolkit 12 QUIET)
if(NOT TARGET CUDA::cublas)
  berth_no_cuda("cuBLAS of CUDA 12 or newer was not found")
  return()
endif()
if(BERTH_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${BERTH_CCACHE})
endif()
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
enable_language(CUDA)

# Ranks on GPUs of their own exchange results by NCCL, which lies beside the toolkit or elsewhere.
find_path(BERTH_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
find_library(BERTH_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT}
             PATH_SUFFIXES lib lib64)
if(BERTH_NCCL_INCLUDE AND BERTH_NCCL_LIBRARY)
  set(BERTH_NCCL_SOURCE nccl_link.cpp)
else()
  message(STATUS "Berth: executor cuda without NCCL: ranks must share a GPU")
  set(BERTH_NCCL_SOURCE nccl_absent.cpp)
endif()
set(BERTH_NCCL_SOURCE ${BERTH_NCCL_SOURCE} CACHE INTERNAL "of executor cuda")

# For tests of the driver against a fake of the runtime.
add_library(berth_cuda_headers INTERFACE)
target_include_directories(berth_cuda_headers SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})

# Kernels alone: nvcc does not know the warnings of the project.
add_library(berth_cuda_kernels OBJECT cuda/cuda_kernels.cu)
target_include_directories(berth_cuda_kernels PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(berth_cuda_kernels PROPERTIES CUDA_STANDARD 17)

add_library(
  berth_cuda_driver SHARED
  cuda/cuda_capture.cpp
  cuda/cuda_device.cpp
  cuda/cuda_driver.cpp
  cuda/library_entry.cpp
  cuda/${BERTH_NCCL_SOURCE}
  cuda/rank_devices.cpp
  cuda/ring_link.cpp
  core/shared_ring.cpp)
target_include_directories(berth_cuda_driver PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
                                                     ${CMAKE_CURRENT_SOURCE_DIR}/cuda)
target_link_libraries(berth_cuda_driver PRIVATE berth::kernel berth_cuda_kernels berth_warnings
                                                CUDA::cudart_static CUDA::cublas rt)
if(BERTH_NCCL_SOURCE STREQUAL nccl_link.cpp)
  target_include_directories(berth_cuda_driver SYSTEM PRIVATE ${BERTH_NCCL_INCLUDE})
  target_link_libraries(berth_cuda_driver PRIVATE ${BERTH_NCCL_LIBRARY})
endif()
target_link_options(berth_cuda_driver PRIVATE -Wl,-z,nodelete -Wl,--no-undefined)
set_target_properties(
  berth_cuda_driver
  PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${BERTH_PLUGIN_DIR}
             INSTALL_RPATH "$ORIGIN/../.." INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS berth_cuda_driver LIBRARY DESTINATION ${BERTH_PLUGIN_DIR})
# Whoever asks for the plugin wants its driver, too.
add_dependencies(berth_cuda berth_cuda_driver)
