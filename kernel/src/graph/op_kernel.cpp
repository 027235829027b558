// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/op_kernel.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

struct Function {
  std::string_view name;
  std::size_t operands;
  bool reduces;
};

constexpr std::array kFunctions = {Function{"contract", 2, true},
                                   Function{"sum", 1, true},
                                   Function{"max", 1, true},
                                   Function{"add-partials", 1, false},
                                   Function{"max-partials", 1, false},
                                   Function{"copy", 1, false},
                                   Function{"add", 2, false},
                                   Function{"subtract", 2, false},
                                   Function{"multiply", 2, false},
                                   Function{"divide", 2, false},
                                   Function{"square", 1, false},
                                   Function{"rsqrt", 1, false},
                                   Function{"exp", 1, false},
                                   Function{"relu", 1, false},
                                   Function{"silu", 1, false},
                                   Function{"affine", 1, false},
                                   Function{"polar", 1, false},
                                   Function{"complex-multiply", 2, false},
                                   Function{"causal-mask", 0, false}};

std::string shortest(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

/// Walks over one text; every complaint quotes what is left of it.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError("kernel '" + std::string(text_) + "': found '" +
                     std::string(text_.substr(at_, 20)) + "'; expected " + expected);
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
  }
  [[nodiscard]] bool done() const { return at_ == text_.size(); }
  [[nodiscard]] char peek() const { return done() ? '\0' : text_[at_]; }
  bool take(char c) {
    const bool found = peek() == c;
    at_ += found ? 1 : 0;
    return found;
  }
  std::string_view word() {
    const std::size_t begin = at_;
    while (is_lower(peek()) || (at_ > begin && peek() == '-')) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  std::string letters() {
    const std::size_t begin = at_;
    while (is_lower(peek()) || (peek() >= 'A' && peek() <= 'Z')) {
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }
  template <class Number>
  Number number(const char* expected) {
    Number value{};
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) {
      fail(expected);
    }
    if constexpr (std::is_floating_point_v<Number>) {
      if (!std::isfinite(value)) {
        fail(expected);
      }
    }
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  AxisRange range() {
    AxisRange range;
    range.axis = text_[at_++];
    range.begin = number<std::uint32_t>("the first element of the axis, e.g. k0:500");
    if (!take(':')) {
      fail("':' and the end of the axis' range");
    }
    range.end = number<std::uint32_t>("the end of the axis' range");
    if (range.end <= range.begin) {
      fail("a range that is not empty before this");
    }
    return range;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

const Function& function_of(Reader& reader) {
  const Reader before = reader;
  const std::string_view name = reader.word();
  const auto found = std::ranges::find(kFunctions, name, &Function::name);
  if (found == kFunctions.end()) {
    before.fail("a function such as contract, sum, add-partials or exp");
  }
  return *found;
}

KernelOperand operand_of(Reader& reader) {
  KernelOperand operand;
  operand.axes = reader.letters();
  if (reader.take('#')) {
    operand.input = reader.number<std::uint32_t>("the number of a graph input");
    if (reader.take('*')) {
      operand.amplitude = reader.number<double>("an amplitude");
    }
    return operand;
  }
  if (!reader.take('@')) {
    reader.fail("'#' and a graph input, or '@' and the ids of ops");
  }
  do {
    operand.producers.push_back(to_id<OpId>(reader.number<std::uint32_t>("the id of an op")));
  } while (reader.take(','));
  return operand;
}

void check_axes(const Reader& reader, const OpKernel& kernel) {
  std::string seen;
  for (const auto* ranges : {&kernel.output, &kernel.reduced}) {
    for (const AxisRange& range : *ranges) {
      if (seen.find(range.axis) != std::string::npos) {
        reader.fail(std::string("each axis once, not '") + range.axis + "' twice");
      }
      seen += range.axis;
    }
  }
}

}  // namespace

std::uint64_t OpKernel::output_reals() const noexcept {
  std::uint64_t reals = scalars;
  for (const AxisRange& range : output) {
    reals *= range.length();
  }
  return reals;
}

std::string to_text(const OpKernel& kernel) {
  std::string text = kernel.function;
  const auto add = [&text](const std::vector<AxisRange>& ranges) {
    for (const AxisRange& range : ranges) {
      text += std::string(" ") + range.axis + std::to_string(range.begin) + ":" +
              std::to_string(range.end);
    }
  };
  add(kernel.output);
  if (!kernel.reduced.empty()) {
    text += " /";
    add(kernel.reduced);
  }
  text += kernel.scalars != 1 ? " =" + std::to_string(kernel.scalars) : "";
  text += kernel.factor != 1.0 ? " *" + shortest(kernel.factor) : "";
  text += kernel.shift != 0.0 ? " +" + shortest(kernel.shift) : "";
  for (const KernelOperand& operand : kernel.operands) {
    text += " ; " + operand.axes;
    if (operand.input != KernelOperand::kNoInput) {
      text += "#" + std::to_string(operand.input);
      text += operand.amplitude != 1.0 ? "*" + shortest(operand.amplitude) : "";
      continue;
    }
    for (std::size_t i = 0; i < operand.producers.size(); ++i) {
      text += (i == 0 ? "@" : ",") + std::to_string(index(operand.producers[i]));
    }
  }
  return text;
}

OpKernel parse_op_kernel(std::string_view text) {
  Reader reader(text);
  OpKernel kernel;
  const Function& function = function_of(reader);
  kernel.function = function.name;
  std::vector<AxisRange>* ranges = &kernel.output;
  for (reader.skip_blanks(); !reader.done() && reader.peek() != ';'; reader.skip_blanks()) {
    if (is_lower(reader.peek())) {
      ranges->push_back(reader.range());
    } else if (reader.take('/')) {
      ranges = &kernel.reduced;
    } else if (reader.take('=')) {
      kernel.scalars = reader.number<std::uint32_t>("reals in an element");
    } else if (reader.take('*')) {
      kernel.factor = reader.number<double>("a factor");
    } else if (reader.take('+')) {
      kernel.shift = reader.number<double>("a number to add");
    } else {
      reader.fail("an axis, '/', '=', '*', '+' or ';'");
    }
  }
  check_axes(reader, kernel);
  while (reader.take(';')) {
    reader.skip_blanks();
    kernel.operands.push_back(operand_of(reader));
    reader.skip_blanks();
  }
  if (!reader.done()) {
    reader.fail("';' or the end");
  }
  if (kernel.operands.size() != function.operands) {
    reader.fail(std::to_string(function.operands) + " operands of " + kernel.function + ", not " +
                std::to_string(kernel.operands.size()));
  }
  if (kernel.reduced.empty() == function.reduces) {
    reader.fail(kernel.function + (function.reduces ? " over axes after '/'" : " without '/'"));
  }
  if (kernel.scalars < 1 || kernel.scalars > 2) {
    reader.fail("1 or 2 reals in an element");
  }
  return kernel;
}

}  // namespace abi_v1
}  // namespace berth
