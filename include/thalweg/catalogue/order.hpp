// Components in an order that people can rely on: EM leaves it to chance.
#pragma once

#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace thalweg {

enum class ComponentOrder {
  none,        // as they are
  weight,      // the most probable first: by the weights of a mixture, the start of a chain
  first_mean,  // smallest first entry of the family's first parameter (means, rates) first
};

THALWEG_API ComponentOrder parse_component_order(std::string_view text);

/// New component i is the old one order[i]; ties keep their order.
THALWEG_API std::vector<std::size_t> component_order(const Fitted& fitted, ComponentOrder rule);

/// Parameters, statistics, regularisation and the marks of events follow.
THALWEG_API void reorder(Fitted& fitted, const std::vector<std::size_t>& order);

}  // namespace thalweg
