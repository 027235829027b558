// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

namespace berth::launcher {

/// The words of one subcommand: long options declared through Boost.Program_options (no guessing
/// of abbreviations), positional words, and --help on every command.
class CommandLine {
 public:
  /// @param usage what follows the command's name, for example "GRAPH... --topology T".
  CommandLine(std::string_view command, std::string_view usage, std::string_view summary);

  /// Where a command declares its options.
  [[nodiscard]] boost::program_options::options_description_easy_init add() {
    return options_.add_options();
  }
  [[nodiscard]] boost::program_options::options_description& options() { return options_; }

  /// @return false if --help was asked for and has been printed.
  /// @throws InputError naming the word; an unknown option names the nearest one.
  [[nodiscard]] bool parse(std::span<const std::string> words);

  [[nodiscard]] const std::vector<std::string>& positional() const { return positional_; }
  [[nodiscard]] const boost::program_options::variables_map& values() const { return values_; }
  [[nodiscard]] bool has(const std::string& name) const { return values_.count(name) > 0; }
  template <class Value>
  [[nodiscard]] const Value& get(const std::string& name) const {
    return values_[name].as<Value>();
  }
  [[nodiscard]] const std::string& text(const std::string& name) const {
    return get<std::string>(name);
  }

  /// An integer option declared as text, so that "-1" or "1e9" never wraps or truncates.
  /// @throws InputError naming option, text and range.
  [[nodiscard]] std::int64_t integer(const std::string& name,
                                     std::int64_t least,
                                     std::int64_t most) const;
  /// A finite real option declared as text. @throws InputError as integer().
  [[nodiscard]] double real(const std::string& name, double least, double most) const;

 private:
  [[nodiscard]] std::string option_names_hint(const std::string& word) const;

  std::string command_;
  std::string usage_;
  std::string summary_;
  boost::program_options::options_description options_{"options"};
  boost::program_options::variables_map values_;
  std::vector<std::string> positional_;
};

}  // namespace berth::launcher
