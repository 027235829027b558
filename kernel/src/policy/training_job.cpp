// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/training_job.hpp"

namespace berth {
inline namespace abi_v1 {

TrainingJob::~TrainingJob() = default;

std::size_t count_values(const TrainingTensor& tensor) {
  std::size_t count = 1;
  for (const std::int64_t dimension : tensor.shape) {
    count *= static_cast<std::size_t>(dimension);
  }
  return count;
}

std::size_t count_values(std::span<const TrainingTensor> tensors) {
  std::size_t count = 0;
  for (const TrainingTensor& tensor : tensors) {
    count += count_values(tensor);
  }
  return count;
}

}  // namespace abi_v1
}  // namespace berth
