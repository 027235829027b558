// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Tables as CSV: fields in quotes, and what is refused with its row and column.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "csv_file.hpp"
#include "throughput_table.hpp"

namespace berth::datasets {
namespace {

class CsvInput : public testing::Test {
 protected:
  CsvInput() : file_(testing::TempDir() + "csv_" + std::to_string(getpid()) + ".csv") {}
  ~CsvInput() override { std::filesystem::remove(file_); }

  const std::string& write(const std::string& text) const {
    std::ofstream(file_, std::ios::binary) << text;
    return file_;
  }
  /// What is said of a table of these rows, behind the file's name.
  std::string refusal(const std::string& rows,
                      const std::string& header =
                          "model,batch_size,scale_factor,gpu,"
                          "consolidated,steps_per_s") const {
    try {
      static_cast<void>(ThroughputTable(write(header + "\n" + rows), ""));
    } catch (const InputError& error) {
      return std::string(error.what()).substr(file_.size());
    }
    return "accepted";
  }

 private:
  std::string file_;
};

TEST_F(CsvInput, AThroughputTableNamesRowAndColumn) {
  EXPECT_EQ(refusal("LM,20,1,v100,1,3.5\nLM,20,1,v100,0,3\n"), "accepted");
  EXPECT_EQ(refusal("LM,20,1,v100,7,3.5\n"), ":2: consolidated: '7'; expected 0 or 1");
  EXPECT_EQ(refusal("LM,20,1,v100,,3.5\n"), ":2: consolidated: ''; expected 0 or 1");
  EXPECT_EQ(refusal("LM,20,1,v100,1,3\nLM,20,0,v100,1,3.5\n"),
            ":3: scale_factor: '0'; expected a whole number from 1 on");
  EXPECT_EQ(refusal("LM,20,1.5,v100,1,3.5\n"), ":2: scale_factor: '1.5'; expected a whole number");
  EXPECT_EQ(refusal("LM,20,1,v100,1,-3\n"), ":2: steps_per_s: '-3'; expected a finite number >= 0");
  for (const std::string rate : {"1e300", "1.1e9", "9e-10", "1e-300"}) {
    EXPECT_EQ(refusal("LM,20,1,v100,1,0\nLM,20,1,v100,0," + rate + "\n"),
              ":3: steps_per_s: '" + rate + "'; expected 0 or a number from 1e-9 to 1e9 (steps/s)");
  }
  EXPECT_EQ(refusal("LM,20,1,v100,1,1e9\nLM,20,1,v100,0,1e-9\n"), "accepted");
  EXPECT_EQ(refusal("LM,20,1,v100,1,3,4\n",
                    "model,batch_size,scale_factor,gpu,consolidated,steps_per_s,steps_per_s"),
            ":1: column 'steps_per_s' is there twice; expected it once");
}

TEST_F(CsvInput, FieldsInQuotesHoldCommasAndQuotes) {
  const CsvFile csv(write("name,note,n\n\"gpt, small\",\"so \"\"called\"\"\",1\n\"\",b,2\n"));

  EXPECT_EQ(csv.text(0, "name"), "gpt, small");
  EXPECT_EQ(csv.text(0, "note"), "so \"called\"");
  EXPECT_EQ(csv.text(1, "name"), "");
  EXPECT_EQ(csv.number(1, "n"), 2.0);
  EXPECT_EQ(csv_field("gpt, small"), "\"gpt, small\"");
  EXPECT_EQ(csv_field("so \"called\""), "\"so \"\"called\"\"\"");
  EXPECT_EQ(csv_field("LM"), "LM");
}

TEST_F(CsvInput, QuotesThatDoNotMatchAreRefused) {
  EXPECT_EQ(refusal("\"LM,20,1,v100,1,3.5\n"),
            ":2: field 1 begins with a quote; expected one at its end");
  EXPECT_EQ(refusal("LM,20,1,v\"100,1,3.5\n"),
            ":2: a quote in field 4; expected it around a whole field, two for one inside");
  EXPECT_EQ(refusal("\"LM\"x,20,1,v100,1,3.5\n"),
            ":2: a quote in field 1; expected it around a whole field, two for one inside");
}

TEST_F(CsvInput, ATableOfNamesWithCommasComesBack) {
  const ThroughputEntry entries[] = {{{"gpt, small", 8}, 2, "a, \"b\"", true, 1.25}};
  std::ostringstream out;
  ThroughputTable("made", entries).write_csv(out);

  const ThroughputTable again(write(out.str()), "");

  const std::string gpus[] = {"a, \"b\""};
  EXPECT_EQ(again.rates("here", {"gpt, small", 8}, 2, gpus, true), std::vector<double>{1.25});
}

}  // namespace
}  // namespace berth::datasets
