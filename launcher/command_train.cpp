// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <boost/program_options/value_semantic.hpp>

#include "berth/error.hpp"

#include "campaign.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "error_report.hpp"
#include "farm/agree.hpp"
#include "farm/checkpoint_message.hpp"
#include "farm/farm.hpp"
#include "farm/incumbents.hpp"
#include "farm/measure_group.hpp"
#include "farm/run_output.hpp"
#include "farm/train_report.hpp"
#include "farm/train_setup.hpp"
#include "offer_text.hpp"
#include "plugin_arguments.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

/// A signal stopped the run after a checkpoint: start it again with --resume (EX_TEMPFAIL).
void declare_training(CommandLine& line) {
  line.add()("out", po::value<std::string>(), "folder of the run's files; new, or see --resume");
  line.add()("resume", "continue the run in --out from its last checkpoint");
  line.add()("set",
             po::value<std::vector<std::string>>(),
             "key=value: a key of the campaign, or <policy>.<option>; repeatable");
  line.add()("print-config", "print the effective configuration as JSON and stop");
  line.add()("json", "results as one JSON line");
  for (const berth_option_spec& spec : campaign_options()) {
    line.add()(flag_of(spec).c_str(),
               po::value<std::string>(),
               (std::string(spec.help) + " Overrides the campaign's.").c_str());
  }
  add_plugin_arguments(line.options());
}

Campaign campaign_of(const CommandLine& line) {
  if (line.positional().size() != 1) {
    throw InputError("berth train: " + std::to_string(line.positional().size()) +
                     " campaigns given; expected one TOML file");
  }
  Campaign campaign = read_campaign(line.positional()[0]);
  if (line.has("set")) {
    for (const std::string& word : line.get<std::vector<std::string>>("set")) {
      apply_setting(campaign, word);
    }
  }
  for (const berth_option_spec& spec : campaign_options()) {
    if (line.has(flag_of(spec))) {
      apply_flag(campaign, spec.name, line.text(flag_of(spec)));
    }
  }
  return campaign;
}

void finish(const CommandLine& line,
            TrainSetup& setup,
            const CampaignRecord& record,
            const RunOutput& output) {
  output.write_placements(record);
  TrainReport report;
  report.policy = setup.header.policy;
  report.problems = &setup.problems;
  report.record = &record;
  report.folder = line.text("out");
  for (std::size_t p = 0; p < setup.problems.size(); ++p) {
    std::vector<RivalResult>& results = report.rivals.emplace_back();
    for (const PolicyRequest& rival : setup.rivals) {
      results.push_back(run_rival(*setup.host,
                                  rival,
                                  *setup.problems[p],
                                  setup.settings.seed,
                                  record.problems[p].simulations));
    }
  }
  std::fputs((line.has("json") ? to_json_line(report) + "\n" : to_table(report)).c_str(), stdout);
}

/// Opens the devices of a rank that measures, with the others of its group.
void open_measurer(MpiSession& session,
                   TrainSetup& setup,
                   std::optional<MeasureGroup>& group,
                   std::optional<Measurer>& measurer) {
  const MeasureSettings& measure = setup.settings.measure;
  if (!setup.settings.plan.has(Stage::kReal)) {
    return;
  }
  const MeasurePlace place =
      measure_place(session.rank(), session.size(), measure.ranks, measure.group);
  if (place.ranks.empty()) {
    return;
  }
  group.emplace(session, place.ranks, setup.campaign.options.real("watchdog_seconds"));
  try {
    measurer.emplace(*setup.host, setup.problems, measure, &*group);
  } catch (const std::exception& error) {
    group->tell(error);
    throw;
  }
  std::fprintf(
      stderr, "berth: rank %d measures: %s\n", session.rank(), measurer->description().c_str());
}

