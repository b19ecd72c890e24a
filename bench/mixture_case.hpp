// A Gaussian mixture to measure: what draw_mixture.py left in a folder, as raw doubles, read on behalf of "DIR COVARIANCE D K".
#pragma once

#include <thalweg/catalogue/mixtures.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

inline std::vector<double> doubles(const std::string& path, std::size_t at_most = ~std::size_t{0}) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw thalweg::Error(path + " cannot be opened");
  const auto count = static_cast<std::size_t>(file.tellg()) / sizeof(double);
  std::vector<double> values(std::min(count, at_most));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!file) throw thalweg::Error(path + " cannot be read");
  return values;
}

inline std::size_t number(const char* text) { return std::strtoul(text, nullptr, 10); }

inline thalweg::Covariance covariance(std::string_view name) {
  using enum thalweg::Covariance;
  return name == "full" ? full : name == "tied" ? tied : name == "diag" ? diag : spherical;
}

class MixtureCase {
 public:
  /// The four arguments DIR COVARIANCE D K.
  explicit MixtureCase(char** argument)
      : folder_(argument[0]),
        covariance_(covariance(argument[1])),
        d_(number(argument[2])),
        K_(number(argument[3])) {}

  auto model() const {
    return thalweg::gaussian_mixture({.components = K_, .covariance = covariance_});
  }
  thalweg::Schema schema() const { return thalweg::Schema::numbered(d_); }

  /// `name` is "rows" or "held_out".
  std::vector<double> rows(const std::string& name, std::size_t at_most = ~std::size_t{0}) const {
    return doubles(folder_ + '/' + name, std::min(at_most, ~std::size_t{0} / d_) * d_);
  }
  thalweg::Block block(const std::vector<double>& rows) const {
    return thalweg::dense_block(rows.data(), rows.size() / d_, d_);
  }

  /// `name` is "truth" or "start".
  thalweg::Parameters parameters(const std::string& name) const {
    thalweg::Parameters theta(model()->plan(schema()).parameters);
    for (const char* piece : {"weights", "means", "covariances"}) {
      const std::vector<double> values = doubles(folder_ + '/' + name + '.' + piece);
      const std::span<double> into = theta[piece];
      if (values.size() != into.size()) throw thalweg::Error(name + ": wrong number of " + piece);
      std::copy(values.begin(), values.end(), into.begin());
    }
    return theta;
  }

 private:
  std::string folder_;
  thalweg::Covariance covariance_;
  std::size_t d_;
  std::size_t K_;
};

/// Processor and wall time since it was made.
class Stopwatch {
 public:
  double processor() const {
    return static_cast<double>(std::clock() - processor_) / CLOCKS_PER_SEC;
  }
  double wall() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_).count();
  }

 private:
  std::clock_t processor_ = std::clock();
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
};

}  // namespace bench
