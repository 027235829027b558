// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>

#include "broken_plugin_fixture.hpp"

namespace berth::broken {
namespace {

/// The message of loading `file`, without "path: ", which must be in front.
std::string refusal(const std::filesystem::path& file) {
  MemoryLogger logger;
  PluginHost host({}, logger);
  try {
    host.load(file);
  } catch (const PluginError& error) {
    const std::string prefix = file.string() + ": ";
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(prefix)) << message;
    return message.substr(std::min(prefix.size(), message.size()));
  }
  ADD_FAILURE() << file << " was loaded";
  return {};
}

TEST(Handshake, LoadsAPluginThatKeepsTheContract) {
  MemoryLogger logger;
  PluginHost host({}, logger);

  const LoadedPlugin& plugin = host.load(plugin_file("good"));

  EXPECT_STREQ(plugin.descriptor->name, "good");
  EXPECT_EQ(&host.load(plugin_file("good")), &plugin) << "the same file again is no second plugin";
  EXPECT_EQ(host.loaded().size(), 1U);
}

TEST(Handshake, RefusesALibraryWithoutADescriptor) {
  EXPECT_EQ(refusal(plugin_file("no_descriptor")), "not a berth plugin (no symbol 'berth_plugin')");
}

TEST(Handshake, RefusesAWrongMagicNumber) {
  EXPECT_EQ(refusal(plugin_file("wrong_magic")),
            "not a berth plugin (symbol 'berth_plugin' has another magic number)");
}

TEST(Handshake, RefusesOtherRevisionsOfTheAbiNamingBoth) {
  EXPECT_EQ(refusal(plugin_file("older_abi")),
            "was built for plugin ABI 0.0; this host speaks 1.0; rebuild it against berth 0.1.0");
  EXPECT_EQ(refusal(plugin_file("newer_abi")),
            "was built for plugin ABI 2.0; this host speaks 1.0; rebuild it against berth 0.1.0");
  EXPECT_EQ(refusal(plugin_file("newer_minor")),
            "was built for plugin ABI 1.1; this host speaks 1.0; rebuild it against berth 0.1.0");
}

TEST(Handshake, RefusesADescriptorThatIsTooShort) {
  EXPECT_EQ(refusal(plugin_file("short_descriptor")),
            "its descriptor has 40 bytes; ABI 1.0 has 88; rebuild it against berth 0.1.0");
}

TEST(Handshake, RefusesAnotherToolchainNamingBoth) {
  const std::string message = refusal(plugin_file("other_toolchain"));

  EXPECT_NE(message.find("was built by toolchain 'gcc 4 abi 1002 cxx11 0 std 201103L ptr 8'"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("this host by '"), std::string::npos) << message;
}

TEST(Handshake, RefusesAnotherLayoutOfTheTypesThatCross) {
  EXPECT_TRUE(
      refusal(plugin_file("other_layout")).starts_with("its types are laid out differently"));
}

TEST(Handshake, RefusesADescriptorThatOffersNothing) {
  EXPECT_EQ(refusal(plugin_file("no_offers")), "its descriptor offers nothing; see plugin_abi.h");
}

TEST(Handshake, RefusesADefaultOutOfItsOwnRange) {
  EXPECT_EQ(refusal(plugin_file("bad_default")),
            "a default is out of its own range: offer 'bad-default': runs: '0'; expected an "
            "integer from 1 to 10");
}

TEST(Handshake, NamesAnUndefinedSymbol) {
  EXPECT_EQ(refusal(plugin_file("undefined_symbol")),
            "cannot be loaded: undefined symbol: berth_test_function_that_no_library_defines");
}

TEST(Handshake, RefusesAFileThatIsNotThere) {
  EXPECT_EQ(refusal(plugin_file("never_built")), "no such file; expected a shared library");
  EXPECT_EQ(refusal(std::filesystem::canonical(BERTH_BINARY_DIR) / "tests"),
            "no such file; expected a shared library");
}

TEST(Handshake, RefusesATextFileNamedAsALibrary) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "berth_text.so";
  std::ofstream(file) << "#!/bin/sh\necho this is a script of more than sixty-four bytes, "
                         "which is the size of an ELF header\n";

  EXPECT_EQ(refusal(std::filesystem::canonical(file)),
            "not a shared library (no 64-bit ELF header)");
}

TEST(Handshake, RefusesALibraryTruncatedAnywhere) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "berth_truncated.so";
  const auto whole = std::filesystem::file_size(plugin_file("good"));
  for (int part = 0; part < 100; ++part) {
    std::filesystem::copy_file(
        plugin_file("good"), file, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(file, part == 99 ? whole - 1 : whole * part / 99);

    const std::string message = refusal(std::filesystem::canonical(file));

    EXPECT_TRUE(message == "truncated shared library; copy or build it again" ||
                message == "not a shared library (no 64-bit ELF header)")
        << part << " of 99 parts: " << message;
  }
}

TEST(Handshake, NamesBothFilesOfOnePluginName) {
  MemoryLogger logger;
  PluginHost host({{plugin_file("good"), plugin_file("good_again")}, {}}, logger);

  host.load_all();

  ASSERT_EQ(host.refused().size(), 1U);
  EXPECT_EQ(host.refused()[0].reason,
            plugin_file("good_again").string() + ": a plugin named 'good' is already loaded from " +
                plugin_file("good").string() + "; keep one of the two on the search path");
}

}  // namespace
}  // namespace berth::broken
