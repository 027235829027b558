// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <glpk.h>

namespace berth::nest {

/// The problem behind the pointer that GlpkProgram keeps, so that its header needs no GLPK.
[[nodiscard]] inline glp_prob* as_problem(void* pointer) {
  return static_cast<glp_prob*>(pointer);
}

}  // namespace berth::nest