/// The part of a run in which all ranks are of one mind.
int train(const CommandLine& line, MpiSession& session, TrainSetup& setup, Logger& logger) {
  std::optional<FolderLock> lock;  // rank 0 alone, which alone writes
  std::optional<checkpoints::Checkpoint> start;
  int code = agree(session, [&] {
    if (session.rank() == 0) {
      start = find_start(line.text("out"), line.has("resume"), setup, lock, logger);
    }
  });
  if (code != 0) {
    return code;
  }
  const Config& options = setup.campaign.options;
  const double patience = options.real("watchdog_seconds");
  Watchdog watchdog(patience, [&session](const std::string& message) {
    std::fprintf(stderr, "berth: rank %d: %s\n", session.rank(), message.c_str());
    std::_Exit(static_cast<int>(ExitCode::kRunFailed));
  });
  // A rank that hangs names itself, with what it does; the others name one that cannot.
  session.set_watchdog(patience > 0.0 ? 1.25 * patience + 1.0 : 0.0,
                       [&watchdog] { watchdog.alive("wait", 0); });
  const StopSignal stop;
  CampaignRecord record;
  share_checkpoint(session, start);
  if (start) {
    code = agree(session, [&] { restore(*start, line.text("out"), setup, record); });
    if (code != 0) {
      return code;
    }
  } else {
    code = agree(session, [&] { start_fresh(setup, logger); });
    if (code != 0) {
      return code;
    }
    start_from_incumbents(session,
                          *setup.host,
                          setup.incumbents,
                          setup.problems,
                          setup.settings.given,
                          setup.settings.seed,
                          *setup.policy,
                          record);
  }
  std::optional<MeasureGroup> group;
  std::optional<Measurer> measurer;
  code = agree(session, [&] { open_measurer(session, setup, group, measurer); });
  if (code != 0) {
    return code;
  }
  std::optional<RunOutput> output;
  if (session.rank() == 0) {
    output.emplace(line.text("out"),
                   setup.header,
                   *setup.policy,
                   setup.problems,
                   record,
                   setup.settings.plan.updates(),
                   static_cast<std::size_t>(options.integer("keep_checkpoints")),
                   options.real("progress_seconds"));
  }
  Farm farm(session,
            *setup.policy,
            setup.problems,
            setup.settings,
            record,
            output ? &*output : nullptr,
            watchdog,
            logger,
            measurer ? &*measurer : nullptr);
  const int signal = farm.run(stop);
  if (signal != 0) {
    if (session.rank() == 0) {
      std::fprintf(stderr,
                   "berth: stopped by signal %d after update %llu; a checkpoint is written; "
                   "continue with --resume\n",
                   signal,
                   static_cast<unsigned long long>(record.update));
    }
    return kStoppedBySignal;
  }
  if (output) {
    watchdog.rest();
    finish(line, setup, record, *output);
  }
  return 0;
}

int run_ranks(const CommandLine& line) {
  MpiSession session;
  StderrLogger logger(session.rank() == 0 ? LogLevel::kInfo : LogLevel::kError);
  return end_all_on_failure(session, [&] {
    try {
      TrainSetup setup;
      const int code = agree(session, [&] {
        auto host = std::make_unique<PluginHost>(plugin_search_path(line.values()), logger);
        setup = set_up_training(campaign_of(line), std::move(host), logger);
      });
      return code != 0 ? code : train(line, session, setup, logger);
    } catch (const AgreedFailure& error) {
      if (session.rank() == 0) {
        std::fprintf(stderr, "berth: %s\n", one_line(error.what()).c_str());
      }
      return static_cast<int>(error.code());
    }
  });
}

}  // namespace

int run_train(std::span<const std::string> words) {
  CommandLine line("train",
                   "CAMPAIGN.toml --out DIR [options]",
                   "Trains a policy on the campaign's problems; alone, or on many ranks under "
                   "mpirun with the same results.");
  declare_training(line);
  if (!line.parse(words)) {
    return 0;
  }
  if (line.has("print-config")) {
    const Campaign campaign = campaign_of(line);
    StderrLogger logger(LogLevel::kWarning);
    const auto host = make_plugin_host(line.values(), logger);
    std::printf("%s\n", campaign.to_json(policy_options(campaign, *host)).c_str());
    return 0;
  }
  if (!line.has("out")) {
    throw InputError("berth train: no --out; expected --out DIR, a new folder");
  }
  return run_ranks(line);
}

}  // namespace berth::launcher
