#include <thalweg/estimators/fit.hpp>

namespace thalweg {

template class Fit<AnyModel>;

Method parse_method(std::string_view text) {
  for (const Method method : {Method::automatic, Method::online, Method::batch})
    if (text == name(method)) return method;
  throw UsageError("method \"" + std::string(text) + "\" is not auto, online or batch");
}

std::string_view name(Method method) {
  switch (method) {
    case Method::automatic:
      return "auto";
    case Method::online:
      return "online";
    case Method::batch:
      break;
  }
  return "batch";
}

}  // namespace thalweg
