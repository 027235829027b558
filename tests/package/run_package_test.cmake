# SPDX-FileCopyrightText: The Berth authors
# SPDX-License-Identifier: Apache-2.0

# The way of a plugin author, from `cmake --install` to a trained policy. Variables: BUILD_DIR,
# SOURCE_DIR, WORK_DIR, GENERATOR, SANITIZE.

set(prefix ${WORK_DIR}/moved)
set(plugin_build ${WORK_DIR}/third_party_build)
set(plugin ${plugin_build}/berth_third_party.so)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

# step(what COMMAND ...): runs a command, shows its output where it fails; leaves it in `output`.
function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text
                  ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what}: exit ${result}\n${text}\n${errors}")
  endif()
  message(STATUS "${what}: ok")
  set(output "${text}" PARENT_SCOPE)
endfunction()

step("install" ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
file(RENAME ${WORK_DIR}/prefix ${prefix})

# Nothing of the package may point back to the tree it came from.
file(GLOB_RECURSE texts ${prefix}/lib/cmake/*.cmake ${prefix}/include/*)
foreach(text IN LISTS texts)
  file(READ ${text} content)
  foreach(place IN ITEMS ${SOURCE_DIR} ${WORK_DIR})
    string(FIND "${content}" "${place}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${text} names ${place}")
    endif()
  endforeach()
endforeach()

if(SANITIZE)
  set(flags -DBERTH_SANITIZE=${SANITIZE} "-DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE}")
endif()
step("configure the plugin" ${CMAKE_COMMAND} -G ${GENERATOR} -S
     ${SOURCE_DIR}/tests/package/third_party_plugin -B ${plugin_build}
     -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release ${flags})
step("build the plugin" ${CMAKE_COMMAND} --build ${plugin_build})
step("conformance" ${CMAKE_CTEST_COMMAND} --test-dir ${plugin_build} --output-on-failure)

step("list the plugin" ${prefix}/bin/berth plugins --json --plugin ${plugin})
string(FIND "${output}" "softmax-table" position)
if(position EQUAL -1)
  message(FATAL_ERROR "berth plugins does not list softmax-table:\n${output}")
endif()
string(FIND "${output}" "${BUILD_DIR}/lib" position)
if(NOT position EQUAL -1)
  message(FATAL_ERROR "the installed berth took plugins of the build tree:\n${output}")
endif()

# What ships: examples play, and files named by a campaign lie where it says.
set(shipped ${prefix}/share/berth)
step("schedule an example" ${prefix}/bin/berth schedule ${shipped}/scheduling/trace.csv --cluster
     ${shipped}/scheduling/cluster.json --throughputs ${shipped}/scheduling/throughputs.csv)
step("plan an example" ${prefix}/bin/berth plan ${shipped}/models/small-llama.json --cluster
     ${shipped}/clusters/a100-and-v100.json --global-batch 64 --pin vpp=1,mixed=false)
step("cut an example" ${prefix}/bin/berth plan ${shipped}/partitions/eight-layers.json)
step("schedule the operators of an example" ${prefix}/bin/berth plan --layer-schedule
     ${shipped}/operators/decoder-layer.jsonl --solver-seconds 1)
if(EXISTS ${prefix}/lib/berth/plugins/berth_doppler.so)
  step("place by the policy that ships" ${prefix}/bin/berth place workload:ffnn:2 --topology
       uniform:2 --policy doppler)
  string(FIND "${output}" "weights: ${shipped}/checkpoints/doppler.h5" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "the installed berth does not place by its own weights:\n${output}")
  endif()
endif()
file(STRINGS ${shipped}/campaigns/mix.toml data REGEX "^data = ")
list(GET data 0 data)
string(REGEX REPLACE "^data = \"(.*)\"$" "\\1" data "${data}")
if(NOT EXISTS ${shipped}/campaigns/${data} OR NOT EXISTS ${shipped}/training/alice.txt)
  message(FATAL_ERROR "${shipped} lacks what jobs learn from: ${data} or alice.txt")
endif()

# Training needs a build with MPI; the command says so where it is absent.
execute_process(COMMAND ${prefix}/bin/berth train --help RESULT_VARIABLE cannot_train
                OUTPUT_QUIET ERROR_QUIET)
find_program(mpirun mpirun)
if(cannot_train OR NOT mpirun OR SANITIZE)
  message(STATUS "train: skipped, this build has no berth train or no mpirun")
  return()
endif()

set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)
set(train ${prefix}/bin/berth train ${SOURCE_DIR}/tests/package/campaign/table.toml
    --plugin ${plugin} --out)
step("train on 1 rank" ${train} ${WORK_DIR}/run1)
step("train on 2 ranks" ${mpirun} --timeout 60 --bind-to none --mca btl self,vader -np 2 ${train}
     ${WORK_DIR}/run2)
step("the same checkpoint from both" ${CMAKE_COMMAND} -E compare_files
     ${WORK_DIR}/run1/checkpoints/latest.h5 ${WORK_DIR}/run2/checkpoints/latest.h5)

# The policy must have learned: its mean makespan falls by a fifth (random placements have about
# 60 time units on this graph, the best known one 43).
file(STRINGS ${WORK_DIR}/run2/metrics.jsonl metrics)
list(GET metrics 0 first)
list(GET metrics -1 last)
string(JSON first_mean GET "${first}" mean)
string(JSON last_mean GET "${last}" mean)
if(first_mean LESS 55 OR last_mean GREATER 48)
  message(FATAL_ERROR "mean makespan went from ${first_mean} to ${last_mean}; expected 60 to 44")
endif()
message(STATUS "mean makespan: ${first_mean} before, ${last_mean} after")

# Jobs that name no file take those of the installation.
if(EXISTS ${prefix}/lib/berth/plugins/berth_training.so)
  file(WRITE ${WORK_DIR}/mix.toml "slot_steps = 2\n[[nodes]]\n[[jobs]]\nmodel = \"digits-mlp\"\n"
                                  "steps = 2\n[[jobs]]\nmodel = \"lstm-language\"\nsteps = 2\n")
  step("train on shipped data" ${prefix}/bin/berth schedule ${WORK_DIR}/mix.toml --execute --out
       ${WORK_DIR}/mix)
endif()
