#include "known.hpp"

#include <stdexcept>

namespace laws {

std::vector<double> weighted_means(const Block& rows, std::span<const double> posterior,
                                   Parameters& theta) {
  const std::size_t K = theta["weights"].size();
  std::vector<double> means(K * rows.columns);
  for (std::size_t k = 0; k < K; ++k) {
    double share = 0;
    for (std::size_t t = 0; t < rows.rows; ++t) share += rows.weight(t) * posterior[t * K + k];
    theta["weights"][k] = share / rows.total_weight();
    for (std::size_t j = 0; j < rows.columns; ++j) {
      double sum = 0;
      for (std::size_t t = 0; t < rows.rows; ++t)
        sum += rows.weight(t) * posterior[t * K + k] * rows.row(t)[j];
      means[k * rows.columns + j] = sum / share;
    }
  }
  return means;
}

const std::vector<Known>& known() {
  static const std::vector<Known> all = {known_gaussian(), known_poisson(), known_categorical(),
                                         known_ppca()};
  return all;
}

const Known& known_of(const Subject& subject) {
  for (const Known& one : known())
    if (one.entry == subject.entry->name) return one;
  throw std::logic_error("tests/laws/known.cpp does not know " + subject.entry->name);
}

bool has_units(const Subject& subject) { return known_of(subject).rescale != nullptr; }

bool has_components(const Subject& subject) { return subject.entry->has_components(); }

bool draws_starts(const Subject& subject) { return subject.plan.starts != 1; }

}  // namespace laws
