// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "elf_symbols.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

// Uses std::vector without including it in Boost 1.74: keep it below <vector>.
#include <boost/dll/library_info.hpp>

#include "berth/error.hpp"

namespace berth::internal {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& reason) {
  throw PluginError(file.string() + ": " + reason);
}

template <class Record>
bool read_at(std::ifstream& in, std::uint64_t offset, Record& record) {
  std::array<char, sizeof(Record)> bytes{};
  in.seekg(static_cast<std::streamoff>(offset));
  if (!in.read(bytes.data(), bytes.size())) {
    return false;
  }
  std::memcpy(&record, bytes.data(), sizeof record);
  return true;
}

/// Whether [offset, offset + size) lies within the file; safe for values of a damaged header.
bool within(std::uint64_t offset, std::uint64_t size, std::uint64_t file_size) {
  return size <= file_size && offset <= file_size - size;
}

/// What the dynamic linker will map, and the section table that Boost.DLL reads, must be there.
bool is_whole(std::ifstream& in, const Elf64_Ehdr& header, std::uint64_t file_size) {
  const std::uint64_t sections = std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  if (header.e_shnum == 0 || !within(header.e_shoff, sections, file_size)) {
    return false;
  }
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_at(in, header.e_phoff + i * sizeof segment, segment) ||
        !within(segment.p_offset, segment.p_filesz, file_size)) {
      return false;
    }
  }
  return true;
}

void check_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    refuse(file, "no such file; expected a shared library");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    refuse(file, "cannot be read; check its permissions");
  }
  Elf64_Ehdr header{};
  if (!read_at(in, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN) {
    refuse(file, "not a shared library (no 64-bit ELF header)");
  }
  if (!is_whole(in, header, std::filesystem::file_size(file))) {
    refuse(file, "truncated shared library; copy or build it again");
  }
}

}  // namespace

bool exports_symbol(const std::filesystem::path& file, std::string_view symbol) {
  check_file(file);
  try {
    const std::vector<std::string> symbols = boost::dll::library_info(file).symbols();
    return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
  } catch (const std::exception& error) {
    refuse(file, std::string("damaged shared library (") + error.what() + "); build it again");
  }
}

}  // namespace berth::internal
