#include <thalweg/estimators/fit.hpp>

namespace thalweg {

template class Fit<AnyModel>;

Method parse_method(std::string_view text) {
  for (const Method method : {Method::automatic, Method::online, Method::batch, Method::incremental,
                              Method::variance_reduced, Method::gradient, Method::exact})
    if (text == name(method)) return method;
  throw UsageError(
      "method \"" + std::string(text) +
      "\" is not auto, online, batch, incremental, variance-reduced, gradient or exact");
}

std::string_view name(Method method) {
  switch (method) {
    case Method::automatic:
      return "auto";
    case Method::online:
      return "online";
    case Method::incremental:
      return "incremental";
    case Method::variance_reduced:
      return "variance-reduced";
    case Method::gradient:
      return "gradient";
    case Method::batch:
      return "batch";
    case Method::exact:
      break;
  }
  return "exact";
}

}  // namespace thalweg
