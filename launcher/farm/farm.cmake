# SPDX-FileCopyrightText: The Berth authors
# SPDX-License-Identifier: Apache-2.0

# The training farm, part of the launcher where MPI is there; elsewhere `berth train` says that it
# is not. Included from launcher/CMakeLists.txt: paths are relative to launcher/.
set(BERTH_HAS_MPI FALSE)
if(NOT BERTH_WITH_MPI STREQUAL OFF)
  find_package(MPI COMPONENTS C)
  set(BERTH_HAS_MPI ${MPI_C_FOUND})
  if(BERTH_WITH_MPI STREQUAL ON AND NOT BERTH_HAS_MPI)
    message(FATAL_ERROR "BERTH_WITH_MPI is ON and no MPI was found (Debian: libopenmpi-dev)")
  endif()
endif()

set(BERTH_HAS_MPI ${BERTH_HAS_MPI} CACHE INTERNAL "berth train is built")
if(BERTH_HAS_MPI)
  find_package(Boost 1.74 REQUIRED COMPONENTS serialization)
  find_package(tomlplusplus REQUIRED)
  target_sources(
    berth_launcher
    PRIVATE campaign.cpp
            campaign_options.cpp
            command_train.cpp
            doppler_bench/ablation_experiment.cpp
            doppler_bench/bench_doppler.cpp
            doppler_bench/large_experiment.cpp
            doppler_bench/main_experiment.cpp
            doppler_bench/measured_tables.cpp
            doppler_bench/methods.cpp
            doppler_bench/published_doppler.cpp
            doppler_bench/scaling_experiment.cpp
            doppler_bench/section.cpp
            doppler_bench/section_report.cpp
            doppler_bench/svg_chart.cpp
            doppler_bench/trainer.cpp
            doppler_bench/transfer_experiment.cpp
            execute/command_execute.cpp
            execute/execution.cpp
            execute/job_tracker.cpp
            execute/merge.cpp
            execute/mix.cpp
            execute/mix_options.cpp
            execute/mix_output.cpp
            execute/mix_page.cpp
            execute/mix_report.cpp
            execute/node_worker.cpp
            execute/quality_study.cpp
            execute/rate_estimate.cpp
            execute/slot_messages.cpp
            execute/tracker_state.cpp
            job_ranks.cpp
            peer_message.cpp
            mpi_session.cpp
            plan_ranks.cpp
            toml_file.cpp
            farm/campaign_record.cpp
            farm/checkpoint_message.cpp
            farm/farm.cpp
            farm/farm_execution.cpp
            farm/folder_lock.cpp
            farm/incumbents.cpp
            farm/measure_group.cpp
            farm/measure_report.cpp
            farm/measured_record.cpp
            farm/measurer.cpp
            farm/metrics_file.cpp
            farm/progress_line.cpp
            farm/rank_report.cpp
            farm/rollout_runner.cpp
            farm/run_output.cpp
            farm/run_start.cpp
            farm/stage_plan.cpp
            farm/stop_signal.cpp
            farm/train_report.cpp
            farm/train_setup.cpp
            farm/tree_sum.cpp
            farm/trial_output.cpp
            farm/trials.cpp
            farm/watchdog.cpp
            farm/work_division.cpp)
  target_compile_definitions(berth_launcher PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(berth_launcher PUBLIC MPI::MPI_C Boost::serialization
                                              tomlplusplus::tomlplusplus)
else()
  message(STATUS "berth train: not built, since no MPI was found")
  target_sources(berth_launcher PRIVATE command_train_absent.cpp job_ranks_alone.cpp plan_ranks_alone.cpp)
endif()
