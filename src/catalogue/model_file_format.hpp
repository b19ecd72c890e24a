// What writing and reading of model files must agree on.
#pragma once

#include <nlohmann/json.hpp>

namespace thalweg {

using ModelJson = nlohmann::ordered_json;

inline constexpr const char* model_format = "thalweg-model";
inline constexpr int model_format_version = 1;

}  // namespace thalweg
