// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "policy_request.hpp"

#include "berth/error.hpp"

#include "distinct_words.hpp"

namespace berth::launcher {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// One text, and what messages call it.
struct Refusal {
  std::string_view text;
  const PolicyWords& words;

  [[noreturn]] void operator()(const std::string& what) const {
    throw InputError(std::string(words.kind) + " '" + std::string(text) + "': " + what +
                     "; expected for example " + std::string(words.example));
  }
};

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

PolicyRequest parse_policy(std::string_view text, const PolicyWords& words) {
  text = trim(text);
  const Refusal refuse{text, words};
  PolicyRequest request;
  request.text = text;
  const std::size_t open = text.find('(');
  request.name = trim(text.substr(0, open));
  if (request.name.empty()) {
    refuse("has no name");
  }
  if (request.name.find_first_of(")= \t") != std::string::npos) {
    refuse("'" + request.name + "' is no name of a" + (words.kind.starts_with('e') ? "n " : " ") +
           std::string(words.kind));
  }
  if (open == std::string_view::npos) {
    return request;
  }
  if (text.back() != ')') {
    refuse("the parenthesis is not closed at the end");
  }
  const std::string_view inside = trim(text.substr(open + 1, text.size() - open - 2));
  if (inside.empty()) {
    return request;
  }
  for (const std::string_view piece : split(inside)) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos || trim(piece.substr(0, equals)).empty()) {
      refuse("'" + std::string(piece) + "' is not option=value");
    }
    const std::string_view option = trim(piece.substr(0, equals));
    for (const auto& [earlier, value] : request.settings) {
      if (earlier == option) {
        refuse("'" + earlier + "' is given twice");
      }
    }
    request.settings.emplace_back(option, trim(piece.substr(equals + 1)));
  }
  return request;
}

std::vector<PolicyRequest> parse_policies(std::string_view text, const PolicyWords& words) {
  std::vector<PolicyRequest> requests;
  for (const std::string_view piece : split(text)) {
    requests.push_back(parse_policy(piece, words));
  }
  return requests;
}

std::vector<PolicyRequest> distinct_policies(std::string_view option,
                                             std::string_view text,
                                             const PolicyWords& words) {
  std::vector<PolicyRequest> requests = parse_policies(text, words);
  std::vector<std::string> texts;
  for (const PolicyRequest& request : requests) {
    texts.push_back(request.text);
  }
  check_distinct(option, texts);
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
