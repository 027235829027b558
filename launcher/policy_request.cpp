// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "policy_request.hpp"

#include "berth/error.hpp"

namespace berth::launcher {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

[[noreturn]] void refuse(std::string_view text, const std::string& what) {
  throw InputError("policy '" + std::string(text) + "': " + what +
                   "; expected for example heft or annealing(simulations=20000,restarts=3)");
}

/// Pieces between the commas outside of parentheses.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : 0;
    depth -= text[i] == ')' ? 1 : 0;
    if (text[i] == ',' && depth <= 0) {
      pieces.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  pieces.push_back(trim(text.substr(begin)));
  return pieces;
}

}  // namespace

PolicyRequest parse_policy(std::string_view text) {
  text = trim(text);
  PolicyRequest request;
  request.text = text;
  const std::size_t open = text.find('(');
  request.name = trim(text.substr(0, open));
  if (request.name.empty()) {
    refuse(text, "has no name");
  }
  if (request.name.find_first_of(")= \t") != std::string::npos) {
    refuse(text, "'" + request.name + "' is no name of a policy");
  }
  if (open == std::string_view::npos) {
    return request;
  }
  if (text.back() != ')') {
    refuse(text, "the parenthesis is not closed at the end");
  }
  const std::string_view inside = trim(text.substr(open + 1, text.size() - open - 2));
  if (inside.empty()) {
    return request;
  }
  for (const std::string_view piece : split(inside)) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos || trim(piece.substr(0, equals)).empty()) {
      refuse(text, "'" + std::string(piece) + "' is not option=value");
    }
    const std::string_view option = trim(piece.substr(0, equals));
    for (const auto& [earlier, value] : request.settings) {
      if (earlier == option) {
        refuse(text, "'" + earlier + "' is given twice");
      }
    }
    request.settings.emplace_back(option, trim(piece.substr(equals + 1)));
  }
  return request;
}

std::vector<PolicyRequest> parse_policies(std::string_view text) {
  std::vector<PolicyRequest> requests;
  for (const std::string_view piece : split(text)) {
    requests.push_back(parse_policy(piece));
  }
  return requests;
}

Config policy_config(PluginHost& host,
                     std::string_view interface_id,
                     const PolicyRequest& request) {
  Config config = host.options(interface_id, request.name);
  for (const auto& [name, value] : request.settings) {
    config.set(name, value);
  }
  return config;
}

}  // namespace berth::launcher
