// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plugin.hpp"

#include "jobs.hpp"
#include "options.hpp"

namespace {

using berth::TrainingJob;
namespace jobs = berth::training;

}  // namespace

BERTH_PLUGIN("training",
             "0.1.0",
             berth::offer<TrainingJob, jobs::make_digits_mlp>(
                 "digits-mlp",
                 "Linear layers that tell handwritten 8x8 digits apart.",
                 jobs::kMlpOptions),
             berth::offer<TrainingJob, jobs::make_digits_cnn>(
                 "digits-cnn",
                 "Convolutions with batch normalisation on handwritten 8x8 digits.",
                 jobs::kCnnOptions),
             berth::offer<TrainingJob, jobs::make_lstm_language>(
                 "lstm-language",
                 "LSTM language model of a text, or of a grammar of known perplexity.",
                 jobs::kLstmOptions),
             berth::offer<TrainingJob, jobs::make_matrix_factors>(
                 "matrix-factors",
                 "Matrix factorisation of ratings of a low-rank rule with noise.",
                 jobs::kFactorOptions),
             berth::offer<TrainingJob, jobs::make_friedman_mlp>(
                 "friedman-regression",
                 "Linear layers on Friedman's first regression problem, whose noise is known.",
                 jobs::kFriedmanOptions))
