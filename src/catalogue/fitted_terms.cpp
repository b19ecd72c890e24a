#include <thalweg/catalogue/fitted_terms.hpp>
#include <thalweg/core/change.hpp>
#include <thalweg/core/schedule.hpp>
#include <thalweg/core/text.hpp>
#include <thalweg/estimators/fit_options.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace thalweg {
namespace {

bool usual(const Terms& terms) { return terms.prior && terms.prior_strength > 0; }

/// The same numbers, but for what a change of constants costs.
bool alike(const Statistic& one, const Statistic& other) {
  constexpr double digits = 1e-6;
  for (const Piece& piece : one.layout().pieces()) {
    const auto a = one.values().subspan(piece.offset, piece.size());
    const auto b = other.values().subspan(piece.offset, piece.size());
    double largest = 0;
    double apart = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      largest = std::max({largest, std::abs(a[i]), std::abs(b[i])});
      apart = std::max(apart, std::abs(a[i] - b[i]));
    }
    if (apart > digits * largest) return false;
  }
  return true;
}

std::string prior_text(const Terms& terms) {
  if (!terms.prior) return "no prior";
  return std::string(usual(terms) ? "a prior of " : "a prior file of ") +
         to_text(terms.prior->weight) + " rows";
}

std::string prior_difference(const Fitted& one, const Fitted& other, bool same_rows) {
  const Terms& a = one.terms;
  const Terms& b = other.terms;
  if (!a.prior && !b.prior) return "";
  if (!a.prior || !b.prior || a.prior->weight != b.prior->weight || usual(a) != usual(b))
    return "it has " + prior_text(b) + ", not " + prior_text(a);
  if (usual(a) && !same_rows) return "";
  const bool same = alike(*terms_here(one).prior, *settled_at(*one.model, b, one.parameters).prior);
  return same ? "" : "it has another prior";
}

std::string held_text(const Terms& terms) {
  std::string text;
  if (terms.fixed)
    for (const std::string& word : terms.fixed->words()) text += (text.empty() ? "" : ",") + word;
  return text.empty() ? "nothing" : text;
}

/// Held parameters are in no statistic: both fits must have held them at the same values.
std::string held_difference(const Fitted& one, const Fitted& other) {
  if (held_text(one.terms) != held_text(other.terms))
    return "it holds " + held_text(other.terms) + ", not " + held_text(one.terms);
  if (!one.terms.fixed) return "";
  const std::size_t K = component_count(one);
  for (const Piece& piece : one.plan.parameters->pieces()) {
    const std::size_t parts = piece.by_component() ? K : 1;
    const std::size_t size = piece.size() / parts;
    for (std::size_t k = 0; k < parts; ++k) {
      const double* a = one.parameters.data() + piece.offset + k * size;
      const double* b = other.parameters.data() + piece.offset + k * size;
      if (one.terms.fixed->holds(piece.name, k) && !std::equal(a, a + size, b))
        return "it holds " + piece.name + " at other values";
    }
  }
  return "";
}

}  // namespace

TermsRecord terms_record(const Fitted& fitted) {
  const Terms standard;
  const Terms& terms = fitted.terms;
  TermsRecord record;
  if (terms.floor != standard.floor) record.floor = terms.floor;
  if (terms.ridge != standard.ridge) record.ridge = terms.ridge;
  if (terms.fixed) record.fixed = terms.fixed->words();
  if (terms.prior && terms.prior->weight > 0) {
    record.prior = arrays_of(*terms_here(fitted).prior);
    record.prior_weight = terms.prior->weight;
    record.usual_prior = usual(terms);
  }
  return record;
}

Terms terms_here(const Fitted& fitted) {
  return settled_at(*fitted.model, fitted.terms, fitted.parameters);
}

double rows_behind(const Fitted& fitted) {
  double rows = fitted.statistic->weight;
  if (!fitted.training || !(fitted.training->observations > 0)) return rows;
  const Training& training = *fitted.training;
  rows = std::min(rows, training.observations);
  const bool stepped = training.method == name(Method::online) && training.batch_size > 0;
  if (!stepped || training.rows == 0 || !training.step.starts_with("constant:")) return rows;
  const double rate = Schedule::parse(training.step).constant_rate();
  const double a_batch = real(training.batch_size) * (training.observations / real(training.rows));
  return std::min(rows, a_batch * (2 / rate - 1));
}

bool prior_in_statistics(const Fitted& fitted) {
  return fitted.terms.prior && fitted.training && fitted.training->method == name(Method::gradient);
}

std::string terms_difference(const Fitted& one, const Fitted& other, bool same_rows) {
  const auto number = [](const char* name, double a, double b) {
    return "its " + std::string(name) + " is " + to_text(b) + ", not " + to_text(a);
  };
  if (one.terms.floor != other.terms.floor)
    return number("floor", one.terms.floor, other.terms.floor);
  if (one.terms.ridge != other.terms.ridge)
    return number("ridge", one.terms.ridge, other.terms.ridge);
  const std::string prior = prior_difference(one, other, same_rows);
  return prior.empty() ? held_difference(one, other) : prior;
}

void relabel_terms(const std::vector<std::size_t>& order, Fitted& fitted) {
  Terms& terms = fitted.terms;
  if (terms.fixed) terms.fixed = std::make_shared<const Fixed>(terms.fixed->relabelled(order));
  if (!terms.prior) return;
  Statistic S_0 = *terms.prior;
  relabel(order, S_0);
  terms.prior = std::make_shared<const Statistic>(std::move(S_0));
}

std::size_t component_count(const Fitted& fitted) {
  return fitted.entry->has_components() ? fitted.options.count("components") : 1;
}

std::size_t free_parameters(const Fitted& fitted) {
  const std::size_t all = fitted.plan.free_parameters;
  if (!fitted.terms.fixed) return all;
  return all - fitted.terms.fixed->free_entries(*fitted.plan.parameters, component_count(fitted));
}

}  // namespace thalweg
