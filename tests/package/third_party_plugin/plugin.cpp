// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plugin.hpp"

#include "table_policy.hpp"

namespace {

constexpr berth_option_spec kOptions[] = {
    {"rows", BERTH_OPTION_INTEGER, "512", 1, 1e6, "ops", "", "Rows of the table."},
    {"columns", BERTH_OPTION_INTEGER, "8", 1, 1024, "devices", "", "Columns of the table."},
    {"learning_rate", BERTH_OPTION_REAL, "2", 0, 1e3, "", "", "Step along the mean gradient."}};

}  // namespace

BERTH_PLUGIN("third-party",
             "1.0",
             berth::offer<berth::TrainablePolicy, third_party::make_table_policy>(
                 "softmax-table", "A table of logits trained by REINFORCE.", kOptions))
