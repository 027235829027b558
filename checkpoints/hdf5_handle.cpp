// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "hdf5_handle.hpp"

namespace berth::checkpoints {

QuietHdf5::QuietHdf5() {
  // Damaged files leave the library unable to close itself at exit, which it tells at length.
  // Every handle of ours is closed by then. Fails, harmlessly, once the library is in use.
  H5dont_atexit();
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() {
  H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

std::string hdf5_reason() {
  std::string reason;
  const H5E_walk2_t keep_last = [](unsigned, const H5E_error2_t* error, void* text) -> herr_t {
    if (error->desc != nullptr) {
      *static_cast<std::string*>(text) = error->desc;
    }
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_last, &reason);
  return reason.empty() ? "no reason given" : reason;
}

}  // namespace berth::checkpoints
