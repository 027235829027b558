// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "command_line.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <sstream>

#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/value_semantic.hpp>

#include "berth/config.hpp"
#include "berth/error.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

std::string limit_text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

constexpr const char* kGraphWords =
    "\nGRAPH is a file, or a word that stands for a generated graph:\n"
    "  workload:NAME[:DEVICES[:COSTS[:EXTENTS]]]  as workload:llama-layer:4, or twelve layers:\n"
    "                                             workload:llama-model:4:reference:l12\n"
    "  random:FAMILY[:OPS[:CCR[:SEED]]]           as random:layered:40:1.5:7; FAMILY: layered,\n"
    "                                             fork-join, chains, stencil, ...\n";

/// Whether the usage begins with the word GRAPH or GRAPH..., not with one as GRAPH.json.
bool takes_graphs(std::string_view usage) {
  return usage.starts_with("GRAPH ") || usage.starts_with("GRAPH... ");
}

}  // namespace

CommandLine::CommandLine(std::string_view command, std::string_view usage, std::string_view summary)
    : command_(command), usage_(usage), summary_(summary) {
  add()("help", "print this text");
}

std::string CommandLine::option_names_hint(const std::string& word) const {
  std::vector<std::string> names;
  for (const auto& option : options_.options()) {
    names.push_back("--" + option->long_name());
  }
  const std::string near = nearest_name(word, names);
  return near.empty() ? "see berth " + command_ + " --help" : "did you mean '" + near + "'?";
}

bool CommandLine::parse(std::span<const std::string> words) {
  po::options_description all;
  all.add(options_);
  all.add_options()("words", po::value<std::vector<std::string>>());
  po::positional_options_description position;
  position.add("words", -1);
  const int style = (po::command_line_style::default_style | po::command_line_style::allow_long) &
                    ~po::command_line_style::allow_guessing & ~po::command_line_style::allow_short;
  try {
    const std::vector<std::string> copy(words.begin(), words.end());
    po::store(po::command_line_parser(copy).options(all).positional(position).style(style).run(),
              values_);
    po::notify(values_);
  } catch (const po::unknown_option& error) {
    throw InputError("berth " + command_ + ": unknown option '" + error.get_option_name() + "'; " +
                     option_names_hint(error.get_option_name()));
  } catch (const po::error& error) {
    throw InputError("berth " + command_ + ": " + error.what() + "; see berth " + command_ +
                     " --help");
  }
  if (has("help")) {
    std::ostringstream text;
    po::arg = "VALUE";  // how the library calls a value without a name of its own
    text << options_;
    std::printf("%s\n\nusage: berth %s %s\n\n%s",
                summary_.c_str(),
                command_.c_str(),
                usage_.c_str(),
                text.str().c_str());
    if (takes_graphs(usage_)) {
      std::fputs(kGraphWords, stdout);
    }
    return false;
  }
  if (has("words")) {
    positional_ = get<std::vector<std::string>>("words");
  }
  return true;
}

std::int64_t CommandLine::integer(const std::string& name,
                                  std::int64_t least,
                                  std::int64_t most) const {
  const std::string& word = text(name);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < least || value > most) {
    throw InputError("--" + name + ": '" + word + "'; expected an integer from " +
                     std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

double CommandLine::real(const std::string& name, double least, double most) const {
  const std::string& word = text(name);
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value) ||
      value < least || value > most) {
    throw InputError("--" + name + ": '" + word + "'; expected a number from " + limit_text(least) +
                     " to " + limit_text(most));
  }
  return value;
}

}  // namespace berth::launcher
