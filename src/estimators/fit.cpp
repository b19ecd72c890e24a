#include <thalweg/estimators/fit.hpp>

namespace thalweg {

template class Fit<AnyModel>;

Method parse_method(std::string_view text) {
  for (const Method method : {Method::automatic, Method::online, Method::batch, Method::exact})
    if (text == name(method)) return method;
  throw UsageError("method \"" + std::string(text) + "\" is not auto, online, batch or exact");
}

std::string_view name(Method method) {
  switch (method) {
    case Method::automatic:
      return "auto";
    case Method::online:
      return "online";
    case Method::batch:
      return "batch";
    case Method::exact:
      break;
  }
  return "exact";
}

}  // namespace thalweg
