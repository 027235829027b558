// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/operator_scheduler.hpp"

namespace berth::nest {

/// List scheduling, then GLPK's branch and cut for what gap is left.
[[nodiscard]] std::unique_ptr<OperatorScheduler> make_operator_scheduler(const HostServices& host);

/// The same without a host.
[[nodiscard]] std::unique_ptr<OperatorScheduler> make_operator_scheduler();

}  // namespace berth::nest
