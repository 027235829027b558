// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "datasets/placement_file.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

#include "datasets/atomic_file.hpp"
#include "datasets/numbers.hpp"
#include "datasets/source_text.hpp"
#include "datasets/writable_file.hpp"
#include "scratch.hpp"

namespace berth::datasets {
namespace {

using tests::MemoryLogger;
using tests::message_of;
using tests::Scratch;

std::shared_ptr<const PlacementProblem> chain_on_two_devices() {
  GraphBuilder builder("chain");
  for (const char* name : {"a", "b", "c"}) {
    OpSpec op;
    op.name = name;
    op.work = 1.0;
    builder.add_op(op);
  }
  builder.add_edge(OpId{0}, OpId{1}, 1.0).add_edge(OpId{1}, OpId{2}, 1.0);
  return make_problem("chain", builder.freeze(), Topology::uniform(2), {});
}

TEST(PlacementFile, ReadsOneLineOfDevicesForEachPlacement) {
  const Scratch scratch;
  MemoryLogger logger;
  const auto problem = chain_on_two_devices();

  const auto placements = read_placements(
      scratch.write("p.txt", "# two of them\n0,1,0\r\n\n1, 1, 1"), *problem, logger);

  ASSERT_EQ(placements.size(), 2U);
  EXPECT_EQ(placements[0].device, (std::vector<DeviceId>{DeviceId{0}, DeviceId{1}, DeviceId{0}}));
  EXPECT_TRUE(placements[1].order.empty());
}

TEST(PlacementFile, ReadsBackWhatItWrote) {
  const Scratch scratch;
  MemoryLogger logger;
  const auto problem = chain_on_two_devices();
  const Placement placement{{DeviceId{1}, DeviceId{0}, DeviceId{1}}, {2.0, 0.5, 1.0}};

  write_placement(placement, *problem, {"heft", 5.0, 7}, scratch.path("p.json"));
  const auto again = read_placements(scratch.path("p.json"), *problem, logger);

  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0], placement);
}

TEST(PlacementFile, RefusesThePlacementOfAnotherGraph) {
  const Scratch scratch;
  MemoryLogger logger;
  const auto problem = chain_on_two_devices();
  GraphBuilder builder("single");
  builder.add_op({});
  const auto other = make_problem("single", builder.freeze(), Topology::uniform(2), {});
  const auto file = scratch.path("p.json");
  write_placement({{DeviceId{0}}, {}}, *other, {}, file);

  const std::string message =
      message_of([&] { static_cast<void>(read_placements(file, *problem, logger)); });

  EXPECT_NE(message.find(":/graph/hash: "), std::string::npos) << message;
  EXPECT_NE(message.find("the placement was made for another graph"), std::string::npos) << message;
}

/// The graph of chain_on_two_devices() on other devices, each twice as fast as the one before.
std::shared_ptr<const PlacementProblem> chain_on_other_devices(std::size_t devices,
                                                               const Graph& graph) {
  TopologyBuilder builder("next");
  for (std::size_t d = 0; d < devices; ++d) {
    DeviceSpec device;
    device.peak = FlopsPerSecond{std::exp2(static_cast<double>(d))};
    builder.add_device(device);
  }
  const LinkId link = builder.add_link({});
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      if (a != b) {
        builder.route(to_id<DeviceId>(a), to_id<DeviceId>(b), {link});
      }
    }
  }
  return make_problem("chain", graph, builder.freeze(), {});
}

TEST(PlacementFile, MovesToAnotherTopologyOfAsManyDevicesWithAWarning) {
  const Scratch scratch;
  MemoryLogger logger;
  const auto problem = chain_on_two_devices();
  const auto file = scratch.path("p.json");
  write_placement({{DeviceId{0}, DeviceId{1}, DeviceId{0}}, {}}, *problem, {}, file);

  static_cast<void>(read_placements(file, *problem, logger));
  EXPECT_TRUE(logger.lines.empty());

  const auto next = chain_on_other_devices(2, problem->graph);
  EXPECT_EQ(read_placements(file, *next, logger).front().device[1], DeviceId{1});
  ASSERT_EQ(logger.lines.size(), 1U);
  for (const std::string& part : {std::string("made for another topology"),
                                  "file=" + file.string(),
                                  "made_for=" + problem->topology.name(),
                                  "made_for_hash=" + hash_text(problem->topology.hash()),
                                  std::string("taken_to=next"),
                                  "taken_to_hash=" + hash_text(next->topology.hash())}) {
    EXPECT_NE(logger.lines[0].find(part), std::string::npos) << logger.lines[0];
  }
}

