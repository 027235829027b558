// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <bit>

#include "berth/error.hpp"
#include "berth/rng.hpp"

#include "farm/state_arrays.hpp"
#include "job_tracker.hpp"

namespace berth::launcher {
namespace {

using Counts = std::vector<std::uint64_t>;
using Numbers = std::vector<double>;

constexpr std::size_t kCopyColumns = 12;
constexpr std::size_t kScoreColumns = 7;

const char* group_of(TensorRole role) {
  return role == TensorRole::kParameter ? "theta"
         : role == TensorRole::kBuffer  ? "buffers"
                                        : "optim";
}

/// Of the bits of a merged state, tensor after tensor.
std::uint64_t checksum(std::span<const float> values) {
  std::uint64_t sum = mix64(values.size());
  for (const float value : values) {
    sum = mix64(sum ^ std::bit_cast<std::uint32_t>(value));
  }
  return sum;
}

std::string round_path(std::size_t job, std::uint64_t round) {
  return "job/" + std::to_string(job) + "/round/" + std::to_string(round) + "/";
}

void save_state(StateWriter& writer, const std::string& at, const JobFacts& facts) {
  std::size_t begin = 0;
  for (const TrainingTensor& tensor : facts.tensors) {
    const std::size_t count = count_values(tensor);
    writer.tensor(at + group_of(tensor.role) + "/" + tensor.name,
                  tensor.shape,
                  std::span<const float>(facts.state).subspan(begin, count));
    begin += count;
  }
  put(writer, at + "checksum", Counts{checksum(facts.state)});
  put(writer,
      at + "counters",
      Counts{facts.counters.schedule_steps, facts.counters.optimizer_steps});
}

void load_state(const StateReader& reader, const std::string& at, JobFacts& facts) {
  std::size_t begin = 0;
  for (const TrainingTensor& tensor : facts.tensors) {
    const std::size_t count = count_values(tensor);
    reader.tensor(at + group_of(tensor.role) + "/" + tensor.name,
                  tensor.shape,
                  std::span<float>(facts.state).subspan(begin, count));
    begin += count;
  }
  if (get<std::uint64_t>(reader, at + "checksum", 1)[0] != checksum(facts.state)) {
    throw CheckpointError("checkpoint: the merged state in '" + at +
                          "' does not have its checksum; expected what was written; use an older "
                          "checkpoint");
  }
  const Counts counters = get<std::uint64_t>(reader, at + "counters", 2);
  facts.counters = {counters[0], counters[1]};
}

/// The copies behind the merged state, for whoever opens the file.
void save_copies(StateWriter& writer,
                 const std::string& at,
                 std::uint32_t job,
                 std::span<const CopyRecord> copies) {
  Counts steps;
  Counts nodes;
  Numbers omega;
  Numbers rates;
  Numbers losses;
  std::uint64_t last = 0;
  for (const CopyRecord& copy : copies) {
    last = copy.job == job ? copy.round : last;
  }
  for (const CopyRecord& copy : copies) {
    if (copy.job == job && copy.round == last) {
      steps.push_back(copy.steps);
      nodes.push_back(copy.node);
      omega.push_back(copy.omega);
      rates.push_back(copy.measured > 0.0 ? copy.measured : copy.believed);
      losses.push_back(copy.loss);
    }
  }
  put(writer, at + "copies/steps", steps);
  put(writer, at + "copies/node", nodes);
  put(writer, at + "copies/omega", omega);
  put(writer, at + "copies/rate", rates);
  put(writer, at + "copies/loss", losses);
}

}  // namespace

void JobTracker::save(StateWriter& writer) const {
  for (std::uint32_t id = 0; id < jobs_.size(); ++id) {
    const TrackedJob& job = jobs_[id];
    save_state(writer, round_path(id, round_), job.facts);
    save_copies(writer, round_path(id, round_), id, copies_);
    const std::string at = "tracker/job/" + std::to_string(id) + "/";
    put(writer, at + "rates", job.rates);
    put(writer, at + "estimates", job.estimates);
    put(writer, at + "measured", job.measured);
    put(writer, at + "last_nodes", Counts(job.last_nodes.begin(), job.last_nodes.end()));
    put(writer,
        at + "counts",
        Counts{job.remaining,
               job.restarts,
               job.rounds,
               job.failed_rounds,
               job.ran_last_round ? 1U : 0U});
    put(writer,
        at + "times",
        Numbers{job.executed_seconds,
                job.first_start_seconds,
                job.finish_seconds,
                job.prepare_seconds});
  }
  put(writer, "tracker/counts", Counts{round_, jobs_.size(), mix_->nodes.size()});
  put(writer, "tracker/times", Numbers{clock_, merge_seconds_});
  put(writer, "tracker/busy", busy_);
  Counts last_job;
  for (const std::int32_t job : last_job_) {
    last_job.push_back(static_cast<std::uint64_t>(job + 1));
  }
  put(writer, "tracker/last_job", last_job);
  Numbers rows;
  for (const CopyRecord& copy : copies_) {
    for (const double value : {static_cast<double>(copy.round),
                               static_cast<double>(copy.job),
                               static_cast<double>(copy.node),
                               static_cast<double>(copy.planned),
                               static_cast<double>(copy.steps),
                               copy.start_seconds,
                               copy.seconds,
                               copy.believed,
                               copy.measured,
                               copy.omega,
                               copy.loss,
                               copy.failed ? 1.0 : 0.0}) {
      rows.push_back(value);
    }
  }
  const std::int64_t copies_shape[] = {static_cast<std::int64_t>(copies_.size()), kCopyColumns};
  writer.tensor("tracker/copies", copies_shape, std::span<const double>(rows));
  rows.clear();
  for (const ScoreRecord& score : scores_) {
    for (const double value : {static_cast<double>(score.round),
                               static_cast<double>(score.job),
                               static_cast<double>(score.steps),
                               score.clock_seconds,
                               score.validation_loss,
                               score.validation,
                               score.test}) {
      rows.push_back(value);
    }
  }
  const std::int64_t scores_shape[] = {static_cast<std::int64_t>(scores_.size()), kScoreColumns};
  writer.tensor("tracker/scores", scores_shape, std::span<const double>(rows));
}

void JobTracker::load(const StateReader& reader) {
  const Counts counts = get<std::uint64_t>(reader, "tracker/counts", 3);
  if (counts[1] != jobs_.size() || counts[2] != mix_->nodes.size()) {
    throw CheckpointError("checkpoint of " + std::to_string(counts[1]) + " jobs on " +
                          std::to_string(counts[2]) + " nodes; expected " +
                          std::to_string(jobs_.size()) + " on " +
                          std::to_string(mix_->nodes.size()));
  }
  round_ = counts[0];
  const std::size_t nodes = mix_->nodes.size();
  for (std::size_t id = 0; id < jobs_.size(); ++id) {
    TrackedJob& job = jobs_[id];
    load_state(reader, round_path(id, round_), job.facts);
    const std::string at = "tracker/job/" + std::to_string(id) + "/";
    job.rates = get<double>(reader, at + "rates", nodes);
    job.estimates = get<double>(reader, at + "estimates", nodes);
    job.measured = get<std::uint64_t>(reader, at + "measured", nodes);
    const Counts last_nodes = get<std::uint64_t>(reader, at + "last_nodes");
    job.last_nodes.assign(last_nodes.begin(), last_nodes.end());
    const Counts of_job = get<std::uint64_t>(reader, at + "counts", 5);
    job.remaining = of_job[0];
    job.restarts = static_cast<std::uint32_t>(of_job[1]);
    job.rounds = static_cast<std::uint32_t>(of_job[2]);
    job.failed_rounds = static_cast<std::uint32_t>(of_job[3]);
    job.ran_last_round = of_job[4] != 0;
    const Numbers times = get<double>(reader, at + "times", 4);
    job.executed_seconds = times[0];
    job.first_start_seconds = times[1];
    job.finish_seconds = times[2];
    job.prepare_seconds = times[3];
  }
  const Numbers times = get<double>(reader, "tracker/times", 2);
  clock_ = times[0];
  merge_seconds_ = times[1];
  busy_ = get<double>(reader, "tracker/busy", nodes);
  const Counts last_job = get<std::uint64_t>(reader, "tracker/last_job", nodes);
  for (std::size_t node = 0; node < nodes; ++node) {
    last_job_[node] = static_cast<std::int32_t>(last_job[node]) - 1;
  }
  const Numbers copies = get<double>(reader, "tracker/copies");
  copies_.clear();
  for (std::size_t i = 0; i + kCopyColumns <= copies.size(); i += kCopyColumns) {
    const double* row = &copies[i];
    copies_.push_back({static_cast<std::uint64_t>(row[0]),
                       static_cast<std::uint32_t>(row[1]),
                       static_cast<std::uint32_t>(row[2]),
                       static_cast<std::uint64_t>(row[3]),
                       static_cast<std::uint64_t>(row[4]),
                       row[5],
                       row[6],
                       row[7],
                       row[8],
                       row[9],
                       row[10],
                       row[11] != 0.0});
  }
  const Numbers scores = get<double>(reader, "tracker/scores");
  scores_.clear();
  for (std::size_t i = 0; i + kScoreColumns <= scores.size(); i += kScoreColumns) {
    const double* row = &scores[i];
    scores_.push_back({static_cast<std::uint64_t>(row[0]),
                       static_cast<std::uint32_t>(row[1]),
                       static_cast<std::uint64_t>(row[2]),
                       row[3],
                       row[4],
                       row[5],
                       row[6]});
  }
}

}  // namespace berth::launcher
