// Which component comes first, and everything that is kept by component in that order.
#include "catalogue/fitted_regularisation.hpp"
#include "core/change.hpp"
#include <thalweg/catalogue/order.hpp>
#include <thalweg/core/error.hpp>

#include <algorithm>
#include <numeric>
#include <string>

namespace thalweg {
namespace {

/// The first parameter of what a component emits: not how probable components are, or which follow each other.
const Piece& first_parameter(const Fitted& fitted) {
  const Layout& layout = *fitted.plan.parameters;
  for (const Piece& piece : layout.pieces())
    if (!piece.constant && piece.by_component() && &piece != component_probabilities(layout) &&
        std::ranges::count(piece.axes, Axis::component) == 1)
      return piece;
  throw UsageError("components of a " + fitted.entry->name + " model have no first mean");
}

}  // namespace

ComponentOrder parse_component_order(std::string_view text) {
  if (text == "none") return ComponentOrder::none;
  if (text == "weight") return ComponentOrder::weight;
  if (text == "first-mean") return ComponentOrder::first_mean;
  throw UsageError("order of components \"" + std::string(text) +
                   "\" is unknown, expected weight, first-mean or none");
}

std::vector<std::size_t> component_order(const Fitted& fitted, ComponentOrder rule) {
  const std::size_t K = fitted.plan.parameters->extent(Axis::component);
  std::vector<std::size_t> order(K);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (rule == ComponentOrder::weight) {
    const Piece* const shares = row_shares(*fitted.plan.parameters);
    if (!shares)
      throw UsageError("components of a " + fitted.entry->name + " model have no weights (use " +
                       option("order_components", "first-mean") + ")");
    const auto weights = fitted.parameters[shares->name];
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  }
  if (rule == ComponentOrder::first_mean) {
    const Piece& piece = first_parameter(fitted);
    const auto values = fitted.parameters[piece.name];
    const std::size_t size = piece.size() / K;
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return values[a * size] < values[b * size]; });
  }
  return order;
}

void reorder(Fitted& fitted, const std::vector<std::size_t>& order) {
  relabel(order, fitted.parameters);
  if (fitted.statistic) relabel(order, *fitted.statistic);
  relabel_regularisation(order, fitted);
  if (!fitted.training) return;
  fitted.training->events.relabel(order);
  std::vector<std::string>& labels = fitted.training->labels;
  if (labels.empty()) return;
  labels.resize(order.size());
  const std::vector<std::string> old = labels;
  for (std::size_t k = 0; k < order.size(); ++k) labels[k] = old[order[k]];
}

}  // namespace thalweg