TEST(PlacementFile, RefusesADeviceWhoseNumberAndNameContradictEachOther) {
  const Scratch scratch;
  MemoryLogger logger;
  const auto problem = chain_on_two_devices();
  const auto file = scratch.path("p.json");
  write_placement({{DeviceId{0}, DeviceId{1}, DeviceId{0}}, {}}, *problem, {}, file);
  std::ostringstream content;
  content << std::ifstream(file).rdbuf();
  std::string text = content.str();
  const std::string second = "\"device_name\":\"" + problem->topology.device(DeviceId{1}).name;
  const std::string first = "\"device_name\":\"" + problem->topology.device(DeviceId{0}).name;
  ASSERT_NE(text.find(second), std::string::npos) << text;
  text.replace(text.find(second), second.size(), first);
  scratch.write("p.json", text);

  EXPECT_EQ(message_of([&] { static_cast<void>(read_placements(file, *problem, logger)); }),
            file.string() +
                ":/ops/1/device_name: 'device0' beside device 1; expected 'device1', as "
                "the file's topology has it");
}

TEST(PlacementFile, DoesNotMoveToAnotherNumberOfDevices) {
  const Scratch scratch;
  MemoryLogger logger;
  const auto problem = chain_on_two_devices();
  const auto file = scratch.path("p.json");
  write_placement({{DeviceId{0}, DeviceId{1}, DeviceId{0}}, {}}, *problem, {}, file);

  for (const std::size_t devices : {1U, 3U}) {
    const auto other = chain_on_other_devices(devices, problem->graph);
    EXPECT_EQ(message_of([&] { static_cast<void>(read_placements(file, *other, logger)); }),
              file.string() + ":/topology: the placement was made for the 2 devices of '" +
                  problem->topology.name() + "'; expected the " + std::to_string(devices) +
                  " of 'next'");
  }
  EXPECT_TRUE(logger.lines.empty());
}

TEST(PlacementFile, DoesNotMoveToDevicesThatCannotRunTheOps) {
  // Written on devices of which each runs each op; read where op 1 runs on device 0 alone.
  const Scratch scratch;
  MemoryLogger logger;
  GraphBuilder builder("eligible");
  for (int v = 0; v < 2; ++v) {
    OpSpec op;
    op.work = 1.0;
    op.eligible = {DeviceId{0}};
    builder.add_op(op);
  }
  const auto problem = make_problem("eligible", builder.freeze(), Topology::uniform(2), {});
  const auto next = chain_on_other_devices(2, problem->graph);
  const auto file = scratch.path("p.json");
  write_placement({{DeviceId{0}, DeviceId{1}}, {}}, *problem, {}, file);

  const std::string message =
      message_of([&] { static_cast<void>(read_placements(file, *next, logger)); });

  EXPECT_NE(message.find("op1 cannot run on device 'device1'"), std::string::npos) << message;
  EXPECT_TRUE(logger.lines.empty());
}

TEST(PlacementFile, WithoutATopologyIsReadAsItIs) {
  const Scratch scratch;
  MemoryLogger logger;
  const auto problem = chain_on_two_devices();
  const auto file = scratch.path("p.json");
  write_placement({{DeviceId{0}, DeviceId{1}, DeviceId{0}}, {}}, *problem, {}, file);
  std::string text = load_source(file).text;
  const std::size_t begin = text.find("\"topology\":");
  text.erase(begin, text.find("\"execution\":") - begin);

  const auto next = chain_on_other_devices(2, problem->graph);
  EXPECT_EQ(parse_placements({"old.json", text}, *next, logger).size(), 1U);
  EXPECT_TRUE(logger.lines.empty());
}

