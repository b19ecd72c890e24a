// The whole state of an estimator as named arrays: save, load, same future bit for bit.
#pragma once

#include <thalweg/core/statistic.hpp>
#include <thalweg/data/table.hpp>
#include <thalweg/export.hpp>

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// Doubles and counts under names; a nested state takes a prefix ("race/0/").
class THALWEG_API Archive {
 public:
  void put(const std::string& name, std::vector<double> numbers);
  void put(const std::string& name, std::vector<std::uint64_t> counts);
  void put(const std::string& name, double number) { put(name, std::vector<double>{number}); }
  void put(const std::string& name, std::uint64_t count) {
    put(name, std::vector<std::uint64_t>{count});
  }
  void put(const std::string& name, const Parameters& parameters);
  void put(const std::string& name, const Statistic& statistic);
  void put(const std::string& name, const Table& table);
  void put(const std::string& name, const std::vector<std::string>& texts);
  void put(const std::string& prefix, const Archive& nested);

  /// What is missing or has another size than the receiver is an Error.
  const std::vector<double>& numbers(const std::string& name) const;
  const std::vector<std::uint64_t>& counts(const std::string& name) const;
  double number(const std::string& name) const;
  std::uint64_t count(const std::string& name) const;
  /// For what earlier versions did not save.
  bool has_count(const std::string& name) const { return counts_.contains(name); }
  std::uint64_t count_or(const std::string& name, std::uint64_t otherwise) const;
  void get(const std::string& name, Parameters& parameters) const;
  void get(const std::string& name, Statistic& statistic) const;
  void get(const std::string& name, Table& table) const;
  std::vector<std::string> texts(const std::string& name) const;
  Archive nested(const std::string& prefix) const;
  bool empty() const { return numbers_.empty() && counts_.empty(); }

  static std::string_view magic();  // how the bytes begin

  /// Bytes with a checksum; reading refuses anything damaged, cut short or of another version.
  void write(std::ostream& out) const;
  static Archive read(std::istream& in);

 private:
  std::map<std::string, std::vector<double>> numbers_;
  std::map<std::string, std::vector<std::uint64_t>> counts_;
};

}  // namespace thalweg
