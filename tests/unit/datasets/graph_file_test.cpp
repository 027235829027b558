// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "datasets/graph_file.hpp"

#include <gtest/gtest.h>

#include "scratch.hpp"

namespace berth::datasets {
namespace {

using tests::MemoryLogger;
using tests::message_of;
using tests::Scratch;

constexpr std::string_view kDoppler = "2\n\n0\n1\n5,20\n6,24\n";

TEST(GraphFile, TellsFormatsByContentAndReadsOddFileNames) {
  const Scratch scratch;
  MemoryLogger logger;
  const auto file = scratch.write("données/グラフ #1.dat", "\xEF\xBB\xBF" + std::string(kDoppler));

  const Graph graph = read_graph(file, logger);

  EXPECT_EQ(graph.num_ops(), 2U);
  EXPECT_EQ(graph.name(), "グラフ #1");
}

TEST(GraphFile, WritesWhatItReads) {
  const Scratch scratch;
  MemoryLogger logger;
  const Graph graph = read_graph(scratch.write("g.txt", kDoppler), logger);

  for (const char* format : {"berth", "doppler"}) {
    write_graph(graph, scratch.path("copy"), format);
    EXPECT_EQ(read_graph(scratch.path("copy"), logger).hash(), graph.hash()) << format;
  }
}

TEST(GraphFile, ExpandsAFolderToItsGraphFilesByName) {
  const Scratch scratch;
  scratch.write("g/b.txt", kDoppler);
  scratch.write("g/a/z.txt", kDoppler);
  scratch.write("g/README.md", "# not a graph\n");
  scratch.write("g/optimal.csv", "file,processors\n");
  scratch.write("g/other.json", "{\"golden\":{}}");
  const std::vector<std::string> words = {scratch.path("g").string(),
                                          scratch.path("g/b.txt").string()};

  const auto files = expand_graph_paths(words);

  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0], scratch.path("g/a/z.txt"));
  EXPECT_EQ(files[1], scratch.path("g/b.txt"));
  EXPECT_EQ(files[2], scratch.path("g/b.txt"));
}

TEST(GraphFile, QuotesThePathAndTheSystemsReason) {
  const Scratch scratch;
  MemoryLogger logger;
  const std::string absent = scratch.path("no such.txt").string();
  const std::string folder = scratch.path("").string();

  EXPECT_EQ(message_of([&] { static_cast<void>(read_graph(absent, logger)); }),
            absent + ": cannot open: No such file or directory");
  EXPECT_EQ(message_of([&] { static_cast<void>(read_graph(folder, logger)); }),
            folder + ": is a folder; expected a file");
  EXPECT_EQ(
      message_of([&] { static_cast<void>(expand_graph_paths(std::vector<std::string>{absent})); }),
      absent + ": no such file or folder; expected a graph file or a folder");
}

TEST(GraphFile, RefusesWhatIsNoGraph) {
  const Scratch scratch;
  MemoryLogger logger;
  const auto file = scratch.write("x.txt", "hello, world\n");

  EXPECT_EQ(message_of([&] {
              static_cast<void>(read_graph(file, logger));
            }).rfind(file.string() + ": unknown graph format; expected Berth graph JSON", 0),
            0U);
  EXPECT_EQ(message_of([&] {
              write_graph(Graph(), scratch.path("y"), "nonsense");
            }).rfind("format 'nonsense'; expected one of berth, doppler", 0),
            0U);
}

TEST(GraphFile, FailsOnAFullDiskWithoutLeavingAPart) {
  EXPECT_EQ(message_of([] { write_graph(Graph(), "/dev/full", "berth"); }),
            "/dev/full: cannot write: No space left on device");
}

}  // namespace
}  // namespace berth::datasets