TEST(PlacementFile, RefusesKeysThatItWouldIgnore) {
  const Scratch scratch;
  MemoryLogger logger;
  const auto problem = chain_on_two_devices();
  const auto file = scratch.path("p.json");
  write_placement({{DeviceId{0}, DeviceId{1}, DeviceId{0}}, {}}, *problem, {}, file);
  const std::string written = load_source(file).text;
  const auto refusal = [&](const std::string& before, const std::string& key) {
    std::string text = written;
    text.insert(text.find(before), key);
    const SourceText source{"p.json", text};
    return message_of([&] { static_cast<void>(parse_placements(source, *problem, logger)); });
  };

  EXPECT_EQ(refusal("\"ops\":[", "\"opps\":[],"),
            "p.json: unknown key 'opps'; did you mean 'ops'?");
  EXPECT_EQ(refusal("\"op\":0", "\"ordr\":1,"),
            "p.json:/ops/0: unknown key 'ordr'; did you mean 'order'?");
}

TEST(WriteAtomically, RefusesANameThatIsEmptyBeforeItWritesAnything) {
  EXPECT_EQ(message_of([] { write_atomically("", "text"); }),
            "'': no name of a file; expected a file to write");
}

TEST(WriteAtomically, FollowsSymbolicLinksAndLeavesThem) {
  namespace fs = std::filesystem;
  const Scratch scratch;
  const fs::path file = scratch.write("file", "old");
  const fs::path folder = file.parent_path();
  fs::create_symlink("file", folder / "link");
  fs::create_symlink(folder / "link", folder / "to link");
  fs::create_symlink("new", folder / "to nothing");

  write_atomically(folder / "to link", "text");
  write_atomically(folder / "to nothing", "more");

  for (const auto& [name, content] : {std::pair{"file", "text"}, {"new", "more"}}) {
    std::ifstream in(folder / name);
    EXPECT_EQ((std::string{std::istreambuf_iterator<char>(in), {}}), content);
    EXPECT_FALSE(fs::is_symlink(folder / name));
  }
  for (const char* name : {"link", "to link", "to nothing"}) {
    EXPECT_TRUE(fs::is_symlink(folder / name)) << name;
  }
}

TEST(WriteAtomically, WritesToWhatIsNoFileWhereItIs) {
  // As /dev/stdout and >(command) lead there: the link's text, "pipe:[4711]", is no name.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string link = "/proc/self/fd/" + std::to_string(ends[1]);

  check_writable(link);
  write_atomically(link, "text");

  char text[5] = {};
  EXPECT_EQ(::read(ends[0], text, 4), 4);
  EXPECT_STREQ(text, "text");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(CheckWritable, LooksWhereALinkLeads) {
  namespace fs = std::filesystem;
  const Scratch scratch;
  const fs::path folder = fs::path(scratch.write("file", "old")).parent_path();
  fs::create_symlink(folder / "no folder" / "file", folder / "to nowhere");
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");

  EXPECT_EQ(message_of([&] { check_writable(folder / "to nowhere"); }),
            (folder / "to nowhere").string() + ": cannot create: No such file or directory");
  for (const auto& write :
       {std::function([](const fs::path& file) { check_writable(file); }),
        std::function([](const fs::path& file) { write_atomically(file, ""); })}) {
    EXPECT_EQ(message_of([&] { write(folder / "a"); }),
              (folder / "a").string() +
                  ": a symbolic link that leads back to itself; expected a file to write");
  }
  EXPECT_TRUE(fs::is_symlink(folder / "a"));
}

TEST(PlacementFile, NamesLineAndOpOfABadDevice) {
  const Scratch scratch;
  MemoryLogger logger;
  const auto problem = chain_on_two_devices();
  const auto refusal = [&](std::string_view text) {
    const auto file = scratch.write("p", text);
    const std::string message =
        message_of([&] { static_cast<void>(read_placements(file, *problem, logger)); });
    return message.substr(std::min(message.size(), file.string().size()));
  };

  EXPECT_EQ(refusal("0,1,0\n0,2,0\n"),
            ":2: op 1 is on device '2'; expected a device id from 0 to 1");
  EXPECT_EQ(refusal("0,1\n"),
            ":1: placement: 2 devices given; expected one for each of the 3 ops of 'chain'");
  EXPECT_EQ(refusal(""),
            ": no placement; expected Berth placement JSON or a line of device ids (e.g. "
            "'0,1,0,1')");
  EXPECT_EQ(refusal("{\"format\":\"berth.graph\"}"),
            ": format is 'berth.graph'; expected \"format\": \"berth.placement\"");
}

}  // namespace
}  // namespace berth::datasets
