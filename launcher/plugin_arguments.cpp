// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin_arguments.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <boost/program_options/value_semantic.hpp>

#include "berth/error.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

std::vector<std::filesystem::path> split_path_list(std::string_view text) {
  std::vector<std::filesystem::path> folders;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) {  // An empty entry would mean the working directory.
      folders.emplace_back(text.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return folders;
}

}  // namespace

void add_plugin_arguments(po::options_description& flags) {
  auto add = flags.add_options();
  add("plugin",
      po::value<Words>()->value_name("FILE"),
      "plugin library to load, before all others (repeatable)");
  add("plugin-dir",
      po::value<Words>()->value_name("DIR"),
      "folder of plugins berth_*.so, searched before $BERTH_PLUGIN_PATH (repeatable)");
}

PluginHost::SearchPath plugin_search_path(const po::variables_map& given) {
  PluginHost::SearchPath path;
  if (given.count("plugin") > 0) {
    for (const std::string& file : given["plugin"].as<Words>()) {
      path.files.emplace_back(file);
    }
  }
  if (given.count("plugin-dir") > 0) {
    for (const std::string& folder : given["plugin-dir"].as<Words>()) {
      if (std::error_code ignored; !std::filesystem::is_directory(folder, ignored)) {
        throw InputError("--plugin-dir: '" + folder + "' is no folder");
      }
      path.directories.emplace_back(folder);
    }
  }
  if (const char* const listed = std::getenv("BERTH_PLUGIN_PATH")) {
    for (std::filesystem::path& folder : split_path_list(listed)) {
      path.directories.push_back(std::move(folder));
    }
  }
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe");
  path.directories.push_back(executable.parent_path().parent_path() / "lib/berth/plugins");
  return path;
}

std::unique_ptr<PluginHost> make_plugin_host(const po::variables_map& given, Logger& logger) {
  return std::make_unique<PluginHost>(plugin_search_path(given), logger);
}

}  // namespace berth::launcher
