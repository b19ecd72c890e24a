// What M-steps of a fitted model are told: in its file, in its gauge, compared with another.
#include "catalogue/fitted_regularisation.hpp"

#include "core/change.hpp"
#include "core/text.hpp"
#include <thalweg/core/schedule.hpp>
#include <thalweg/estimators/fit_options.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace thalweg {
namespace {

bool usual(const Regularisation& regularisation) {
  return regularisation.prior && regularisation.prior_strength > 0;
}

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

std::string prior_text(const Regularisation& regularisation) {
  if (!regularisation.prior) return "no prior";
  return std::string(usual(regularisation) ? "a prior of " : "a prior file of ") +
         to_text(regularisation.prior->weight) + " rows";
}

std::string prior_difference(const Fitted& one, const Fitted& other, bool same_rows) {
  const Regularisation& a = one.regularisation;
  const Regularisation& b = other.regularisation;
  if (!a.prior && !b.prior) return "";
  if (!a.prior || !b.prior || a.prior->weight != b.prior->weight || usual(a) != usual(b))
    return "it has " + prior_text(b) + ", not " + prior_text(a);
  if (usual(a) && !same_rows) return "";
  const bool same =
      alike(*regularisation_here(one).prior, *settled_at(*one.model, b, one.parameters).prior);
  return same ? "" : "it has another prior";
}

std::string held_text(const Regularisation& regularisation) {
  std::string text;
  if (regularisation.fixed)
    for (const std::string& word : regularisation.fixed->words())
      text += (text.empty() ? "" : ",") + word;
  return text.empty() ? "nothing" : text;
}

/// Held parameters are in no statistic: both fits must have held them at the same values.
std::string held_difference(const Fitted& one, const Fitted& other) {
  if (held_text(one.regularisation) != held_text(other.regularisation))
    return "it holds " + held_text(other.regularisation) + ", not " + held_text(one.regularisation);
  if (!one.regularisation.fixed) return "";
  const std::size_t K = component_count(one);
  for (const Piece& piece : one.plan.parameters->pieces()) {
    const std::size_t parts = piece.by_component() ? K : 1;
    const std::size_t size = piece.size() / parts;
    for (std::size_t k = 0; k < parts; ++k) {
      const double* a = one.parameters.data() + piece.offset + k * size;
      const double* b = other.parameters.data() + piece.offset + k * size;
      if (one.regularisation.fixed->holds(piece.name, k) && !std::equal(a, a + size, b))
        return "it holds " + piece.name + " at other values";
    }
  }
  return "";
}

}  // namespace

RegularisationRecord regularisation_record(const Fitted& fitted) {
  const Regularisation standard;
  const Regularisation& regularisation = fitted.regularisation;
  RegularisationRecord record;
  if (regularisation.floor != standard.floor) record.floor = regularisation.floor;
  if (regularisation.ridge != standard.ridge) record.ridge = regularisation.ridge;
  if (regularisation.fixed) record.fixed = regularisation.fixed->words();
  if (regularisation.prior && regularisation.prior->weight > 0) {
    record.prior = arrays_of(*regularisation_here(fitted).prior);
    record.prior_weight = regularisation.prior->weight;
    record.usual_prior = usual(regularisation);
  }
  return record;
}

Regularisation regularisation_here(const Fitted& fitted) {
  return settled_at(*fitted.model, fitted.regularisation, fitted.parameters);
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
  return fitted.regularisation.prior && fitted.training &&
         fitted.training->method == name(Method::gradient);
}

std::string regularisation_difference(const Fitted& one, const Fitted& other, bool same_rows) {
  const auto number = [](const char* name, double a, double b) {
    return "its " + std::string(name) + " is " + to_text(b) + ", not " + to_text(a);
  };
  if (one.regularisation.floor != other.regularisation.floor)
    return number("floor", one.regularisation.floor, other.regularisation.floor);
  if (one.regularisation.ridge != other.regularisation.ridge)
    return number("ridge", one.regularisation.ridge, other.regularisation.ridge);
  const std::string prior = prior_difference(one, other, same_rows);
  return prior.empty() ? held_difference(one, other) : prior;
}

void relabel_regularisation(const std::vector<std::size_t>& order, Fitted& fitted) {
  Regularisation& regularisation = fitted.regularisation;
  if (regularisation.fixed)
    regularisation.fixed = std::make_shared<const Fixed>(regularisation.fixed->relabelled(order));
  if (!regularisation.prior) return;
  Statistic S_0 = *regularisation.prior;
  relabel(order, S_0);
  regularisation.prior = std::make_shared<const Statistic>(std::move(S_0));
}

std::size_t component_count(const Fitted& fitted) {
  return std::max<std::size_t>(fitted.plan.parameters->extent(Axis::component), 1);
}

std::size_t free_parameters(const Fitted& fitted) {
  const std::size_t all = fitted.plan.free_parameters;
  if (!fitted.regularisation.fixed) return all;
  return all - fitted.regularisation.fixed->free_entries(*fitted.plan.parameters,
                                                         component_count(fitted));
}

}  // namespace thalweg
