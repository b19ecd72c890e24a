// What is said of a fit while it runs, beside its steps.
#pragma once

#include <thalweg/core/message.hpp>

#include <functional>

namespace thalweg {

struct Remark {
  Message text;
  bool warning = false;  // of what may mislead; else of what was done by itself
};

using Tell = std::function<void(const Remark&)>;

}  // namespace thalweg
