// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/training_job.hpp"

namespace berth::training {

// What the plugin offers: each reads its options (options.hpp) from the host.
[[nodiscard]] std::unique_ptr<TrainingJob> make_digits_mlp(const HostServices& host);
[[nodiscard]] std::unique_ptr<TrainingJob> make_digits_cnn(const HostServices& host);
[[nodiscard]] std::unique_ptr<TrainingJob> make_lstm_language(const HostServices& host);
[[nodiscard]] std::unique_ptr<TrainingJob> make_matrix_factors(const HostServices& host);
[[nodiscard]] std::unique_ptr<TrainingJob> make_friedman_mlp(const HostServices& host);

}  // namespace berth::training
