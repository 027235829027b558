// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_bench/section.hpp"

#include <cstdio>

#include "table.hpp"

namespace berth::launcher {

Section::Section(SectionForm form, std::string title) : form_(form), title_(std::move(title)) {
  print(title_ + "\n");
}

void Section::note(std::string text) {
  print(text + "\n");
  notes_.push_back(std::move(text));
}

void Section::table(std::string title, TextRows rows) {
  print("\n" + title + "\n" + table_text(rows));
  tables_.emplace_back(std::move(title), std::move(rows));
}

void Section::line(const nlohmann::ordered_json& result) const {
  if (form_ == SectionForm::kLines) {
    std::printf("%s\n", result.dump().c_str());
    std::fflush(stdout);
  }
}

void Section::print(const std::string& text) const {
  if (form_ == SectionForm::kText) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
}

}  // namespace berth::launcher
