// Step sizes by name and number.
#include "core/text.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/core/schedule.hpp>

namespace thalweg {

Schedule Schedule::power(double exponent, double offset) {
  if (!(exponent > 0.5 && exponent <= 1.0))
    throw UsageError("step exponent " + to_text(exponent) +
                     " is outside (0.5, 1]; 0.6 is a good choice");
  if (!(offset >= 0.0) || !std::isfinite(offset))
    throw UsageError("step offset " + to_text(offset) + " is not a number from 0 on");
  Schedule schedule;
  schedule.exponent_ = exponent;
  schedule.offset_ = offset;
  return schedule;
}

Schedule Schedule::reciprocal() {
  Schedule schedule;
  schedule.kind_ = Kind::reciprocal;
  return schedule;
}

Schedule Schedule::constant(double rate) {
  if (!(rate > 0.0 && rate <= 1.0))
    throw UsageError("constant step " + to_text(rate) + " is outside (0, 1]");
  Schedule schedule;
  schedule.kind_ = Kind::constant;
  schedule.rate_ = rate;
  return schedule;
}

Schedule Schedule::custom(std::function<double(std::uint64_t)> rate) {
  Schedule schedule;
  schedule.kind_ = Kind::custom;
  schedule.custom_ = std::move(rate);
  return schedule;
}

Schedule Schedule::parse(std::string_view text) {
  constexpr std::string_view constant_prefix = "constant:";
  constexpr std::string_view offset_prefix = "offset=";
  const auto refuse = [text]() -> UsageError {
    return UsageError("step \"" + std::string(text) +
                      "\" is not 0.6, 0.6,offset=100, 1/n or constant:0.01");
  };
  if (text == "1/n") return reciprocal();
  if (text.starts_with(constant_prefix)) {
    const auto rate = to_number(text.substr(constant_prefix.size()));
    if (!rate) throw refuse();
    return constant(*rate);
  }
  const std::size_t comma = text.find(',');
  const auto exponent = to_number(text.substr(0, comma));
  if (!exponent) throw refuse();
  if (comma == std::string_view::npos) return power(*exponent);
  const std::string_view rest = text.substr(comma + 1);
  if (!rest.starts_with(offset_prefix)) throw refuse();
  const auto offset = to_number(rest.substr(offset_prefix.size()));
  if (!offset) throw refuse();
  return power(*exponent, *offset);
}

std::string Schedule::text() const {
  switch (kind_) {
    case Kind::reciprocal:
      return "1/n";
    case Kind::constant:
      return "constant:" + to_text(rate_);
    case Kind::custom:
      return "custom";
    case Kind::power:
      break;
  }
  return to_text(exponent_) + (offset_ > 0 ? ",offset=" + to_text(offset_) : "");
}

}  // namespace thalweg
