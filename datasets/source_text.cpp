// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "source_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <memory>
#include <system_error>

#include "berth/error.hpp"

namespace berth::datasets {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string reason(int code) {
  return std::generic_category().message(code);
}

}  // namespace

std::string SourceText::stem() const {
  return std::filesystem::path(place).stem().string();
}

SourceText load_head(const std::filesystem::path& file, std::size_t limit) {
  SourceText source{file.string(), {}};
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(file, ignored);
  if (std::filesystem::is_directory(status)) {
    throw InputError(source.place + ": is a folder; expected a file");
  }
  // A device such as /dev/zero has no end.
  if (std::filesystem::is_character_file(status) || std::filesystem::is_block_file(status)) {
    throw InputError(source.place + ": is a device; expected a file");
  }
  const std::unique_ptr<std::FILE, CloseFile> input(std::fopen(file.c_str(), "rb"));
  if (input == nullptr) {
    throw InputError(source.place + ": cannot open: " + reason(errno));
  }
  constexpr std::size_t kChunk = std::size_t{1} << 20U;
  while (source.text.size() < limit) {
    const std::size_t old_size = source.text.size();
    const std::size_t wanted = std::min(kChunk, limit - old_size);
    source.text.resize(old_size + wanted);
    const std::size_t got = std::fread(source.text.data() + old_size, 1, wanted, input.get());
    source.text.resize(old_size + got);
    if (got < wanted) {
      if (std::ferror(input.get()) != 0) {
        throw InputError(source.place + ": cannot read: " + reason(errno));
      }
      break;
    }
  }
  if (source.text.starts_with("\xEF\xBB\xBF")) {
    source.text.erase(0, 3);
  }
  return source;
}

SourceText load_source(const std::filesystem::path& file) {
  return load_head(file, std::numeric_limits<std::size_t>::max());
}

void fail_at(const SourceText& source, std::size_t line, const std::string& what) {
  throw InputError(source.place + ":" + std::to_string(line) + ": " + what);
}

bool LineReader::next() {
  if (rest_.empty()) {
    line_ = {};
    return false;
  }
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line_.ends_with('\r')) {
    line_.remove_suffix(1);
  }
  ++number_;
  return true;
}

bool LineReader::next_content() {
  while (next()) {
    const std::string_view content = trimmed(line_);
    if (!content.empty() && content.front() != '#') {
      return true;
    }
  }
  return false;
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::size_t last = text.find_last_not_of(kBlanks);
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> pieces;
  for (std::size_t begin = text.find_first_not_of(separators); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    pieces.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(separators, end);
  }
  return pieces;
}

std::string shown(std::string_view token) {
  constexpr std::size_t kShown = 40;
  std::string text = "'";
  for (const char c : token.substr(0, kShown)) {
    text += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return text + (token.size() > kShown ? "...'" : "'");
}

}  // namespace berth::datasets
