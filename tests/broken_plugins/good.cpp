// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// The one plugin here that keeps its contract; the others differ from it by one defect each.
// Also built a second time, as another file of the same plugin name.

#include "function_policy.hpp"

BERTH_FUNCTION_PLUGIN("good", berth::broken::all_on_first)
