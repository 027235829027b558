// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_training.hpp"

#include <chrono>
#include <cstdio>

#include <boost/program_options/value_semantic.hpp>

#include "berth/error.hpp"
#include "berth/logger.hpp"
#include "berth/plan_score.hpp"
#include "berth/units.hpp"

#include "datasets/models/framework_plans.hpp"
#include "datasets/models/plan_file.hpp"
#include "datasets/models/training_problem.hpp"
#include "plan_outputs.hpp"
#include "plan_ranks.hpp"
#include "plan_report.hpp"
#include "plan_why.hpp"
#include "plugin_arguments.hpp"
#include "policy_request.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

po::typed_value<std::string>* word(const char* shown, const char* fallback) {
  return po::value<std::string>()->value_name(shown)->default_value(fallback);
}

MemoryRules memory_rules(const CommandLine& line) {
  MemoryRules rules;
  rules.gradient_bytes = line.real("gradient-bytes", 0, 8);
  const std::string& optimizer = line.text("optimizer");
  if (optimizer == "adam") {
    rules.optimizer_bytes = 12.0;  // fp32 master copy and two moments
  } else if (optimizer == "momentum") {
    rules.optimizer_bytes = 8.0;
  } else if (optimizer == "sgd") {
    rules.optimizer_bytes = 0.0;
  } else {
    throw InputError("--optimizer: '" + optimizer + "'; expected adam, momentum or sgd");
  }
  try {
    rules.reserve_bytes = parse_bytes(line.text("reserve")).value;
  } catch (const InputError& error) {
    rethrow_with_context(error, "--reserve");
  }
  return rules;
}

