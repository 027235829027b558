// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "launcher/error_report.hpp"

#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include <gtest/gtest.h>

namespace berth::launcher {
namespace {

ErrorReport of_path(std::errc fault) {
  return report_of(
      std::filesystem::filesystem_error("status", "a\nb", std::make_error_code(fault)));
}

TEST(ErrorReport, IsOneLineWhateverTheMessageQuotes) {
  EXPECT_EQ(one_line("a\nb\tc\x1b[31m\x7f\xc3\xa9"), "a\\nb c\\x1b[31m\\x7f\xc3\xa9");
  EXPECT_EQ(report_of(InputError("w/\r\n: no such file")).text, "w/\\x0d\\n: no such file");
}

TEST(ErrorReport, KeepsTheCodesOfBerthsErrors) {
  EXPECT_EQ(report_of(InputError("x")).code, ExitCode::kBadInput);
  EXPECT_EQ(report_of(PluginError("x")).code, ExitCode::kPlugin);
  EXPECT_EQ(report_of(SolverError("x")).code, ExitCode::kSolver);
}

TEST(ErrorReport, TellsAPathAtFaultFromADiskAtFault) {
  EXPECT_EQ(of_path(std::errc::filename_too_long).code, ExitCode::kBadInput);
  EXPECT_EQ(of_path(std::errc::permission_denied).code, ExitCode::kBadInput);
  EXPECT_EQ(of_path(std::errc::no_space_on_device).code, ExitCode::kRunFailed);
  EXPECT_EQ(of_path(std::errc::filename_too_long).text, "a\\nb: File name too long");
}

TEST(ErrorReport, LackOfMemoryIsAFailedRunAndTheRestABug) {
  EXPECT_EQ(report_of(std::bad_alloc()).code, ExitCode::kRunFailed);
  EXPECT_EQ(report_of(std::logic_error("x")).code, ExitCode::kInternal);
}

}  // namespace
}  // namespace berth::launcher
