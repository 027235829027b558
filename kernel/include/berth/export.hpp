// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Marks what crosses the boundary of the kernel library; everything else is hidden.
#define BERTH_API __attribute__((visibility("default")))
