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

namespace {

std::vector<Known>& all_known() {
  static std::vector<Known> all;
  return all;
}

}  // namespace

MakeKnown::MakeKnown(const Known& one) { all_known().push_back(one); }

const std::vector<Known>& known() { return all_known(); }

const Known& known_of(std::string_view entry) {
  for (const Known& one : known())
    if (one.entry == entry) return one;
  throw std::logic_error("no file tests/laws/known_*.cpp knows " + std::string(entry));
}

const Known& known_of(const Subject& subject) { return known_of(subject.entry->name); }

bool has_units(const Subject& subject) {
  const Known& formulas = known_of(subject);
  return formulas.rescale && !(formulas.counts && formulas.counts(subject.example.truth));
}

double share(const Subject& subject, const Parameters& theta, std::size_t k, std::size_t t) {
  if (const auto own = known_of(subject).share) return own(theta, k, t);
  return has_components(subject) ? theta["weights"][k] : 1;
}

bool has_components(const Subject& subject) { return subject.entry->has_components(); }

bool draws_starts(const Subject& subject) { return subject.plan.starts != 1; }

}  // namespace laws