datasets::TrainingSetup training_setup(const CommandLine& line) {
  datasets::TrainingSetup setup;
  setup.global_batch = static_cast<std::uint32_t>(line.integer("global-batch", 1, 1'000'000'000));
  setup.sequence = static_cast<std::uint32_t>(line.integer("sequence", 0, 100'000'000));
  setup.memory = memory_rules(line);
  setup.kernels.flash_attention = !line.has("no-flash");
  setup.most_tensor = static_cast<std::uint32_t>(line.integer("max-tensor", 1, 4096));
  setup.most_context = static_cast<std::uint32_t>(line.integer("max-context", 1, 4096));
  setup.most_micro_batch = static_cast<std::uint32_t>(line.integer("max-micro-batch", 1, 4096));
  return setup;
}

void print_plan(const StrategyProblem& problem, const ParallelPlan& plan, const PlanScore& score) {
  const auto part = [&](double seconds) { return percent(seconds / score.seconds_per_batch); };
  double compute = 0.0;
  double again = 0.0;
  double transfer = 0.0;
  double zero = 0.0;
  const std::size_t batch = problem.configurations[plan.configuration].micro_batches;
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    const StageTime& time = score.times[q];
    const std::size_t replicas = plan.stages[q].replicas();
    const double waves =
        static_cast<double>((batch + replicas - 1) / replicas) / static_cast<double>(plan.depth());
    compute += waves * (time.forward + time.backward);
    again += waves * time.recompute;
    transfer += waves * time.transfer;
    zero += waves * time.zero;
  }
  std::printf("%s\n\n", plan_headline(problem, plan).c_str());
  std::printf("%s\n", plan_table(problem, plan).c_str());
  std::printf(
      "where the time goes (an average device): layers %s, recomputation %s, transfers %s, "
      "ZeRO collectives %s, gradients and optimizer %s, pipeline bubble the rest\n",
      part(compute).c_str(),
      part(again).c_str(),
      part(transfer).c_str(),
      part(zero).c_str(),
      part(score.sync_seconds).c_str());
  std::printf("why it fits: the fullest stage is %zu with %s of its memory\n",
              score.fullest_stage + 1,
              percent(score.fullest_share).c_str());
  std::printf(
      "scored from the device lists: %s s per batch; closed form: %s s; %s played out: %s s; "
      "%s sequences/s\n",
      significant(score.seconds_per_batch, 6).c_str(),
      significant(score.closed_seconds, 6).c_str(),
      plan.chunks > 1 ? "interleaved 1F1B" : "1F1B",
      significant(score.simulated_seconds, 6).c_str(),
      significant(problem.global_batch / score.seconds_per_batch).c_str());
  if (!score.difference.empty()) {
    std::printf("%s\n", score.difference.c_str());
  }
  const double hourly = price_per_hour(problem, plan);
  if (hourly > 0.0) {
    std::printf("price (list prices, see datasets/accelerators.cpp): %s per hour, %s per batch\n",
                fixed(hourly, 2).c_str(),
                fixed(hourly * score.seconds_per_batch / 3600.0, 4).c_str());
  }
}

void print_alternatives(const StrategyProblem& problem, const StrategyAnswer& answer) {
  std::printf("\nnext best:\n");
  for (std::size_t k = 1; k < answer.plans.size(); ++k) {
    const double loss = answer.plans[k].seconds_per_batch / answer.plans[0].seconds_per_batch - 1.0;
    std::printf(
        "  +%s  %s\n", percent(loss).c_str(), plan_headline(problem, answer.plans[k]).c_str());
  }
}

// A shape that nothing asks for is most likely misspelt.
void print_unused(const datasets::ProfileTable& profile) {
  const std::vector<std::string> unused = profile.unused();
  if (!unused.empty()) {
    std::fprintf(stderr,
                 "%zu of %zu profile rows fit no kernel of this model and cluster, first: %s\n",
                 unused.size(),
                 profile.size(),
                 unused.front().c_str());
  }
}

std::uint64_t seed_of(const CommandLine& line) {
  return static_cast<std::uint64_t>(line.integer("seed", 0, 1'000'000'000));
}

// Flags of the command that are options of a planner, where it has them.
Config planner_config(const CommandLine& line, PluginHost& host, const PolicyRequest& request) {
  Config config = policy_config(host, StrategyPlanner::kInterface, request);
  for (const auto& [flag, option] : {std::pair{"objective", "objective"},
                                     {"pin", "pin"},
                                     {"overlap-transfer", "overlap_transfer"},
                                     {"overlap-gradient", "overlap_gradient"}}) {
    if (line.values()[flag].defaulted()) {
      continue;
    }
    if (!config.has(option)) {
      throw InputError("--" + std::string(flag) + ": planner " + request.name + " has no option " +
                       option + "; see berth options " + request.name);
    }
    config.set(option, line.text(flag));
  }
  return config;
}

// A planner that refuses its pins speaks of an option of its own; here they are a flag.
std::unique_ptr<StrategyPlanner> make_planner(const CommandLine& line,
                                              PluginHost& host,
                                              const PolicyRequest& request,
                                              const Config& config) {
  try {
    return host.strategy_planner(request.name, config, seed_of(line));
  } catch (const Error& error) {
    const std::string text = error.what();
    const std::string refused = ": create failed: pin: ";
    const std::size_t at = text.find(refused);
    if (at == std::string::npos || line.values()["pin"].defaulted()) {
      throw;
    }
    throw InputError("--pin: " + text.substr(at + refused.size()));
  }
}

// A plan that is given is not searched for.
void refuse_search_options(const CommandLine& line) {
  if (!line.has("evaluate")) {
    return;
  }
  for (const char* name : {"planner", "seed", "objective", "top-k", "pin", "why"}) {
    if (line.has(name) && !line.values()[name].defaulted()) {
      throw InputError("berth plan: --" + std::string(name) +
                       " beside --evaluate; expected one of them");
    }
  }
}

}  // namespace

void add_training_options(CommandLine& line) {
  line.add()("planner",
             word("NAME", "nest"),
             "who plans, with options: nest, manual, uniform, alpa, phaze, mist, piper, mcmc, "
             "random, exhaustive")("seed", word("N", "1"), "of planners that draw at random");
  line.add()("cluster",
             po::value<std::string>()->value_name("CLUSTER"),
             "preset such as h100-spineleaf-512, or a JSON file")(
      "global-batch", word("SEQUENCES", "1024"), "sequences per optimizer step")(
      "sequence", word("TOKENS", "0"), "tokens per sequence; 0: the model's own")(
      "optimizer", word("NAME", "adam"), "adam, momentum or sgd; sets the bytes of its states")(
      "gradient-bytes", word("BYTES", "2"), "bytes of one gradient; 4 for fp32 accumulation")(
      "reserve", word("SIZE", "0GB"), "memory of each device to leave free")(
      "no-flash", "attention keeps its score matrix in memory")(
      "max-tensor", word("T", "16"), "widest tensor parallelism to try")(
      "max-context", word("C", "8"), "widest context parallelism to try")(
      "max-micro-batch", word("M", "8"), "largest micro-batch to try")(
      "objective", word("GOAL", "time"), "time, cost or devices")(
      "pin",
      word("PINS", ""),
      "fixed degrees: tp, pp, vpp (chunks of a device), dp, cp, ep, sp, mbs, zero, packing, "
      "recompute, mixed (stages of unequal degrees). Exact for equal stages; vpp for up to 12 "
      "layers; mixed for up to 16 devices and coarser beyond, above 64 only if pinned")(
      "overlap-transfer", word("SHARE", "0"), "share of transfers hidden behind compute, 0 to 1")(
      "overlap-gradient", word("SHARE", "0"), "the same for gradient and ZeRO collectives")(
      "why", "also show what binds, the next best plans, and what other choices would cost")(
      "profile",
      po::value<std::vector<std::string>>()->value_name("FILE")->composing(),
      "measured times (CSV) that override the roofline; may be given several times")(
      "evaluate",
      po::value<std::string>()->value_name("FILE"),
      "price this plan instead: Berth's JSON, Galvatron JSON, torchtitan TOML or Megatron-LM "
      "arguments");
  add_plan_outputs(line);
}

int plan_training(const CommandLine& line, const std::string& model_word, JobRanks& ranks) {
  if (!line.has("cluster")) {
    throw InputError("berth plan " + model_word +
                     ": no --cluster; expected for example "
                     "--cluster h100-spineleaf-512");
  }
  refuse_search_options(line);
  if (ranks.rank() == 0) {
    check_plan_outputs(line);
  }
  const datasets::Model model = datasets::read_model(model_word);
  const datasets::Cluster cluster = datasets::read_cluster(line.text("cluster"));
  datasets::ProfileTable profile;
  datasets::TrainingSetup setup = training_setup(line);
  if (line.has("profile")) {
    for (const std::string& file : line.get<std::vector<std::string>>("profile")) {
      profile.read(file);
    }
    setup.profile = &profile;
  }
  const StrategyProblem problem = datasets::make_training_problem(model, cluster, setup);
  if (ranks.rank() == 0) {
    print_unused(profile);
  }
  const PlanRules rules{line.real("overlap-transfer", 0, 1), line.real("overlap-gradient", 0, 1)};
  if (line.has("evaluate")) {
    const ParallelPlan plan = datasets::read_any_plan(line.text("evaluate"), problem);
    const PlanScore score = score_plan(problem, plan, rules);
    if (ranks.rank() != 0) {
      return 0;
    }
    if (line.has("json")) {
      std::printf("%s\n", datasets::plan_line(problem, plan, score).c_str());
    } else {
      print_plan(problem, datasets::with_score(plan, score), score);
    }
    write_plan_outputs(line, {model, cluster, setup, problem, plan, score});
    return 0;
  }
  StderrLogger logger(LogLevel::kWarning);
  const auto host = make_plugin_host(line.values(), logger);
  const PolicyRequest request = parse_policy(line.text("planner"));
  const Config config = planner_config(line, *host, request);
  const auto planner = make_planner(line, *host, request, config);
  auto top_k = static_cast<std::uint32_t>(line.integer("top-k", 1, 1000));
  top_k = line.has("why") && top_k < 6 ? 6 : top_k;
  const auto start = std::chrono::steady_clock::now();
  const StrategyAnswer answer = plan_on_ranks(ranks, *planner, problem, top_k);
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (answer.plans.empty()) {
    refuse_infeasible(answer);
  }
  if (ranks.rank() != 0) {
    return 0;
  }
  const ParallelPlan& best = answer.plans.front();
  const PlanScore score = score_plan(problem, best, rules);
  if (line.has("json")) {
    for (const ParallelPlan& plan : answer.plans) {
      std::printf("%s\n",
                  datasets::plan_line(problem, plan, score_plan(problem, plan, rules)).c_str());
    }
  } else {
    std::printf("%s on %s, global batch %u: %.4g billion parameters\n\n",
                model.name.c_str(),
                cluster.name.c_str(),
                problem.global_batch,
                datasets::parameter_count(model) / 1e9);
    print_plan(problem, best, score);
    if (line.has("why")) {
      std::printf("\n%s\n", binding_text(problem, best, score).c_str());
      // What another choice would cost is asked of planners whose degrees can be pinned.
      if (config.has("pin")) {
        const std::string text =
            otherwise_text(problem, best, line.text("pin"), [&](const std::string& pins) {
              Config pinned = config;
              pinned.set("pin", pins);
              return host->strategy_planner(request.name, pinned, seed_of(line))
                  ->plan_all(problem, 1);
            });
        std::printf("%s", text.c_str());
      }
    }
    if (answer.plans.size() > 1) {
      print_alternatives(problem, answer);
    }
  }
  write_plan_outputs(line, {model, cluster, setup, problem, best, score});
  std::fprintf(stderr,
               "planned in %s s: %llu candidates, %llu solved\n",
               significant(elapsed).c_str(),
               static_cast<unsigned long long>(answer.candidates),
               static_cast<unsigned long long>(answer.solved));
  return 0;
}

}  // namespace berth::launcher
