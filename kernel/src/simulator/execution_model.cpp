// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/execution_model.hpp"

#include <array>
#include <string>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

constexpr std::array<std::string_view, 5> kModels = {
    "delay", "doppler-reference", "links", "fair", "pull"};
constexpr std::array<std::string_view, 4> kDisciplines = {
    "auto", "fifo", "priority", "static-order"};

template <class Enum, std::size_t N>
Enum parse(std::string_view name, const std::array<std::string_view, N>& names, const char* what) {
  std::string list;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) {
      return static_cast<Enum>(i);
    }
    list.append(i == 0 ? "" : ", ").append(names[i]);
  }
  throw InputError(std::string(what) + ": unknown '" + std::string(name) + "'; expected one of " +
                   list);
}

}  // namespace

std::string_view name_of(ExecutionModel model) noexcept {
  return kModels[static_cast<std::size_t>(model)];
}
std::string_view name_of(Discipline discipline) noexcept {
  return kDisciplines[static_cast<std::size_t>(discipline)];
}
ExecutionModel parse_execution_model(std::string_view name) {
  return parse<ExecutionModel>(name, kModels, "execution model");
}
Discipline parse_discipline(std::string_view name) {
  return parse<Discipline>(name, kDisciplines, "discipline");
}

}  // namespace abi_v1
}  // namespace berth
