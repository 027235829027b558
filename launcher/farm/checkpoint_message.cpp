// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "checkpoint_message.hpp"

#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include "archive.hpp"

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, berth::checkpoints::Entry& entry, unsigned /*version*/) {
  archive& entry.type& entry.shape& entry.float32& entry.float64& entry.uint64& entry.text;
}

template <class Archive>
void serialize(Archive& archive, berth::checkpoints::Header& header, unsigned /*version*/) {
  archive& header.format_version& header.plugin& header.plugin_version& header.policy;
  archive& header.seed& header.update& header.config& header.graph_hashes& header.topology_hashes;
}

template <class Archive>
void serialize(Archive& archive, berth::checkpoints::Checkpoint& value, unsigned /*version*/) {
  archive& value.header& value.state;
}

}  // namespace boost::serialization

namespace berth::launcher {

void share_checkpoint(MpiSession& session, std::optional<checkpoints::Checkpoint>& checkpoint) {
  if (session.size() == 1) {
    return;
  }
  std::string bytes = checkpoint && session.rank() == 0 ? to_bytes(*checkpoint) : std::string();
  session.broadcast(bytes, "checkpoint");
  if (session.rank() != 0) {
    checkpoint.reset();
    if (!bytes.empty()) {
      checkpoint = from_bytes<checkpoints::Checkpoint>(bytes);
    }
  }
}

}  // namespace berth::launcher
