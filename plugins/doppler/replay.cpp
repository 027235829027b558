// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "replay.hpp"

#include <algorithm>

#include "berth/error.hpp"

#include "candidate_set.hpp"
#include "device_features.hpp"
#include "device_labels.hpp"
#include "device_timeline.hpp"
#include "plc_head.hpp"
#include "replay_episode.hpp"
#include "softmax.hpp"
#include "teacher_labels.hpp"

namespace berth::doppler {

Replay::Replay(const PreparedProblem& prepared, const Settings& settings)
    : prepared_(&prepared),
      settings_(&settings),
      tables_(Tables::zeros_like(prepared.tables)),
      sel_(settings.architecture, *prepared.heads, prepared.tables, *prepared.view),
      device_(prepared.heads->device),
      device_block_(prepared.heads->device_block),
      row_block_(prepared.heads->row_block),
      device_bias_(prepared.heads->device_bias.size(), 0.0F),
      output_(prepared.heads->plc_output.size(), 0.0F) {
  if (settings.architecture.normalise) {
    sel_gradient_ = std::make_unique<SelHead::Gradient>(*prepared.heads);
  }
  const std::size_t most = std::max(prepared.view->num_ops(), prepared.view->num_devices());
  for (std::vector<float>* buffer : {&probability_, &target_, &dlogits_}) {
    buffer->resize(most);
  }
}

void Replay::learn(const Lesson& lesson, LogProbabilities* log_probabilities) {
  BERTH_CHECK(lesson.op.size() == prepared_->view->num_ops() &&
                  (lesson.placement.empty() ? lesson.device : lesson.op).size() == lesson.op.size(),
              "doppler: decisions of another problem");
  Episode episode(*prepared_->view, settings_->architecture);
  walk(lesson, episode, log_probabilities);
  if (settings_->learned != LearnedPart::kSel) {
    learn_plc(lesson, episode, log_probabilities);
  }
}

void Replay::walk(const Lesson& lesson, Episode& episode, LogProbabilities* log_probabilities) {
  const ProblemView& view = *prepared_->view;
  const std::size_t devices = view.num_devices();
  CandidateSet candidates(view.graph);
  DeviceTimeline timeline(view, settings_->timeline, settings_->timeline_type);
  timeline.merge_empty(settings_->merge_empty_devices);
  DeviceFeatures features(view, settings_->architecture.rich_features);
  features.reset();
  DeviceLabels labels(view, lesson.placement);
  for (std::size_t step = 0; step < lesson.op.size(); ++step) {
    const auto list = candidates.list();
    const auto found = std::find(list.begin(), list.end(), lesson.op[step]);
    BERTH_CHECK(found != list.end(), "doppler: a decision picks no candidate");
    const auto pick = static_cast<std::size_t>(found - list.begin());
    const bool joint = settings_->learned == LearnedPart::kJoint;
    if (settings_->learned == LearnedPart::kBoth || settings_->learned == LearnedPart::kSel) {
      learn_sel(lesson, step, list, pick, log_probabilities);
    }
    if (joint && lesson.plc_teacher > 0.0F) {
      teacher_picks(view, list, taught_picks_);
    } else {
      taught_picks_.assign(1, 0);
    }
    const auto in_question = joint ? list : list.subspan(pick, 1);
    for (std::size_t i = 0; i < in_question.size(); ++i) {
      timeline.look_at(in_question[i]);
      const bool taught = std::ranges::count(taught_picks_, i) > 0;
      ask(timeline, features, taught ? lesson.plc_teacher : 0.0F, episode);
    }
    timeline.look_at(lesson.op[step]);
    const std::uint32_t device =
        lesson.placement.empty() ? lesson.device[step] : labels.device(timeline);
    const std::size_t item = episode.first_item[step] + (joint ? pick : 0);
    episode.taken[step] = device;
    episode.taken_row[step] = item * devices + device;
    episode.target[episode.taken_row[step]] += lesson.plc_weight[step];
    episode.end_step();
    timeline.assign(device);
    features.assigned(timeline, device);
    candidates.pick(pick);
  }
}

void Replay::ask(const DeviceTimeline& timeline,
                 DeviceFeatures& features,
                 float teacher,
                 Episode& episode) {
  const std::size_t item = episode.add_item(timeline.op());
  features.fill(timeline, episode.features_of(item));
  std::ranges::copy(timeline.legal(), episode.legal_of(item).begin());
  if (teacher > 0.0F) {
    teacher_devices(timeline, taught_);
    for (const std::uint32_t d : taught_) {
      episode.target_of(item)[d] += teacher;
    }
  }
}

void Replay::learn_sel(const Lesson& lesson,
                       std::size_t step,
                       std::span<const std::uint32_t> candidates,
                       std::size_t pick,
                       LogProbabilities* log_probabilities) {
  const auto logits = sel_.logits(candidates);
  const auto probability = std::span(probability_).first(candidates.size());
  const double log_sum = softmax(logits, {}, 1.0, probability);
  if (log_probabilities != nullptr) {
    log_probabilities->sel.push_back(static_cast<double>(logits[pick]) - log_sum);
  }
  const auto target = std::span(target_).first(candidates.size());
  std::fill(target.begin(), target.end(), 0.0F);
  target[pick] = lesson.sel_weight[step];
  if (lesson.sel_teacher > 0.0F) {
    teacher_picks(*prepared_->view, candidates, taught_);
    for (const std::uint32_t position : taught_) {
      target[position] += lesson.sel_teacher;
    }
  }
  const auto dlogits = std::span(dlogits_).first(candidates.size());
  std::fill(dlogits.begin(), dlogits.end(), 0.0F);
  add_loss_gradient(probability, target, lesson.entropy_weight, dlogits);
  sel_.backward(candidates, dlogits, tables_, sel_gradient_.get());
}

void Replay::learn_plc(const Lesson& lesson,
                       Episode& episode,
                       LogProbabilities* log_probabilities) {
  episode.allocate(settings_->architecture);
  plc_forward(lesson, episode);
  for (std::size_t step = 0; step < lesson.op.size(); ++step) {
    const auto logits = episode.at_step(episode.logits, step);
    if (probability_.size() < logits.size()) {
      probability_.resize(logits.size());
    }
    const auto probability = std::span(probability_).first(logits.size());
    const double log_sum = softmax(logits, episode.at_step(episode.legal, step), 1.0, probability);
    if (log_probabilities != nullptr) {
      log_probabilities->plc.push_back(
          static_cast<double>(episode.logits[episode.taken_row[step]]) - log_sum);
    }
    add_loss_gradient(probability,
                      episode.at_step(episode.target, step),
                      lesson.entropy_weight,
                      episode.at_step(episode.dlogits, step));
  }
  plc_backward(lesson, episode);
}

void Replay::plc_forward(const Lesson& lesson, Episode& episode) {
  const HeadWeights& heads = *prepared_->heads;
  const Tables& tables = prepared_->tables;
  const Architecture& architecture = settings_->architecture;
  const std::size_t devices = prepared_->view->num_devices();
  const std::size_t head = architecture.head;
  const std::size_t row = row_width(architecture);
  std::vector<float> sums(devices * row, 0.0F);
  for (std::size_t step = 0; step < lesson.op.size(); ++step) {
    for (std::size_t r = episode.first_item[step] * devices;
         r < episode.first_item[step + 1] * devices;
         ++r) {
      const std::uint32_t op = episode.item_op[r / devices];
      const std::size_t d = r % devices;
      std::copy_n(heads.device_bias.data(),
                  architecture.hidden,
                  episode.device_raw.data() + r * architecture.hidden);
      float* hidden = episode.hidden_raw.data() + r * head;
      std::copy_n(tables.plc_static.data() + op * head, head, hidden);
      episode.logits[r] = heads.plc_output_bias;
      if (architecture.normalise) {
        continue;
      }
      const float* sum = sums.data() + d * row;
      for (std::size_t c = 0; c < head; ++c) {
        hidden[c] += sum[c];
      }
      if (architecture.affinity > 0) {
        const float* query = tables.plc_query.data() + op * architecture.affinity;
        add_dot(1, architecture.affinity, sum + head, query, episode.logits.data() + r);
      }
    }
    std::copy(sums.begin(), sums.end(), episode.sums.begin() + step * devices * row);
    if (architecture.normalise) {
      SetNormaliser& normaliser = episode.normaliser[step];
      normaliser.forward(devices, row, sums.data(), episode.scaled.data() + step * devices * row);
    }
    const float* added = tables.plc_row.data() + lesson.op[step] * row;
    float* sum = sums.data() + episode.taken[step] * row;
    for (std::size_t c = 0; c < row; ++c) {
      sum[c] += added[c];
    }
  }
  const std::size_t rows = episode.item_op.size() * devices;
  heads.device.apply(rows, episode.features.data(), episode.device_raw.data());
  leaky(episode.device.size(), episode.device_raw.data(), episode.device.data());
  heads.device_block.apply(rows, episode.device.data(), episode.hidden_raw.data());
  if (architecture.normalise) {
    heads.row_block.apply(rows, episode.scaled.data(), episode.hidden_raw.data());
  }
  leaky(episode.hidden.size(), episode.hidden_raw.data(), episode.hidden.data());
  add_dot(rows, head, episode.hidden.data(), heads.plc_output.data(), episode.logits.data());
}

void Replay::plc_backward(const Lesson& lesson, Episode& episode) {
  const HeadWeights& heads = *prepared_->heads;
  const Tables& tables = prepared_->tables;
  const Architecture& architecture = settings_->architecture;
  const std::size_t devices = prepared_->view->num_devices();
  const std::size_t head = architecture.head;
  const std::size_t hidden = architecture.hidden;
  const std::size_t row = row_width(architecture);
  const std::size_t rows = episode.item_op.size() * devices;

  add_outer({rows, 1, head}, episode.dlogits.data(), episode.hidden.data(), output_.data());
  std::vector<float> dhidden(rows * head, 0.0F);
  add_product({rows, 1, head}, episode.dlogits.data(), heads.plc_output.data(), dhidden.data());
  leaky_backward(rows * head, episode.hidden_raw.data(), dhidden.data());
  device_block_.add(rows, episode.device.data(), dhidden.data());
  std::vector<float> ddevice(rows * hidden, 0.0F);
  heads.device_block.apply_transposed(rows, dhidden.data(), ddevice.data());
  leaky_backward(rows * hidden, episode.device_raw.data(), ddevice.data());
  device_.add(rows, episode.features.data(), ddevice.data());
  for (std::size_t r = 0; r < rows; ++r) {
    output_bias_ += episode.dlogits[r];
    for (std::size_t c = 0; c < hidden; ++c) {
      device_bias_[c] += ddevice[r * hidden + c];
    }
  }
  std::vector<float> dscaled;
  if (architecture.normalise) {
    row_block_.add(rows, episode.scaled.data(), dhidden.data());
    dscaled.assign(rows * row, 0.0F);
    heads.row_block.apply_transposed(rows, dhidden.data(), dscaled.data());
  }

  // A row placed at step t is part of its device's sum at all later steps: walk backwards.
  std::vector<float> dsums(devices * row, 0.0F);
  for (std::size_t step = lesson.op.size(); step-- > 0;) {
    const float* placed = dsums.data() + episode.taken[step] * row;
    float* drow = tables_.plc_row.data() + lesson.op[step] * row;
    for (std::size_t c = 0; c < row; ++c) {
      drow[c] += placed[c];
    }
    for (std::size_t r = episode.first_item[step] * devices;
         r < episode.first_item[step + 1] * devices;
         ++r) {
      const std::uint32_t op = episode.item_op[r / devices];
      const std::size_t d = r % devices;
      float* dstatic = tables_.plc_static.data() + op * head;
      for (std::size_t c = 0; c < head; ++c) {
        dstatic[c] += dhidden[r * head + c];
      }
      if (architecture.normalise) {
        continue;
      }
      float* dsum = dsums.data() + d * row;
      const float* sum = episode.sums.data() + (step * devices + d) * row;
      for (std::size_t c = 0; c < head; ++c) {
        dsum[c] += dhidden[r * head + c];
      }
      const std::size_t affinity = architecture.affinity;
      for (std::size_t c = 0; c < affinity; ++c) {
        dsum[head + c] += episode.dlogits[r] * tables.plc_query[op * affinity + c];
        tables_.plc_query[op * affinity + c] += episode.dlogits[r] * sum[head + c];
      }
    }
    if (architecture.normalise) {
      const std::size_t first = step * devices * row;
      episode.normaliser[step].backward(
          devices, episode.scaled.data() + first, dscaled.data() + first, dsums.data());
    }
  }
}

void Replay::write(const ParameterLayout& layout, std::span<float> out) const {
  const std::size_t hidden = settings_->architecture.hidden;
  const auto at = [&](const char* name) { return out.data() + layout.find(name).offset; };
  const auto add = [&](const std::vector<float>& from, const char* name) {
    float* to = at(name);
    for (std::size_t i = 0; i < from.size(); ++i) {
      to[i] += from[i];
    }
  };
  device_.write(at("plc/device/weight"), settings_->architecture.device_columns, 0);
  add(device_bias_, "plc/device/bias");
  device_block_.write(at("plc/hidden/weight"), 4 * hidden, 0);
  add(output_, "plc/output/weight");
  *at("plc/output/bias") += output_bias_;
  if (sel_gradient_ == nullptr) {
    return;
  }
  row_block_.write(at("plc/hidden/weight"), 4 * hidden, 3 * hidden);
  sel_gradient_->own.write(at("sel/own/weight"), settings_->architecture.node_columns, 0);
  add(sel_gradient_->own_bias, "sel/own/bias");
  sel_gradient_->own_block.write(at("sel/hidden/weight"), 4 * hidden, 0);
  sel_gradient_->b_block.write(at("sel/hidden/weight"), 4 * hidden, 2 * hidden);
  sel_gradient_->t_block.write(at("sel/hidden/weight"), 4 * hidden, 3 * hidden);
  add(sel_gradient_->output, "sel/output/weight");
  *at("sel/output/bias") += sel_gradient_->output_bias;
}

}  // namespace berth::doppler
